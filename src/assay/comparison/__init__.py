"""Comparison: which of several systems is better on the same queries, by how much, and how certain that is."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
