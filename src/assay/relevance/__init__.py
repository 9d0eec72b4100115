"""Relevance: who decides which retrieved documents answer a query; resolvers in `catalog`."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
