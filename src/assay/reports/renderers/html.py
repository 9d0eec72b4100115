"""One HTML page that opens offline: verdict, tables, charts, queries, provenance and definitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay._version import __version__
from assay.errors import AssayError, UsageError
from assay.evaluation import Result
from assay.reports.report import Renderer, Report
from assay.text import install_command

if TYPE_CHECKING:  # pages take long to import, and whoever wants a plain table has every renderer at hand
    from assay.reports.page.page import Page
    from assay.reports.page.subject import BenchmarkReport


def render_page(page: Page) -> str:
    """The whole page as text; the same page gives the same text."""
    from markupsafe import Markup

    from assay.reports.page.scripts import for_script_element, static_file, vega_bundle

    has_charts = any(group.figures for group in page.groups)
    scripts = [static_file("tables.js"), *([vega_bundle()] if has_charts else []), static_file("charts.js")]
    content = {
        "title": page.title,
        "about": page.about,
        "groups": page.groups,
        "opening": page.opening,
        "version": __version__,
        "style": Markup(static_file("style.css")),  # noqa: S704 (our own)
        "scripts": [Markup(for_script_element(script)) for script in scripts],  # noqa: S704 (our own, and Vega)
    }
    text: str = environment().get_template("report.html.j2").render(page=content)
    return text.encode("utf-8", "replace").decode("utf-8")


def environment(*folders: Any) -> Any:
    """What renders templates: ours, and those of other folders before them; everything in them is escaped."""
    try:
        import jinja2
    except ImportError:
        raise UsageError(f"reports as HTML need jinja2: {install_command('report')}") from None
    from assay.reports.page.scripts import TEMPLATES

    loader = jinja2.FileSystemLoader([*map(str, folders), str(TEMPLATES)])
    return jinja2.Environment(
        loader=loader,
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def benchmark_reports(results: Sequence[Result]) -> list[BenchmarkReport]:
    """Results as they came, benchmark by benchmark, compared where they can be."""
    from assay.reports.table import anchor_of

    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.benchmark, []).append(result)
    reports = [report for some in groups.values() for report in _comparable_reports(tuple(some))]
    if len(reports) == 1:
        return reports
    return [
        replace(report, group=anchor_of(str(number), report.first.benchmark)) for number, report in enumerate(reports, 1)
    ]


def _comparable_reports(results: tuple[Result, ...]) -> list[BenchmarkReport]:
    """Results that cannot be compared stand one below the other."""
    from assay.comparison import compare_results
    from assay.reports.page.subject import BenchmarkReport

    if len(results) == 1:
        return [BenchmarkReport(results)]
    try:
        return [BenchmarkReport(results, compare_results(results, intersect=True))]
    except AssayError:
        return [BenchmarkReport((result,)) for result in results]


def render_results(results: Sequence[Result], title: str = "") -> str:
    """Results as a page, benchmark by benchmark; several on one benchmark are compared."""
    from assay.reports.page.page import make_page

    return render_page(make_page(benchmark_reports(results), title))


def render_html(report: Report) -> str:
    """What a report is about, as a page."""
    return render_results(report.results, report.title)


HTML = Renderer("html", render_html, "one page with charts that opens offline")
