"""[catalog Fusion] Ways to fuse rankings; the rankings side by side as flat arrays, and normalisations."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
