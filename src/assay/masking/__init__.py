"""Masking: registers the secrets that this process knows, and removes them from text."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
