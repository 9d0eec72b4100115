"""Charts: one kind per file; each draws results as a Vega-Lite specification, with its data and with words beside it."""

from assay.charts._chart import Chart, Drawing, Subject, all_charts, draw, find_chart

__all__ = ["Chart", "Drawing", "Subject", "all_charts", "draw", "find_chart"]
