"""The tables of a report, and the sentences that belong beside them."""

from __future__ import annotations

from assay.evaluation import Band, Result
from assay.metrics import BoundMetric
from assay.reports._bands import bands_of
from assay.reports._cells import Cell, Table
from assay.reports._confidence import confidence_column, confidence_notes, is_confidence
from assay.reports._report import Report
from assay.reports._trust import trust_notes
from assay.text import counted, printable, some_of

WIDE = 8
"""More metrics than this, those beside them not counted, are set one per row instead of one per column."""

OF_RANKINGS = ("ranking", "subtopics", "spans", "similarity", "timing")
"""Views that rest on what was retrieved, and so on the conventions for rankings."""


def summary_table(report: Report, *, one_metric_per_row: bool | None = None) -> Table:
    """Runs × metrics, or metrics × runs when asked for; unless told, when there are many metrics."""
    columns = [*(column for metric in report.shown for column in _columns(report, metric)), *_failed_column(report)]
    names = [report.label(result) for result in report.results]
    n_asked = sum(metric.name not in report.beside for metric in report.shown)
    if n_asked > WIDE if one_metric_per_row is None else one_metric_per_row:
        return Table(["metric", *names], [[Cell(head), *cells] for head, cells in _named_in_full(columns)])
    rows = [[Cell(name), *(cells[number] for _, cells in columns)] for number, name in enumerate(names)]
    return Table([report.rows_are, *(head for head, _ in columns)], rows)


def _columns(report: Report, metric: BoundMetric) -> list[tuple[str, list[Cell]]]:
    """Heads and cells of a metric: its figures, then how far ties and unjudged documents could move them."""
    best = report.best(metric)
    figures = [
        Cell(report.cell(metric, result.summary[metric.name]), number in best)
        for number, result in enumerate(report.results)
    ]
    columns = [(report.head(metric), figures), *confidence_column(report, metric)]
    for kind, _ in bands_of(report.results[0], metric.name):
        cells = [_band(report, metric, kind.of(result)[metric.name]) for result in report.results]
        columns.append((f"{metric.name} {kind.head}", cells))
    return columns


def _failed_column(report: Report) -> list[tuple[str, list[Cell]]]:
    """How many queries each provider failed on; no column where none did."""
    counts = [len(result.failures) for result in report.results]
    return [("failed", [Cell(f"{count:,}") for count in counts])] if any(counts) else []


def _named_in_full(columns: list[tuple[str, list[Cell]]]) -> list[tuple[str, list[Cell]]]:
    """Rows of intervals under the name of their metric, which does not stand beside them now."""
    named, metric = [], ""
    for head, cells in columns:
        metric = metric if is_confidence(head) else head
        named.append((f"{metric} {head}" if is_confidence(head) else head, cells))
    return named


def _band(report: Report, metric: BoundMetric, band: Band) -> Cell:
    return Cell(" – ".join(report.text(metric, column.summary()) for column in band.columns.values()))


def query_table(report: Report, result: Result) -> Table:
    """The queries of one run × metrics; without those that are about all queries together, of which none has a score."""
    metrics = [metric for metric in report.metrics if result.table.columns[metric.name].has_scores]
    columns = [result.table.columns[metric.name].score.tolist() for metric in metrics]
    rows = [
        [
            Cell(printable(query)),
            *(Cell(report.text(metric, value)) for metric, value in zip(metrics, values, strict=True)),
        ]
        for query, *values in zip(result.query_ids, *columns, strict=True)
    ]
    return Table(["query", *(metric.name for metric in metrics)], rows)


def coverage(report: Report) -> str:
    """One line: how many queries the figures rest on, and the conventions they follow."""
    first = report.results[0]
    policy = first.policy
    if not _has_rankings(first):
        return counted(first.counts["judged"], "query")
    parts = [
        counted(first.counts["judged"], "judged query"),
        *([f"profile: {first.profile}"] if first.profile else []),
        "level: grade > 0" if policy.rel is None else f"level: grade ≥ {policy.rel:g}",
        f"ties: {policy.ties}",
        *_relevance(first),
    ]
    if policy.judged_only:
        parts.append("unjudged documents dropped")
    return " · ".join(parts)


def _has_rankings(result: Result) -> bool:
    return any(metric.metric.view in OF_RANKINGS for metric in result.metrics)


def _relevance(result: Result) -> list[str]:
    """Who decided about relevance, where it was not judged ids."""
    used = result.relevance.get("strategy_used", "qrels")
    if used == "qrels":
        return []
    threshold = result.relevance.get("token_threshold")
    lowest = f" (F1 ≥ {threshold:g})" if threshold is not None and used.startswith("token") else ""
    if used == "mixed":
        used = ", ".join(f"{name} {count:,}" for name, count in result.relevance["strategy_counts"].items())
    return [f"relevance: {used}{lowest}"]


def notes(report: Report) -> list[str]:
    """What a careful reader should be told: about each run, then about all of them."""
    said = [(*_coverage_notes(result), *result.notes) for result in report.results]
    common = [note for note in said[0] if len(said) > 1 and all(note in others for others in said)]
    each = [
        f"{report.label(result)}: {printable(note)}"
        for result, its in zip(report.results, said, strict=True)
        for note in its
        if note not in common
    ]
    return [*map(printable, report.remarks), *each, *map(printable, common), *confidence_notes(report), *trust_notes(report)]


def _coverage_notes(result: Result) -> list[str]:
    """Which queries of a run do not count, and why; results without a run have notes of their own."""
    if not _has_rankings(result):
        return []
    counts, found = result.counts, []
    if counts["scored"] != counts["judged"]:
        found.append(f"{counts['scored']:,} of {counts['judged']:,} judged queries are scored.")
    if counts["missing"]:
        fate = "left out" if result.policy.missing == "skip" else "scored as an empty ranking"
        found.append(f"{counted(counts['missing'], 'query')} missing from the run, {fate} ({some_of(result.missing)}).")
    if counts["without_relevant"]:
        fate = "left out" if result.policy.no_relevant == "skip" else "which binary metrics score 0"
        found.append(f"{counted(counts['without_relevant'], 'query')} without a relevant document, {fate}.")
    if counts["extra"]:
        found.append(f"{counted(counts['extra'], 'query')} of the run without judgments, left out.")
    return found
