"""Web: pages (`pages`) and a JSON API (`api`) for a store."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
