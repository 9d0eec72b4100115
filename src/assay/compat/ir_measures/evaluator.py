"""AssayProvider: assay as a provider of ir_measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from ir_measures import Measure, Metric
from ir_measures.providers import Evaluator, Provider

from assay.compat.ir_measures.differences import DIFFERENCES
from assay.compat.ir_measures.registration import metric_of
from assay.errors import UsageError
from assay.evaluation import IR_MEASURES, OWN, Result, Setting, evaluate_settings, settings_of
from assay.files import as_source
from assay.metrics import BoundMetric
from assay.model import Qrels, Run, as_rankings

GDEVAL_TOP = 4
"""The highest grade of gdeval, which computes ERR for ir_measures."""


class AssayProvider(Provider):  # type: ignore[misc, unused-ignore]
    """Computes every measure that assay has. It is always available."""

    NAME = "assay"

    def supports(self, measure: Measure) -> bool:
        """Whether assay has the measure, with these parameters."""
        measure.validate_params()  # type: ignore[no-untyped-call, unused-ignore]
        try:
            return metric_of(measure).metric.view in ("ranking", "subtopics")
        except UsageError:
            return False

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> AssayEvaluator:
        return AssayEvaluator(measures, qrels)


class AssayEvaluator(Evaluator):  # type: ignore[misc, unused-ignore]
    """Judgments and measures, prepared once, to evaluate any number of runs."""

    def __init__(self, measures: Iterable[Measure], qrels: Any) -> None:
        distinct = list(dict.fromkeys(measures))
        self._metrics = {measure: metric_of(measure) for measure in distinct}
        self._qrels = Qrels(qrels)
        self._warn_of_measures(distinct)
        super().__init__(distinct, set(self._qrels.query_ids))

    def _warn_of_measures(self, measures: Iterable[Measure]) -> None:
        """Warn of measures that ir_measures computes differently for any run."""
        names = {str(measure.NAME) for measure in measures}
        if "ERR" in names and self._qrels.grades.max(initial=0.0) not in (0.0, GDEVAL_TOP):
            DIFFERENCES.warn("scale of ERR")
        if any(
            metric.metric.name in ("alpha_dcg", "err_ia") and metric.params["k"] == 1 for metric in self._metrics.values()
        ):
            DIFFERENCES.warn("cutoff 1")
        by_cutoff = Counter(measure.params.get("cutoff") for measure in self._metrics if measure.NAME == "nDCG")
        if any(by_cutoff[measure.params.get("cutoff")] > 1 for measure in self._metrics if measure.params.get("gains")):
            DIFFERENCES.warn("gains")

    def _warn_of_ties(self, run: Run, result: Result) -> None:
        """Warn if documents are tied for a provider of ir_measures, and its order gives another value."""
        if not _has_near_ties(run):
            return
        settings = [_with_their_ties(setting) for setting in settings_of(list(self._metrics.values()), OWN)]
        theirs = evaluate_settings(self._qrels, run, settings, OWN)
        if any(not np.array_equal(result.array(name), theirs.array(name)) for name in _names(self._metrics.values())):
            DIFFERENCES.warn("ties")

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        """One value per judged query and measure, query by query; counts are whole numbers.

        A query that is missing from the run gets the value that ir_measures gives it, and correct counts.
        """
        settings = settings_of(list(self._metrics.values()), OWN)
        ranked = Run.borrow(as_rankings(as_source(run)))
        result = evaluate_settings(self._qrels, ranked, settings, OWN)  # no common queries: not an error here
        self._warn_of_ties(ranked, result)
        missing = set(result.missing)
        if missing and any(measure.NAME in ("NumQ", "NumRel") for measure in self._metrics):
            DIFFERENCES.warn("query without results")
        columns = {measure: result.table.columns[metric.name].score.tolist() for measure, metric in self._metrics.items()}
        for place, query in enumerate(result.table.query_ids):
            for measure, scores in columns.items():
                if str(measure.NAME).startswith("Num"):
                    yield Metric(query, measure, int(scores[place]))
                else:
                    yield Metric(query, measure, measure.DEFAULT if query in missing else scores[place])


def _has_near_ties(run: Run) -> bool:
    """Whether neighbours in a ranking have the same score as float32."""
    order = run.order
    with np.errstate(over="ignore"):
        near = order.negated.astype(np.float32)
    second = np.flatnonzero(near[1:] == near[:-1]) + 1
    return bool(np.any(second > order.start[np.searchsorted(order.end, second, side="right")]))


def _with_their_ties(setting: Setting) -> Setting:
    """The setting with the order of equal scores of the provider that ir_measures uses for the metric."""
    theirs = Setting.of(setting.metric, IR_MEASURES).policy
    return replace(setting, policy=replace(setting.policy, ties=theirs.ties, precision=theirs.precision))


def _names(metrics: Iterable[BoundMetric]) -> list[str]:
    return [metric.name for metric in metrics]
