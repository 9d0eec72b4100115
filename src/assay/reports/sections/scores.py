"""Scores: the tables of results, with their intervals, bands and notes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import numpy as np

from assay.evaluation import CLUSTERED_BY, NO_RANKINGS, QUERY, SHORT_SIGN, Band, Confidence, Result, clusters_of, is_short
from assay.metrics import BoundMetric
from assay.reports.rendering import find_renderer, render_sections
from assay.reports.report import Report
from assay.reports.sections.trust_notes import trust_notes
from assay.reports.table import Cell, Column, Mark, Notes, Section, Table, cells, columns, table_section, text_columns
from assay.text import counted, plural, printable, some_of, with_minus

MAX_METRIC_COLUMNS = 8
"""If there are more metrics than this (not counting those in `beside`), each has a row instead of a column."""

OF_RANKINGS = ("ranking", "subtopics", "spans", "similarity", "timing")
"""Views that depend on rankings, and so on the conventions for rankings."""


def render_scores(report: Report, form: str = "table") -> str:
    """Render the report in a format; JSON, trec and HTML render the results directly."""
    if form == "html":
        from assay.reports.renderers.html import render_results

        return render_results(report.results, report.title, tuple(sliced.by for sliced in report.slices))
    if find_renderer(form).render is None:
        from assay.reports.renderers.programs import render_json
        from assay.reports.renderers.trec import render_trec

        more = {"slices": [sliced.to_dict() for sliced in report.slices]} if report.slices else {}
        return render_json(replace(report, more={**report.more, **more})) if form == "json" else render_trec(report)
    return render_sections(score_sections(report, form), form, report.style)


def score_sections(report: Report, form: str = "table") -> tuple[Section, ...]:
    """Coverage, the queries of each run if requested, the values, the notes, then the slices. CSV has only rows."""
    if form == "csv":
        return (table_section(exact_slice_table(report) if report.slices else exact_table(report)),)
    of_queries = [query_table(report, result) for result in report.results] if report.per_query else []
    summary = [summary_table(report)] if report.shown else []
    below = Notes(tuple(notes(report)), (report.next_step,) if report.next_step else ())
    scores = Section("scores", report.title, (*of_queries, *summary, below), coverage(report), level=3)
    return (scores, *_slice_sections(report, form))


def _slice_sections(report: Report, form: str) -> list[Section]:
    if not report.slices:
        return []
    from assay.comparison import Figures
    from assay.reports.sections.slices import metric_to_slice, sections_by_tags

    return sections_by_tags(report.slices, metric_to_slice(report.results, form), Figures(report.digits))


def summary_table(report: Report) -> Table:
    """Runs × metrics, or metrics × runs if there are many metrics; in a terminal the one that fits."""
    columns_by_head = [
        *(column for metric in report.shown for column in metric_columns(report, metric)),
        *_failed_column(report),
    ]
    names = [report.label(result) for result in report.results]
    rows = [(Cell(name), *(some[number] for _, some in columns_by_head)) for number, name in enumerate(names)]
    heads = [_with_room(head, some) for head, some in columns_by_head]
    by_run = Table(columns(report.rows_are, *heads), tuple(rows))
    named_rows = tuple((Cell(head), *some) for head, some in _named_in_full(columns_by_head))
    runs = [_with_room(name, [row[place] for row in named_rows]) for place, name in enumerate(names, 1)]
    by_metric = Table(columns("metric", *runs), named_rows)
    n_asked = sum(metric.name not in report.beside for metric in report.shown)
    return replace(by_metric if n_asked > MAX_METRIC_COLUMNS else by_run, shapes=(by_run, by_metric))


def _with_room(head: str, some: Sequence[Cell]) -> str | Column:
    """The heading of a column, with room for a sign next to its values if one has it."""
    return Column(head, kind="verdict") if any(cell.sign for cell in some) else head


def metric_columns(report: Report, metric: BoundMetric) -> list[tuple[str, list[Cell]]]:
    """Headings and cells of a metric: its values, then how much ties and unjudged documents could change them."""
    best = report.best(metric)
    figures = [
        Cell(
            report.cell(metric, result.summary[metric.name]),
            mark=Mark.BEST if number in best else Mark.NONE,
            sign=SHORT_SIGN if is_short(result, metric) else "",
        )
        for number, result in enumerate(report.results)
    ]
    columns_by_head = [(report.head(metric), figures), *confidence_column(report, metric)]
    for kind, _ in bands_of(report.results[0], metric.name):
        bands = [_band(report, metric, kind.of(result)[metric.name]) for result in report.results]
        columns_by_head.append((f"{metric.name} {kind.head}", bands))
    return columns_by_head


def _failed_column(report: Report) -> list[tuple[str, list[Cell]]]:
    """How many queries each provider failed on; no column if none did."""
    counts = [len(result.failures) for result in report.results]
    return [("failed", [Cell(f"{count:,}") for count in counts])] if any(counts) else []


def _named_in_full(columns_by_head: list[tuple[str, list[Cell]]]) -> list[tuple[str, list[Cell]]]:
    """Intervals with the name of their metric, because as rows they are not next to its column."""
    named, metric = [], ""
    for head, some in columns_by_head:
        metric = metric if is_confidence(head) else head
        named.append((f"{metric} {head}" if is_confidence(head) else head, some))
    return named


def _band(report: Report, metric: BoundMetric, band: Band) -> Cell:
    return Cell(" – ".join(report.text(metric, column.summary()) for column in band.columns.values()))


def query_table(report: Report, result: Result, title: str | None = None) -> Table:
    """The queries of one run × metrics, without metrics that have no scores for single queries."""
    metrics = [metric for metric in report.metrics if result.table.columns[metric.name].has_scores]
    scores = [result.table.columns[metric.name].score.tolist() for metric in metrics]
    rows = [
        cells(query, *(report.text(metric, value) for metric, value in zip(metrics, values, strict=True)))
        for query, *values in zip(result.query_ids, *scores, strict=True)
    ]
    name = report.label(result) if title is None else title
    return Table(columns("query", *(metric.name for metric in metrics)), tuple(rows), title=name)


def n_rows(result: Result) -> int:
    """How many queries a result has, or users of a search log: a user can have a row for each day."""
    cluster = result.provenance.get(CLUSTERED_BY)
    return clusters_of([result], cluster).n if cluster and result.query_ids else len(result.query_ids)


def log_counts(result: Result) -> dict[str, int]:
    """What was counted in a search log, by name; nothing that is not a whole number, as in a damaged file."""
    about = result.provenance.get("log")
    return {name: n for name, n in about.items() if isinstance(n, int)} if isinstance(about, Mapping) else {}


def size_of(result: Result) -> str:
    """`48 queries`; for a search log `6,000 searches by 714 users`."""
    if result.rows_are == QUERY:
        return counted(len(result.query_ids), QUERY)
    counts, unit = log_counts(result), result.rows_are.removesuffix(" group")
    searches = counted(counts.get("searches", 0), "search")
    return searches if unit == "search" else f"{searches} by {counted(counts.get(plural(unit), 0), unit)}"


def coverage(report: Report) -> str:
    """One line: the number of judged queries, and the conventions of the scores."""
    first = report.results[0]
    policy = first.policy
    if first.rows_are != QUERY:
        return size_of(first) if len(report.results) == 1 else ""
    if first.is_unjudged:
        return f"{counted(len(first.query_ids), 'query')} without judgments · ties: {policy.ties}"
    if not _has_rankings(first):
        return f"{counted(first.counts['judged'], 'query')}{_clusters(first)}"
    parts = [
        f"{counted(first.counts['judged'], 'judged query')}{_clusters(first)}",
        *([f"profile: {first.profile}"] if first.profile else []),
        "relevant: grade > 0" if policy.rel is None else f"relevant: grade ≥ {policy.rel:g}",
        f"ties: {policy.ties}",
        *([f"depth: {policy.depth:,}"] if policy.depth is not None else []),
        *_relevance(first),
    ]
    if policy.judged_only:
        parts.append("unjudged documents removed")
    return " · ".join(parts)


def _clusters(result: Result) -> str:
    """The clusters that the intervals are based on: ` in 12 clusters by document`."""
    clustered = [interval for interval in result.intervals.values() if interval.cluster]
    return f" in {counted(clustered[0].n_clusters, 'cluster')} by {clustered[0].cluster}" if clustered else ""


def _has_rankings(result: Result) -> bool:
    return any(metric.metric.view in OF_RANKINGS for metric in result.metrics)


def _relevance(result: Result) -> list[str]:
    """How relevance was decided, if not by judged ids."""
    used = result.relevance.get("strategy_used", "qrels")
    if used == "qrels":
        return []
    lowest = ""
    for resolver, measure in (("token", "F1"), ("semantic", "cosine")):
        threshold = result.relevance.get(f"{resolver}_threshold")
        if threshold is not None and used.startswith(resolver):
            lowest = f" ({measure} ≥ {threshold:g})"
    if used == "mixed":
        used = ", ".join(f"{name} {count:,}" for name, count in result.relevance["strategy_counts"].items())
    return [f"relevance: {used}{lowest}"]


def notes(report: Report) -> list[str]:
    """Notes for a careful reader: about each run, then about all runs."""
    notes_by_result = [(*_coverage_notes(result), *_own_notes(result)) for result in report.results]
    common = [
        note for note in notes_by_result[0] if len(notes_by_result) > 1 and all(note in others for others in notes_by_result)
    ]
    labels: dict[str, list[str]] = {}
    for result, its in zip(report.results, notes_by_result, strict=True):
        for note in its:
            labels.setdefault(note, []).append(report.label(result))
    each = [f"{', '.join(some)}: {printable(note)}" for note, some in labels.items() if note not in common]
    return [*map(printable, report.remarks), *each, *map(printable, common), *confidence_notes(report), *trust_notes(report)]


def _own_notes(result: Result) -> list[str]:
    """The notes of a result; if its provider failed on every query, the error says why there are no rankings."""
    return [note for note in result.notes if note != NO_RANKINGS or not result.is_total_failure]


def _coverage_notes(result: Result) -> list[str]:
    """The queries of a run that do not count, and why; results without a run have their own notes."""
    if not _has_rankings(result) or result.is_unjudged:
        return []
    counts, texts = result.counts, []
    if (n := counts["scored"]) < counts["judged"]:
        texts.append(f"{n:,} of {counted(counts['judged'], 'judged query')} {_verb(n, 'is', 'are')} scored.")
    if n := counts["missing"]:
        empty = _verb(n, "counts as an empty ranking", "count as empty rankings")
        fate = _left_out(n) if result.policy.missing == "skip" else empty
        named = some_of(sorted(result.missing))
        texts.append(f"{counted(n, 'query')} {_verb(n, 'is', 'are')} missing from the run and {fate} ({named}).")
    if n := counts["without_relevant"]:
        zero = f"{_verb(n, 'scores', 'score')} 0 on binary metrics"
        perfect = f"{_verb(n, 'scores', 'score')} 1"
        fate = {"skip": _left_out(n), "one": perfect}.get(result.policy.no_relevant, zero)
        texts.append(f"{counted(n, 'query')} {_verb(n, 'has', 'have')} no relevant document and {fate}.")
    # queries without ground truth have a note of their own
    n_told = result.relevance.get("undecided_in_run", result.relevance.get("undecided", 0))
    if (n := counts["extra"] - n_told) > 0:
        texts.append(f"{counted(n, 'query')} in the run {_verb(n, 'has', 'have')} no judgments and {_left_out(n)}.")
    return texts


def _verb(n: int, singular: str, several: str) -> str:
    return singular if n == 1 else several


def _left_out(n: int) -> str:
    return _verb(n, "is left out", "are left out")


@dataclass(frozen=True)
class Kind:
    """One kind of band: its names, and where a result has it."""

    name: str
    """Its name in headings."""
    key: str
    """Its name in JSON, and the attribute of a result."""
    trec: str
    """Its name in the style of trec_eval."""
    words: tuple[str, ...]
    """The names of its values."""
    of: Callable[[Result], Mapping[str, Band]]

    @property
    def head(self) -> str:
        """The column heading after the metric."""
        return f"{self.name}: {' – '.join(self.words)}"


KINDS = (
    Kind("ties", "tie_bands", "tie", ("min", "mean", "max"), lambda result: result.tie_bands),
    Kind("unjudged", "residuals", "unjudged", ("min", "max"), lambda result: result.residuals),
)


def bands_of(result: Result, metric: str) -> Iterator[tuple[Kind, Band]]:
    """The bands of a metric; ties come first."""
    for kind in KINDS:
        if metric in kind.of(result):
            yield kind, kind.of(result)[metric]


def band_scores(result: Result, metric: str, band: Band) -> dict[str, dict[str, float]]:
    """Word → query → score. Queries that do not count for the metric are left out."""
    if result.grader is None:
        return {word: {} for word in band.columns}
    queries = result.grader.grading(result.policies[metric]).run.query_ids
    return {word: dict(zip(queries, column.score.tolist(), strict=True)) for word, column in band.columns.items()}


def bands_by_query(result: Result) -> dict[str, dict[str, dict[str, dict[str, Any]]]]:
    """Query → kind → metric → word → score, for JSON; in the order of the result's queries."""
    bands: dict[str, dict[str, dict[str, dict[str, Any]]]] = {query: {} for query in result.query_ids}
    for kind in KINDS:
        for metric, band in kind.of(result).items():
            for word, scores in band_scores(result, metric, band).items():
                for query, score in scores.items():
                    of_metric = bands[query].setdefault(kind.key, {}).setdefault(metric, {})
                    of_metric[word] = None if math.isnan(score) else score
    return bands


