from assay.charts.catalog.significance import draw_discriminations as draw_discriminations
from assay.charts.chart import Chart as Chart
from assay.charts.chart import Drawing as Drawing
from assay.charts.chart import Subject as Subject
from assay.charts.chart import all_charts as all_charts
from assay.charts.chart import draw as draw
from assay.charts.chart import find_chart as find_chart
from assay.charts.rendering import render as render
from assay.charts.rendering import renderings as renderings
from assay.charts.rendering import require as require
from assay.charts.rendering import to_svg as to_svg
from assay.charts.spec import themed as themed

__all__ = ["Chart", "Drawing", "Subject", "all_charts", "draw", "find_chart"]
