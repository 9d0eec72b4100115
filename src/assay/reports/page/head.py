"""Head of a page: its title, the verdict in a sentence, and a table of systems and benchmarks if there are several."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.comparison import UNKNOWN, Comparison, Figures, Pair, spread_of, standing_of
from assay.evaluation import Result
from assay.experiments import decided_pair, outcome_of, shared_outcome
from assay.metrics import BoundMetric
from assay.model import LANGUAGE, NONE, Tags
from assay.reports.page.subject import BenchmarkReport
from assay.reports.report import Report
from assay.reports.sections.comparison_head import head_line, systems_text
from assay.reports.sections.directions import direction_sections
from assay.reports.sections.evaluation import power_notes
from assay.reports.sections.moved_queries import reference_of
from assay.reports.sections.overview import standing_text
from assay.reports.sections.run_notes import failure_notes, latency_notes
from assay.reports.sections.scores import coverage, notes, size_of
from assay.reports.sections.slices import BEYOND, MACRO, OF_LANGUAGE, P_EQUAL, VARIANCE, spread_texts, variance_text
from assay.reports.sections.store import readable_time
from assay.reports.table import Mark, Section, Table, columns, joined, number, words
from assay.stats import UNKNOWN_VARIANCE, GroupVariance
from assay.text import counted, printable

MEANING = (
    f"{MACRO}: every language has the same weight; {VARIANCE}: how much the values differ between languages; "
    f"{BEYOND}: what chance does not explain; {P_EQUAL}: if all languages were equally good."
)
MAX_METRICS = 6


@dataclass(frozen=True)
class CrossBenchmarkTable:
    """One metric: systems as rows, benchmarks as columns."""

    metric: BoundMetric
    benchmarks: tuple[str, ...]
    systems: tuple[str, ...]
    values: tuple[tuple[float, ...], ...]
    """For each system, its value on each benchmark; nan if it has none."""
    intervals: tuple[tuple[str, ...], ...]
    spreads: tuple[GroupVariance, ...]
    """For each system, how much of the variance between benchmarks is more than sampling."""
    are_languages: bool
    report: BenchmarkReport

    @property
    def title(self) -> str:
        """`mrr by language`."""
        return f"{self.metric.name} by {LANGUAGE if self.are_languages else 'benchmark'}"

    def text(self, value: float) -> str:
        """A value as text."""
        return UNKNOWN if math.isnan(value) else self.report.figures.value(self.metric, value)

    def macro(self, place: int) -> float:
        """The mean of a system over languages; nan if it was not run on all of them."""
        return float(np.mean(self.values[place]))

    def variance(self, place: int) -> tuple[str, float]:
        """The variance of a system's values over languages, as text and as a number."""
        value = float(np.var(self.values[place]))
        return variance_text(value, self.report.figures), value


def cross_benchmark_tables(reports: Sequence[BenchmarkReport]) -> tuple[CrossBenchmarkTable, ...]:
    """A table for each metric that all benchmarks share; none for one benchmark, or if two have the same name."""
    names = [report.first.benchmark for report in reports]
    if len(reports) < 2 or len(set(names)) < len(names):
        return ()
    languages = [_language(report) for report in reports]
    are_languages = NONE not in languages and len(set(languages)) == len(languages)
    shared = [metric for metric in reports[0].metrics if all(metric in other.metrics for other in reports)]
    systems = tuple(dict.fromkeys(name for report in reports for name in report.names))
    heads = tuple(languages) if are_languages else tuple(names)
    return tuple(_of_metric(reports, metric, heads, systems, are_languages) for metric in shared[:MAX_METRICS])


