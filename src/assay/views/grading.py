"""Grading: turns a Run and Qrels into a GradedRun. This is the only place where documents are looked up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache, partial
from itertools import chain, compress, repeat

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints, ScoreOrder
from assay.errors import DataError
from assay.model import Policy, Qrels, Ranking, RankRule, Run, Stretches, all_text, ranx_orders, sorted_ids
from assay.text import counted, some_of
from assay.views.graded import GradedRun, Ties, graded_run
from assay.views.ranked import Ranked
from assay.views.small_runs import few_rankings

MAX_COMPARED = 64
"""Up to this number of tied documents, comparing ids is faster than sorting them."""

TieBreaker = Callable[[RankRule, Ints, Ties], Ints]
"""Rule, tied rows, numbers of documents with a higher and an equal score → how many tied documents are before each."""

Equals = Callable[[int, int, int], list[str]]
"""Place of a query, number of documents with a higher score, number with an equal score → the tied ones, best first."""


@dataclass(frozen=True)
class RetrievedJudgments:
    """The judged documents that a run retrieved, each with its score: all that ranking needs."""

    qrels: Qrels
    order: ScoreOrder
    judgment: Ints
    score: Floats
    places: Ints
    """For each judged query: its place in the order; -1 if it is missing from the run."""
    break_ties: TieBreaker
    extra: tuple[str, ...] = ()
    tag: str = ""
    _known: dict[tuple[str, str], Ranked] = field(default_factory=dict)

    def ranked(self, rule: RankRule) -> Ranked:
        """The run ranked by a rule. Rules that cannot give different ranks share one result."""
        ties = self._rounded if rule.precision == "float32" else self._exact
        key = (rule.ties if ties.equal.max(initial=1) > 1 else "", "" if ties is self._exact else rule.precision)
        if key not in self._known:
            self._known[key] = self._ranked(rule, ties)
        return self._known[key]

    @cached_property
    def place(self) -> Ints:
        """For each judged document: the place of its query in the order."""
        return self.places[self.qrels.query_of[self.judgment]]

    @cached_property
    def _exact(self) -> Ties:
        return Ties(*self.order.locate(self.place, self.score))

    @cached_property
    def _rounded(self) -> Ties:
        """The ties if scores are rounded to single precision; the same object if that changes nothing."""
        with np.errstate(over="ignore"):
            rounded = Ties(*self.order.in_float32().locate(self.place, self.score.astype(np.float32)))
        return self._exact if all(map(np.array_equal, rounded, self._exact)) else rounded

    def _ranked(self, rule: RankRule, ties: Ties) -> Ranked:
        rank = ties.better + 1
        tied = np.flatnonzero(ties.equal > 1)
        if len(tied):
            rank[tied] += self.break_ties(rule, tied, ties.where(tied))
        start, end = self.order.start, self.order.end
        length = np.where(self.places >= 0, (end - start)[self.places], 0) if len(end) else np.zeros_like(self.places)
        several = self.places[length > 1]
        is_constant = self.order.negated[start[several]] == self.order.negated[end[several] - 1]
        graded = graded_run(self.qrels, self.judgment, rank, length, self.tag, ties if len(tied) else None)
        n_extra = len(end) - int((self.places >= 0).sum())
        return Ranked(graded, self.places < 0, int(is_constant.sum()), n_extra, self.extra)


@dataclass(frozen=True)
class Grading:
    """A graded run, and how many queries were missing, extra or left out."""

    run: GradedRun
    missing: tuple[str, ...]
    """Judged queries that are missing from the run."""
    n_judged: int
    n_extra: int
    """Number of queries in the run that have no judgments."""
    n_without_relevant: int
    n_constant: int = 0
    """Number of queries with several documents that all have the same score."""
    n_retrieved: int = 0
    """Documents retrieved for judged queries, including queries that the policy leaves out."""
    n_found: int = 0
    """How many of them are judged."""

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of queries, as results record them."""
        return {
            "judged": self.n_judged,
            "scored": self.run.n_queries,
            "missing": len(self.missing),
            "without_relevant": self.n_without_relevant,
            "extra": self.n_extra,
            "constant": self.n_constant,
        }


