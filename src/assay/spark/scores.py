"""Scores that stay in Spark: a row for each query of each run, for thousands of runs whose results are not collected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import UsageError
from assay.evaluation import Profile, evaluate_judgments, settings_of
from assay.metrics import BoundMetric, Given
from assay.model import Policy, Qrels, RankRule
from assay.spark.counted_runs import CountedRun, Scanned, collected_runs, rows_of_arrow
from assay.spark.grouped import grouped_parts
from assay.spark.request import Request
from assay.spark.run_table import RUN, RunTable
from assay.spark.shipping import Shipped
from assay.views import ExternalRun, Ranked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

QUERY_ID = "query_id"


def score_runs(
    qrels: Any,
    runs: Any,
    metrics: Given | Iterable[Given] | None = None,
    run_col: str | None = None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
    columns: Mapping[str, str] | None = None,
) -> DataFrame:
    """The score of each query of each run as a DataFrame of Spark, with a column for each metric.

    The scores are those of `assay.evaluate`. Nothing is collected, so there can be thousands of runs. The first job counts
    the rows; scores are computed when the DataFrame is used. A fault in the data then fails the job, and names its place.
    """
    request = Request.of(qrels, runs, metrics, run_col, policy=policy, profile=profile, columns=columns)
    shipped, survey = request.prepared()
    asked = [setting.asked for setting in request.settings]
    policies = dict.fromkeys(setting.policy for setting in request.settings)
    scorer = Scorer(shipped, asked, request.profile, run_col, Scanned.all_of([policy.rank_rule for policy in policies]))
    parts = grouped_parts(request.table.frame, shipped, scorer.scans, survey.largest_run)
    return parts.groupBy(RUN).applyInArrow(lambda table: scorer.scored(table), scorer.schema)


@dataclass(frozen=True)
class Scorer:
    """What a worker needs to score runs from their parts."""

    shipped: Shipped[Qrels]
    metrics: Sequence[BoundMetric]
    profile: Profile
    run_col: str | None
    scans: tuple[Scanned, ...]

    @property
    def columns(self) -> dict[str, str]:
        """Column → its type."""
        ids = {QUERY_ID: "string"} if self.run_col is None else {self.run_col: "string", QUERY_ID: "string"}
        kinds = {True: "double", False: "string"}
        return ids | {metric.name: kinds[bool(metric.metric.aggregation.summarise)] for metric in self.metrics}

    @property
    def schema(self) -> str:
        """The columns, as Spark writes them."""
        return ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in self.columns.items())

    def scored(self, table: Any) -> Any:
        """The scores of a run; a worker of Spark calls it with the parts of the run."""
        import pyarrow as pa

        own = RunTable(None, has_runs=self.run_col is not None)
        [(run, counted)] = collected_runs(rows_of_arrow(table), own).items()
        settings, counted_run = settings_of(self.metrics, self.profile), CollectedRun(run, counted, own)
        by_query = evaluate_judgments(self.shipped.content(), counted_run, settings, self.profile).table.by_query()
        rows = [
            {QUERY_ID: query, **scores} | ({self.run_col: run} if self.run_col else {}) for query, scores in by_query.items()
        ]
        kinds = {"string": table.schema.field(RUN).type, "double": pa.float64()}
        return pa.Table.from_pylist(rows, schema=pa.schema([(name, kinds[kind]) for name, kind in self.columns.items()]))


@dataclass(frozen=True)
class CollectedRun(ExternalRun):
    """A run that was counted, without its rows."""

    run: str
    counted: CountedRun
    table: RunTable

    @property
    def label(self) -> str:
        """What an error calls the run."""
        return self.table.label(self.run)

    def rank(
        self,
        qrels: Qrels,
        rules: Collection[RankRule],
        *,
        name_extra: bool = False,  # noqa: ARG002 (they are named anyway)
    ) -> Mapping[RankRule, Ranked]:
        """The run ranked by several rules."""
        return self.counted.ranked(qrels, rules, self.run)

    def top_documents(self, qrels: Qrels, k: int | None, rule: RankRule) -> dict[str, list[str]]:  # noqa: ARG002
        """An error: only judged documents were kept."""
        raise UsageError(f"{self.label}: its documents are not available, because only judged documents were counted")

    def first_ids(self, most: int) -> tuple[Sequence[str], Sequence[str]]:
        """Some queries without judgments."""
        return sorted({query for part in self.counted.parts for query in part.extra})[:most], ()
