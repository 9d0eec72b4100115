"""Evaluation: queries, ground truth and rankings that exist become a Result."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
