"""Importance: the loss of a model if a feature carries no information, for each feature, with intervals over queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from assay.comparison import Comparison, ComparisonOptions, Pair, SignificanceSettings, compare_results
from assay.datasets import BenchmarkDataset, BenchmarkSource, load_dataset
from assay.errors import BadParameter, DataError, ProviderError, UsageError
from assay.evaluation import Profile, Result, choose_profile, combine_repeats, evaluate_settings, settings_of
from assay.execution import RetrieverSource, wrap_retriever
from assay.frames import Columns, Tables, Tabular
from assay.learning_to_rank.changed_features import FeatureChanges
from assay.metrics import BoundMetric, Given, parse_metrics, written_metrics
from assay.model import FeatureTable, Policy, Rankings, Run
from assay.providers import Adapted
from assay.serialize import to_json
from assay.text import shortened

PERMUTATION, LEAVING_OUT = "permutation", "leaving-out"
METHODS = (PERMUTATION, LEAVING_OUT)
DEFAULT_METRIC = "ndcg@10"
DEFAULT_REPEATS = 5
WHOLE = "all features"
"""The name of the model with unchanged features in the comparison."""
HELPS, HURTS, UNDECIDED, SAME = "helps", "hurts", "no effect is shown", "no effect"


@dataclass(frozen=True)
class Importance:
    """One feature: the loss without its information, which is above 0 if the feature helps."""

    feature: int
    value: float
    """The value of the metric if the feature carries no information."""
    loss: float
    low: float
    """The interval of the loss."""
    high: float
    p: float
    p_corrected: float
    """p, corrected for the number of features."""
    verdict: str
    """helps or hurts if this is shown, `no effect is shown`, or `no effect` if no score changed."""
    n_changed: int
    """Queries whose score changed."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {name: to_json(getattr(self, name)) for name in self.__dataclass_fields__}


@dataclass(frozen=True, eq=False)
class FeatureImportance(Tabular):
    """The features of a model, the most important first."""

    benchmark: str
    model: str
    metric: str
    method: str
    repeats: int
    seed: int
    value: float
    """The value of the metric with all features."""
    n_queries: int
    features: tuple[Importance, ...]
    comparison: Comparison = field(repr=False)
    """The comparison that the figures are from: the model with all features, and once for each changed feature."""
    notes: tuple[str, ...] = ()

    @property
    def helping(self) -> list[int]:
        """The numbers of the features that are shown to help."""
        return [feature.feature for feature in self.features if feature.verdict == HELPS]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        names = ("benchmark", "model", "metric", "method", "repeats", "seed", "value", "n_queries")
        return {
            "schema": "assay.features/1",
            **{name: to_json(getattr(self, name)) for name in names},
            "settings": self.comparison.how.to_dict(),
            "features": [feature.to_dict() for feature in self.features],
            "notes": list(self.notes),
        }

    def _tables(self) -> Tables:
        return {"features": self._columns}

    def _columns(self) -> Columns:
        names = Importance.__dataclass_fields__
        return {name: [getattr(feature, name) for feature in self.features] for name in names}


def feature_importance(
    dataset: BenchmarkSource,
    model: RetrieverSource,
    metric: Given | None = None,
    *,
    method: str = PERMUTATION,
    features: Iterable[int] | None = None,
    repeats: int = DEFAULT_REPEATS,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
    watch: Callable[[int, int], None] | None = None,
    **settings: Unpack[SignificanceSettings],
) -> FeatureImportance:
    """How much a model loses if a feature carries no information about the order of the documents of a query.

    `permutation` gives the documents of a query the values of the feature in a random order, `repeats` times; `leaving-out`
    gives all of them the mean of the query. The model is not trained again. The losses are paired over queries, and p is
    corrected for the number of features. `features` are numbers as in the file; None: all features. `settings` are those of
    `compare`: test, correction, alpha, interval, seed, cluster.
    """
    _check(method, repeats)
    benchmark, chosen = load_dataset(dataset), choose_profile(policy, profile)
    table, provider = _features_of(benchmark), wrap_retriever(model)
    numbers = list(table.numbers if features is None else dict.fromkeys(features))
    for number in numbers:
        table.column(number)
    options = ComparisonOptions(baseline=WHOLE, **settings)
    study = _Study(benchmark, provider.make(), FeatureChanges(table), _only_metric(metric, chosen), chosen)
    n_each = repeats if method == PERMUTATION else 1
    if watch is not None:
        study.watch = lambda n_done: watch(n_done, 1 + len(numbers) * n_each)
    whole = study.result(WHOLE, None, None)
    changed = [study.changed(number, method, options.seed, n_each) for number in numbers]
    comparison = compare_results([whole, *changed], options, metrics=[study.metric])
    setup = (benchmark.name, provider.name, study.metric.name, method, n_each, options.seed)
    n_queries = len(comparison.results[0].query_ids)
    rows = _ranked_rows(numbers, comparison, study.metric)
    value = comparison.results[0][study.metric.name]
    return FeatureImportance(*setup, value, n_queries, rows, comparison, tuple(whole.notes))


