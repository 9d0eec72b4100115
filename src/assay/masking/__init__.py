"""Masking: the secrets that this process knows, and text without them."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
