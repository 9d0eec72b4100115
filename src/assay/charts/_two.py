"""Two: the scores of two systems, query by query."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from assay.charts._chart import Subject
from assay.charts._names import label, labels
from assay.comparison import align
from assay.errors import UsageError
from assay.metrics import BoundMetric
from assay.stats import Pairs
from assay.text import counted

LONGEST_TEXT = 120
OUTCOMES = ("worse", "same", "better")


class Two(NamedTuple):
    """A baseline, a candidate, and each query on which both have a score."""

    metric: BoundMetric
    names: tuple[str, str]
    rows: list[dict[str, Any]]
    """Query, its text, the scores a and b, the difference, and whether b is better, the same or worse."""

    @property
    def counts(self) -> Counter[str]:
        """How many queries are better, the same or worse."""
        return Counter(row["outcome"] for row in self.rows)

    def said(self, about_same: str = "") -> str:
        """The same in words."""
        n = self.counts
        return f"{counted(n['better'], 'query')} better, {n['same']:,} the same{about_same}, {n['worse']:,} worse"


def two_of(subject: Subject) -> Two:
    """The first result is the baseline. Scores that differ by rounding only are the same, as they are to a comparison."""
    metric = subject.bound
    aligned = align(subject.results, [metric])
    scores = aligned.scores(metric.name)
    places = np.flatnonzero(~np.isnan(scores).any(axis=1)).tolist()
    if not places:
        raise UsageError(f"no query has a score of {metric.name} in both systems")
    known = scores[places]
    change = Pairs(known[:, [0]], known[:, [1]]).differences[:, 0]
    better = np.sign(change) * (1 if metric.metric.higher_is_better else -1)
    queries = aligned.results[0].queries
    rows = []
    for number, place in enumerate(places):
        query = aligned.query_ids[place]
        row = {"query": query, "text": label(queries[query].text, LONGEST_TEXT) if query in queries else ""}
        a, b = known[number].tolist()
        rows.append({**row, "a": a, "b": b, "change": float(change[number]), "outcome": OUTCOMES[int(better[number]) + 1]})
    first, second = labels(subject.names)
    return Two(metric, (first, second), rows)
