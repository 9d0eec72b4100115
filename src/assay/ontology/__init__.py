"""Ontology: terms, what is above them, and how alike two terms are; HPO and its benchmarks. A plug-in of assay."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
