"""MetricRegistry: metrics by their names and aliases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from assay.compat.memorybench._metrics import (
    MRRMetric,
    NDCGAt5Metric,
    NDCGAt10Metric,
    PrecisionAtKMetric,
    RecallAtKMetric,
    RetrievalMetric,
    SuccessAtKMetric,
    compute_all,
)
from assay.errors import UnknownName, UsageError, near_matches


class MetricCalculator(Protocol):
    """Anything with a name, aliases, and `compute(results)`."""

    name: str
    aliases: tuple[str, ...]

    def compute(self, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """`{"name", "value", "details"}`."""


def get_builtin_metrics() -> list[MetricCalculator]:
    """A new instance of each: precision, recall and success at 5 and 10, MRR, nDCG at 5 and 10."""
    at_k: list[MetricCalculator] = [
        kind(k) for kind in (PrecisionAtKMetric, RecallAtKMetric, SuccessAtKMetric) for k in (5, 10)
    ]
    return [*at_k, MRRMetric(), NDCGAt5Metric(), NDCGAt10Metric()]


class MetricRegistry:
    """Finds metrics by name or alias; it starts with the built-in ones, unless others are given."""

    def __init__(self, metrics: Iterable[MetricCalculator] | None = None) -> None:
        self._by_name: dict[str, MetricCalculator] = {}
        for metric in get_builtin_metrics() if metrics is None else metrics:
            self.register(metric)

    @staticmethod
    def get_builtin_metrics() -> list[MetricCalculator]:
        """What a new registry starts with."""
        return get_builtin_metrics()

    def register(self, metric: MetricCalculator) -> None:
        """Add a metric; a name or alias that another metric has is an error, and nothing is added."""
        names = dict.fromkeys((metric.name, *metric.aliases))
        if taken := next((name for name in names if name in self._by_name), None):
            said = f"a metric called {taken!r} is there already; give {metric.name} another name and other aliases"
            raise UsageError(said)
        self._by_name |= dict.fromkeys(names, metric)

    def get(self, name: str) -> MetricCalculator:
        """The metric of a name or alias."""
        if name not in self._by_name:
            near = near_matches(name, self._by_name)
            raise UnknownName("metric", name, near, f"there are {', '.join(self.names)}")
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    @property
    def names(self) -> list[str]:
        """Every metric by its own name, in the order they came."""
        return list(dict.fromkeys(metric.name for metric in self._by_name.values()))

    def compute(self, names: Iterable[str], results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """What each metric says; every name is looked up before anything is computed.

        Results are read once for all metrics of this package; any other metric reads them itself.
        """
        found = [self.get(name) for name in names]
        shared = [one for one in found if isinstance(one, RetrievalMetric) and type(one).compute is RetrievalMetric.compute]
        computed = {
            id(metric): one for metric, one in zip(shared, compute_all(shared, results) if shared else (), strict=True)
        }
        return [computed[id(metric)] if id(metric) in computed else metric.compute(results) for metric in found]
