"""Evaluation of runs in Spark: an ordinary result for each run, and their comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypedDict, Unpack, overload

from assay.comparison import Comparison
from assay.comparison import compare as compare_results
from assay.comparison.options import SignificanceSettings
from assay.errors import UsageError
from assay.evaluation import Profile, Result, choose_profile, evaluate_metrics, settings_of
from assay.metrics import Given, parse_metrics, written_metrics
from assay.model import Policy
from assay.spark.distributed_run import DistributedRun, distributed_runs
from assay.spark.duplicates import keep_best
from assay.spark.forms import Form
from assay.spark.judgments import collected_judgments
from assay.spark.refusals import check_form, check_settings
from assay.spark.run_table import check_spark, run_table


class TableSettings(TypedDict, total=False):
    """How tables are read and scored."""

    policy: Policy | None
    profile: str | Profile | None
    columns: Mapping[str, str] | None
    form: Form
    unique: bool
    tie_band: bool


@overload
def evaluate(  # noqa: D418 (here all that is public is explained)
    qrels: Any,
    run: Any,
    metrics: Given | Iterable[Given] | None = None,
    run_col: None = None,
    *,
    name: str = "",
    **settings: Unpack[TableSettings],
) -> Result:
    """Score one run."""


@overload
def evaluate(  # noqa: D418
    qrels: Any,
    run: Any,
    metrics: Given | Iterable[Given] | None = None,
    *,
    run_col: str,
    name: str = "",
    **settings: Unpack[TableSettings],
) -> dict[str, Result]:
    """Score each run of a table."""


def evaluate(
    qrels: Any,
    run: Any,
    metrics: Given | Iterable[Given] | None = None,
    run_col: str | None = None,
    *,
    policy: Policy | None = None,
    profile: str | Profile | None = None,
    name: str = "",
    columns: Mapping[str, str] | None = None,
    form: Form = "auto",
    unique: bool = False,
    tie_band: bool = False,
) -> Result | dict[str, Result]:
    """Score a run that is a DataFrame of Spark; with `run_col`, the column that names runs, a result for each run.

    `qrels` is anything that `assay.evaluate` accepts, or a DataFrame of Spark. The results are those of `assay.evaluate` on
    the same rows. `columns` names columns that are not recognised, such as `{"query_id": "q"}`.
    """
    check_spark("runs in Spark need")
    check_form(form)
    chosen = choose_profile(policy, profile)
    parsed = parse_metrics(None if metrics is None else written_metrics(metrics), chosen.name)
    check_settings(settings_of(parsed, chosen), chosen)
    table = run_table(run, run_col, columns)
    if chosen.policy.duplicates == "keep_best":
        table = replace(table, frame=keep_best(table.frame))
    judgments = collected_judgments(qrels, columns)
    results = {
        part.run: _with_engine(
            evaluate_metrics(judgments, part, parsed, profile=chosen, name=part.run or name, tie_band=tie_band), part
        )
        for part in distributed_runs(table, judgments, form, is_unique=unique or chosen.policy.duplicates == "keep_best")
    }
    return results if run_col is not None else next(iter(results.values()))


def _with_engine(result: Result, run: DistributedRun) -> Result:
    """The result with a record of how it was computed."""
    job = run.job
    engine = {
        "name": "spark",
        "version": str(job.table.frame.sparkSession.version),
        "form": job.form,
        "rows": job.survey.sizes[run.run].n_rows,
    }
    return result.with_fields(provenance={**result.provenance, "engine": engine})


def compare(
    qrels: Any,
    runs: Any,
    metrics: Given | Iterable[Given] | None = None,
    run_col: str | None = None,
    *,
    baseline: str | None = None,
    table: TableSettings | None = None,
    **settings: Unpack[SignificanceSettings],
) -> Comparison:
    """Score runs and compare them. `runs` is a DataFrame with a column `run_col`, or a mapping of names to DataFrames."""
    how: TableSettings = table or {}
    if isinstance(runs, Mapping):
        results = {str(name): evaluate(qrels, frame, metrics, name=str(name), **how) for name, frame in runs.items()}
    elif run_col is None:
        raise UsageError("a comparison needs run_col, the column that names the run of each row, or {'bm25': df, 'dense': other}")
    else:
        results = evaluate(qrels, runs, metrics, run_col=run_col, **how)
    return compare_results(None, results, baseline=baseline, **settings)
