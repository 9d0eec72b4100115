"""Requests: what is to be scored and how, checked before any job starts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from assay.errors import BadParameter
from assay.evaluation import Profile, Setting, choose_profile, settings_of
from assay.files import Reading, parse_columns, reading_with
from assay.metrics import Given, parse_metrics, written_metrics
from assay.model import Policy, Qrels, Query
from assay.spark.duplicates import keep_best
from assay.spark.forms import Form
from assay.spark.judgments import collected_judgments, shipped_judgments
from assay.spark.refusals import check_settings
from assay.spark.run_table import RunTable, run_table
from assay.spark.shipping import Shipped
from assay.spark.spark_frames import check_spark
from assay.spark.survey import Survey, survey_of


@dataclass(frozen=True)
class Request:
    """Judgments, runs and metrics."""

    qrels: Qrels
    table: RunTable
    settings: Sequence[Setting]
    """How each metric is scored."""
    profile: Profile
    queries: Mapping[str, Query] = field(default_factory=dict)
    """The texts and tags of queries, if a benchmark has them."""

    @classmethod
    def of(
        cls,
        qrels: Any,
        run: Any,
        metrics: Given | Iterable[Given] | None,
        run_col: str | None,
        *,
        policy: Policy | None,
        profile: str | Profile | None,
        columns: Mapping[str, str] | None,
    ) -> Request:
        """The request of a Python program, if it can be carried out. Only judgments in Spark are collected."""
        check_spark("runs in Spark need")
        chosen = choose_profile(policy, profile)
        parsed = parse_metrics(None if metrics is None else written_metrics(metrics), chosen.name)
        with _reading(columns):
            return cls.checked(qrels, run, run_col, settings_of(parsed, chosen), chosen)

    @classmethod
    def checked(cls, qrels: Any, run: Any, run_col: str | None, settings: Sequence[Setting], profile: Profile) -> Request:
        """The request with these settings, if it can be carried out."""
        check_settings(settings, profile)
        table = run_table(run, run_col)
        if profile.policy.duplicates == "keep_best":
            table = replace(table, frame=keep_best(table.frame), is_unique=True)
        judgments, queries = collected_judgments(qrels)
        return cls(judgments, table, settings, profile, queries)

    def prepared(self) -> tuple[Shipped[Qrels], Survey]:
        """The judgments for the workers, and the sizes of the runs. The first job starts here."""
        return shipped_judgments(self.qrels), survey_of(self.table)


@contextmanager
def _reading(columns: Mapping[str, str] | None) -> Iterator[None]:
    """Let all readers use the columns that the caller named; a column that no table has is an error."""
    if columns is None:
        yield
        return
    with reading_with(Reading(parse_columns(columns))) as reading:
        yield
    reading.check_columns_used()


def check_form(form: str) -> None:
    """Raise for an unknown form."""
    if form not in get_args(Form):
        raise BadParameter(f"form must be one of {', '.join(get_args(Form))}, not {form!r}")