ENDS = ("low", "high")
BandColumn = tuple[BoundMetric, Kind, str]


def exact_table(report: Report) -> Table:
    """The table for CSV. With queries, the summary of each run follows its queries under the query id `all`; without
    them, a column has the number of queries.
    """
    metrics = report.metrics if report.per_query else report.shown
    bands = list(_band_columns(report))
    sure = [metric.name for metric in metrics if any(metric.name in result.intervals for result in report.results)]
    heads = [*(metric.name for metric in metrics), *(f"{metric.name} {kind.name} {word}" for metric, kind, word in bands)]
    heads += [f"{name}_{end}" for name in sure for end in ENDS]
    has_benchmarks = any(result.benchmark for result in report.results)
    rows: list[list[str]] = []
    for result in report.results:
        label = [result.benchmark, report.label(result)] if has_benchmarks else [report.label(result)]
        if report.per_query:
            empty = [""] * (len(ENDS) * len(sure))
            rows += ([*label, *row, *empty] for row in _exact_query_rows(report, result, bands))
        summary = [report.exact(metric, result.summary.get(metric.name, "")) for metric in metrics]
        ends = [report.exact(metric, kind.of(result)[metric.name].columns[word].summary()) for metric, kind, word in bands]
        intervals = [_end(result, name, end, report.digits) for name in sure for end in ENDS]
        rows.append([*label, "all" if report.per_query else str(len(result.query_ids)), *summary, *ends, *intervals])
    first, rows_are = ["benchmark", "run"] if has_benchmarks else ["run"], report.results[0].rows_are
    exact = tuple(tuple(Cell(text, value=text) for text in row) for row in rows)
    return Table(text_columns(*first, rows_are if report.per_query else plural(rows_are), *heads), exact)


