"""Comparison: several systems side by side on the same queries, and what may be said about them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.comparison._align import Aligned
from assay.comparison.how import ComparisonOptions
from assay.comparison.pair import Pair
from assay.comparison.remarks import remarks_on
from assay.comparison.verdict import verdict_on
from assay.errors import UsageError
from assay.evaluation import Result
from assay.metrics import BoundMetric
from assay.serialize import plain_values
from assay.stats import FieldOutcome
from assay.text import counted


@dataclass(frozen=True, eq=False)
class Comparison:
    """`comparison.verdict` says it in a sentence, `table()` in rows, `best(metric)` names the best system."""

    aligned: Aligned
    how: ComparisonOptions
    pairs: tuple[Pair, ...]
    fields: Mapping[str, FieldOutcome] = field(default_factory=dict)
    """Metric → whether the systems differ at all, by a test for many systems."""
    part: str = ""
    """The slice it is about, such as `language=de`."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        return self.aligned.names

    @property
    def results(self) -> tuple[Result, ...]:
        """Their results, over the queries that are compared."""
        return self.aligned.results

    @property
    def metrics(self) -> tuple[BoundMetric, ...]:
        """What they are compared by."""
        return self.aligned.metrics

    @property
    def query_ids(self) -> tuple[str, ...]:
        """What they are compared on."""
        return self.aligned.query_ids

    @property
    def notes(self) -> tuple[str, ...]:
        """What was not the same, where only what is shared was compared."""
        return self.aligned.notes

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """How figures came about, where that is not what a reader would think."""
        return tuple(remarks_on(self))

    @property
    def n_failed(self) -> dict[str, int]:
        """System → queries it failed on, which score 0."""
        return {result.name: len(result.failures) for result in self.results}

    @property
    def n_comparisons(self) -> int:
        """Over how many pairs and metrics p was corrected."""
        return sum(not math.isnan(pair.p) for pair in self.pairs)

    @property
    def n_families(self) -> int:
        """Over how many metrics p of a test for many systems was corrected, which has corrected it for pairs itself."""
        return len(self.fields)

    @property
    def families(self) -> str:
        """The same in words."""
        return counted(self.n_families, "metric")

    @cached_property
    def verdict(self) -> str:
        """What may be said, in plain words."""
        return verdict_on(self)

    def p_overall(self, metric: str) -> float:
        """The p of all systems together on a metric, corrected over metrics; nan where the test is one for pairs."""
        if metric not in self.fields:
            return math.nan
        n = 1 if self.how.correcting.name == "none" else self.n_families
        return min(1.0, n * self.fields[metric].p)

    def metric(self, name: str) -> BoundMetric:
        """A metric of the comparison, by any spelling."""
        wanted = self.results[0].own_name(name)
        return next(metric for metric in self.metrics if metric.name == wanted)

    def value(self, system: str, metric: str) -> float:
        """A system's figure."""
        return self.results[self.aligned.place(system)][metric]

    def best(self, metric: str) -> str:
        """The system with the best figure; whether it is sure to be the best, the pairs tell."""
        bound = self.metric(metric)
        values = {result.name: result.summary[bound.name] for result in self.results}
        scored = {name: value for name, value in values.items() if not math.isnan(value)}
        if not scored:
            raise UsageError(f"{bound.name} has no figure for any system")
        return (max if bound.metric.higher_is_better else min)(scored, key=lambda name: scored[name])

    def pair(self, metric: str, a: str, b: str) -> Pair:
        """Two systems on one metric; as they were compared, so a may come out as b."""
        name = self.metric(metric).name
        for pair in self.pairs:
            if pair.metric == name and {pair.a, pair.b} == {a, b}:
                return pair
        raise UsageError(f"{a} and {b} were not compared; there are {', '.join(self.names)}")

    def per_query(self, metric: str) -> dict[str, dict[str, float | None]]:
        """Query → system → score; None where it is undefined."""
        name = self.metric(metric).name
        rows = self.aligned.scores(name).tolist()
        return {
            query: plain_values(dict(zip(self.names, row, strict=True)))
            for query, row in zip(self.query_ids, rows, strict=True)
        }

    def table(self) -> list[dict[str, Any]]:
        """A row for each pair and metric, as plain values: `pandas.DataFrame(comparison.table())` takes it."""
        return [pair.to_dict() for pair in self.pairs]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        plain = {
            "systems": list(self.names),
            "metrics": [metric.name for metric in self.metrics],
            "n_queries": len(self.query_ids),
            "how": self.how.to_dict(),
            "n_comparisons": self.n_comparisons,
            "summary": {result.name: plain_values(result.summary) for result in self.results},
            "failed": self.n_failed,
            "pairs": self.table(),
            "verdict": self.verdict,
            "notes": list(self.notes),
            "remarks": list(self.remarks),
        }
        if self.part:
            plain["slice"] = self.part
        if self.fields:
            plain["overall"] = {
                name: plain_values({"statistic": outcome.statistic, "p": outcome.p, "p_corrected": self.p_overall(name)})
                for name, outcome in self.fields.items()
            }
        return plain

    def __repr__(self) -> str:
        return f"Comparison({self.verdict})"
