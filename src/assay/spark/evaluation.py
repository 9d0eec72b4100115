"""Evaluation of runs in Spark: an ordinary result for each run, and their comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypedDict, Unpack, overload

from assay.comparison import Comparison, SignificanceSettings
from assay.comparison import compare as compare_results
from assay.errors import UsageError
from assay.evaluation import Profile, Result, evaluate_judgments, with_bands, with_short_run
from assay.metrics import Given
from assay.model import Policy
from assay.spark.distributed_run import DistributedRun, distributed_runs
from assay.spark.forms import Form
from assay.spark.request import Request, check_form


class TableSettings(TypedDict, total=False):
    """How runs are read, counted and scored, as keywords."""

    policy: Policy | None
    profile: str | Profile | None
    columns: Mapping[str, str] | None
    form: Form
    unique: bool
    tie_band: bool
    residuals: bool


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
    metrics: Given | Iterable[Given] | None,
    run_col: str,
    *,
    name: str = "",
    **settings: Unpack[TableSettings],
) -> dict[str, Result]:
    """Score each run of a table."""


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
    columns: Mapping[str, str] | None = None,
    name: str = "",
    form: Form = "auto",
    unique: bool = False,
    tie_band: bool = False,
    residuals: bool = False,
) -> Result | dict[str, Result]:
    """Score a run that is a DataFrame of Spark; with `run_col`, the column that names runs, a result for each run.

    `qrels` is anything that `assay.evaluate` accepts, or a DataFrame of Spark. The results are those of `assay.evaluate` on
    the same rows. `columns` names columns that are not recognised, such as `{"query_id": "q"}`. `form` is how rows are
    counted: grouped (one shuffle), counting (no shuffle of rows, but several passes) or auto (chosen by size). `unique`
    promises that no document appears twice for a query; without it, the form counting checks this with a shuffle of hashes.
    """
    check_form(form)
    request = Request.of(qrels, run, metrics, run_col, policy=policy, profile=profile, columns=columns)
    if unique:
        request = replace(request, table=replace(request.table, is_unique=True))
    results = results_of(request, form, name, tie_band=tie_band, residuals=residuals)
    return results if run_col is not None else next(iter(results.values()))


def results_of(
    request: Request, form: Form, name: str = "", *, tie_band: bool = False, residuals: bool = False
) -> dict[str, Result]:
    """Run → its result; the name is that of a table without names of runs."""
    runs = distributed_runs(request, form)
    results = {run.run: _result(request, run, run.run or name) for run in runs}
    return {run: with_bands(result, tie_band=tie_band, residuals=residuals) for run, result in results.items()}


def _result(request: Request, run: DistributedRun, name: str) -> Result:
    """The result of a run, with a record of how it was computed."""
    result = with_short_run(evaluate_judgments(request.qrels, run, request.settings, request.profile, name))
    version = str(request.table.frame.sparkSession.version)
    n_rows = run.job.survey.sizes[run.run].n_rows
    engine = {"name": "spark", "version": version, "form": run.job.form, "rows": n_rows}
    return result.with_fields(provenance={**result.provenance, "engine": engine}, queries=request.queries)


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
    """Score runs in Spark and compare them.

    `runs` is a DataFrame with a column `run_col`, or a mapping of names to DataFrames. `settings` are those of a comparison,
    as for `assay.compare`; `table` are the settings of `evaluate`.
    """
    how: TableSettings = table or {}
    if isinstance(runs, Mapping):
        results = {str(name): evaluate(qrels, frame, metrics, name=str(name), **how) for name, frame in runs.items()}
    elif run_col is None:
        raise UsageError("compare needs run_col, the column that names the run of each row, or {'bm25': df, 'dense': other}")
    else:
        results = evaluate(qrels, runs, metrics, run_col=run_col, **how)
    return compare_results(None, results, baseline=baseline, **settings)
