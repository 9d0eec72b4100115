"""Embeddings: models that turn texts into vectors, for retrieval and for relevance; and a cache of vectors on disk."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
