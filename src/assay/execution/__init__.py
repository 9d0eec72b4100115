"""Execution: one family per file."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