def exact_slice_table(report: Report) -> Table:
    """The table for CSV with slices: all queries of each run, with an empty slice, then the runs in each slice."""
    groups = [("", "", report.results)]
    groups += [(sliced.by, part.slice.value, part.results) for sliced in report.slices for part in sliced.parts]
    shown = [
        metric for metric in report.shown if all(metric.name in result.summary for *_, some in groups for result in some)
    ]
    sure = [
        metric.name for metric in shown if any(metric.name in result.intervals for *_, some in groups for result in some)
    ]
    rows = [
        [
            *(report.label(result), by, value, str(len(result.query_ids))),
            *(report.exact(metric, result.summary[metric.name]) for metric in shown),
            *(_end(result, name, end, report.digits) for name in sure for end in ENDS),
        ]
        for by, value, some in groups
        for result in some
    ]
    heads = [*(metric.name for metric in shown), *(f"{name}_{end}" for name in sure for end in ENDS)]
    exact = tuple(tuple(Cell(text, value=text) for text in row) for row in rows)
    return Table(text_columns("run", "by", "slice", "queries", *heads), exact)


def _end(result: Result, metric: str, end: str, digits: int | None) -> str:
    """One end of an interval, with every digit unless fewer are requested; empty if it is unknown."""
    interval = result.intervals.get(metric)
    value = math.nan if interval is None else getattr(interval, end)
    return "" if math.isnan(value) else str(value) if digits is None else f"{value:.{digits}f}"