def grade(run: Run, qrels: Qrels, policy: Policy) -> Grading:
    """Look the judged documents up in the run, rank them, and apply the policy's rules about queries."""
    return settle(rank_all(run, qrels, [policy.rank_rule])[policy.rank_rule], policy)


def rank_all(run: Run, qrels: Qrels, rules: Iterable[RankRule]) -> dict[RankRule, Ranked]:
    """The run ranked by several rules; documents are looked up only once."""
    rules = list(rules)
    without_self = [rule for rule in rules if rule.drop_self]
    others = run.without_self() if without_self else run
    if others is run:
        return _rank(run, qrels, rules)
    ranked = _rank(others, qrels, without_self)
    return ranked | _rank(run, qrels, [rule for rule in rules if not rule.drop_self])


def _rank(run: Run, qrels: Qrels, rules: list[RankRule]) -> dict[RankRule, Ranked]:
    """The run ranked by rules: in plain Python if the run is small and the rule permits it, else by arrays."""
    few = few_rankings(run, qrels)
    known = {rule: few.ranked(rule) for rule in rules} if few is not None else dict.fromkeys(rules)
    if None not in known.values():
        return {rule: ranked for rule, ranked in known.items() if ranked is not None}
    retrieved = find_judged(run, qrels)
    return {rule: ranked or retrieved.ranked(rule) for rule, ranked in known.items()}


def find_judged(run: Run, qrels: Qrels) -> RetrievedJudgments:
    """Look the judged documents up in the run."""
    order = run.order  # first of all: it refuses scores that cannot be ranked
    places = np.arange(len(qrels)) if run.query_ids == qrels.query_ids else _places(run, qrels)
    judgment, score = _look_up(run, qrels, places)
    if not len(judgment) and not all_text(chain.from_iterable(run.rankings)):
        return find_judged(run.with_text_ids(), qrels)
    place = places[qrels.query_of[judgment]]

    def break_ties(rule: RankRule, tied: Ints, ties: Ties) -> Ints:
        group_by_group = np.lexsort((ties.better, place[tied]))
        columns = (place[tied], *ties, judgment[tied])
        rows = zip(*(column[group_by_group].tolist() for column in columns), strict=True)
        ahead = np.empty(len(tied), dtype=np.int64)
        if rule.ties in ("docid_desc", "docid_asc"):
            counts = _count_ids_ahead(run, qrels, rule, rows)
        else:
            is_ranx = rule.ties == "ranx"
            equals_of = _equals_like_ranx(run, rule, place[tied], ties) if is_ranx else _equals_in_order(run, rule)
            counts = [equals_of(*group).index(qrels.docs[number]) for *group, number in rows]
        ahead[group_by_group] = counts
        return ahead

    extra: tuple[str, ...] = ()
    if (places >= 0).sum() < len(run):
        extra = tuple(query for query in run.query_ids if query not in qrels.numbers)
    return RetrievedJudgments(qrels, order, judgment, score, places, break_ties, extra, run.tag)


def settle(ranked: Ranked, policy: Policy) -> Grading:
    """Apply what the policy says about levels, condensing, and missing, extra and empty queries."""
    run = ranked.run
    missing = tuple(compress(run.query_ids, ranked.is_missing.tolist()))
    if missing and policy.missing == "error":
        verb = "is" if len(missing) == 1 else "are"
        raise _refusal("judged query", len(missing), f"{verb} missing from the run", missing, "missing")
    if ranked.n_extra and policy.extra == "error":
        verb = "has" if ranked.n_extra == 1 else "have"
        raise _refusal("query", ranked.n_extra, f"in the run {verb} no judgments", ranked.extra, "extra")
    run = _applied(run, policy)
    without_relevant = run.n_relevant() == 0
    keep = None
    if policy.missing == "skip" and missing:
        keep = ~ranked.is_missing
        without_relevant &= keep
    if policy.no_relevant == "error" and without_relevant.any():
        empty = [run.query_ids[number] for number in np.flatnonzero(without_relevant).tolist()]
        verb = "has" if len(empty) == 1 else "have"
        raise _refusal("query", len(empty), f"{verb} no relevant document", empty, "no_relevant")
    if policy.no_relevant == "skip":
        keep = ~without_relevant if keep is None else keep & ~without_relevant
    return Grading(
        run if keep is None else run.select(keep),
        missing,
        run.n_queries,
        ranked.n_extra,
        int(np.count_nonzero(without_relevant)),
        ranked.n_constant,
        n_retrieved=int(np.add.reduce(ranked.run.n_retrieved)),
        n_found=len(ranked.run.retrieved.rank),
    )


