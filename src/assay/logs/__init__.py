"""Logs: searches and clicks of users as metrics with intervals, checks of a log, and judgments from clicks."""

from assay.lazy import front_door

__getattr__, __dir__, __all__ = front_door(__name__)
