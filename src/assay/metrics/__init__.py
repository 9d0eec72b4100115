"""Metrics: the type of a metric's record, and all metrics, one family per file of `catalog`."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
