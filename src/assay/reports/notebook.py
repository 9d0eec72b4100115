"""Notebook: results, comparisons and benchmarks as HTML for notebooks, from the same sections as reports.

The text inherits its colours, so it is readable in light and dark notebooks. There are no scripts and no requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import numpy as np

from assay.comparison import Comparison, Figures
from assay.datasets import BenchmarkDataset
from assay.evaluation import Result, with_intervals
from assay.frames import Columns, Tabular
from assay.masking import mask
from assay.model import Run
from assay.reports.layout import raised
from assay.reports.report import Report
from assay.reports.sections.catalog import dataset_sections
from assay.reports.sections.comparison import (
    ComparisonReport,
    baseline_table,
    comparison_sections,
    has_baseline,
    letters_table,
)
from assay.reports.sections.run_notes import failure_notes
from assay.reports.sections.scores import metric_columns, score_sections
from assay.reports.table import (
    Cell,
    Column,
    Mark,
    Notes,
    Paragraph,
    Section,
    Table,
    cells,
    columns,
    table_section,
    text_columns,
)
from assay.text import counted, printable

STYLE = """\
.assay table { border-collapse: collapse; margin: 0.5em 0; }
.assay th, .assay td { padding: 0.2em 0.8em; text-align: right; border-bottom: 1px solid rgb(128 128 128 / 0.35); }
.assay th, .assay td { white-space: nowrap; }
.assay .text { text-align: left; min-width: 5em; }
.assay td.text { white-space: normal; }
.assay td.text, .assay p, .assay .notes { overflow-wrap: anywhere; }
.assay .best { font-weight: bold; }
.assay .second { text-decoration: underline; }
.assay .lead { border-left: 3px solid rgb(128 128 128 / 0.6); padding-left: 0.6em; }
.assay .notes { opacity: 0.75; font-size: 90%; }"""
MAX_ROWS = 10
"""Rows of a run or of judgments that are shown."""


def notebook_html(value: Tabular) -> str:
    """The object as a small piece of HTML, without secrets."""
    return mask(sections_html(notebook_sections(value)))


def sections_html(sections: Sequence[Section]) -> str:
    """Sections as a small piece of HTML; all text from outside is escaped."""
    inside = "\n".join(block for section in sections for block in _blocks(section))
    return f'<div class="assay">\n<style>\n{STYLE}\n</style>\n{inside}\n</div>'


def notebook_sections(value: Tabular) -> Sequence[Section]:
    """What a notebook shows: all values with intervals; of a comparison first the verdict; of rows the first ones."""
    if isinstance(value, Result):
        return _result_sections(value)
    if isinstance(value, Comparison):
        return _comparison_sections(value)
    if isinstance(value, BenchmarkDataset):
        return (*dataset_sections(value), _first_rows(value))
    return (_first_rows(value),)


def _result_sections(result: Result) -> Sequence[Section]:
    """The value of each metric with its interval, in rows."""
    shown = result if result.intervals or len(result.query_ids) < 2 else with_intervals(result)
    title = " · ".join(filter(None, (result.benchmark, result.name)))
    failed = failure_notes([result], "")
    report = Report([shown], beside=frozenset(result.beside), points_on=False, title=title, remarks=failed)
    return [
        replace(section, parts=tuple(_by_metric(report) if isinstance(part, Table) else part for part in section.parts))
        for section in score_sections(report, "html")
    ]


def _by_metric(report: Report) -> Table:
    """A row for each metric: its value, its interval, and what else is known about it."""
    rows = []
    for metric in report.shown:
        (_, [value]), *more = metric_columns(report, metric)
        rows.append(
            {"metric": Cell(metric.name), "value": value}
            | {head.removeprefix(f"{metric.name} "): of[0] for head, of in more}
        )
    heads = list(dict.fromkeys(head for row in rows for head in row))
    return Table(columns(*heads), tuple(tuple(row.get(head, Cell("")) for head in heads) for row in rows))


def _comparison_sections(comparison: Comparison) -> Sequence[Section]:
    """The verdict, the systems side by side, and the differences with their intervals."""
    head, *others = comparison_sections(ComparisonReport([comparison]), "html")
    [significance] = [section for section in others if section.key == "significance"]
    if has_baseline(comparison):  # its table has the differences as well
        notes = [part for part in significance.parts if not isinstance(part, Table)]
        return (head, Section(parts=(baseline_table(comparison, Figures()), *notes)))
    return (head, table_section(letters_table(comparison, Figures())), significance)


def _first_rows(value: Tabular) -> Section:
    """The first rows of the first table, and how many there are."""
    values, n_rows = _beginning(value)
    rows = tuple(cells(*(_text(column[row]) for column in values.values())) for row in range(min(n_rows, MAX_ROWS)))
    more = f": the first {len(rows)} of {counted(n_rows, 'row')}" if n_rows > len(rows) else ""
    return table_section(Table(text_columns(*values), rows, notes=(f"{value!r}{more}",)))


def _beginning(value: Tabular) -> tuple[Columns, int]:
    """At least the first rows, and the number of all rows. A run may have millions; only its first queries are ranked."""
    if not isinstance(value, Run):
        values = value.columns_of()
        return values, len(next(iter(values.values()), ()))
    n_queries = int(np.searchsorted(np.cumsum(value.n_retrieved), MAX_ROWS)) + 1
    first = Run({query: value[query] for query in value.query_ids[:n_queries]})
    return first.columns_of(), int(value.n_retrieved.sum())


def _text(value: Any) -> str:
    text = " ".join(map(str, value)) if isinstance(value, list | tuple) else "" if value is None else str(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _blocks(section: Section) -> Iterator[str]:
    if section.title:
        yield f"<h4>{_escaped(section.title)}</h4>"
    if section.lead:
        yield f'<p class="lead">{_escaped(section.lead)}</p>'
    for part in section.plain_parts:
        if isinstance(part, Paragraph):
            yield f"<p>{_escaped(part.text)}</p>"
        elif isinstance(part, Notes):
            yield from _notes((*part.sentences, *part.commands))
        else:
            yield from _table(part)


def _notes(sentences: Iterable[str]) -> Iterator[str]:
    if items := "".join(f"<li>{_escaped(sentence)}</li>" for sentence in sentences if sentence):
        yield f'<ul class="notes">{items}</ul>'


def _table(table: Table) -> Iterator[str]:
    if table.title:
        yield f"<p>{_escaped(table.title)}</p>"
    heads = "".join(f"<th{_class(column)}>{_escaped(column.head)}</th>" for column in table.columns)
    head = f"<thead><tr>{heads}</tr></thead>\n" if any(column.head for column in table.columns) else ""
    rows = "\n".join(f"<tr>{''.join(map(_cell, row, table.columns))}</tr>" for row in table.rows)
    yield f"<table>\n{head}<tbody>\n{rows}\n</tbody>\n</table>"
    yield from _notes(table.notes)


def _cell(cell: Cell, column: Column) -> str:
    text = " ".join(filter(None, (cell.text, raised(cell.letters), cell.sign, cell.note)))
    return f"<td{_class(column, cell.mark)}>{_escaped(text)}</td>"


def _class(column: Column, mark: Mark = Mark.NONE) -> str:
    names = " ".join(filter(None, ("text" if column.is_words else "", mark.value)))
    return f' class="{names}"' if names else ""


def _escaped(text: str) -> str:
    """The text without markup, and with control characters as escape sequences."""
    return escape(printable(text))
