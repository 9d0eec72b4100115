"""Metrics: the record of a metric, and all metrics; one family per file in `catalog`."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
