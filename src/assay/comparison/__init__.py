"""Comparison: compare systems on the same queries: which one is better, by how much, and how certain that is."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