def _applied(run: GradedRun, policy: Policy) -> GradedRun:
    """The run as the policy reads it: the level, the depth, negative grades, and unjudged documents."""
    top = run.max_grade if policy.max_grade is None else float(policy.max_grade)
    tie_rule = policy.ties if policy.ties in ("expected", "error") else "settled"
    if (top, policy.rel, tie_rule) != (run.max_grade, run.level, run.tie_rule):
        run = replace(run, max_grade=top, level=policy.rel, tie_rule=tie_rule)
    if policy.no_relevant == "one":
        run = replace(run, empty_score=1.0)
    if policy.depth is not None:
        run = run.cut(policy.depth)
    if policy.negatives == "nonrelevant":
        run = run.without_negatives()
    return run.condensed() if policy.judged_only else run


def _refusal(noun: str, count: int, fault: str, queries: Sequence[str], field: str) -> DataError:
    """The error for queries that the policy does not allow: `2 queries have no relevant document: q1 q7`."""
    return DataError(f"{counted(count, noun)} {fault}: {some_of(queries)}", field=field)


def _places(run: Run, qrels: Qrels) -> Ints:
    """The place of each judged query in the run; -1 if it is missing."""
    return np.fromiter(map(run.numbers.get, qrels.query_ids, repeat(-1)), np.int64, len(qrels))


def _look_up(run: Run, qrels: Qrels, places: Ints) -> tuple[Ints, Floats]:
    """The judgments of retrieved documents, and their scores; looked up from the side with fewer documents.

    Every step runs in C. A missing document gives None, which NumPy reads as nan.
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


def _equals_in_order(run: Run, rule: RankRule) -> Equals:
    """Tied documents in the order of the run under a rule; the caller sorts by id if necessary."""
    ranked = lru_cache(maxsize=1)(partial(run.ranked, rule=rule))
    return lambda place, better, n_equal: ranked(place)[better : better + n_equal]


def _equals_like_ranx(run: Run, rule: RankRule, place: Ints, ties: Ties) -> Equals:
    """Tied documents as ranx sorts them, for these ties only."""

    def negated(rows: Ints) -> NDArray[np.floating]:
        with np.errstate(over="ignore"):
            return -run.scores[rows].astype(rule.precision)

    orders = ranx_orders(negated, Stretches(run.order.start, run.order.end), place, *ties)
    docs_of = lru_cache(maxsize=1)(lambda place: list(run.rankings[place]))

    def equals(place: int, better: int, n_equal: int) -> list[str]:
        docs = docs_of(place)
        return [docs[number] for number in orders[place][better : better + n_equal].tolist()]

    return equals


def _count_ids_ahead(run: Run, qrels: Qrels, rule: RankRule, rows: Iterable[tuple[int, int, int, int]]) -> list[int]:
    """How many tied documents come before by their ids, for rows of (place of the query, n better, n equal, judgment).

    Ids are compared one by one. Only a large group, in which several documents may be judged, is sorted. Rows come group by
    group.
    """
    ahead: list[int] = []
    docs, compare = qrels.docs, "__lt__" if rule.ties == "docid_desc" else "__gt__"
    last_place, last_better, ranked = -1, -1, list[str]()
    position: dict[str, int] = {}
    for place, better, n_equal, judgment in rows:
        if place != last_place:
            ranked, last_place, last_better = run.ranked(place, rule), place, -1
        doc = docs[judgment]
        if n_equal <= MAX_COMPARED:
            try:
                ahead.append(sum(map(getattr(doc, compare), ranked[better : better + n_equal])))
                continue
            except TypeError:  # one of them is a whole number that has not been converted yet
                pass
        if better != last_better or doc not in position:
            equals = sorted_ids(ranked[better : better + n_equal], reverse=rule.ties == "docid_desc")
            position, last_better = dict(zip(equals, range(n_equal), strict=True)), better
        ahead.append(position[doc])
    return ahead
