"""Charts: one kind per file; each draws results as a Vega-Lite specification, with its data and with words beside it."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
