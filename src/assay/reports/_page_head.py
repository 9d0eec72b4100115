"""Head of a page: what it is about, and the verdict in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from assay.reports._comparison_tables import reference_of
from assay.reports._comparison_words import head_line
from assay.reports._failures import failure_notes
from assay.reports._latency import latency_notes
from assay.reports._page_best import best_sentence
from assay.reports._page_matter import BenchmarkReport
from assay.reports._page_parts import joined
from assay.reports._report import Report
from assay.reports._stored import readable
from assay.reports._table import coverage, notes
from assay.reports._verdict import power_notes
from assay.text import counted, printable


@dataclass(frozen=True)
class Head:
    """The first thing anybody reads."""

    title: str
    about: str
    verdict: str
    tone: str = ""
    """`better` or `worse`, where that is sure."""
    notes: tuple[str, ...] = ()


def head_of(matter: BenchmarkReport) -> Head:
    """Of two systems the verdict, of many the best and its equals; of one, its first figure and how sure that is."""
    dataset = matter.first.provenance.get("dataset") or {}
    title = printable(f"{matter.first.benchmark} {dataset.get('version', '')}".strip())
    if matter.comparison is None:
        return Head(title or matter.names[0], _about(matter), _one_verdict(matter), notes=_notes(matter))
    comparison = matter.comparison
    best = best_sentence(comparison)
    pairs = [comparison.verdict] if best else []
    said = (*pairs, *power_notes(comparison), *comparison.remarks, *comparison.notes, *_notes(matter))
    fallback = " and ".join(matter.names) if len(matter.names) < 4 else f"{len(matter.names)} systems"
    verdict = printable(best or comparison.verdict)
    return Head(title or fallback, _about(matter), verdict, _tone(matter), tuple(map(printable, said)))


def _about(matter: BenchmarkReport) -> str:
    """Systems, queries, when, and how they were compared."""
    started = sorted({readable(str(moment)) for one in matter.results if (moment := one.provenance.get("started"))})
    when = f"{started[0]} UTC" if len(started) == 1 else f"{started[0]} to {started[-1]} UTC" if started else ""
    how = head_line(matter.comparison) if matter.comparison else coverage(Report(matter.results))
    names = ", ".join(matter.names) if len(matter.names) < 6 else f"{len(matter.names)} systems"
    return joined([names, when, how])


def _one_verdict(matter: BenchmarkReport) -> str:
    """`bm25 reaches ndcg@10 of 0.777 [0.712, 0.845] on 48 queries.`."""
    n = counted(len(matter.first.query_ids), "query")
    if not matter.metrics:
        return f"{matter.names[0]} was run on {n}; nothing with a figure was measured."
    metric = matter.metrics[0]
    figure = matter.figures.value(metric, matter.first.summary[metric.name])
    interval = matter.interval(0, metric)
    sure = f" {interval}" if interval else ""
    return f"{matter.names[0]} reaches {metric.name} of {figure}{sure} on {n}."


def _tone(matter: BenchmarkReport) -> str:
    """Whether the second of the two systems in focus is better or worse on the first metric, if that is sure."""
    comparison = matter.comparison
    if comparison is None or len(comparison.names) > 2:
        return ""
    first = comparison.metrics[0].name
    better = next((pair.better for pair in comparison.pairs if pair.metric == first), None)
    return "" if better is None else "worse" if better == reference_of(comparison) else "better"


def _notes(matter: BenchmarkReport) -> tuple[str, ...]:
    """What a careful reader should be told about the results; each sentence once."""
    report = Report(matter.results, points_on=False)
    said = (*failure_notes(matter.results, ""), *latency_notes(matter.results), *notes(report))
    return tuple(dict.fromkeys(map(printable, said)))
