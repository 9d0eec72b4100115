"""Reports: sections of tables about results, comparisons, stores and gates, and what renders them in each format."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
