"""multilingual: one retriever on the HPO benchmarks of several languages, with a result for each and averages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from assay.comparison import spread_of
from assay.datasets import BenchmarkDataset, BenchmarkSource, load_dataset
from assay.errors import DataError, UnknownName, UsageError, near_matches
from assay.evaluation import Result
from assay.execution import PlanSettings, RetrieverSource, run
from assay.metrics import K_VALUES, SingleTermRetrievalMetrics
from assay.model import Policy
from assay.ontology.hpo import DEFAULT_HPO_SIZE, languages_of
from assay.ontology.hpo_cases import HPO_PREFIX, LANGUAGES
from assay.serialize import to_json
from assay.stats import GroupVariance
from assay.text import counted

BUNDLED_LANGUAGES = ("de", "en", "fr", "es", "nl")
"""The languages of the bundled benchmarks."""
KEYS = ("per_language", "cross_lingual_variance", "average_mrr")
"""The keys of the evaluation, which can be used like a dict."""


@dataclass(frozen=True, eq=False, repr=False)
class MultilingualEvaluation(Mapping[str, Any]):
    """A result for each language. Averages are over languages, so a mean never mixes queries of two languages."""

    per_language: Mapping[str, Result]
    k_values: tuple[int, ...] = K_VALUES

    @cached_property
    def metrics(self) -> dict[str, SingleTermRetrievalMetrics]:
        """Language → all values by name and cutoff."""
        return {code: SingleTermRetrievalMetrics.of(result, self.k_values) for code, result in self.per_language.items()}

    @property
    def average_mrr(self) -> float:
        """The macro mean of mrr: all languages count equally, however many queries they have."""
        return self.average("mrr")

    @property
    def cross_lingual_variance(self) -> float:
        """The population variance of mrr over languages. Sampling alone makes it larger than 0: see `spread`."""
        return self.variance("mrr")

    def average(self, metric: str) -> float:
        """The macro mean of any metric."""
        return float(np.mean(self._figures(metric)))

    def variance(self, metric: str) -> float:
        """The population variance of any metric over languages; 0 for a single language."""
        return float(np.var(self._figures(metric)))

    def spread(self, metric: str = "mrr") -> GroupVariance:
        """How much of the variance over languages is more than sampling, with an interval and a permutation p."""
        return spread_of([result.table.columns[result.own_name(metric)] for result in self.per_language.values()])

    def _figures(self, metric: str) -> list[float]:
        return [result[metric] for result in self.per_language.values()]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each language and metric with its interval, for `pandas.DataFrame(found.rows())`."""
        return [
            {"language": code, "metric": metric.name, "n": len(result.query_ids), **_figure_fields(result, metric.name)}
            for code, result in self.per_language.items()
            for metric in result.metrics
            if metric.name not in result.beside
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "per_language": {code: figures.to_dict() for code, figures in self.metrics.items()},
            "cross_lingual_variance": self.cross_lingual_variance,
            "spread": self.spread().to_dict(),
            "average_mrr": self.average_mrr,
            "averaged": "macro: all languages count equally",
            "notes": {code: list(result.notes) for code, result in self.per_language.items()},
        }

    def __str__(self) -> str:
        """The mrr of each language with its interval, then the average and the variance."""
        rows = [row for row in self.rows() if row["metric"] == "mrr"]
        lines = [
            f"{row['language']}  mrr {row['value']:.4f}{_interval_text(row)}  {counted(row['n'], 'query')}" for row in rows
        ]
        macro = f"average mrr {self.average_mrr:.4f} (all languages count equally)"
        return "\n".join(
            [*lines, f"{macro}, cross-lingual variance {self.cross_lingual_variance:.5f}{_beyond(self.spread())}"]
        )

    def __repr__(self) -> str:
        return f"MultilingualEvaluation({', '.join(self.per_language)}: average mrr {self.average_mrr:.4f})"

    def __getitem__(self, key: str) -> Any:
        if key not in KEYS:
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(KEYS)

    def __len__(self) -> int:
        return len(KEYS)


