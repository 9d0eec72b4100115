"""SingleTermRetrievalMetrics: the figures of a benchmark that looks for the term of a phrase, by name and cutoff."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Protocol

from assay.errors import BadParameter
from assay.text import shortened

K_VALUES = (1, 3, 5, 10)
"""Cutoffs, unless somebody says which."""
AT_K = {
    "hit_rate_at_k": "hit",
    "max_ont_sim_at_k": "max_ont_sim",
    "ndcg_at_k": "ndcg",
    "recall_at_k": "recall",
    "precision_at_k": "precision",
    "map_at_k": "map",
}
"""Field → the metric it holds at every cutoff."""


class Figures(Protocol):
    """Anything with a figure for each metric by name, such as a result or a dict."""

    def __getitem__(self, metric: str, /) -> float:
        """The figure of a metric."""


@dataclass(frozen=True)
class SingleTermRetrievalMetrics:
    """Means over queries: `mrr`, and by cutoff `hit_rate_at_k`, `max_ont_sim_at_k`, `ndcg_at_k`, `recall_at_k`,
    `precision_at_k` and `map_at_k`, each a map such as {1: 0.36, 10: 0.64}.

    Precision is ÷ k and average precision ÷ the number of relevant terms, as everywhere here. `names()` are the metrics to
    ask for, `of(result)` makes one of a result that has them.
    """

    mrr: float
    hit_rate_at_k: Mapping[int, float]
    max_ont_sim_at_k: Mapping[int, float]
    ndcg_at_k: Mapping[int, float]
    recall_at_k: Mapping[int, float]
    precision_at_k: Mapping[int, float]
    map_at_k: Mapping[int, float]

    @staticmethod
    def names(k_values: Iterable[int] = K_VALUES) -> list[str]:
        """The metrics to ask for, by their names: `assay.run(…, SingleTermRetrievalMetrics.names())`."""
        chosen = _cutoffs(k_values)
        return ["mrr", *(f"{metric}@{k}" for metric in AT_K.values() for k in chosen)]

    @classmethod
    def of(cls, figures: Figures, k_values: Iterable[int] = K_VALUES) -> SingleTermRetrievalMetrics:
        """The figures out of a result that has them all; one that it lacks is its error."""
        chosen = _cutoffs(k_values)
        at_k = {field: {k: float(figures[f"{metric}@{k}"]) for k in chosen} for field, metric in AT_K.items()}
        return cls(mrr=float(figures["mrr"]), **at_k)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; cutoffs are text, as JSON wants them."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {
            name: {str(k): figure for k, figure in value.items()} if isinstance(value, Mapping) else value
            for name, value in values.items()
        }


def _cutoffs(given: Iterable[int]) -> tuple[int, ...]:
    """The cutoffs, each once, from the first to the deepest."""
    found = list(given)
    if not found or any(type(k) is not int or k < 1 for k in found):
        raise BadParameter(f"k_values are whole numbers from 1 up, such as 1, 3, 5, 10, not {shortened(found)}")
    return tuple(sorted(set(found)))