def _of_metric(
    reports: Sequence[BenchmarkReport],
    metric: BoundMetric,
    heads: tuple[str, ...],
    systems: tuple[str, ...],
    are_languages: bool,
) -> CrossBenchmarkTable:
    figures = [[_figure(report, name, metric) for report in reports] for name in systems]
    values = tuple(tuple(value for value, _ in row) for row in figures)
    intervals = tuple(tuple(ends for _, ends in row) for row in figures)
    spreads = tuple(_spread(reports, name, metric) if are_languages else UNKNOWN_VARIANCE for name in systems)
    return CrossBenchmarkTable(metric, heads, systems, values, intervals, spreads, are_languages, reports[0])


def _spread(reports: Sequence[BenchmarkReport], system: str, metric: BoundMetric) -> GroupVariance:
    if not all(system in report.names for report in reports):
        return UNKNOWN_VARIANCE
    results = [report.shown[report.names.index(system)] for report in reports]
    return spread_of([result.table.columns[metric.name] for result in results])


def _figure(report: BenchmarkReport, system: str, metric: BoundMetric) -> tuple[float, str]:
    if system not in report.names:
        return math.nan, ""
    place = report.names.index(system)
    return report.shown[place].summary[metric.name], report.interval(place, metric)


def _language(report: BenchmarkReport) -> str:
    """The language of a benchmark; none if its queries have none or several."""
    languages = set(Tags.of(report.shown[:1]).values(LANGUAGE))
    return languages.pop() if len(languages) == 1 else NONE


def cross_benchmark_section(reports: Sequence[BenchmarkReport]) -> Section | None:
    """A table for each metric that all benchmarks share; None for one benchmark."""
    tables = cross_benchmark_tables(reports)
    if not tables:
        return None
    are_languages = tables[0].are_languages
    title = "Across languages" if are_languages else "Across benchmarks"
    lead = MEANING if are_languages else "The values of different benchmarks are side by side, without a mean over them."
    both = [
        part
        for section in direction_sections([result for report in reports for result in report.results])
        for part in section.parts
    ]
    return Section("across", title, (*map(_across, tables), *both), lead)


def _across(across_table: CrossBenchmarkTable) -> Table:
    rows = []
    for place, system in enumerate(across_table.systems):
        pairs = zip(across_table.values[place], across_table.intervals[place], strict=True)
        fields = [number(across_table.text(value), value, note=ends) for value, ends in pairs]
        if across_table.are_languages:
            macro, (shown_variance, variance) = across_table.macro(place), across_table.variance(place)
            spread = across_table.spreads[place]
            beyond, p = spread_texts(spread, across_table.report.figures)
            fields += [number(across_table.text(macro), macro), number(shown_variance, variance)]
            fields += [number(beyond, spread.beyond_sampling), number(p, spread.p)]
        rows.append((words(system), *fields))
    more = OF_LANGUAGE if across_table.are_languages else ()
    return Table(
        columns("system", *across_table.benchmarks, *more), tuple(rows), across_table.title, title=across_table.title
    )


MIN_SYSTEMS_FOR_BEST = 3
"""With this many systems or more, the pairs do not show at a glance which is best."""
MAX_NAMED = 6


def best_sentence(comparison: Comparison) -> str:
    """Which system is best, and which it beats; empty if the verdict on pairs says it, or if no test was possible."""
    metric = comparison.metrics[0]
    pairs = [pair for pair in comparison.pairs if pair.metric == metric.name]
    is_open = comparison.how.baseline is not None or comparison.how.bound_test.test.claim != "differs"
    if len(comparison.names) < MIN_SYSTEMS_FOR_BEST or is_open or all(math.isnan(pair.p) for pair in pairs):
        return ""
    best = comparison.best(metric.name)
    beside = [(pair, pair.b if pair.a == best else pair.a) for pair in pairs if best in (pair.a, pair.b)]
    equals = [name for pair, name in beside if pair.better != best]
    figure = Figures().value(metric, comparison.value(best, metric.name))
    lead = f"{best} has the best {metric.name} ({figure})"
    if not equals:
        return f"{lead} and is significantly better than each of the other {len(beside)} systems."
    if len(equals) == len(beside):
        return f"{lead}, but is not significantly better than any other system."
    order = sorted(equals, key=lambda name: -_sign(comparison) * comparison.value(name, metric.name))
    rest = counted(len(beside) - len(equals), "other system")
    return f"{lead}. It is significantly better than {rest}, but not significantly better than {_named(order)}."


