"""compare_models: a frame with a row for each model, and differences from a baseline as in Phentrieve's report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from math import fsum
from typing import Any, ClassVar

from assay.compat.phentrieve.differences import DIFFERENCES
from assay.errors import DataError, UnknownName, UsageError, near_matches
from assay.metrics import K_VALUES
from assay.stats import correct, paired_bootstrap_test

USUAL = ("mrr_dense", "ndcg_dense@10", "recall_dense@10", "hit_rate_dense@1")
"""The metrics in Phentrieve's report."""
TITLES = {"mrr": "MRR", "hit_rate": "HR", "max_ont_similarity": "MaxOntSim", "ndcg": "NDCG", "map": "MAP"}


COLUMNS = ("hit_rate", "max_ont_similarity", "ndcg", "recall", "precision", "map")
"""The keys of Phentrieve's table at each cutoff, in the order of its columns."""
MODEL, FIRST = "Model", "MRR (Dense)"
"""The column of names, and the column by which models are sorted."""


@dataclass(frozen=True)
class ModelComparison:
    """The models in their given order, and their differences from the baseline."""

    models: tuple[Mapping[str, Any], ...]
    """A row for each model and metric: model, test_file, metric, value, ci_lower, ci_upper."""
    significance: tuple[Mapping[str, Any], ...]
    """A row for each other model and metric: comparison, metric, diff, p_value, p_corrected, significant."""
    rows: tuple[Mapping[str, Any], ...] = ()
    """A row for each model, with the columns of Phentrieve's table and the best model first."""

    def to_markdown(self) -> str:
        """Both tables, as Phentrieve prints them."""
        lines = ["## Model Comparison Results"]
        for model, file in dict.fromkeys((row["model"], row["test_file"]) for row in self.models):
            rows = [row for row in self.models if (row["model"], row["test_file"]) == (model, file)]
            lines += ["", f"### {model} ({file})", "", "| Metric | Value | 95% CI |", "|--------|-------|--------|"]
            lines += [
                f"| {row['metric']} | {row['value']:.3f} | [{row['ci_lower']:.3f}, {row['ci_upper']:.3f}] |" for row in rows
            ]
        lines += ["", "### Statistical Significance (vs. Baseline)", ""]
        lines += ["| Comparison | Metric | Diff | p-value | Significant? |", "|---|---|---|---|---|"]
        for row in self.significance:
            mark = "yes" if row["significant"] else "no"
            lines.append(f"| {row['comparison']} | {row['metric']} | {row['diff']:+.3f} | {row['p_value']:.3f} | {mark} |")
        return "\n".join(lines) + "\n"


def compare_models(
    results_list: Sequence[Mapping[str, Any]],
    baseline: str | None = None,
    metrics: str | Iterable[str] | None = None,
    alpha: float = 0.05,
) -> Any:
    """Compare the results of `run_evaluation` for several models on the same cases. The first model is the default baseline.

    If pandas is installed, the result is a DataFrame with a row for each model and the columns of Phentrieve's table, best
    MRR first; otherwise it is a `ModelComparison` with these rows in `rows`. Both have `significance`, `models` and
    `to_markdown()`. p is from the paired bootstrap test. `significant` compares it with alpha after Holm's correction over
    all rows. Models that were evaluated on different cases are an error.
    """
    comparison = _compare(list(results_list), baseline, metrics, alpha)
    return comparison if find_spec("pandas") is None else _frame(comparison)


def _frame(comparison: ModelComparison) -> Any:
    """The rows as a DataFrame that also has the rest of the comparison."""
    return _frame_class()(list(comparison.rows)).compared_by(comparison)


@cache
def _frame_class() -> Any:
    """A DataFrame with the comparison that it was made of; parts of it are plain frames."""
    pandas: Any = import_module("pandas")

    class ModelFrame(pandas.DataFrame):  # type: ignore[misc]
        """A row for each model."""

        _metadata: ClassVar[list[str]] = ["comparison"]

        @property
        def _constructor(self) -> Any:
            return pandas.DataFrame

        def compared_by(self, comparison: ModelComparison) -> ModelFrame:
            object.__setattr__(self, "comparison", comparison)
            return self

        @property
        def significance(self) -> tuple[Mapping[str, Any], ...]:
            return self.comparison.significance

        @property
        def models(self) -> tuple[Mapping[str, Any], ...]:
            return self.comparison.models

        def to_markdown(self, *arguments: Any, **named: Any) -> str:
            """Both tables, as Phentrieve prints them; with arguments, the rows as pandas writes them."""
            return super().to_markdown(*arguments, **named) if arguments or named else self.comparison.to_markdown()

    return ModelFrame


