"""A comparison in Markdown: figures with intervals system by system, then who is better than whom."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.comparison.comparison import Comparison
from assay.evaluation.result import Result
from assay.reports._cells import Cell, Table
from assay.reports._comparison_console import remarks
from assay.reports._comparison_movers import all_movers, missing_lines, rankings_table
from assay.reports._comparison_report import ComparisonReport
from assay.reports._comparison_tables import places
from assay.reports._comparison_words import (
    UNKNOWN,
    Figures,
    effect_text,
    head_line,
    level_text,
    p_short,
    record_text,
    title_of,
)
from assay.reports.markdown import MARKS
from assay.stats import column_intervals
from assay.text import printable


def render_markdown(report: ComparisonReport) -> str:
    """A section for each comparison."""
    return "\n\n".join("\n\n".join(_parts(one, report)) for one in report.comparisons) + "\n"


def _parts(comparison: Comparison, report: ComparisonReport) -> Iterator[str]:
    figures = Figures(report.digits)
    yield f"## {escaped(title_of(comparison) or 'Comparison')}"
    yield escaped(printable(comparison.verdict))
    yield escaped(head_line(comparison))
    for result in comparison.results:
        yield f"### {escaped(printable(result.name))}"
        yield as_markdown(_summary(comparison, result, figures))
    baseline = comparison.how.baseline
    yield "### Significance" if baseline is None else f"### Significance against {escaped(printable(baseline))}"
    yield as_markdown(_pairs(comparison, figures))
    if said := [remark for remark in remarks(comparison)[1:] if remark]:
        yield "\n".join(f"- {escaped(printable(remark))}" for remark in said)
    yield from _movers(comparison, report)


def _summary(comparison: Comparison, result: Result, figures: Figures) -> Table:
    """One system: metric, value, interval."""
    how = comparison.how
    intervals = column_intervals(result.table.columns, level=how.level, seed=how.seed)
    rows = []
    for metric in comparison.metrics:
        low, high, _ = intervals.get(metric.name, (math.nan, math.nan, ""))
        value = figures.value(metric, result.summary[metric.name])
        interval = UNKNOWN if math.isnan(low) else f"{figures.value(metric, low)} – {figures.value(metric, high)}"
        rows.append([Cell(metric.name), Cell(value, result.name in places(comparison, metric)[0]), Cell(interval)])
    return Table(["metric", "value", f"{level_text(comparison)} CI"], rows)


def _pairs(comparison: Comparison, figures: Figures) -> Table:
    """Each pair and metric: the difference, its interval, p, effect, and whether it is significant."""
    rows = []
    for pair in comparison.pairs:
        metric = comparison.metric(pair.metric)
        texts = (
            f"{printable(pair.b)} vs {printable(pair.a)}",
            pair.metric,
            figures.change(metric, pair.difference),
            figures.interval(metric, pair),
            p_short(pair.p_corrected),
            effect_text(pair.cohens_d),
            record_text(pair),
            "yes" if pair.is_significant else "no",
        )
        rows.append([Cell(text) for text in texts])
    interval = f"{level_text(comparison)} CI of diff"
    heads = ["comparison", "metric", "diff", interval, "p", "effect", "better/same/worse", "significant"]
    return Table(heads, rows, frozenset({0, 1}))


def _movers(comparison: Comparison, report: ComparisonReport) -> Iterator[str]:
    figures = Figures(report.digits)
    for words, movers in all_movers(comparison, report.worst, report.best):
        yield f"### {escaped(words.rstrip(':.'))}"
        for mover in movers:
            metric = comparison.metric(mover.metric)
            move = f"{figures.value(metric, mover.score_a)} → {figures.value(metric, mover.score_b)}"
            asked = f" “{escaped(printable(mover.text))}”" if mover.text else ""
            yield f"**{escaped(printable(mover.query))}**{asked} {move}"
            if mover.ranking_a or mover.ranking_b:
                yield as_markdown(rankings_table(mover))
            if lines := list(missing_lines(mover)):
                yield "\n".join(f"- {escaped(line)}" for line in lines)


def as_markdown(table: Table) -> str:
    """The table as Markdown writes one."""
    lines = [
        [escaped(name) for name in table.head],
        ["---" if number in table.left else "---:" for number in range(len(table.head))],
        *([f"**{escaped(cell.text)}**" if cell.is_best else escaped(cell.text) for cell in row] for row in table.rows),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escaped(text: str) -> str:
    """The text, so that it means what it says."""
    return "".join(f"\\{mark}" if mark in MARKS else mark for mark in text.replace("&", "&amp;"))
