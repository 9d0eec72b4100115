"""Evaluator: judgments and metrics that are prepared once, to score many runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assay.datasets import BenchmarkDataset
from assay.errors import UsageError
from assay.evaluation.domains import needs_domain
from assay.evaluation.grader import Grader
from assay.evaluation.ground_truth import as_judged, as_ranked
from assay.evaluation.notes import check_ids_match
from assay.evaluation.profile import Profile
from assay.evaluation.profiles import choose_profile, requested_settings
from assay.evaluation.result import Result
from assay.evaluation.scoring import evaluate_judgments, score_table
from assay.evaluation.short_rankings import with_short_run
from assay.metrics import BoundMetric, Given
from assay.model import JudgmentSource, Policy, Qrels, RunSource


class Evaluator:
    """Judgments and metrics, prepared once, to score any number of runs: for training loops and parameter searches.

    `evaluate` returns the same result as `assay.evaluate`, `scores` only the score of each query.
    """

    def __init__(
        self,
        qrels: JudgmentSource,
        metrics: Given | Iterable[Given] | None = None,
        *,
        policy: Policy | None = None,
        profile: str | Profile | None = None,
    ) -> None:
        """Read the judgments and the metrics. The settings are those of `assay.evaluate`."""
        if isinstance(qrels, BenchmarkDataset):
            raise UsageError(
                "an Evaluator needs judgments, such as dataset.qrels. A benchmark may decide about relevance in other ways: "
                "use assay.evaluate"
            )
        self._profile = choose_profile(policy, profile)
        self._settings = requested_settings(metrics, self._profile)
        self._qrels = as_judged(qrels)

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        return self._qrels

    @property
    def metrics(self) -> tuple[BoundMetric, ...]:
        """The metrics as they are scored."""
        return self._settings.metrics

    def __repr__(self) -> str:
        return f"Evaluator({self._qrels!r}, {', '.join(metric.name for metric in self.metrics)})"

    def evaluate(self, run: RunSource, *, name: str = "") -> Result:
        """The result of a run."""
        source = as_ranked(run, self._qrels)
        return with_short_run(evaluate_judgments(self._qrels, source, self._settings, self._profile, name))

    def scores(self, run: RunSource) -> dict[str, dict[str, Any]]:
        """Query → metric → score; None if a score is undefined. Without notes, counts and provenance, so it is faster."""
        if needs_domain(self.metrics):
            return self.evaluate(run).table.by_query()
        source = as_ranked(run, self._qrels)
        grader = Grader(self._qrels, source, self._settings.by_policy)
        table = score_table(grader, self._settings, self._profile)
        if self._profile.is_own:
            check_ids_match(grader.main_grading(self._settings, self._profile.policy).counts, self._qrels, source)
        return table.by_query()
