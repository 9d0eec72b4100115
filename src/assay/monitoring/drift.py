"""Drift: how much rankings changed between two runs, without judgments; and values that changed too much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.arrays import Floats
from assay.errors import AssayError, BadParameter, DataError
from assay.metrics import find_metric
from assay.model import RankRule, Run
from assay.serialize import to_json
from assay.stats import agreement
from assay.text import counted, shortened

RANK_RULE = RankRule("docid_desc", "float64", drop_self=False)
LIMITS = {"rbo": 0.9, "churn": 0.1, "scores": 0.1, "empty": 0.01}
"""The limits for findings: lower RBO, more new ids, a larger shift of scores, more queries without results."""
SHIFT_ALPHA = 0.01
"""A shift of scores is significant if p is below this."""


@dataclass(frozen=True)
class Drift:
    """The differences between two runs of the same queries, without judgments."""

    k: int
    n_queries: int
    """Queries that both runs have; a query without documents counts as empty."""
    only_before: int
    only_now: int
    rbo: float
    """Rank-biased overlap, averaged over queries: 1 if nothing changed."""
    overlap: float
    """Share of the top k that both runs have."""
    churn: float
    """Share of the ids in the new top k that are in no top k of the earlier run."""
    gone: float
    """Share of the ids in the earlier top k that are in no top k of the new run."""
    empty_before: float
    """Share of queries without documents."""
    empty_now: float
    shift: float
    """The largest distance between the distributions of scores (Kolmogorov–Smirnov): 0 the same, 1 no overlap."""
    p_shift: float
    """The probability of a shift at least as large if both have the same distribution."""
    median_before: float
    """The median of the best score of each query."""
    median_now: float
    least_alike: tuple[tuple[str, float], ...] = ()
    """The queries with the least similar rankings, and their RBO."""

    @property
    def findings(self) -> tuple[str, ...]:
        """What exceeds the limits, in words; empty if nothing does."""
        findings = []
        if self.rbo < LIMITS["rbo"]:
            findings.append(
                f"the rankings differ (RBO {self.rbo:.3f}, {100 * self.overlap:.0f} % of the top {self.k} in common)"
            )
        if self.churn > LIMITS["churn"]:
            findings.append(f"{100 * self.churn:.0f} % of the retrieved ids are new")
        if self.shift > LIMITS["scores"] and self.p_shift < SHIFT_ALPHA:
            findings.append(f"the scores shifted (median best score {self.median_before:.4g} → {self.median_now:.4g})")
        if self.empty_now - self.empty_before > LIMITS["empty"]:
            findings.append(f"queries without results: {100 * self.empty_before:.1f} % → {100 * self.empty_now:.1f} %")
        if self.only_before:
            verb = "is" if self.only_before == 1 else "are"
            findings.append(f"{counted(self.only_before, 'query')} {verb} missing from the new run")
        return tuple(findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        names = [name for name in self.__dataclass_fields__ if name != "least_alike"]
        fields = {name: to_json(getattr(self, name)) for name in names}
        alike = [{"query": query, "rbo": figure} for query, figure in self.least_alike]
        return {"schema": "assay.drift/1", **fields, "least_alike": alike, "findings": list(self.findings)}


def measure_drift(before: Any, now: Any, k: int = 10, p: float = 0.9) -> Drift:
    """Compare a run with an earlier one on the queries that both have; runs are anything that `assay.Run` reads.

    Ties are ordered as in scoring, by descending id, so that a run has no drift compared with itself.
    """
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise BadParameter(f"k must be a whole number of at least 1, not {k!r}")
    old, new = (each if isinstance(each, Run) else Run(each) for each in (before, now))
    shared = [query for query in old.numbers if query in new.numbers]
    if not shared:
        raise DataError(f"the runs have no query in common ({len(old.numbers):,} before, {len(new.numbers):,} now)")
    orders = [{query: run.in_order(run.numbers[query], RANK_RULE) for query in shared} for run in (old, new)]
    tops = [_tops(run, order, k) for run, order in zip((old, new), orders, strict=True)]
    alike = agreement(orders[0], orders[1], k, p)
    is_same = np.array([orders[0][query] == orders[1][query] for query in alike.query_ids])
    rbo, overlap = (np.where(is_same, 1.0, figures) for figures in (alike.rbo, alike.overlap))
    ids = [{doc for ranking in top.values() for doc in ranking} for top in tops]
    scores = [np.array([score for ranking in top.values() for score in ranking.values()], dtype=float) for top in tops]
    best = [[max(ranking.values()) for ranking in top.values() if ranking] for top in tops]
    shift, p_shift = ks_shift(*scores)
    order = sorted(zip(alike.query_ids, rbo.tolist(), strict=True), key=lambda pair: pair[1])[:5]
    return Drift(
        k=k,
        n_queries=len(shared),
        only_before=len(old.numbers) - len(shared),
        only_now=len(new.numbers) - len(shared),
        rbo=float(rbo.mean()),
        overlap=float(overlap.mean()),
        churn=_share(ids[1] - ids[0], ids[1]),
        gone=_share(ids[0] - ids[1], ids[0]),
        empty_before=sum(not ranking for ranking in tops[0].values()) / len(shared),
        empty_now=sum(not ranking for ranking in tops[1].values()) / len(shared),
        shift=shift,
        p_shift=p_shift,
        median_before=float(np.median(best[0])) if best[0] else math.nan,
        median_now=float(np.median(best[1])) if best[1] else math.nan,
        least_alike=tuple((query, figure) for query, figure in order if figure < 1),
    )


def _tops(run: Run, orders: Mapping[str, Sequence[str]], k: int) -> dict[str, dict[str, float]]:
    """Query → its top k documents with their scores."""
    tops = {}
    for query, docs in orders.items():
        scores = run.rankings[run.numbers[query]]
        tops[query] = {doc: float(scores[doc]) for doc in docs[:k]}
    return tops


def _share(some: set[str], whole: set[str]) -> float:
    return len(some) / len(whole) if whole else 0.0


def ks_shift(before: Floats, now: Floats) -> tuple[float, float]:
    """The two-sample Kolmogorov–Smirnov distance and its asymptotic p; (0, 1) if both sides are empty, (1, 0) if one is.

    Scores of one query are not independent, so p is only a guide.
    """
    from scipy.special import kolmogorov

    if not len(before) or not len(now):
        return (0.0, 1.0) if len(before) == len(now) else (1.0, 0.0)
    every = np.concatenate((before, now))
    below = [np.searchsorted(np.sort(side), every, "right") / len(side) for side in (before, now)]
    distance = float(np.abs(below[0] - below[1]).max())
    effective = len(before) * len(now) / (len(before) + len(now))
    return distance, float(kolmogorov(math.sqrt(effective) * distance))


# Anomalies: values that changed by more than a given share, from one set of metrics to the next

CHANGED, NEW, MISSING, FROM_ZERO = "changed", "new", "missing", "from zero"
ROUNDING = 1e-12


@dataclass(frozen=True)
class MetricAnomaly:
    """One metric that changed. `relative` is None if the earlier value is missing or 0."""

    metric: str
    kind: str
    """`changed`, `new` (missing before), `missing` (missing now), or `from zero`."""
    previous: float | None
    current: float | None
    relative: float | None
    """The change as a share: −0.082353 means 8.2353 % less."""
    is_worse: bool | None
    """Whether it got worse, according to the direction of the metric; None if that is unknown."""

    @property
    def percent(self) -> float | None:
        """The change in per cent."""
        return None if self.relative is None else 100 * self.relative

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        names = ("metric", "kind", "previous", "current", "relative", "is_worse")
        return {name: to_json(getattr(self, name)) for name in names}

    def __str__(self) -> str:
        if self.kind in (NEW, MISSING):
            return f"{self.metric} is {self.kind}"
        way = "" if self.is_worse is None else ", worse" if self.is_worse else ", better"
        share = "" if self.percent is None else f" ({self.percent:+.2f} %{way})".replace("-", "−")
        return f"{self.metric} {self.previous:g} → {self.current:g}{share}"


def detect_metric_anomalies(
    current: Mapping[str, float | None], previous: Mapping[str, float | None], threshold: float = 0.05
) -> dict[str, MetricAnomaly]:
    """Metric → how it changed, for every metric that changed by more than the share `threshold`; empty: no anomalies.

    A change of exactly the threshold does not count. Improvements are reported too and marked as such. A metric that has a
    value in only one of the two is `new` or `missing`; one that was 0 and no longer is 0 is `from zero` for any
    threshold.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold < math.inf:
        raise BadParameter(f"threshold must be a share of at least 0, such as 0.05 for 5 %, not {threshold!r}")
    for name, figures in (("current", current), ("previous", previous)):
        if not isinstance(figures, Mapping):
            raise BadParameter(f"{name} must map metrics to values, like the summary of a result, not {shortened(figures)}")
    anomalies = {}
    for metric in dict.fromkeys((*previous, *current)):
        anomaly = _anomaly(metric, _figure(previous, metric), _figure(current, metric), threshold)
        if anomaly:
            anomalies[metric] = anomaly
    return anomalies


def _anomaly(metric: str, before: float | None, now: float | None, threshold: float) -> MetricAnomaly | None:
    if before is None and now is None:
        return None
    if before is None or now is None:
        return MetricAnomaly(metric, NEW if before is None else MISSING, before, now, None, None)
    if now == before:
        return None
    if before == 0:
        return MetricAnomaly(metric, FROM_ZERO, before, now, None, _is_worse(metric, now))
    relative = (now - before) / abs(before)
    if abs(relative) - threshold <= ROUNDING:
        return None
    return MetricAnomaly(metric, CHANGED, before, now, relative, _is_worse(metric, now - before))


def _figure(figures: Mapping[str, float | None], metric: str) -> float | None:
    value = figures.get(metric)
    if not isinstance(value, int | float | np.number | None) or isinstance(value, bool):
        raise BadParameter(f"the value of {metric} must be a number or None, not {shortened(value)}")
    return None if value is None or not math.isfinite(value) else float(value)


def _is_worse(metric: str, change: float) -> bool | None:
    """Whether the value got worse; None for an unknown metric."""
    try:
        is_up = find_metric(metric).metric.higher_is_better
    except AssayError:
        return None
    return (change < 0) == is_up
