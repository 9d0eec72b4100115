"""Judges: models and programs that grade pairs of query and document, one per file of `catalog`, and how they are asked."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
