"""Chunkers: ways to cut documents into pieces, found by their records in `catalog`."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