def _rows(models: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    """Phentrieve's table: the mean of each metric that a model has, best MRR first."""
    keys = ["mrr_dense", *(f"{key}_dense@{k}" for key in COLUMNS for k in K_VALUES)]
    rows = [
        {
            MODEL: model.get("model_slug") or model["model_name"],
            **{f"{_title(key)} (Dense)": _mean(model[key]) for key in keys if key in model},
        }
        for model in models
    ]
    return tuple(sorted(rows, key=lambda row: -row.get(FIRST, 0.0)))


def _mean(scores: Any) -> float:
    """The mean of scores by case; a number is a mean already."""
    if isinstance(scores, int | float):
        return float(scores)
    return fsum(scores) / len(scores) if scores else 0.0


def _compare(
    models: list[Mapping[str, Any]], baseline: str | None, metrics: str | Iterable[str] | None, alpha: float
) -> ModelComparison:
    """All models with their intervals, and their differences from the baseline."""
    if not models:
        return ModelComparison((), ())
    names = [model["model_name"] for model in models]
    if len(set(names)) < len(names):
        raise UsageError(f"each model needs a different name, found {', '.join(names)}")
    if baseline is not None and baseline not in names:
        raise UnknownName("model", baseline, near_matches(baseline, names), f"choose from {', '.join(names)}")
    first = models[0] if baseline is None else models[names.index(baseline)]
    asked = [metrics] if isinstance(metrics, str) else metrics
    keys = [key for key in USUAL if key in first] if asked is None else [_key(metric, first) for metric in asked]
    for other in models:
        if other["case_ids"] != first["case_ids"]:
            raise DataError(
                f"{other['model_name']} and {first['model_name']} must be evaluated on the same cases in the same order"
            )
    rows = [_difference(other, first, key) for other in models if other is not first for key in keys]
    corrected = correct([row["p_value"] for row in rows]).tolist() if rows else []
    if any(row["p_value"] <= alpha < p for row, p in zip(rows, corrected, strict=True)):
        DIFFERENCES.warn("correction")
    return ModelComparison(
        tuple(_figure(model, key) for model in models for key in keys),
        tuple({**row, "p_corrected": p, "significant": p <= alpha} for row, p in zip(rows, corrected, strict=True)),
        _rows(models),
    )


def _key(metric: str, result: Mapping[str, Any]) -> str:
    """`mrr_dense` for itself and for `mrr`; `ndcg_dense@10` for `ndcg@10`."""
    name, at, k = metric.partition("@")
    key = f"{name.removesuffix('_dense')}_dense{at}{k}"
    if key not in result["confidence_intervals"]:
        known = list(result["confidence_intervals"])
        raise UnknownName("metric of these models", metric, near_matches(key, known), f"choose from {', '.join(known)}")
    return key


def _title(key: str) -> str:
    name, at, k = key.partition("@")
    plain = name.removesuffix("_dense")
    return f"{TITLES.get(plain, plain.capitalize())}{at}{k}"


def _figure(result: Mapping[str, Any], key: str) -> dict[str, Any]:
    interval = result["confidence_intervals"][key]
    return {
        "model": result["model_name"],
        "test_file": result["test_file"],
        "metric": _title(key),
        "value": interval["point_estimate"],
        "ci_lower": interval["ci_lower"],
        "ci_upper": interval["ci_upper"],
    }


def _difference(result: Mapping[str, Any], baseline: Mapping[str, Any], key: str) -> dict[str, Any]:
    p, _ = paired_bootstrap_test(result[key], baseline[key])
    return {
        "comparison": f"{result['model_name']} vs {baseline['model_name']}",
        "metric": _title(key),
        "diff": result[f"avg_{key}"] - baseline[f"avg_{key}"],
        "p_value": p,
    }