def _exact_query_rows(report: Report, result: Result, bands: Sequence[BandColumn]) -> Iterator[list[str]]:
    """Each query with its scores and the scores of its bands; empty if it does not count for a metric."""
    scores = [result.table.columns[metric.name].score.tolist() for metric in report.metrics]
    ends = [(metric, band_scores(result, metric.name, kind.of(result)[metric.name])[word]) for metric, kind, word in bands]
    for query, *values in zip(result.query_ids, *scores, strict=True):
        texts = [report.exact(metric, of_query.get(query, "")) for metric, of_query in ends]
        yield [query, *map(report.exact, report.metrics, values), *texts]


def _band_columns(report: Report) -> Iterator[BandColumn]:
    """Metric, kind of band, and name of its value, for each column."""
    for kind in KINDS:
        for metric in report.shown:
            if metric.name in kind.of(report.results[0]):
                yield from ((metric, kind, word) for word in kind.words)


HEAD = " % CI"


def confidence_column(report: Report, metric: BoundMetric) -> Iterator[tuple[str, list[Cell]]]:
    """Heading and cells of a metric's intervals; nothing if no result has one, as with a single query."""
    intervals = [result.intervals.get(metric.name) for result in report.results]
    levels = {interval.level for interval in intervals if interval is not None and not isnan(interval.low)}
    if levels:
        yield f"{100 * max(levels):g}{HEAD}", [Cell(_text(report, metric, interval)) for interval in intervals]


