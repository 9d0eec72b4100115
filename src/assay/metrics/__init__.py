"""Metrics: what a score is, and every score there is; a family per file of `catalog`."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
