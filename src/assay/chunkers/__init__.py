"""Chunkers: ways to cut documents into pieces. One per file; each ends in its CHUNKER record."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