def confidence_notes(report: Report) -> list[str]:
    """Why a requested interval is missing: a single query does not show how much scores vary."""
    alone = [metric.name for metric in report.shown if _rests_on_one(report, metric.name)]
    return [f"No confidence interval for {', '.join(alone)}: an interval needs at least two queries."] if alone else []


def _rests_on_one(report: Report, metric: str) -> bool:
    results = [result for result in report.results if metric in result.intervals]
    counts = [int((~np.isnan(result.array(metric))).sum()) for result in results]
    return bool(counts) and max(counts) == 1 and all(isnan(result.intervals[metric].low) for result in results)


def is_confidence(head: str) -> bool:
    """Whether a column contains intervals."""
    return head.endswith(HEAD)


def _text(report: Report, metric: BoundMetric, interval: Confidence | None) -> str:
    """Both ends, with one digit less than the value, because they are not more precise."""
    if interval is None or isnan(interval.low):
        return "–"
    if metric.metric.view == "timing":
        return " – ".join(report.text(metric, end) for end in (interval.low, interval.high))
    digits = 3 if report.digits is None else max(report.digits - 1, 0)
    return " – ".join(with_minus(f"{end:.{digits}f}") for end in (interval.low, interval.high))


def deciding_metric(results: Sequence[Result], beside: Collection[str] = ()) -> BoundMetric | None:
    """The first metric that can have a best value: not text, not a total, and not in `beside`."""
    for metric in results[0].metrics if results else ():
        aggregation = metric.metric.aggregation
        if aggregation.summarise and not aggregation.is_total and metric.name not in beside:
            return metric
    return None


def best_first(results: Sequence[Result], metric: BoundMetric | None) -> list[Result]:
    """The results, best first by this metric; equal ones stay in order, and those without a value come last.

    If the metric is None, the order does not change.
    """
    if metric is None:
        return list(results)
    sign = -1 if metric.metric.higher_is_better else 1
    return sorted(results, key=lambda result: _place(result.summary.get(metric.name, float("nan")), sign))


def _place(figure: float, sign: int) -> tuple[bool, float]:
    return (True, 0.0) if isnan(figure) else (False, sign * figure)
