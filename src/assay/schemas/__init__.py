"""Schemas: the JSON Schemas of everything that assay writes, and of plans and rules; one file each, from the records."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
