"""AssayProvider: assay as a provider of ir_measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ir_measures import Measure, Metric
from ir_measures.providers import Evaluator, Provider

from assay.compat.differences import warn_difference
from assay.compat.ir_measures.registration import metric_of
from assay.errors import UsageError
from assay.evaluation import OWN, evaluate_settings, settings_of
from assay.files import as_source
from assay.model import Qrels

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
        if any(measure.NAME == "ERR" for measure in distinct) and self._qrels.grades.max(initial=0.0) not in (
            0.0,
            GDEVAL_TOP,
        ):
            warn_difference(
                f"the highest grade is not {GDEVAL_TOP}. ERR of ir_measures always uses a scale up to {GDEVAL_TOP}, "
                "but assay uses the highest grade"
            )
        super().__init__(distinct, set(self._qrels.query_ids))

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        """One value per judged query and measure, query by query; counts are whole numbers.

        A query that is missing from the run gets the value that ir_measures gives it, and correct counts.
        """
        settings = settings_of(list(self._metrics.values()), OWN)
        result = evaluate_settings(self._qrels, as_source(run), settings, OWN)  # no common queries: not an error here
        missing = set(result.missing)
        if missing and any(measure.NAME in ("NumQ", "NumRel") for measure in self._metrics):
            warn_difference("a query has no results. NumQ and NumRel of ir_measures do not count it, but assay does")
        columns = {measure: result.table.columns[metric.name].score.tolist() for measure, metric in self._metrics.items()}
        for place, query in enumerate(result.table.query_ids):
            for measure, scores in columns.items():
                if str(measure.NAME).startswith("Num"):
                    yield Metric(query, measure, int(scores[place]))
                else:
                    yield Metric(query, measure, measure.DEFAULT if query in missing else scores[place])