def _only_metric(metric: Given | None, profile: Profile) -> BoundMetric:
    """The metric; the default if there is none, and an error if there are several."""
    asked = parse_metrics(written_metrics(DEFAULT_METRIC if metric is None else metric), profile.name)
    if len(asked) != 1:
        raise BadParameter(f"features are compared by one metric, found {len(asked)}: {', '.join(map(str, asked))}")
    return asked[0]


def _ranked_rows(numbers: Sequence[int], comparison: Comparison, metric: BoundMetric) -> tuple[Importance, ...]:
    """A row for each feature, the largest loss first."""
    pairs = [pair for pair in comparison.pairs if pair.metric == metric.name]
    rows = [_importance(number, pair, metric) for number, pair in zip(numbers, pairs, strict=True)]
    return tuple(sorted(rows, key=lambda row: (-row.loss if row.loss == row.loss else np.inf, row.feature)))


def _check(method: str, repeats: int) -> None:
    if method not in METHODS:
        raise BadParameter(f"method must be one of {', '.join(METHODS)}, not {shortened(method)}")
    if isinstance(repeats, bool) or not isinstance(repeats, int) or not 1 <= repeats <= 1000:
        raise BadParameter(f"repeats must be a whole number from 1 to 1,000, not {shortened(repeats)}")


def _features_of(benchmark: BenchmarkDataset) -> FeatureTable:
    if benchmark.features is None:
        raise DataError(f"the documents of {benchmark.name} have no features. Use a benchmark in the format letor")
    return benchmark.features


@dataclass
class _Study:
    """A model on a benchmark, scored with changed features."""

    benchmark: BenchmarkDataset
    model: Adapted
    changes: FeatureChanges
    asked: BoundMetric
    profile: Profile
    n_done: int = 0
    watch: Callable[[int], None] = lambda _: None

    def __post_init__(self) -> None:
        if not self.model.needs_features:
            raise UsageError("the model does not rank by features. Use lightgbm, xgboost, sklearn or feature")
        self.qrels = self.benchmark.judged()
        self.settings = settings_of([self.asked], self.profile)
        self.metric = self.settings.metrics[0]

    def changed(self, number: int, method: str, seed: int, repeats: int) -> Result:
        """The result without the information of a feature."""
        if method == LEAVING_OUT:
            every = [self.changes.left_out(number)]
        else:
            every = [self.changes.permuted(number, seed, repeat) for repeat in range(repeats)]
        name = f"without feature {number}"
        return combine_repeats([self.result(name, number, values) for values in every])

    def result(self, name: str, number: int | None, values: NDArray[np.float32] | None) -> Result:
        """The result with these values of a feature."""
        rankings: dict[str, dict[str, float]] = {}
        for block in self.changes.blocks(number, values):
            self.model.set_features(block)
            queries = [self.benchmark.queries[query] for query in block.query_ids if query in self.benchmark.queries]
            for query, answer in zip(queries, self.model.search(queries, block.longest), strict=True):
                if isinstance(answer, ProviderError):
                    raise answer
                rankings[query.query_id] = {hit.doc_id: hit.score for hit in answer}
        result = evaluate_settings(self.qrels, Run.borrow(Rankings(rankings)), self.settings, self.profile, name)
        self.n_done += 1
        self.watch(self.n_done)
        return result.with_fields(grader=None, recorded=result.fingerprints, benchmark=self.benchmark.name)


def _importance(number: int, pair: Pair, metric: BoundMetric) -> Importance:
    """The loss is above 0 if the feature helps, for every metric."""
    low, high = (0.0 - pair.high, 0.0 - pair.low) if metric.metric.higher_is_better else (pair.low, pair.high)
    verdict = UNDECIDED
    if not pair.n_changed:
        verdict = SAME
    elif pair.is_significant:
        verdict = HELPS if pair.improvement < 0 else HURTS
    loss = 0.0 - pair.improvement
    return Importance(number, pair.value_b, loss, low, high, pair.p, pair.p_corrected, verdict, pair.n_changed)
