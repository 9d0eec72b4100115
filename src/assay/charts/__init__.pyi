from assay.charts._chart import Chart as Chart
from assay.charts._chart import Drawing as Drawing
from assay.charts._chart import Subject as Subject
from assay.charts._chart import all_charts as all_charts
from assay.charts._chart import draw as draw
from assay.charts._chart import find_chart as find_chart
from assay.charts._render import render as render
from assay.charts._render import renderings as renderings
from assay.charts._render import require as require
from assay.charts._render import to_svg as to_svg
from assay.charts._spec import themed as themed

__all__ = ["Chart", "Drawing", "Subject", "all_charts", "draw", "find_chart"]
