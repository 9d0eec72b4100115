"""MLflow runs: results logged to MLflow, with their metrics, intervals and conventions, and the report as an artifact."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from assay._version import __version__
from assay.comparison import Comparison
from assay.errors import UsageError
from assay.evaluation import Result, with_intervals
from assay.masking import add_variable, mask
from assay.reports.exports import save_object
from assay.reports.renderers.html import check_html_packages

if TYPE_CHECKING:
    from mlflow import MlflowClient

DEFAULT_EXPERIMENT = "assay"
NEEDED = "export to MLflow needs the package mlflow: pip install mlflow (or mlflow-skinny, for a tracking server)"
LONGEST_PARAM = 500
"""Characters of a parameter that every version of MLflow accepts."""
RETRIES = "MLFLOW_HTTP_REQUEST_MAX_RETRIES"
"""MLflow's setting. Its default of 7 makes a user wait some minutes for an error if the address is wrong."""
FEW_RETRIES = "2"
NOT_ALLOWED = re.compile(r"[^A-Za-z0-9_.-]+")


def log_to_mlflow(
    results: Result | Comparison | Sequence[Result],
    tracking_uri: str | None = None,
    experiment: str = DEFAULT_EXPERIMENT,
    run_name: str | None = None,
    *,
    report: bool = True,
) -> list[str]:
    """Log each result as a run of MLflow, and return the ids of these runs.

    `tracking_uri` is a server or a database such as `sqlite:///mlflow.db`; without it, MLflow's own setting counts. The name
    of a run is that of its benchmark and provider; with several results, `run_name` comes before it. `report` adds
    report.html, if the extra `report` is installed.
    """
    if find_spec("mlflow") is None:
        raise UsageError(NEEDED)
    if tracking_uri and "://" in tracking_uri:
        add_variable("tracking_uri", tracking_uri)  # its password must not be in a message
    comparison = results if isinstance(results, Comparison) else None
    if isinstance(results, Comparison):
        logged: Sequence[Result] = results.results
    else:
        logged = (results,) if isinstance(results, Result) else results
    with _explained(), _few_retries():
        from mlflow import MlflowClient

        client = MlflowClient(tracking_uri=tracking_uri)
        place = _experiment_id(client, experiment)
        has_page = report and _can_write_pages()
        names = [_name(result, run_name or "", is_only=len(logged) == 1) for result in logged]
        pairs = zip(names, logged, strict=True)
        return [_log(client, place, name, result, comparison, has_page=has_page) for name, result in pairs]


def _name(result: Result, prefix: str, *, is_only: bool) -> str:
    own = (result.benchmark, result.name)
    return "/".join(filter(None, (prefix,) if prefix and is_only else (prefix, *own))) or "result"


@contextmanager
def _explained() -> Iterator[None]:
    """Turn an error of MLflow into one line, without the secrets that an address may have."""
    from mlflow.exceptions import MlflowException

    try:
        yield
    except MlflowException as error:
        raise UsageError(mask(f"MLflow: {' '.join(str(error).split())}")) from None
    except ImportError as error:  # mlflow-skinny has no databases
        raise UsageError(f"MLflow needs another package for this address: {error}") from None


@contextmanager
def _few_retries() -> Iterator[None]:
    """Lets MLflow give up early, unless the user has set its number of retries."""
    if RETRIES in os.environ:
        yield
        return
    os.environ[RETRIES] = FEW_RETRIES
    try:
        yield
    finally:
        del os.environ[RETRIES]


def _experiment_id(client: MlflowClient, name: str) -> str:
    known = client.get_experiment_by_name(name)
    return str(client.create_experiment(name) if known is None else known.experiment_id)


def _can_write_pages() -> bool:
    try:
        check_html_packages()
    except UsageError:
        return False
    return True


def _log(
    client: MlflowClient, experiment: str, name: str, result: Result, whole: Comparison | None, *, has_page: bool
) -> str:
    """Log one result. If that fails, the run is marked as failed."""
    run_id = str(client.create_run(experiment, run_name=mask(name), tags=_tags(result)).info.run_id)
    try:
        for param, value in params_of(result).items():
            client.log_param(run_id, param, value)
        for metric, figure in metrics_of(result).items():
            client.log_metric(run_id, metric, figure)
        with TemporaryDirectory() as folder:
            for file in _write_files(Path(folder), result, whole, has_page=has_page):
                client.log_artifact(run_id, str(file))
    except BaseException:
        client.set_terminated(run_id, "FAILED")
        raise
    client.set_terminated(run_id)
    return run_id


def _write_files(folder: Path, result: Result, whole: Comparison | None, *, has_page: bool) -> list[Path]:
    """The result, its comparison if there is one, and the report."""
    values = {"result.json": result, "comparison.json": whole, "report.html": (whole or result) if has_page else None}
    files = {folder / name: value for name, value in values.items() if value is not None}
    for path, value in files.items():
        save_object(value, path)
    return list(files)


def metric_name(name: str) -> str:
    """A name that MLflow and all its stores accept: `ndcg_at_10` for ndcg@10, `rbp_p_0.8` for rbp(p=0.8)."""
    return NOT_ALLOWED.sub("_", name.replace("@", "_at_")).strip("_")


def metrics_of(result: Result) -> dict[str, float]:
    """Name → value, and the ends of its interval as `name_low` and `name_high`. Values that are undefined are left out."""
    whole = result if result.intervals else with_intervals(result)
    figures: dict[str, float] = {}
    for name, value in whole.summary.items():
        own = metric_name(name)
        if own in figures:
            raise UsageError(f"MLflow cannot distinguish two metrics called {own}, one of which is {name}. Log one of them")
        figures[own] = value
        if interval := whole.intervals.get(name):
            figures |= {f"{own}_low": interval.low, f"{own}_high": interval.high}
    figures["n_queries"] = len(whole.query_ids)
    return {name: float(value) for name, value in figures.items() if value == value}


def params_of(result: Result) -> dict[str, str]:
    """What the result is based on: benchmark, provider, conventions, versions, fingerprints."""
    about = result.provenance
    dataset, provider = about.get("dataset") or {}, about.get("provider") or {}
    whole = {
        "benchmark": result.benchmark or dataset.get("name"),
        "benchmark_version": dataset.get("version"),
        "provider": result.name,
        **_with_prefix("provider", provider.get("configuration")),
        "k": about.get("k"),
        "seed": about.get("seed"),
        "profile": result.profile,
        **_with_prefix("policy", result.policy.to_dict()),
        "assay": about.get("assay") or __version__,
        "python": about.get("python"),
        **_with_prefix("fingerprint", result.fingerprints),
        **_with_prefix("benchmark_fingerprint", dataset.get("fingerprints")),
    }
    return {
        metric_name(name): mask(str(value))[:LONGEST_PARAM]
        for name, value in whole.items()
        if value not in (None, "", {}, [])
    }


def _with_prefix(prefix: str, fields: Mapping[str, Any] | None) -> dict[str, Any]:
    return {f"{prefix}.{name}": value for name, value in (fields or {}).items() if name != prefix}


def _tags(result: Result) -> dict[str, str]:
    """What finds the run again, and the notes as the description of the run."""
    tags = {"assay.evaluation": result.provenance.get("evaluation"), "mlflow.note.content": "\n\n".join(result.notes)}
    return {name: mask(str(value)) for name, value in tags.items() if value}
