"""Files of a report: pages, tables and folders of charts, told apart by their endings."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import UsageError
from assay.masking import mask

if TYPE_CHECKING:
    from assay.reports import BenchmarkReport, Page

CHARTS = ("svg", "png", "pdf")
PAGES = (".html", ".htm")
MOVERS = 10
"""Queries that lost and gained most, in files of text."""


def check_files(outputs: Sequence[str], prog: str, files: Sequence[str], charts: str | None = None) -> None:
    """Refuse what could not be written, and a report that would go nowhere."""
    from assay.reports import ENDINGS, check_outputs

    if not outputs:
        raise UsageError(f"say where the report goes: {prog} {shlex.join(files)} -o report.html")
    if charts and not any(map(is_folder, outputs)):
        raise UsageError(f"--charts {charts} is about a folder of charts, and -o names none; add one, as in -o figures/")
    for output in outputs:
        if is_folder(output):
            _check_folder(output)
            continue
        if Path(output).suffix.lower() not in (*PAGES, *ENDINGS):
            known = ", ".join((PAGES[0], *ENDINGS))
            raise UsageError(f"-o {output}: the ending tells the format; there are {known}, and folders end in /")
        check_outputs([output], (*ENDINGS, *PAGES))
    if len({Path(output).absolute() for output in outputs}) < len(outputs):
        raise UsageError("-o: the same file is given twice, and the second would replace the first")


def is_folder(output: str) -> bool:
    """Whether charts go there: it ends in / or is a folder already."""
    return output.endswith("/") or Path(output).is_dir()


def _is_page(output: str) -> bool:
    return Path(output).suffix.lower() in PAGES


def _check_folder(output: str) -> None:
    from assay.reports import refuse_place

    if Path(output).exists() and not Path(output).is_dir():
        raise UsageError(f"-o {output}: charts go to a folder, and there is a file of that name")
    refuse_place(Path(output) / "chart", output)


def write_files(options: argparse.Namespace, matters: Sequence[BenchmarkReport]) -> list[str]:
    """Everything that was asked for; the page is worked out once. Gives what was written."""
    from assay.atomic_write import atomic_write
    from assay.reports import page_of, render_page

    needs_page = any(is_folder(output) or _is_page(output) for output in options.output)
    page = page_of(matters, options.title) if needs_page else None
    written = []
    for output in options.output:
        if page is not None and is_folder(output):
            n = _write_charts(Path(output), page, options.charts or CHARTS[0])
            written.append(f"{output} ({n} charts)")
            continue
        text = render_page(page) if page is not None and _is_page(output) else _text(options, matters, output)
        with atomic_write(Path(output)) as file:
            file.write(mask(text).encode("utf-8", "surrogatepass" if output.endswith(".json") else "replace"))
        written.append(output)
    return written


def _write_charts(folder: Path, page: Page, kind: str) -> int:
    """One file for each chart, numbered in the order of the page."""
    from assay.atomic_write import atomic_write
    from assay.charts import render

    figures = [(group.anchor, figure) for group in page.groups for figure in group.figures]
    for number, (anchor, figure) in enumerate(figures, 1):
        front = f"{anchor}-" if len(page.groups) > 1 else ""
        name = re.sub(r"[^\w.@-]+", "_", f"{number:02}-{front}{figure.name}")[:100]
        with atomic_write(folder / f"{name}.{kind}", is_text=False) as file:
            file.write(render(figure.drawing, kind))
    return len(figures)


def _text(options: argparse.Namespace, matters: Sequence[BenchmarkReport], output: str) -> str:
    """The same in a format of text: comparisons where there are any, else the results."""
    from assay.reports import ENDINGS, Beside, ComparisonReport, Shown, render_evaluation, render_with_beside

    form = ENDINGS[Path(output).suffix.lower()]
    opening = _opening(matters, form)
    compared = [one.comparison for one in matters if one.comparison is not None]
    if not compared:
        results = [result for one in matters for result in one.results]
        return opening + render_evaluation(results, form, Shown(by=options.by or ()))
    from assay.comparison import compare_slices

    beside = [Beside(compare_slices(one, options.by) if options.by else None) for one in compared]
    return opening + render_with_beside(ComparisonReport(compared, MOVERS, MOVERS), beside, form)


def _opening(matters: Sequence[BenchmarkReport], form: str) -> str:
    """Of several benchmarks, every system on each of them first; files for programs have rows of their own."""
    from assay.reports import FORMATS, Style, across_sheets, render_sheets

    sheets = across_sheets(matters) if form in FORMATS[:3] else []
    return f"{render_sheets(sheets, form, Style())}\n" if sheets else ""
