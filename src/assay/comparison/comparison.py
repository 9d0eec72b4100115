"""Comparison: compare several systems on the same queries.

`compare` scores runs and compares them, `compare_results` compares existing results. Also here: remarks on how numbers were
computed, if that is not obvious.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol, Unpack, overload

import numpy as np

from assay.comparison.alignment import Aligned, align
from assay.comparison.estimate_remarks import estimate_remarks
from assay.comparison.options import ComparisonOptions, SignificanceSettings, listed_in_part
from assay.comparison.pairs import Pair, compare_pairs, field_outcomes
from assay.comparison.run_noise import RunNoise, all_noise, noise_sentences, unmeasured_noise
from assay.comparison.unjudged import Unjudged, unjudged_between
from assay.comparison.unjudged_notes import notes_on_unjudged
from assay.comparison.verdict import listed, pair_names, verdict_on
from assay.datasets import GroundTruth
from assay.errors import ProviderError, UnknownName, UsageError, near_matches
from assay.evaluation import (
    EvaluateSettings,
    Result,
    SampledJudgments,
    choose_profile,
    clusters_inside,
    clusters_of,
    evaluate_metrics,
    written_relevance,
)
from assay.frames import Columns, Tables, Tabular
from assay.metrics import BoundMetric, Given, WrittenMetric, parse_metrics, written_metrics
from assay.model import Qrels, RunSource
from assay.serialize import to_json
from assay.stats import AVERAGED, Clusters, FieldOutcome
from assay.text import counted, percent, shortened


@dataclass(frozen=True, eq=False)
class Comparison(Tabular):
    """`comparison.verdict` is the conclusion, `table()` has all pairs as rows, `best(metric)` is the best system."""

    aligned: Aligned
    how: ComparisonOptions
    pairs: tuple[Pair, ...]
    fields: Mapping[str, FieldOutcome] = field(default_factory=dict)
    """Metric → whether the systems differ at all, from a test for many systems."""
    part: str = ""
    """The slice it is about, such as `language=de`."""
    failed: tuple[Result, ...] = ()
    """The systems that failed on every query. They are not compared."""
    n_given: int = 0
    """The number of systems of which these are the best, if the others were left out; otherwise 0."""
    _known: dict[tuple[str, str, str], Unjudged] = field(default_factory=dict, repr=False, init=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        return self.aligned.names

    @property
    def results(self) -> tuple[Result, ...]:
        """The results over the compared queries."""
        return self.aligned.results

    @property
    def metrics(self) -> tuple[BoundMetric, ...]:
        """The metrics of the comparison."""
        return self.aligned.metrics

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries of the comparison."""
        return self.aligned.query_ids

    @property
    def notes(self) -> tuple[str, ...]:
        """How the results differ, if only what they share was compared."""
        return self.aligned.notes

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """How numbers were computed, if that is not obvious."""
        return tuple(remarks_on(self))

    @cached_property
    def clusters(self) -> Clusters | None:
        """The clusters of the queries; None if queries are not clustered."""
        return clusters_inside(self.results, self.how.cluster) if self.how.cluster else None

    @cached_property
    def noise(self) -> tuple[RunNoise, ...]:
        """The run-to-run noise of each pair and each repeated system on each metric; empty if no system was repeated."""
        return tuple(all_noise(self.results, self.metrics, self._compared))

    @property
    def _compared(self) -> list[tuple[str, str]]:
        return [(pair.a, pair.b) for pair in self.pairs]

    @property
    def n_failed(self) -> dict[str, int]:
        """System → number of failed queries, which score 0."""
        return {result.name: len(result.failures) for result in (*self.results, *self.failed)}

    @property
    def n_comparisons(self) -> int:
        """The size of the family: the number of pairs and metrics that p was corrected for."""
        return sum(not math.isnan(pair.p) for pair in self.pairs if pair.is_in_family)

    @property
    def n_families(self) -> int:
        """The number of metrics that p of a test for many systems was corrected for; it corrects for pairs itself."""
        return n_fields(self.pairs, self.fields)

    @property
    def families(self) -> str:
        """The number of families in words."""
        return counted(self.n_families, "metric")

    @cached_property
    def verdict(self) -> str:
        """The conclusion in words."""
        return verdict_on(self)

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What unjudged documents could change about the verdict, in words."""
        return tuple(notes_on_unjudged(self))

    def unjudged(self, pair: Pair, *, thorough: bool = False) -> Unjudged:
        """How far the grades of unjudged documents could move the difference of a pair, and how much of each is judged.

        Unless it is `thorough`, large files are not read again as a whole.
        """
        key = (pair.metric, pair.a, pair.b)
        if key not in self._known or (thorough and not self._known[key].is_known):
            a, b = (self.results[self.aligned.place(name)] for name in (pair.a, pair.b))
            self._known[key] = unjudged_between(a, b, self.metric(pair.metric), thorough=thorough)
        return self._known[key]

    def p_overall(self, metric: str) -> float:
        """The p of all systems together on a metric that decides, corrected over metrics; nan for a test of pairs."""
        is_in_family = any(pair.is_in_family for pair in self.pairs if pair.metric == metric)
        if metric not in self.fields or not is_in_family:
            return math.nan
        n = 1 if self.how.correcting.name == "none" else self.n_families
        return min(1.0, n * self.fields[metric].p)

    def metric(self, name: str) -> BoundMetric:
        """A metric of the comparison, in any spelling."""
        own_name = self.results[0].own_name(name)
        return next(metric for metric in self.metrics if metric.name == own_name)

    def value(self, system: str, metric: str) -> float:
        """The value of a system."""
        return self.results[self.aligned.place(system)][metric]

    def best(self, metric: str) -> str:
        """The system with the best value. `pairs` has the significance. If only a difference is known, it decides."""
        bound = self.metric(metric)
        if self.results[0].table.columns[bound.name].is_difference:
            pair = self.pair(bound.name, *self.names)
            return pair.b if pair.improvement > 0 else pair.a
        values = {result.name: result.summary[bound.name] for result in self.results}
        scored = {name: value for name, value in values.items() if not math.isnan(value)}
        if not scored:
            raise UsageError(f"{bound.name} has no value for any system")
        return (max if bound.metric.higher_is_better else min)(scored, key=lambda name: scored[name])

    def pair(self, metric: str, a: str, b: str) -> Pair:
        """The pair of two systems on one metric; its a and b may be swapped."""
        name = self.metric(metric).name
        for pair in self.pairs:
            if pair.metric == name and {pair.a, pair.b} == {a, b}:
                return pair
        raise UsageError(f"{a} and {b} were not compared. The systems are {listed_in_part(self.names)}")

    def per_query(self, metric: str) -> dict[str, dict[str, float | None]]:
        """Query → system → score; None if it is undefined."""
        name = self.metric(metric).name
        rows = self.aligned.scores(name).tolist()
        return {
            query: to_json(dict(zip(self.names, row, strict=True))) for query, row in zip(self.query_ids, rows, strict=True)
        }

    def table(self) -> list[dict[str, Any]]:
        """A row of plain values for each pair and metric, for example for `pandas.DataFrame(comparison.table())`."""
        return [pair.to_dict() for pair in self.pairs]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        plain = {
            "systems": list(self.names),
            "metrics": [metric.name for metric in self.metrics],
            "n_queries": len(self.query_ids),
            "how": self.how.to_dict(),
            "n_comparisons": self.n_comparisons,
            "summary": {result.name: to_json(result.summary) for result in self.results},
            "failed": self.n_failed,
            "pairs": [{**pair.to_dict(), **self._unjudged_to_dict(pair)} for pair in self.pairs],
            "verdict": self.verdict,
            "doubts": list(self.doubts),
            "notes": list(self.notes),
            "remarks": list(self.remarks),
        }
        if self.n_given:
            plain["n_left_out"] = self.n_given - len(self.names)
        if self.clusters is not None:
            plain["n_clusters"] = self.clusters.n
        if judgments := [_judgments_of(result) for result in self.results if "judgments" in result.provenance]:
            plain["judgments"] = judgments
        if self.noise:
            plain["noise"] = [noise.to_dict() for noise in self.noise]
        if self.part:
            plain["slice"] = self.part
        if self.fields:
            plain["overall"] = {
                name: to_json(
                    {"statistic": outcome.statistic, "df": outcome.df, "p": outcome.p, "p_corrected": self.p_overall(name)}
                )
                for name, outcome in self.fields.items()
            }
        return plain

    def _tables(self) -> Tables:
        return {"pairs": self._pair_columns, "queries": self._query_columns}

    def _pair_columns(self) -> Columns:
        """The rows of `table`, as columns; an undefined number is nan."""
        names = list(Pair.__dataclass_fields__)
        columns: dict[str, Any] = {name: [getattr(pair, name) for pair in self.pairs] for name in names}
        columns |= {name: [row[name] for row in self.table()] for name in ("is_significant", "better")}
        return columns

    def _query_columns(self) -> Columns:
        """A row for each metric, system and query, with the score."""
        keys = [(metric.name, system) for metric in self.metrics for system in self.names]
        scores = [self.aligned.scores(metric.name).T.ravel() for metric in self.metrics]
        return {
            "metric": [metric for metric, _ in keys for _ in self.query_ids],
            "system": [system for _, system in keys for _ in self.query_ids],
            "query_id": list(self.query_ids) * len(keys),
            "score": np.concatenate(scores) if scores else np.zeros(0),
        }

    def _unjudged_to_dict(self, pair: Pair) -> dict[str, Any]:
        """The range of a pair on the deciding metric; nothing in slices."""
        is_deciding = pair.metric == self.metrics[0].name and not self.part
        return {"unjudged": self.unjudged(pair).to_dict()} if is_deciding else {}

    def __repr__(self) -> str:
        return f"Comparison({self.verdict})"


def n_fields(pairs: Iterable[Pair], fields: Mapping[str, FieldOutcome]) -> int:
    """The number of metrics that decide and that a test for many systems was run on."""
    return len({pair.metric for pair in pairs if pair.is_in_family and pair.metric in fields})


ONTOLOGY = "ontology"
EVALUATE_SETTINGS = ("policy", "profile", "relevance", ONTOLOGY, "tie_band", "residuals", "judgments")
"""Settings of `evaluate`; the ontology is an option of its domain."""
SPANS, RANKING = "spans", "ranking"
"""Views of metrics: places in files, which chunkers share, and ranked chunks, which they do not."""


class CompareSettings(SignificanceSettings, EvaluateSettings, total=False):
    """The settings of `compare`, as keywords: those of the test and those of `evaluate`."""


@overload
def compare(  # noqa: D418 (here all that is public is explained)
    qrels: None,
    runs: Mapping[str, Result],
    metrics: Given | Iterable[Given] | None = None,
    *,
    baseline: str | None = None,
    intersect: bool = False,
    **settings: Unpack[SignificanceSettings],
) -> Comparison:
    """Compare results, which are scored already."""


@overload
def compare(  # noqa: D418
    qrels: GroundTruth,
    runs: Mapping[str, RunSource | Result],
    metrics: Given | Iterable[Given] | None = None,
    *,
    baseline: str | None = None,
    intersect: bool = False,
    **settings: Unpack[CompareSettings],
) -> Comparison:
    """Score runs and compare them."""


@overload
def compare(  # noqa: D418
    qrels: GroundTruth | None,
    runs: Mapping[str, RunSource | Result],
    metrics: Given | Iterable[Given] | None = None,
    *,
    baseline: str | None = None,
    intersect: bool = False,
    judgments: SampledJudgments,
    **settings: Unpack[CompareSettings],
) -> Comparison:
    """Estimate metrics of runs from a sample of judgments, and compare them."""


def compare(
    qrels: GroundTruth | None,
    runs: Mapping[str, RunSource | Result],
    metrics: Given | Iterable[Given] | None = None,
    *,
    baseline: str | None = None,
    intersect: bool = False,
    judgments: SampledJudgments | None = None,
    **settings: Unpack[CompareSettings],
) -> Comparison:
    """Score several runs and compare them query by query. Each run can be a dict, a file, a frame, or a prepared Run.

    Runs can also be results, which are scored already; if all are results, the judgments can be None. Without a baseline,
    every pair is compared. `settings` are those of `ComparisonOptions` (test, correction, alpha, interval, tolerance, rope,
    seed) and of `evaluate` (policy, profile, relevance, ontology, tie_band, residuals, judgments).
    """
    if not isinstance(runs, Mapping):
        names = (
            "compare(None, {'bm25': result, 'dense': other})"
            if isinstance(runs, Result)
            else "{'bm25': run, 'dense': other}"
        )
        raise UsageError(f"runs must have names, as in {names}, not {shortened(runs)}")
    others: dict[str, Any] = {**settings, **({} if judgments is None else {"judgments": judgments})}
    _check_settings(others)
    chosen = {name: others.pop(name) for name in settings if name in ComparisonOptions.__dataclass_fields__}
    how = ComparisonOptions(baseline=baseline, **chosen)
    asked = written_metrics(metrics)
    if not all(isinstance(run, Result) for run in runs.values()):
        parsed = parse_metrics(asked, _profile_name(runs, others)) if asked is not None else None
        if "relevance" in others:
            others["relevance"] = written_relevance(others["relevance"])
        results = _score_runs(qrels, runs, parsed, others)
        return compare_results(_with_names(runs, results), how, metrics=parsed, intersect=intersect)
    if others:
        raise UsageError(f"results are compared as they were scored, so {', '.join(others)} cannot be set here")
    results = [run for run in runs.values() if isinstance(run, Result)]
    return compare_results(_with_names(runs, results), how, metrics=asked, intersect=intersect)


def _with_names(runs: Mapping[str, Any], results: Sequence[Result]) -> list[Result]:
    return [result.renamed(str(name)) for name, result in zip(runs, results, strict=True)]


def _profile_name(runs: Mapping[str, Any], settings: Mapping[str, Any]) -> str:
    """The profile for parsing metric names: that of the results, else that of the settings."""
    scored = [run.profile for run in runs.values() if isinstance(run, Result)]
    return scored[0] if scored else choose_profile(settings.get("policy"), settings.get("profile")).name


def _check_settings(settings: Mapping[str, Any]) -> None:
    """Raise UnknownName for an unknown keyword, with similar names."""
    known = ("intersect", *ComparisonOptions.__dataclass_fields__, *EVALUATE_SETTINGS)
    for name in settings:
        if name not in known:
            raise UnknownName("setting of compare", name, near_matches(name, known), f"choose from {', '.join(known)}")


def _score_runs(
    qrels: Any, runs: Mapping[str, Any], metrics: Sequence[BoundMetric] | None, settings: Mapping[str, Any]
) -> list[Result]:
    """Results unchanged, runs scored."""
    is_ready = qrels is None or isinstance(qrels, Qrels) or getattr(qrels, "queries", None) is not None
    judged = qrels if is_ready and (qrels is not None or settings.get("judgments")) else Qrels(qrels)
    options = {name: value for name, value in settings.items() if name == ONTOLOGY and value is not None}
    own = {name: value for name, value in settings.items() if name != ONTOLOGY}
    return [
        run if isinstance(run, Result) else evaluate_metrics(judged, run, metrics, name=str(name), **own, options=options)
        for name, run in runs.items()
    ]


def compare_results(
    results: Sequence[Result],
    how: ComparisonOptions | None = None,
    *,
    metrics: WrittenMetric | Iterable[WrittenMetric] | None = None,
    intersect: bool = False,
) -> Comparison:
    """Compare results query by query. Results that differ in data or conventions are an error, unless `intersect` is set.

    A provider that failed on every query is left out, because its values are unknown. Metrics keep their order, but for
    several chunkers span metrics come first, because the verdict is about the first one.
    """
    chosen = how or ComparisonOptions()
    working = [result for result in results if not result.is_total_failure]
    if len(results) >= 2 > len(working):
        raise ProviderError(_failure_message(results))
    aligned = align(working, metrics, intersect=intersect)
    if chosen.cluster:
        clusters_of(aligned.results, chosen.cluster)  # an unknown tag is an error
    aligned = replace(aligned, metrics=_fair_metrics_first(results, aligned.metrics))
    fields = field_outcomes(aligned, chosen)
    failed = tuple(result for result in results if result.is_total_failure)
    return Comparison(aligned, chosen, tuple(compare_pairs(aligned, chosen, fields)), fields, failed=failed)


def _failure_message(results: Sequence[Result]) -> str:
    """Which providers failed on every query, and the first error."""
    failed = [result for result in results if result.is_total_failure]
    names = listed([result.name for result in failed])
    why = next(iter(failed[0].failures.values()))
    return f"nothing can be compared, because {names} failed on every query. The first error: {why}"


class Origin(Protocol):
    """What is recorded about how a result came about."""

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Its provenance."""

    @property
    def relevance(self) -> Mapping[str, Any]:
        """How relevance was decided."""


