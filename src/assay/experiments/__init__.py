"""Experiments: interleaving of two rankings with credit from clicks, and A/B tests of search logs with a verdict."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
