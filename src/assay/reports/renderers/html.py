"""One HTML page that works offline: verdict, tables, charts, queries, provenance and definitions."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay._version import __version__
from assay.errors import AssayError
from assay.evaluation import Result
from assay.extras import check_extra
from assay.reports.layout import Style, raised
from assay.reports.rendering import Renderer
from assay.reports.table import Cell, Column, Mark, Section, anchor_of
from assay.text import printable, short_names

if TYPE_CHECKING:  # pages take long to import, and a plain table needs all renderers
    import jinja2
    from markupsafe import Markup

    from assay.reports.page.page import Page
    from assay.reports.page.subject import BenchmarkReport


STEPS = 5
"""Steps of colour in each direction."""
LONGEST_HEAD = 28
"""The largest width of a heading in a table, in columns."""


def render_html(sections: Sequence[Section], style: Style) -> str:  # noqa: ARG001 (as all renderers)
    """Render the sections as a page. Its heading is the first title; a single section does not repeat it."""
    title = next((section.title for section in sections if section.title), "")
    if len(sections) == 1:
        sections = [replace(section, title="") for section in sections]
    numbered = [replace(section, key=f"section-{number}") for number, section in enumerate(sections, 1)]
    return _render_template({"title": title, "sections": numbered})


def render_page(page: Page) -> str:
    """The whole page as text; the same page always gives the same text."""
    opening = [page.opening] if page.opening else []
    return _render_template({"title": page.title, "about": page.about, "groups": page.groups, "sections": opening})


def _render_template(content: Mapping[str, Any]) -> str:
    template = environment().get_template("report.html.j2")
    from markupsafe import Markup

    from assay.reports.page.scripts import for_script_element, static_file, vega_bundle

    has_charts = any(group.figures for group in content.get("groups", ()))
    scripts = [static_file("tables.js"), *([vega_bundle()] if has_charts else []), static_file("charts.js")]
    page = {
        "about": "",
        "groups": (),
        "version": __version__,
        "style": Markup(static_file("style.css")),  # noqa: S704 (our own)
        "scripts": [Markup(for_script_element(script)) for script in scripts],  # noqa: S704 (our own, and Vega)
        **content,
    }
    text: str = template.render(page=page)
    return text.encode("utf-8", "replace").decode("utf-8")


def environment(*packages: str) -> jinja2.Environment:
    """The template environment: templates of the given packages, then ours; all values are escaped."""
    check_html_packages()
    return _environment(packages)


def check_html_packages() -> None:
    """Raise one line with the command that installs what HTML needs, unless it is installed."""
    check_extra("HTML reports need", "report", "jinja2", "vl_convert")


@functools.cache
def _environment(packages: tuple[str, ...]) -> jinja2.Environment:
    """Created once, because each environment compiles its templates again, which takes longer than a page."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(package) for package in (*packages, "assay.reports")]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_escaped_text,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals |= {"table_rows": table_rows, "kind_of": kind_of, "headings": headings}
    return made


def escape_html(text: str) -> Markup:
    """The text escaped for HTML: no markup, and control characters as escape sequences."""
    from markupsafe import escape as escape_markup

    return escape_markup(printable(text))


def _escaped_text(value: Any) -> Any:
    """A value for a template: text is escaped, and markup that is already escaped stays as it is."""
    return escape_html(value) if type(value) is str or isinstance(value, Mark) else value


def kind_of(column: Column) -> str:
    """The class of a column: `text` or `number`."""
    return "text" if column.is_words else "number"


def headings(columns: Sequence[Column]) -> list[tuple[Column, str]]:
    """Each column with its heading; long headings are shortened so that they stay different."""
    return list(zip(columns, short_names([printable(column.head) for column in columns], LONGEST_HEAD), strict=True))


