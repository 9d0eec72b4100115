"""Judged answers: claims, nuggets and contexts of answers, what judges say about them, and scores from their verdicts."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
