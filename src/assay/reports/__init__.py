"""Reports: results as text. `sections` has the tables, `page` the HTML report, `renderers` the formats."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