class MultilingualSettings(PlanSettings, total=False):
    """The settings of `run` that are the same for every language, as keywords."""

    k: int | None
    policy: Policy | None
    name: str


def evaluate_multilingual_model(
    provider: RetrieverSource,
    languages: Iterable[str] | Mapping[str, BenchmarkSource] = BUNDLED_LANGUAGES,
    *,
    size: str = DEFAULT_HPO_SIZE,
    labels: Mapping[str, str | Path] | None = None,
    k_values: Iterable[int] = K_VALUES,
    **settings: Unpack[MultilingualSettings],
) -> MultilingualEvaluation:
    """Evaluate a retriever on the HPO benchmark of each language; a language without a benchmark is an error.

    The provider is anything that `assay.run` accepts: a name, an object or a function. `languages` are codes or names, or a
    dict with your own benchmark for each language. `labels` has a Babelon table for each language whose labels are indexed
    instead of the English ones. Settings are those of `assay.run`, such as `ontology` and `fields`.
    """
    chosen = tuple(k_values)
    names = SingleTermRetrievalMetrics.names(chosen)
    benchmarks = _benchmarks(languages, size)
    files = {_code(language): file for language, file in (labels or {}).items()}
    if strays := [code for code in files if code not in benchmarks]:
        raise UsageError(f"labels are given for {', '.join(strays)}, but the languages are {', '.join(benchmarks)}")
    loaded = {code: _load_benchmark(code, benchmark) for code, benchmark in benchmarks.items()}
    labels_of = {code: [str(files[code])] if code in files else None for code in loaded}
    results = {code: run(dataset, provider, names, labels=labels_of[code], **settings) for code, dataset in loaded.items()}
    return MultilingualEvaluation(results, chosen)


def _benchmarks(languages: Iterable[str] | Mapping[str, Any], size: str) -> dict[str, Any]:
    """Language → its benchmark."""
    if isinstance(languages, str):
        languages = [languages]
    if isinstance(languages, Mapping):
        benchmarks = {_code(language): benchmark for language, benchmark in languages.items()}
    else:
        benchmarks = {_code(language): f"{HPO_PREFIX}{_code(language)}:{size}" for language in languages}
    if not benchmarks:
        raise UsageError(f"languages is empty: expected at least one of {', '.join(BUNDLED_LANGUAGES)}")
    return benchmarks


def _code(language: str) -> str:
    """`de` for itself and for `German`."""
    known = {**{code: code for code in BUNDLED_LANGUAGES}, **LANGUAGES}
    if language.lower() not in known:
        raise UnknownName("language", language, near_matches(language, known), f"choose from {', '.join(BUNDLED_LANGUAGES)}")
    return known[language.lower()]


def _load_benchmark(code: str, benchmark: Any) -> BenchmarkDataset:
    """The benchmark of one language; queries in another language are an error."""
    dataset = load_dataset(benchmark)
    if strangers := [language for language in languages_of(dataset) if language != code]:
        raise DataError(f"expected only queries in {code}, found queries in {', '.join(strangers)}", source=dataset.name)
    return dataset


def _interval_text(row: Mapping[str, Any]) -> str:
    """The interval of a row, if it has one."""
    return "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"


def _beyond(spread: GroupVariance) -> str:
    """The part of the variance that is more than sampling, if it is known."""
    if math.isnan(spread.beyond_sampling):
        return ""
    ends = "" if math.isnan(spread.low) else f" [{spread.low:.5f}, {spread.high:.5f}]"
    return f", beyond sampling {spread.beyond_sampling:.5f}{ends}, p {'< 0.01' if spread.p < 0.005 else f'= {spread.p:.2f}'}"


def _figure_fields(result: Result, metric: str) -> dict[str, Any]:
    """A value and its interval."""
    interval = result.intervals.get(metric)
    ends = (interval.low, interval.high) if interval else (None, None)
    return {"value": to_json(result[metric]), "low": ends[0], "high": ends[1]}
