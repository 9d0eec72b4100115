"""Model: the nouns. Queries, documents, judgments, runs, scores and policies. NumPy only, no I/O."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
