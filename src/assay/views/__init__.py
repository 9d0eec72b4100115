"""Views: what metrics read. A GradedRun first; spans, subtopics, answers, routes and times beside it. No I/O."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
