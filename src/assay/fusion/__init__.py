"""[catalog FUSION] One way to fuse rankings per file; the rankings side by side as flat arrays, and normalisations."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
