"""Datasets: read benchmarks with queries, documents and judgments from files and folders, and check them."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