def table_rows(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], picks: Sequence[str] = (), *, has_values: bool = True
) -> Markup:
    """The rows of a table as markup, without a template, which would be slow for thousands of cells.

    With `has_values` a script can sort by the values; with `picks` each row has a checkbox.
    """
    from markupsafe import Markup

    kinds = [kind_of(column) for column in columns]
    boxes = [_box(row[0], pick) for row, pick in zip(rows, picks, strict=True)] if picks else [""] * len(rows)
    lines = []
    for row, box in zip(rows, boxes, strict=True):
        first, *others = (_cell(cell, kind, has_values) for cell, kind in zip(row, kinds, strict=True))
        lines.append(f"<tr>{box}<th scope=row{first}</th>{''.join(f'<td{other}</td>' for other in others)}</tr>")
    return Markup("\n".join(lines))  # noqa: S704 (every text went through `escape_html`)


def _cell(cell: Cell, kind: str, has_values: bool) -> str:
    """The attributes and content of a cell, without the name of its element."""
    tone = cell.mark.value or _heat(cell.tint)
    value = f' data-sort="{escape_html(str(cell.value))}"' if has_values and cell.value is not None else ""
    title = f' title="{escape_html(cell.help)}"' if cell.help else ""
    text = escape_html(" ".join(filter(None, (cell.text, raised(cell.letters), cell.sign))))
    linked = f'<a href="{escape_html(cell.link)}">{text}</a>' if cell.link else text
    beside = f' <span class="beside">{escape_html(cell.note)}</span>' if cell.note else ""
    return f' class="{kind}{" " if tone else ""}{tone}"{value}{title}>{linked}{_bar(cell.share)}{beside}'


def _heat(tint: float | None) -> str:
    step = 0 if tint is None else min(STEPS, math.ceil(STEPS * abs(tint) - 1e-9))
    return f"heat-{'p' if (tint or 0) > 0 else 'm'}{step}" if step else ""


def _bar(share: float | None) -> str:
    if share is None:
        return ""
    bar = f'<rect class="bar" width="{80 * share:.1f}" height="10" rx="2"/>'
    track = '<rect class="track" width="80" height="10" rx="2"/>'
    return f' <svg class="share" width="80" height="10" viewBox="0 0 80 10" aria-hidden="true">{track}{bar}</svg>'


def _box(cell: Cell, pick: str) -> str:
    if not pick:
        return ""
    label = escape_html(f"Select {cell.text} {cell.note}".strip())
    return f'<td class="pick"><input type="checkbox" name="r" value="{escape_html(pick)}" aria-label="{label}"></td>'


def benchmark_reports(results: Sequence[Result], by: tuple[str, ...] = ()) -> list[BenchmarkReport]:
    """The results by benchmark, in their original order, compared if possible; `by` are the tags to slice by."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.benchmark, []).append(result)
    reports = [replace(report, by=by) for some in groups.values() for report in _comparable_reports(tuple(some))]
    if len(reports) == 1:
        return reports
    return [
        replace(report, group=anchor_of(str(number), report.first.benchmark)) for number, report in enumerate(reports, 1)
    ]


def _comparable_reports(results: tuple[Result, ...]) -> list[BenchmarkReport]:
    """One report that compares the results, or one report each if they cannot be compared."""
    from assay.comparison import compare_results
    from assay.reports.page.subject import BenchmarkReport

    working = tuple(result for result in results if not result.is_total_failure)
    failed = tuple(result for result in results if result.is_total_failure)
    if len(working) < 2:
        return [BenchmarkReport(working or results[:1], failed=failed if working else results[1:])]
    try:
        return [BenchmarkReport(working, compare_results(working, intersect=True), failed=failed)]
    except AssayError:
        return [BenchmarkReport((result,)) for result in results]


def render_results(results: Sequence[Result], title: str = "", by: tuple[str, ...] = ()) -> str:
    """Render results as a page, by benchmark; several results on one benchmark are compared."""
    from assay.reports.page.page import make_page

    return render_page(make_page(benchmark_reports(results, by), title))


HTML = Renderer("html", render_html, "one page with charts that works offline")
