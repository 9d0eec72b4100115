"""Distributed runs: one run of a table in Spark, ranked with all other runs of the table in one job."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from assay.errors import UsageError
from assay.files import ExternalRun
from assay.model import Qrels, RankRule
from assay.spark.counted_runs import EXAMPLES, CountedRun, Scanned, collected_runs, rows_of_arrow
from assay.spark.counting import counting_runs
from assay.spark.duplicates import check_duplicates
from assay.spark.first_pass import first_pass
from assay.spark.forms import Form, choose_form
from assay.spark.grouped import grouped_parts
from assay.spark.request import Request
from assay.spark.run_table import DOCUMENT, QUERY, RUN, SCORE, RunTable
from assay.spark.shipping import Shipped
from assay.spark.survey import Survey
from assay.views import Ranked


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
        return collected_runs(rows_of_arrow(parts.toArrow()), self.table)

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
        import pyarrow as pa
        from pyspark.sql import functions as F  # noqa: N812

        judged = pa.table({QUERY: pa.array(self.job.qrels.query_ids, pa.string())})
        known = F.broadcast(self._frame.sparkSession.createDataFrame(judged))
        others = self._frame.select(QUERY).distinct().join(known, [QUERY], "left_anti")
        return tuple(row[QUERY] for row in others.orderBy(QUERY).limit(EXAMPLES).collect())

    @cached_property
    def _frame(self):  # noqa: ANN202
        from pyspark.sql import functions as F  # noqa: N812

        return self.job.table.frame.filter(F.col(RUN) == self.run)

    def top_documents(self, qrels: Qrels, k: int | None, rule: RankRule) -> dict[str, list[str]]:
        """The first k documents of each judged query, best first."""
        if k is None:
            raise UsageError(f"{self.label}: whole rankings are not collected from Spark. Set a cutoff k")
        from pyspark.sql import Window
        from pyspark.sql import functions as F  # noqa: N812

        import pyarrow as pa

        queries = pa.table({QUERY: pa.array(qrels.query_ids, pa.string())})
        frame = self._frame.join(F.broadcast(self._frame.sparkSession.createDataFrame(queries)), [QUERY], "left_semi")
        if rule.drop_self:
            frame = frame.filter(F.col(QUERY) != F.col(DOCUMENT))
        score = F.col(SCORE).cast("float") if rule.precision == "float32" else F.col(SCORE)
        document = F.col(DOCUMENT).asc() if rule.ties == "docid_asc" else F.col(DOCUMENT).desc()
        place = F.row_number().over(Window.partitionBy(QUERY).orderBy(score.desc(), document))
        rows = frame.select(QUERY, DOCUMENT, place.alias("place")).filter(F.col("place") <= k).orderBy(QUERY, "place").collect()
        best: dict[str, list[str]] = {}
        for row in rows:
            best.setdefault(row[QUERY], []).append(row[DOCUMENT])
        return best

    def first_ids(self, most: int) -> tuple[Sequence[str], Sequence[str]]:
        """Some ids of queries and of documents."""
        rows = self._frame.select(QUERY, DOCUMENT).limit(most).collect()
        return sorted({row[QUERY] for row in rows}), sorted({row[DOCUMENT] for row in rows})


def distributed_runs(request: Request, form: Form) -> list[DistributedRun]:
    """The runs of a table, in the order of their names."""
    shipped, survey = request.prepared()
    job = CountingJob(request.table, request.qrels, shipped, survey, choose_form(form, survey, request.qrels))
    return [DistributedRun(job, run) for run in sorted(survey.sizes)]
