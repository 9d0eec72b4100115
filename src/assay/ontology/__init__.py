"""Ontology: terms, their ancestors, and the similarity of terms; HPO and its benchmarks. A plug-in of assay."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
