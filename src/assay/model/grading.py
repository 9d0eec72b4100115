"""Grading: a Run meets the Qrels and becomes a GradedRun. This is the only place where documents are looked up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import chain, repeat

import numpy as np

from assay.errors import DataError
from assay.model.graded import Bools, GradedRun, graded_run
from assay.model.ids import all_text, sorted_ids
from assay.model.ordering import Floats, Ints, ScoreOrder
from assay.model.policy import Policy
from assay.model.qrels import Qrels
from assay.model.run import Ranking, Run
from assay.text import counted, some_of

TieBreaker = Callable[[Ints, Ints, Ints], Ints]
"""Tied rows, how many documents score higher, how many score the same → how many of those same stand before each."""


@dataclass(frozen=True)
class Grading:
    """A graded run and what became of the queries on the way."""

    run: GradedRun
    missing: tuple[str, ...]
    """Judged queries that the run does not have."""
    n_judged: int
    n_extra: int
    """Queries of the run that nobody judged."""
    n_without_relevant: int

    @property
    def counts(self) -> dict[str, int]:
        """Coverage in numbers, as results record it."""
        return {
            "judged": self.n_judged,
            "scored": self.run.n_queries,
            "missing": len(self.missing),
            "without_relevant": self.n_without_relevant,
            "extra": self.n_extra,
        }


def grade(run: Run, qrels: Qrels, policy: Policy) -> Grading:
    """Look the judged documents up in the run, rank them, and apply the policy's rules about queries."""
    order = run.order  # first of all: it refuses scores that cannot be ranked
    places = np.arange(len(qrels)) if run.query_ids == qrels.query_ids else _places(run, qrels)
    judgment, score = _find_judged(run, qrels, places)
    if not len(judgment) and not all_text(chain.from_iterable(run.rankings)):
        return grade(run.with_text_ids(), qrels, policy)
    place = places[qrels.query_of[judgment]]

    def break_ties(tied: Ints, before: Ints, n_equal: Ints) -> Ints:
        group_by_group = np.lexsort((before, place[tied]))
        columns = (place[tied], before, n_equal, judgment[tied])
        rows = zip(*(column[group_by_group].tolist() for column in columns), strict=True)
        ahead = np.empty(len(tied), dtype=np.int64)
        ahead[group_by_group] = _places_among_equals(run, qrels, policy.ties, rows)
        return ahead

    rank = rank_judged(order, place, score, break_ties)
    n_retrieved = np.zeros(len(qrels), dtype=np.int64)
    n_retrieved[places >= 0] = run.n_retrieved[places[places >= 0]]
    graded = graded_run(qrels, judgment, rank, n_retrieved, run.tag)
    if policy.extra == "error" and (extra := [query for query in run.query_ids if query not in qrels.numbers]):
        raise DataError(f"{counted(len(extra), 'query')} of the run without judgments: {some_of(extra)}")
    return settle(graded, policy, is_missing=places < 0, n_extra=len(run) - int((places >= 0).sum()))


def rank_judged(order: ScoreOrder, place: Ints, score: Floats, break_ties: TieBreaker) -> Ints:
    """Ranks of judged documents, given their query's place in the order and their scores."""
    before, n_equal = order.locate(place, score)
    tied = np.flatnonzero(n_equal > 1)
    if len(tied):
        before[tied] += break_ties(tied, before[tied], n_equal[tied])
    return before + 1


def settle(run: GradedRun, policy: Policy, is_missing: Bools, n_extra: int) -> Grading:
    """Apply what the policy says about levels, condensing, and missing, extra and empty queries."""
    missing = tuple(query for query, gone in zip(run.query_ids, is_missing.tolist(), strict=True) if gone)
    if missing and policy.missing == "error":
        verb = "is" if len(missing) == 1 else "are"
        raise DataError(f"{counted(len(missing), 'judged query')} {verb} missing from the run: {some_of(missing)}")
    max_grade = run.max_grade if policy.max_grade is None else float(policy.max_grade)
    run = replace(run, max_grade=max_grade, level=policy.rel)
    if policy.judged_only:
        run = run.condensed()
    keep = ~is_missing if policy.missing == "skip" else np.ones(run.n_queries, dtype=bool)
    without_relevant = keep & (run.n_relevant() == 0)
    if policy.no_relevant == "skip":
        keep = keep & ~without_relevant
    return Grading(run.select(keep), missing, len(keep), n_extra, int(without_relevant.sum()))


def _places(run: Run, qrels: Qrels) -> Ints:
    """Where each judged query stands in the run; -1 where it does not."""
    return np.fromiter(map(run.numbers.get, qrels.query_ids, repeat(-1)), np.int64, len(qrels))


def _find_judged(run: Run, qrels: Qrels, places: Ints) -> tuple[Ints, Floats]:
    """Judgments that were retrieved, and their scores: from whichever side has fewer documents to look up.

    Every step runs in C; a document that is not there gives None, which NumPy reads as nan.
    """
    rankings: list[Ranking] = [run.rankings[place] if place >= 0 else {} for place in places.tolist()]
    n_rows = sum(map(len, rankings))
    if len(qrels.docs) <= n_rows:
        ranking_of_each = chain.from_iterable(map(repeat, rankings, np.diff(qrels.offsets).tolist()))
        score = np.fromiter(map(dict.get, ranking_of_each, qrels.docs), np.float64, len(qrels.docs))
        judgment = np.flatnonzero(~np.isnan(score))
        return judgment, score[judgment]
    index_of_each = chain.from_iterable(map(repeat, qrels.index, map(len, rankings)))
    number = np.fromiter(map(dict.get, index_of_each, chain.from_iterable(rankings)), np.float64, n_rows)
    rows = np.flatnonzero(~np.isnan(number))
    scores = np.fromiter(chain.from_iterable(map(dict.values, rankings)), np.float64, n_rows)
    return number[rows].astype(np.int64), scores[rows]


def _places_among_equals(run: Run, qrels: Qrels, ties: str, rows: Iterable[tuple[int, int, int, int]]) -> list[int]:
    """How many equals stand before, for rows of (place of the query, n better, n equal, judgment), group by group."""
    ahead: list[int] = []
    at: tuple[int, int] | None = None
    ranked: list[str] = []
    position: dict[str, int] = {}
    for place, better, n_equal, judgment in rows:
        if at is None or at[0] != place:
            ranked = run.ranked(place)
        if at != (place, better):
            equals = ranked[better : better + n_equal]
            if ties != "input_order":
                equals = sorted_ids(equals, reverse=ties == "docid_desc")
            position = dict(zip(equals, range(n_equal), strict=True))
            at = (place, better)
        ahead.append(position[qrels.docs[judgment]])
    return ahead
