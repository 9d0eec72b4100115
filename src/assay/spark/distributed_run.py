"""Distributed runs: one run of a table in Spark, ranked with all other runs of the table in one job."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from assay.errors import UsageError
from assay.model import Qrels, RankRule
from assay.spark.collected_ids import best_documents, first_ids, first_unjudged
from assay.spark.counted_runs import EXAMPLES, CountedRun, Scanned, collected_runs, rows_of_arrow
from assay.spark.counting import counting_runs
from assay.spark.duplicates import check_duplicates
from assay.spark.first_pass import first_pass
from assay.spark.forms import Form, choose_form
from assay.spark.grouped import grouped_parts
from assay.spark.request import Request
from assay.spark.run_table import RUN, RunTable
from assay.spark.session import collected
from assay.spark.shipping import Shipped
from assay.spark.survey import Survey
from assay.views import ExternalRun, Ranked

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(eq=False)
class CountingJob:
    """The job that counts all runs of a table; it runs once, when the first run is ranked."""

    table: RunTable
    qrels: Qrels
    shipped: Shipped[Qrels]
    survey: Survey
    form: Literal["grouped", "counting"]
    _counted: dict[tuple[Scanned, ...], dict[str, CountedRun]] = field(default_factory=dict)

    def runs(self, scans: tuple[Scanned, ...]) -> dict[str, CountedRun]:
        """Run → what was counted."""
        if scans not in self._counted:
            self._counted[scans] = self._grouped(scans) if self.form == "grouped" else self._counting(scans)
        return self._counted[scans]

    def _grouped(self, scans: tuple[Scanned, ...]) -> dict[str, CountedRun]:
        parts = grouped_parts(self.table.frame, self.shipped, scans, self.survey.largest_run)
        return collected_runs(rows_of_arrow(collected(parts)), self.table)

    def _counting(self, scans: tuple[Scanned, ...]) -> dict[str, CountedRun]:
        first = first_pass(self.table, self.qrels)
        if not self.table.is_unique:
            check_duplicates(self.table)
        return counting_runs(self.table.frame, self.qrels, first, scans)


@dataclass(eq=False)
class DistributedRun(ExternalRun):
    """One run of a table."""

    job: CountingJob
    run: str

    @property
    def label(self) -> str:
        """What an error calls the run."""
        return self.job.table.label(self.run)

    def rank(self, qrels: Qrels, rules: Collection[RankRule], *, name_extra: bool = False) -> Mapping[RankRule, Ranked]:
        """The run ranked by several rules; with `name_extra`, some queries without judgments are named."""
        ranked = self.job.runs(Scanned.all_of(rules))[self.run].ranked(qrels, rules, self.run)
        if not name_extra or not any(some.n_extra and not some.extra for some in ranked.values()):
            return ranked
        return {rule: replace(some, extra=self._extra) for rule, some in ranked.items()}

    @cached_property
    def _extra(self) -> tuple[str, ...]:
        """The first queries without judgments."""
        return first_unjudged(self._frame, self.job.qrels, EXAMPLES)

    @cached_property
    def _frame(self) -> DataFrame:
        from pyspark.sql import functions as F  # noqa: N812

        return self.job.table.frame.filter(F.col(RUN) == self.run)

    def top_documents(self, qrels: Qrels, k: int | None, rule: RankRule) -> dict[str, list[str]]:
        """The first k documents of each judged query, best first."""
        if k is None:
            raise UsageError(f"{self.label}: whole rankings are not collected from Spark. Set a cutoff k")
        return best_documents(self._frame, qrels, k, rule)

    def first_ids(self, most: int) -> tuple[Sequence[str], Sequence[str]]:
        """Some ids of queries and of documents."""
        return first_ids(self._frame, most)


def distributed_runs(request: Request, form: Form) -> list[DistributedRun]:
    """The runs of a table, in the order of their names."""
    shipped, survey = request.prepared()
    job = CountingJob(request.table, request.qrels, shipped, survey, choose_form(form, survey, request.qrels))
    return [DistributedRun(job, run) for run in sorted(survey.sizes)]
