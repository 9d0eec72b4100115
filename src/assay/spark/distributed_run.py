"""Distributed runs: one run of a table in Spark, ranked with all other runs of the table in one job."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from assay.errors import UsageError
from assay.files import ExternalRun
from assay.model import Qrels, RankRule
from assay.spark.counted_runs import CountedRun, Scanned, collected_runs, rows_of_arrow
from assay.spark.grouped import grouped_counts
from assay.spark.run_table import DOCUMENT, QUERY, RUN, SCORE, RunTable
from assay.spark.shipped_judgments import ShippedJudgments
from assay.spark.survey import Survey, survey_of
from assay.views import Ranked


@dataclass(eq=False)
class CountingJob:
    """The job that counts all runs of a table; it runs once, when the first run is ranked."""

    table: RunTable
    shipped: ShippedJudgments
    form: str
    survey: Survey = field(init=False)
    _counted: dict[tuple[Scanned, ...], dict[str, CountedRun]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.survey = survey_of(self.table)

    def runs(self, scans: tuple[Scanned, ...]) -> dict[str, CountedRun]:
        """Run → what was counted."""
        if scans not in self._counted:
            parts = grouped_counts(self.table.frame, self.shipped, scans, self.survey.largest_run)
            self._counted[scans] = collected_runs(rows_of_arrow(parts.toArrow()), self.table.has_runs)
        return self._counted[scans]


@dataclass(eq=False)
class DistributedRun(ExternalRun):
    """One run of a table."""

    job: CountingJob
    run: str

    @property
    def label(self) -> str:
        """What an error calls the run."""
        return self.job.table.label(self.run)

    def rank(self, qrels: Qrels, rules: Collection[RankRule]) -> Mapping[RankRule, Ranked]:
        """The run ranked by several rules."""
        return self.job.runs(Scanned.all_of(rules))[self.run].ranked(qrels, rules, self.run)

    def top_documents(self, qrels: Qrels, k: int | None, rule: RankRule) -> dict[str, list[str]]:
        """The first k documents of each judged query, best first."""
        if k is None:
            raise UsageError("whole rankings are not collected from Spark. Set a cutoff k")
        raise UsageError("not yet")

    def first_ids(self, most: int) -> tuple[Sequence[str], Sequence[str]]:
        """Some ids of queries and of documents."""
        from pyspark.sql import functions as F  # noqa: N812

        frame = self.job.table.frame.filter(F.col(RUN) == self.run)
        rows = frame.select(QUERY, DOCUMENT).limit(most).collect()
        return sorted({row[QUERY] for row in rows}), sorted({row[DOCUMENT] for row in rows})


def distributed_runs(table: RunTable, qrels: Qrels, form: str) -> list[DistributedRun]:
    """The runs of a table, in the order of their names."""
    job = CountingJob(table, ShippedJudgments.of(qrels), form)
    return [DistributedRun(job, run) for run in sorted(job.survey.sizes)]
