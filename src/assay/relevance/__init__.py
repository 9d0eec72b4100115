"""Relevance: which retrieved documents are relevant to a query; the resolvers that decide this are in `catalog`."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
