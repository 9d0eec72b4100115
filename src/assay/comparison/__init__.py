"""Comparison: systems on the same queries, side by side; who is better, by how much, and how sure that is."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
