"""Comparison: several systems on the same queries, with the differences of all pairs and a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from assay.comparison.alignment import Aligned
from assay.comparison.estimate_remarks import tests_used
from assay.comparison.options import ComparisonOptions, listed_in_part
from assay.comparison.pairs import Pair
from assay.comparison.remarks import remarks_on
from assay.comparison.run_noise import RunNoise, all_noise
from assay.comparison.unjudged import Unjudged, unjudged_between
from assay.comparison.unjudged_notes import notes_on_unjudged
from assay.comparison.verdict import verdict_on
from assay.errors import UsageError
from assay.evaluation import Result, clusters_inside
from assay.frames import Columns, Tables, Tabular
from assay.metrics import BoundMetric
from assay.serialize import to_json
from assay.stats import Clusters, FieldOutcome
from assay.text import counted


@dataclass(frozen=True, eq=False)
class Comparison(Tabular):
    """`comparison.verdict` is the conclusion, `table()` has all pairs as rows, `best(metric)` is the best system."""

    aligned: Aligned
    how: ComparisonOptions
    pairs: tuple[Pair, ...]
    fields: Mapping[str, FieldOutcome] = field(default_factory=dict)
    """Metric → whether the systems differ at all, from a test for many systems."""
    part: str = ""
    """The slice it is about, such as `language=de`."""
    failed: tuple[Result, ...] = ()
    """The systems that failed on every query. They are not compared."""
    n_given: int = 0
    """The number of systems of which these are the best, if the others were left out; otherwise 0."""
    _known: dict[tuple[str, str, str], Unjudged] = field(default_factory=dict, repr=False, init=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The systems."""
        return self.aligned.names

    @property
    def results(self) -> tuple[Result, ...]:
        """The results over the compared queries."""
        return self.aligned.results

    @property
    def metrics(self) -> tuple[BoundMetric, ...]:
        """The metrics of the comparison."""
        return self.aligned.metrics

    @property
    def query_ids(self) -> tuple[str, ...]:
        """The queries of the comparison."""
        return self.aligned.query_ids

    @property
    def notes(self) -> tuple[str, ...]:
        """How the results differ, if only what they share was compared."""
        return self.aligned.notes

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """How numbers were computed, if that is not obvious."""
        return tuple(remarks_on(self))

    @cached_property
    def clusters(self) -> Clusters | None:
        """The clusters of the queries; None if queries are not clustered."""
        return clusters_inside(self.results, self.how.cluster) if self.how.cluster else None

    @cached_property
    def noise(self) -> tuple[RunNoise, ...]:
        """The run-to-run noise of each pair and each repeated system on each metric; empty if no system was repeated."""
        return tuple(all_noise(self.results, self.metrics, self.compared))

    @property
    def compared(self) -> list[tuple[str, str]]:
        """The systems of each pair."""
        return [(pair.a, pair.b) for pair in self.pairs]

    @property
    def n_failed(self) -> dict[str, int]:
        """System → number of failed queries, which score 0."""
        return {result.name: len(result.failures) for result in (*self.results, *self.failed)}

    @property
    def n_comparisons(self) -> int:
        """The size of the family: the number of pairs and metrics that p was corrected for."""
        return sum(not math.isnan(pair.p) for pair in self.pairs if pair.is_in_family)

    @property
    def n_families(self) -> int:
        """The number of metrics that p of a test for many systems was corrected for; it corrects for pairs itself."""
        return n_fields(self.pairs, self.fields)

    @property
    def families(self) -> str:
        """The number of families in words."""
        return counted(self.n_families, "metric")

    @cached_property
    def verdict(self) -> str:
        """The conclusion in words."""
        return verdict_on(self)

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What unjudged documents could change about the verdict, in words."""
        return tuple(notes_on_unjudged(self))

    def unjudged(self, pair: Pair, *, thorough: bool = False) -> Unjudged:
        """How far the grades of unjudged documents could move the difference of a pair, and how much of each is judged.

        Unless it is `thorough`, large files are not read again as a whole.
        """
        key = (pair.metric, pair.a, pair.b)
        if key not in self._known or (thorough and not self._known[key].is_known):
            a, b = (self.results[self.aligned.place(name)] for name in (pair.a, pair.b))
            self._known[key] = unjudged_between(a, b, self.metric(pair.metric), thorough=thorough)
        return self._known[key]

    def p_overall(self, metric: str) -> float:
        """The p of all systems together on a metric that decides, corrected over metrics; nan for a test of pairs."""
        is_in_family = any(pair.is_in_family for pair in self.pairs if pair.metric == metric)
        if metric not in self.fields or not is_in_family:
            return math.nan
        n = 1 if self.how.correcting.name == "none" else self.n_families
        return min(1.0, n * self.fields[metric].p)

    def metric(self, name: str) -> BoundMetric:
        """A metric of the comparison, in any spelling."""
        own_name = self.results[0].own_name(name)
        return next(metric for metric in self.metrics if metric.name == own_name)

    def value(self, system: str, metric: str) -> float:
        """The value of a system."""
        return self.results[self.aligned.place(system)][metric]

    def best(self, metric: str) -> str:
        """The system with the best value. `pairs` has the significance. If only a difference is known, it decides."""
        bound = self.metric(metric)
        if self.results[0].table.columns[bound.name].is_difference:
            pair = self.pair(bound.name, *self.names)
            return pair.b if pair.improvement > 0 else pair.a
        values = {result.name: result.summary[bound.name] for result in self.results}
        scored = {name: value for name, value in values.items() if not math.isnan(value)}
        if not scored:
            raise UsageError(f"{bound.name} has no value for any system")
        return (max if bound.metric.higher_is_better else min)(scored, key=lambda name: scored[name])

    def pair(self, metric: str, a: str, b: str) -> Pair:
        """The pair of two systems on one metric; its a and b may be swapped."""
        name = self.metric(metric).name
        for pair in self.pairs:
            if pair.metric == name and {pair.a, pair.b} == {a, b}:
                return pair
        raise UsageError(f"{a} and {b} were not compared. The systems are {listed_in_part(self.names)}")

    def per_query(self, metric: str) -> dict[str, dict[str, float | None]]:
        """Query → system → score; None if it is undefined."""
        name = self.metric(metric).name
        rows = self.aligned.scores(name).tolist()
        return {
            query: to_json(dict(zip(self.names, row, strict=True))) for query, row in zip(self.query_ids, rows, strict=True)
        }

    def table(self) -> list[dict[str, Any]]:
        """A row of plain values for each pair and metric, for example for `pandas.DataFrame(comparison.table())`."""
        return [pair.to_dict() for pair in self.pairs]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        plain = {
            "systems": list(self.names),
            "metrics": [metric.name for metric in self.metrics],
            "n_queries": len(self.query_ids),
            "how": {**self.how.to_dict(), **tests_used(self)},
            "n_comparisons": self.n_comparisons,
            "summary": {result.name: to_json(result.summary) for result in self.results},
            "failed": self.n_failed,
            "pairs": [{**pair.to_dict(), **self._unjudged_to_dict(pair)} for pair in self.pairs],
            "verdict": self.verdict,
            "doubts": list(self.doubts),
            "notes": list(self.notes),
            "remarks": list(self.remarks),
        }
        if self.n_given:
            plain["n_left_out"] = self.n_given - len(self.names)
        if self.clusters is not None:
            plain["n_clusters"] = self.clusters.n
        if judgments := [_judgments_of(result) for result in self.results if "judgments" in result.provenance]:
            plain["judgments"] = judgments
        if self.noise:
            plain["noise"] = [noise.to_dict() for noise in self.noise]
        if self.part:
            plain["slice"] = self.part
        if self.fields:
            plain["overall"] = {
                name: to_json(
                    {"statistic": outcome.statistic, "df": outcome.df, "p": outcome.p, "p_corrected": self.p_overall(name)}
                )
                for name, outcome in self.fields.items()
            }
        return plain

    def _tables(self) -> Tables:
        return {"pairs": self._pair_columns, "queries": self._query_columns}

    def _pair_columns(self) -> Columns:
        """The rows of `table`, as columns; an undefined number is nan."""
        names = list(Pair.__dataclass_fields__)
        columns: dict[str, Any] = {name: [getattr(pair, name) for pair in self.pairs] for name in names}
        columns |= {name: [row[name] for row in self.table()] for name in ("is_significant", "better")}
        return columns

    def _query_columns(self) -> Columns:
        """A row for each metric, system and query, with the score."""
        keys = [(metric.name, system) for metric in self.metrics for system in self.names]
        scores = [self.aligned.scores(metric.name).T.ravel() for metric in self.metrics]
        return {
            "metric": [metric for metric, _ in keys for _ in self.query_ids],
            "system": [system for _, system in keys for _ in self.query_ids],
            "query_id": list(self.query_ids) * len(keys),
            "score": np.concatenate(scores) if scores else np.zeros(0),
        }

    def _unjudged_to_dict(self, pair: Pair) -> dict[str, Any]:
        """The range of a pair on the deciding metric; nothing in slices."""
        is_deciding = pair.metric == self.metrics[0].name and not self.part
        return {"unjudged": self.unjudged(pair).to_dict()} if is_deciding else {}

    def __repr__(self) -> str:
        return f"Comparison({self.verdict})"


def n_fields(pairs: Iterable[Pair], fields: Mapping[str, FieldOutcome]) -> int:
    """The number of metrics that decide and that a test for many systems was run on."""
    return len({pair.metric for pair in pairs if pair.is_in_family and pair.metric in fields})


def _judgments_of(result: Result) -> dict[str, Any]:
    """Whose grades a result is computed with, and what it says about them."""
    return {"system": result.name, **to_json(result.provenance["judgments"]), "notes": list(result.notes)}