def _sign(comparison: Comparison) -> int:
    return 1 if comparison.metrics[0].metric.higher_is_better else -1


def _named(names: Sequence[str]) -> str:
    """The first few names, and how many more."""
    if len(names) > MAX_NAMED:
        return f"{', '.join(names[:MAX_NAMED])} and {len(names) - MAX_NAMED} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


@dataclass(frozen=True)
class Head:
    """What the reader sees first: title, verdict and notes."""

    title: str
    about: str
    verdict: str
    tone: Mark = Mark.NONE
    """Better or worse, if that is significant."""
    notes: tuple[str, ...] = ()
    change: str = ""
    """For two systems: the first metric of both, and the difference."""
    outcome: str = ""
    """For two systems: the direction as a sign and a word."""


def head_of(report: BenchmarkReport) -> Head:
    """For two systems the verdict; for more the best one; for one its first value and interval."""
    dataset = report.first.provenance.get("dataset") or {}
    title = f"{report.first.benchmark} {dataset.get('version', '')}".strip()
    if report.comparison is None:
        verdict, tone = f"{_dead(report)}{_one_verdict(report)}", Mark.WORSE if _is_broken(report) else Mark.NONE
        return Head(title or report.names[0], _about(report), verdict, tone, _notes(report))
    comparison = report.comparison
    best = best_sentence(comparison)
    notes_below = (*([comparison.verdict] if best else []), *comparison.notes, *failure_notes(_all_results(report), ""))
    fallback = " and ".join(report.names) if len(report.names) < 4 else systems_text(comparison).capitalize()
    standing = _standing(report)
    tone = {"worse": Mark.WORSE, "better": Mark.BETTER}.get(standing, Mark.NONE)
    verdict, outcome = best or comparison.verdict, standing_text(standing)
    if decided := _of_experiment(report):
        verdict, notes_below = decided[0], ()
    return Head(title or fallback, _about(report), verdict, tone, notes_below, _change(report), outcome)


def reasons_for_doubt(report: BenchmarkReport) -> tuple[str, ...]:
    """What could overturn the verdict of a comparison: unjudged documents, few queries, noise, and other notes."""
    comparison = report.comparison
    if comparison is None:
        return ()
    shown = set(failure_notes(_all_results(report), ""))
    notes = (*comparison.doubts, *power_notes(comparison), *comparison.remarks, *_notes(report))
    return tuple(note for note in dict.fromkeys(notes) if note not in shown)


def _all_results(report: BenchmarkReport) -> tuple[Result, ...]:
    return (*report.results, *report.failed)


def _difference(report: BenchmarkReport) -> tuple[float, float] | None:
    """The values of the reference and of the other of two systems on the first metric; None for more systems."""
    if report.comparison is None or len(report.results) != 2:
        return None
    metric, reference = report.metrics[0].name, reference_of(report.comparison)
    values = {name: report.comparison.value(name, metric) for name in report.comparison.names}
    other = next(name for name in report.comparison.names if name != reference)
    return values[reference], values[other]


def _change(report: BenchmarkReport) -> str:
    """`ndcg@10 0.732 → 0.592 (−0.140)`."""
    if (values := _difference(report)) is None:
        return ""
    metric = report.metrics[0]
    old, new = (report.figures.value(metric, value) for value in values)
    return f"{metric.name} {old} → {new} ({report.figures.change(metric, values[1] - values[0])})"


