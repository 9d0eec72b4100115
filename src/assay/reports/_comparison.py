"""Comparisons in every format, on the screen and as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from assay.catalog import find_entry
from assay.reports._comparison_console import render_console
from assay.reports._comparison_data import render_csv, render_json
from assay.reports._comparison_latex import render_latex
from assay.reports._comparison_markdown import render_markdown
from assay.reports._comparison_report import ComparisonReport
from assay.reports._outputs import ENDINGS, check_outputs, refuse_endings

FORMATS: dict[str, Callable[[ComparisonReport], str]] = {
    "table": render_console,
    "markdown": render_markdown,
    "latex": render_latex,
    "csv": render_csv,
    "json": render_json,
}


def find_format(name: str) -> Callable[[ComparisonReport], str]:
    """What renders that format; a near match is offered for one nobody knows."""
    return find_entry("format of comparisons", name, FORMATS)


def render_comparison(report: ComparisonReport, form: str = "table") -> str:
    """The comparisons in a format."""
    return find_format(form)(report)


def check_comparison_outputs(paths: Iterable[str], form: str = "") -> None:
    """Refuse files that could not be written, before anything is worked out."""
    paths = list(paths)
    refuse_endings(paths, tuple(ENDINGS), form)
    check_outputs(paths, form=form)
