"""A comparison in Markdown: figures with intervals system by system, then who is better than whom."""

from __future__ import annotations

import math
from collections.abc import Iterator

from assay.comparison import UNKNOWN, Comparison, Figures
from assay.evaluation import Result, with_intervals
from assay.reports._cells import Cell, Table
from assay.reports._chunks import chunk_sheets
from assay.reports._comparison_console import remarks
from assay.reports._comparison_movers import all_movers, error_lines, missing_lines, rankings_table
from assay.reports._comparison_report import ComparisonReport
from assay.reports._comparison_tables import places
from assay.reports._comparison_words import effect_text, head_line, level_text, p_short, record_text, title_of
from assay.reports._markdown_table import as_markdown, in_markdown
from assay.text import printable


def render_markdown(report: ComparisonReport) -> str:
    """A section for each comparison."""
    return "\n\n".join("\n\n".join(_parts(one, report)) for one in report.comparisons) + "\n"


def _parts(comparison: Comparison, report: ComparisonReport) -> Iterator[str]:
    figures = Figures(report.digits)
    yield f"## {in_markdown(title_of(comparison) or 'Comparison')}"
    yield in_markdown(printable(comparison.verdict))
    yield in_markdown(head_line(comparison))
    for result in comparison.results:
        yield f"### {in_markdown(printable(result.name))}"
        yield as_markdown(_summary(comparison, result, figures))
    baseline = comparison.how.baseline
    yield "### Significance" if baseline is None else f"### Significance against {in_markdown(printable(baseline))}"
    yield as_markdown(_pairs(comparison, figures))
    if said := [remark for remark in remarks(comparison)[1:] if remark]:
        yield "\n".join(f"- {in_markdown(printable(remark))}" for remark in said)
    for sheet in chunk_sheets(comparison.results):
        yield f"### {in_markdown(printable(sheet.title))}"
        yield as_markdown(sheet.table)
    yield from _movers(comparison, report)


def _summary(comparison: Comparison, result: Result, figures: Figures) -> Table:
    """One system: metric, value, interval."""
    how = comparison.how
    intervals = with_intervals(result, level=how.level, seed=how.seed).intervals
    rows = []
    for metric in comparison.metrics:
        one = intervals.get(metric.name)
        value = figures.value(metric, result.summary[metric.name])
        is_known = one is not None and not math.isnan(one.low)
        interval = f"{figures.value(metric, one.low)} – {figures.value(metric, one.high)}" if one and is_known else UNKNOWN
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
            UNKNOWN if math.isnan(pair.p) else "yes" if pair.is_significant else "no",
        )
        rows.append([Cell(text) for text in texts])
    interval = f"{level_text(comparison)} CI of diff"
    heads = ["comparison", "metric", "diff", interval, "p", "effect", "better/same/worse", "significant"]
    return Table(heads, rows, frozenset({0, 1}))


def _movers(comparison: Comparison, report: ComparisonReport) -> Iterator[str]:
    figures = Figures(report.digits)
    for words, movers in all_movers(comparison, report.worst, report.best):
        yield f"### {in_markdown(words.rstrip(':.'))}"
        for mover in movers:
            metric = comparison.metric(mover.metric)
            move = f"{figures.value(metric, mover.score_a)} → {figures.value(metric, mover.score_b)}"
            asked = f" “{in_markdown(printable(mover.text))}”" if mover.text else ""
            yield f"**{in_markdown(printable(mover.query))}**{asked} {move}"
            if errors := list(error_lines(mover)):
                yield "\n".join(f"- {in_markdown(line)}" for line in errors)
            if mover.ranking_a or mover.ranking_b:
                yield as_markdown(rankings_table(mover))
            if lines := list(missing_lines(mover)):
                yield "\n".join(f"- {in_markdown(line)}" for line in lines)
