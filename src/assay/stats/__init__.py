"""Statistics: tests (in `catalog`), intervals, corrections, effect sizes, power, and agreement of rankings."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
