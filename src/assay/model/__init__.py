"""Model: queries, documents, judgments, runs, scores and policies. It needs only NumPy and does no I/O."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
