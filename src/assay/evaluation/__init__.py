"""Evaluation: score existing rankings against ground truth; the outcome is a Result."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