def counts_chunks(metric: BoundMetric, results: Sequence[Origin]) -> bool:
    """Whether a metric is unfair to these results, because it counts chunks and the chunkers differ."""
    cuts = {str(result.provenance.get("chunks", {}).get("chunker")) for result in results}
    is_by_span = any(result.relevance.get("strategy_used") == "span" for result in results)
    return metric.metric.view == RANKING and len(cuts) > 1 and is_by_span


def fair_metric(results: Sequence[Result]) -> BoundMetric | None:
    """The first metric; if it is unfair to chunkers, the first span metric, or None if there is none."""
    metrics = results[0].metrics
    if not counts_chunks(metrics[0], results):
        return metrics[0]
    return next((metric for metric in metrics if metric.metric.view == SPANS), None)


def _fair_metrics_first(results: Sequence[Result], metrics: tuple[BoundMetric, ...]) -> tuple[BoundMetric, ...]:
    if not metrics or not counts_chunks(metrics[0], results):
        return metrics
    return tuple(sorted(metrics, key=lambda metric: metric.metric.view != SPANS))


MIN_CLUSTERS = 6
"""With fewer clusters, no randomisation test can give p ≤ 0.05."""
FEW_CLUSTERS = "With {n}, p of a two-sided randomisation test is at least {p:g}, however large the difference is."


