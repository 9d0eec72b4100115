"""assay: measures how good a retrieval system is, and whether the last change made it better."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
