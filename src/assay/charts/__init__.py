"""Charts: draw results as Vega-Lite specifications, with the data and a description; one family per file of `catalog`."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
