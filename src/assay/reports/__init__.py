"""[catalog RENDERER] Results as text: one format per file."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
