"""Metrics: what a score is, and every score there is, found by its record in `catalog`."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