def remarks_on(comparison: Comparison) -> Iterator[str]:
    """Remarks on Bayesian probabilities, untested pairs, values that are not means, and tests with too few queries."""
    if comparison.how.bound_test.test.name == "bayesian":
        yield from _probabilities(comparison)
    for metric in comparison.metrics:
        pairs = [pair for pair in comparison.pairs if pair.metric == metric.name]
        untested = [pair for pair in pairs if pair.untested]
        if 0 < len(untested) < len(pairs):  # if no pair is tested, the verdict says so
            yield f"{metric.name} of {pair_names(untested)} is not tested ({untested[0].untested})."
    whole = [metric.name for metric in comparison.metrics if metric.metric.aggregation not in AVERAGED]
    if whole := [name for name in whole if any(pair.metric == name and pair.draws for pair in comparison.pairs)]:
        are = "is not a mean over queries" if len(whole) == 1 else "are not means over queries"
        names = f"{', '.join(whole[:-1])} and {whole[-1]}" if len(whole) > 1 else whole[0]
        yield f"{names} {are}: the interval and p are from a paired bootstrap of the value itself."
    yield from estimate_remarks(comparison)
    tested = [pair.n for pair in comparison.pairs if pair.n and not pair.untested]
    tested += [comparison.clusters.n] if tested and comparison.clusters is not None else []
    if tested and (caution := comparison.how.bound_test.caution(min(tested))):
        yield caution
    if comparison.clusters is not None and comparison.clusters.n < MIN_CLUSTERS:
        yield FEW_CLUSTERS.format(n=counted(comparison.clusters.n, "cluster"), p=2 / 2**comparison.clusters.n)
    yield from _noise_remarks(comparison)


