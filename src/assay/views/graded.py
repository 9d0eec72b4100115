"""GradedRun: the `ranking` view, with the ranks and grades of the judged documents that were retrieved."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import compress
from typing import Any, NamedTuple, TypeVar

import numpy as np

from assay.arrays import Bools, Floats, Ints, running_products, running_sums
from assay.model import IGNORED, Qrels
from assay.views.subtopics import BySubtopic, by_subtopic

T = TypeVar("T")


@dataclass(frozen=True)
class Hits:
    """Some retrieved documents of all queries, in rank order: arrays of query, rank and grade."""

    query: Ints
    rank: Ints
    grade: Floats
    n_queries: int
    age: Floats | None = None
    """The age of each document in days; nan if unknown. None unless a metric needs ages."""
    _memory: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def where(self, mask: Bools | Ints) -> Hits:
        """Only the hits the mask keeps, or those with these numbers."""
        age = None if self.age is None else self.age[mask]
        return Hits(self.query[mask], self.rank[mask], self.grade[mask], self.n_queries, age)

    def top(self, k: int | Ints | None) -> Hits:
        """Only hits at rank k or better; k may differ per query, None keeps all."""
        if k is None or (isinstance(k, int) and k >= self.deepest):
            return self
        return self.where(self.rank <= (k if isinstance(k, int) else k[self.query]))

    def n_within(self, k: int | Ints | None) -> Ints:
        """How many of these hits each query has at rank k or better."""
        if not isinstance(k, int):
            return self.top(k).count
        if k >= self.deepest:
            return self.count
        return self.remembered(("n", k), lambda: np.bincount(self.query[self.rank <= k], minlength=self.n_queries))

    @cached_property
    def deepest(self) -> int:
        """The largest rank; 0 if there are no hits."""
        return int(np.maximum.reduce(self.rank)) if len(self.rank) else 0

    @cached_property
    def position(self) -> Ints:
        """For each hit: 1 if it is the first of these hits of its query, 2 if the second, …"""
        position = np.arange(1, len(self.query) + 1)
        return position if self.n_queries == 1 else position - self.first[self.query]

    @cached_property
    def count(self) -> Ints:
        """How many of these hits each query has."""
        return np.bincount(self.query, minlength=self.n_queries)

    @cached_property
    def first(self) -> Ints:
        """Where each query's hits begin."""
        return np.cumsum(self.count) - self.count

    def sum(self, values: Floats) -> Floats:
        """Sum of `values` (one per hit) for each query."""
        return np.bincount(self.query, weights=values, minlength=self.n_queries).astype(float, copy=False)

    def running_sum(self, values: Floats) -> Floats:
        """For each hit: the sum of `values` over the hits of its query up to and including it."""
        return running_sums(values, self.query, self.n_queries)

    def running_product(self, values: Floats) -> Floats:
        """For each hit: the product of `values` over the hits of its query up to and including it."""
        return running_products(values, self.query, self.n_queries)

    def remembered(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value for a key; computed once. The hits of the ideal ranking are the same for every run."""
        if key not in self._memory:
            self._memory[key] = make()
        value: T = self._memory[key]
        return value

    def at_level(self, level: float | None) -> Hits:
        """Only the hits that count as relevant at a level."""
        return self.remembered(("level", level), lambda: self.where(is_relevant(self.grade, level)))

    def by_gain(self, gain: Callable[[Floats], Floats]) -> tuple[Hits, Floats]:
        """The hits with a gain, best first, each at its place among them, and their gains."""
        key = (gain.func, *gain.keywords.items()) if isinstance(gain, partial) else gain
        return self.remembered(("gain", key), lambda: self._by_gain(gain))

    def _by_gain(self, gain: Callable[[Floats], Floats]) -> tuple[Hits, Floats]:
        gains = gain(self.grade)
        worth = gains > 0
        query, grade, gains = self.query[worth], self.grade[worth], gains[worth]
        if ((gains[1:] > gains[:-1]) & (query[1:] == query[:-1])).any():
            order = np.lexsort((-gains, query))
            grade, gains = grade[order], gains[order]
        count = np.bincount(query, minlength=self.n_queries)
        position = np.arange(1, len(query) + 1)
        position -= np.repeat(np.cumsum(count) - count, count)
        return Hits(query, position, grade, self.n_queries), gains

    def first_rank(self) -> Ints:
        """Rank of the first hit of each query; 0 if it has none."""
        ranks = np.zeros(self.n_queries, dtype=np.int64)
        if self.n_queries == 1:
            ranks[: len(self.rank)] = self.rank[:1]
            return ranks
        is_filled = self.count > 0
        ranks[is_filled] = self.rank[self.first[is_filled]]
        return ranks


class Ties(NamedTuple):
    """For each retrieved hit: how many documents score higher, and how many score the same, itself included."""

    better: Ints
    equal: Ints

    def where(self, keep: Bools | Ints) -> Ties:
        """Only the hits the mask keeps."""
        return Ties(self.better[keep], self.equal[keep])


@dataclass(frozen=True)
class GradedRun:
    """The judged documents that a run retrieved (query, rank, grade), how many it retrieved in all, and all judged grades.

    Unjudged documents are only gaps between ranks. Negative grades are kept: they mark documents that were pooled but
    not judged, which bpref and infap treat separately.
    """

    query_ids: tuple[str, ...]
    retrieved: Hits
    """Every judged document that was retrieved, whatever its grade."""
    n_retrieved: Ints
    ideal: Hits
    """Every judged grade of each query, best first; rank is its place in an ideal ranking."""
    max_grade: float
    level: float | None = None
    """The relevance level of the policy; metrics use it unless they have their own."""
    tag: str = ""
    judgment: Ints | None = None
    """For each retrieved hit: the number of its judgment."""
    judgments: Qrels | None = None
    """The judgments, if they may have subtopics."""
    places: Ints | None = None
    """For each query: its place in those judgments; None if no query was left out."""
    ties: Ties | None = None
    """Which hits have the same score as other documents; None if there are none."""
    tie_rule: str = "settled"
    """settled: ranks are fixed; expected: scores are means over all orders of ties; error: ties must not change a score."""
    empty_score: float = 0.0
    """The score of a query without relevant documents, for metrics whose best score is 1."""
    _memory: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def n_queries(self) -> int:
        """How many queries there are to score."""
        return len(self.query_ids)

    def _remembered(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The cached value for a key; made if it is not there yet. Metrics need the same values repeatedly."""
        if key not in self._memory:
            self._memory[key] = make()
        return self._memory[key]

    def relevant(self, rel: float | None = None) -> Hits:
        """The retrieved documents that count as relevant, at this level or at that of the policy."""
        return self.retrieved.at_level(self.level if rel is None else rel)

    def n_relevant(self, rel: float | None = None) -> Ints:
        """How many relevant documents each query has, retrieved or not."""
        return self.ideal.at_level(self.level if rel is None else rel).count

    def is_relevant(self, hits: Hits, rel: float | None = None) -> Bools:
        """Which of these hits count as relevant, at this level or at that of the policy."""
        return is_relevant(hits.grade, self.level if rel is None else rel)

    def by_subtopic(self, rel: float | None = None) -> BySubtopic:
        """The run with each subtopic as a query, at this level or at that of the policy; an error without subtopics."""
        level = self.level if rel is None else rel
        subtopics: BySubtopic = self._remembered(("subtopics", level), lambda: by_subtopic(self, level))
        return subtopics

    @cached_property
    def judged(self) -> Hits:
        """The retrieved documents with a real judgment: grade 0 or more."""
        return self.retrieved.where(self.retrieved.grade >= 0)

    def ideal_by(self, gain: Callable[[Floats], Floats]) -> tuple[Hits, Floats]:
        """The ideal ranking under a gain function, and its gains; only documents with a gain, best first."""
        return self.ideal.by_gain(gain)

    def condensed(self) -> GradedRun:
        """The same run without its unjudged documents; the others move up."""
        run: GradedRun = self._remembered("condensed", self._condensed)
        return run

    def _condensed(self) -> GradedRun:
        judged = self.retrieved.grade >= 0
        hits = self.retrieved.where(judged)
        ties = None if self.ties is None else _condensed_ties(hits, self.ties.where(judged))
        hits = Hits(hits.query, hits.position, hits.grade, hits.n_queries, hits.age)
        judgment = None if self.judgment is None else self.judgment[judged]
        return replace(self, retrieved=hits, n_retrieved=hits.count, judgment=judgment, ties=ties)

    def cut(self, depth: int) -> GradedRun:
        """The same run with only the first documents of each ranking. Tied documents beyond the cut are gone."""
        kept = self.retrieved.rank <= depth
        judgment = None if self.judgment is None else self.judgment[kept]
        ties = None
        if self.ties is not None:
            better, equal = self.ties.where(kept)
            ties = Ties(better, np.minimum(equal, depth - better))
        retrieved, length = self.retrieved.where(kept), self.n_retrieved.clip(max=depth)
        return replace(self, retrieved=retrieved, n_retrieved=length, judgment=judgment, ties=ties)

    def without_negatives(self) -> GradedRun:
        """The same run with negative grades raised to 0: judged, and not relevant."""
        retrieved, ideal = (replace(hits, grade=np.maximum(hits.grade, 0.0)) for hits in (self.retrieved, self.ideal))
        return replace(self, retrieved=retrieved, ideal=ideal)

    def reordered(self, rank: Ints) -> GradedRun:
        """The same run with its hits at new ranks."""
        hits = self.retrieved
        order = np.lexsort((rank, hits.query))
        moved = replace(hits.where(order), rank=rank[order])
        judgment = None if self.judgment is None else self.judgment[order]
        ties = None if self.ties is None else self.ties.where(order)
        return replace(self, retrieved=moved, judgment=judgment, ties=ties)

    def undecided(self) -> Ints:
        """Hits whose rank depends on how ties are broken, in a way that can change a score."""
        hits: Ints = self._remembered("undecided", self._undecided)
        return hits

    def _undecided(self) -> Ints:
        tied = np.flatnonzero(self.ties.equal > 1) if self.ties is not None else np.zeros(0, dtype=np.int64)
        if self.ties is None or not len(tied):
            return tied
        hits, (better, equal) = self.retrieved.where(tied), self.ties.where(tied)
        start, group = tie_groups(hits.query, better)
        size = np.bincount(group)
        lowest, highest = np.minimum.reduceat(hits.grade, start), np.maximum.reduceat(hits.grade, start)
        matters = (size < equal[start]) | (lowest < highest)
        if hits.age is not None:  # documents with the same grade may gain differently
            age = np.nan_to_num(hits.age, nan=-1.0)
            matters |= np.minimum.reduceat(age, start) < np.maximum.reduceat(age, start)
        if self.judgments is not None:  # documents with the same grade may be about different subtopics
            matters |= (size > 1) & (highest > 0)
        return tied[matters[group]]

    def has_undecided(self) -> Bools:
        """Whether a query has such hits."""
        undecided = np.zeros(self.n_queries, dtype=bool)
        undecided[self.retrieved.query[self.undecided()]] = True
        return undecided

    def with_ages(self, ages: Floats, qrels: Qrels) -> GradedRun:
        """The same run with the age of each judged document, given the ages in the order of the judgments."""
        if self.judgment is None:
            return self
        best_first = np.lexsort((-qrels.grades, qrels.query_of))
        retrieved = replace(self.retrieved, age=ages[self.judgment])
        return replace(self, retrieved=retrieved, ideal=replace(self.ideal, age=ages[best_first]))

    def select(self, keep: Bools) -> GradedRun:
        """Only the queries the mask keeps."""
        if keep.all():
            return self
        number = np.cumsum(keep) - 1
        return replace(
            self,
            query_ids=tuple(compress(self.query_ids, keep.tolist())),
            retrieved=_renumbered(self.retrieved, keep, number),
            n_retrieved=self.n_retrieved[keep],
            ideal=_renumbered(self.ideal, keep, number),
            judgment=None if self.judgment is None else self.judgment[keep[self.retrieved.query]],
            places=np.flatnonzero(keep) if self.places is None else self.places[keep],
            ties=None if self.ties is None else self.ties.where(keep[self.retrieved.query]),
        )


def _renumbered(hits: Hits, keep: Bools, number: Ints) -> Hits:
    selected = hits.where(keep[hits.query])
    return Hits(number[selected.query], selected.rank, selected.grade, int(keep.sum()), selected.age)


def is_relevant(grade: Floats, level: float | None) -> Bools:
    """Whether a grade is at or above the level (None: above 0). A negative grade is never relevant."""
    return grade > 0 if level is None else (grade >= level) & (grade >= 0)


def tie_groups(query: Ints, better: Ints) -> tuple[Ints, Ints]:
    """The start of each group of equal scores among hits in rank order, and the group number of each hit."""
    is_first = np.ones(len(query), dtype=bool)
    is_first[1:] = (query[1:] != query[:-1]) | (better[1:] != better[:-1])
    return np.flatnonzero(is_first), np.cumsum(is_first) - 1


def _condensed_ties(judged: Hits, ties: Ties) -> Ties:
    """Ties among judged documents only, given the ties among all."""
    start, group = tie_groups(judged.query, ties.better)
    return Ties((judged.position - 1)[start][group], np.bincount(group)[group] if len(group) else group)


def graded_run(
    qrels: Qrels, judgment: Ints, rank: Ints, n_retrieved: Ints, tag: str = "", ties: Ties | None = None
) -> GradedRun:
    """A GradedRun over all queries of the Qrels, from the retrieved judgments (in any order) and their ranks."""
    query = qrels.query_of[judgment]
    order = np.argsort(query * (int(rank.max(initial=0)) + 1) + rank)
    return ordered_run(qrels, judgment[order], rank[order], n_retrieved, tag, None if ties is None else ties.where(order))


def ordered_run(
    qrels: Qrels, judgment: Ints, rank: Ints, n_retrieved: Ints, tag: str = "", ties: Ties | None = None
) -> GradedRun:
    """The same for judgments that are in the order of their queries and ranks already."""
    retrieved = Hits(qrels.query_of[judgment], rank, qrels.grades[judgment], len(qrels))
    if qrels.ignored is not None:
        is_ignored = qrels.ignored[judgment]
        retrieved, n_retrieved, ties = _without_ignored(retrieved, is_ignored, n_retrieved, ties)
        judgment = judgment[~is_ignored]
    return GradedRun(
        qrels.query_ids,
        retrieved,
        n_retrieved,
        _ideal(qrels),
        qrels.max_grade,
        tag=tag,
        judgment=judgment,
        judgments=qrels if qrels.subtopics or qrels.iterations else None,
        ties=ties,
    )


def _without_ignored(hits: Hits, is_ignored: Bools, n_retrieved: Ints, ties: Ties | None) -> tuple[Hits, Ints, Ties | None]:
    """The hits as if ignored documents had not been retrieved: documents after them move up, and groups of ties shrink."""
    n_ignored = np.bincount(hits.query[is_ignored], minlength=hits.n_queries)
    counts = np.cumsum(is_ignored)
    above = counts - (np.cumsum(n_ignored) - n_ignored)[hits.query]
    kept = Hits(hits.query, hits.rank - above, hits.grade, hits.n_queries).where(~is_ignored)
    if ties is not None:
        start, group = tie_groups(hits.query, ties.better)
        above_group = (above - is_ignored)[start][group]
        in_group = np.bincount(group, weights=is_ignored).astype(np.int64)[group]
        ties = Ties(ties.better - above_group, ties.equal - in_group).where(~is_ignored)
    return kept, n_retrieved - n_ignored, ties


def _ideal(qrels: Qrels) -> Hits:
    """Every judged grade of each query that counts, best first; the same object for every run."""
    if "ideal" not in qrels.remembered:
        places = np.arange(1, len(qrels.docs) + 1)
        places -= qrels.offsets[:-1][qrels.query_of]
        ideal_hits = Hits(qrels.query_of, places, qrels.descending, len(qrels))
        qrels.remembered["ideal"] = ideal_hits if qrels.ignored is None else ideal_hits.where(qrels.descending > IGNORED)
    ideal: Hits = qrels.remembered["ideal"]
    return ideal
