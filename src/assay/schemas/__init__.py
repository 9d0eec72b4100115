"""Schemas: the JSON Schemas of everything that assay writes, one file each, generated from the records."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