def _judgments_of(result: Result) -> dict[str, Any]:
    """Whose grades a result is computed with, and what it says about them."""
    return {"system": result.name, **to_json(result.provenance["judgments"]), "notes": list(result.notes)}


def _noise_remarks(comparison: Comparison) -> Iterator[str]:
    """Run-to-run noise on the first metric: of each pair if all systems are compared with one, else of each system."""
    of_pairs = comparison.how.baseline is not None or len(comparison.names) == 2
    if comparison.metrics:
        yield from noise_sentences(comparison.noise, comparison.metrics[0].name, of_pairs=of_pairs)
    if not comparison.part:
        yield from unmeasured_noise(comparison.results, comparison._compared)


def _probabilities(comparison: Comparison) -> Iterator[str]:
    """For each pair: the probability that b is better, practically equal, or worse."""
    rope = comparison.how.bound_test.params["rope"]
    by = f" by more than {rope:g}" if rope else ""
    for pair in comparison.pairs:
        if pair.untested:
            continue
        better, equal = pair.p_better, pair.p_equal
        same = f", practically equal with {percent(equal, 1)}" if rope else ""
        worse = max(0.0, 1 - better - equal)
        claim = f"{pair.b} is better than {pair.a} on {pair.metric}{by}"
        yield f"{claim} with probability {percent(better, 1)}{same}, worse with {percent(worse, 1)}."
