"""Views: the data that metrics read, for rankings (GradedRun), spans, subtopics, answers, routes and times. No I/O."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