def _standing(report: BenchmarkReport) -> str:
    """How the second of two systems stands to the first on the first metric; empty for more systems."""
    comparison = report.comparison
    if comparison is None or len(comparison.names) != 2:
        return ""
    metric, decided = comparison.metrics[0], _of_experiment(report)
    return standing_of(metric, decided[1] if decided else comparison.pair(metric.name, *comparison.names))


def _of_experiment(report: BenchmarkReport) -> tuple[str, Pair] | None:
    """The verdict and the difference of two results that are of one experiment, as it decided them; else None."""
    if report.comparison is None or len(report.comparison.names) != 2:
        return None
    before, now = report.comparison.results
    if (outcome := shared_outcome(before, now)) is None:
        return None
    pair = decided_pair(outcome, report.comparison.metrics[0].name, before, now)
    return None if pair is None else (outcome.verdict, pair)


def _about(report: BenchmarkReport) -> str:
    """The systems, the time, the queries, and how the systems were compared."""
    started = sorted(
        {readable_time(str(moment)) for result in report.results if (moment := result.provenance.get("started"))}
    )
    when = f"{started[0]} UTC" if len(started) == 1 else f"{started[0]} to {started[-1]} UTC" if started else ""
    is_compared = report.comparison is not None and _of_experiment(report) is None
    how = head_line(report.comparison) if report.comparison and is_compared else coverage(Report(report.results))
    return joined([_systems(report), when, how])


def _systems(report: BenchmarkReport) -> str:
    """The names of the systems, or how many there are; nothing if the text about the comparison says it."""
    if report.comparison is not None and report.comparison.n_given:
        return ""
    return ", ".join(report.names) if len(report.names) < 6 else f"{len(report.names)} systems"


def _all(n: int) -> str:
    return f"all {counted(n, 'query')}" if n > 1 else "its only query"


def _dead(report: BenchmarkReport) -> str:
    """A sentence if a system failed on every query, because then it has no figure to compare."""
    names = [printable(result.name or "run") for result in report.failed]
    return f"{_named(names)} failed on every query, so nothing can be compared. " if names else ""


def _is_broken(report: BenchmarkReport) -> bool:
    """Whether there is nothing to rely on: every query failed, or an experiment has no verdict."""
    outcome = outcome_of(report.first)
    return _has_died(report) or (outcome is not None and bool(outcome.withheld))


def _has_died(report: BenchmarkReport) -> bool:
    """Whether the newest of the results failed on every query."""
    times = [str(result.provenance.get("started", "")) for result in _all_results(report)]
    return bool(report.failed) and max(times) in times[len(report.results) :]


def _one_verdict(report: BenchmarkReport) -> str:
    """`bm25 reaches ndcg@10 0.777 [0.712, 0.845] on 48 queries.`; a provider that failed on every query has no value."""
    if report.first.is_total_failure:
        return f"{report.names[0]} failed on {_all(len(report.first.query_ids))}, so it has no values."
    if (outcome := outcome_of(report.first)) is not None:
        return outcome.verdict
    n = size_of(report.first)
    if not report.metrics:
        return f"{report.names[0]} was run on {n}, but no metric has a value."
    metric = report.metrics[0]
    figure = report.figures.value(metric, report.first.summary[metric.name])
    interval = report.interval(0, metric)
    sure = f" {interval}" if interval else ""
    return f"{report.names[0]} reaches {metric.name} {figure}{sure} on {n}."


def _with_shared_metrics(report: BenchmarkReport) -> tuple[Result, ...]:
    """The results with the metrics that all of them have, because notes are about all of them."""
    shared = [metric for metric in report.first.metrics if all(metric in other.metrics for other in report.results)]
    return tuple(result.subset(metrics=shared) for result in report.results)


def _notes(report: BenchmarkReport) -> tuple[str, ...]:
    """Notes on the results; each sentence once."""
    all_notes = (
        *failure_notes(_all_results(report), ""),
        *latency_notes(report.results),
        *notes(Report(_with_shared_metrics(report), points_on=False)),
    )
    return tuple(dict.fromkeys(all_notes))
