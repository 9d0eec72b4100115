"""Datasets: folders and files become benchmarks with queries, documents and judgments; and their preflight."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
