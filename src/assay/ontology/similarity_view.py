"""Similarities: the `similarity` view, which compares the retrieved terms of each query with the expected terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple, Protocol

import numpy as np

from assay.arrays import Bools, Floats, Ints, ratio
from assay.model import RankRule, Run
from assay.ontology.ontology import UNKNOWN


class Terms(Protocol):
    """The part of an ontology that the view needs: terms by number, and their similarity."""

    def numbers(self, ids: Iterable[str]) -> Ints:
        """The number of each id; -1 if it is not a term."""

    def similarity(self, formula: str, a: Ints, b: Ints) -> Floats:
        """The similarity of the terms of each pair, from 0 to 1; 0 if one is unknown."""


class Expected(NamedTuple):
    """The expected ids of each query, and the ontology with their terms."""

    ids: Mapping[str, Sequence[str]]
    terms: Terms


@dataclass(frozen=True, eq=False)
class Similarities:
    """A row for each pair of a retrieved and an expected id: query, rank, and number of the expected id."""

    query_ids: tuple[str, ...]
    is_given: Bools
    """Which queries have a list of expected ids, even an empty one."""
    query: Ints
    rank: Ints
    goal: Ints
    """The number of the expected id, over all queries."""
    goal_query: Ints
    """For each expected id: the query."""
    retrieved_term: Ints
    goal_term: Ints
    """For each row: the terms of both ids; -1 if an id is not a term."""
    same_unknown: Ints
    """Rows whose two ids are not terms but are equal."""
    terms: Terms

    @classmethod
    def of(
        cls, query_ids: tuple[str, ...], run: Run, rule: RankRule, expected: Expected, depth: int | None = None
    ) -> Similarities:
        """The similarities of a run, ranked by a rule; with `depth`, only the first `depth` ids of each ranking."""
        ranked = first_ids(query_ids, run.without_self() if rule.drop_self else run, rule, depth)
        goals = [_each_once(expected.terms, expected.ids.get(query, ())) for query in query_ids]
        n_goals, n_ranked = (np.array(list(map(len, lists)), dtype=np.int64) for lists in (goals, ranked))
        retrieved_ids, goal_ids = list(chain.from_iterable(ranked)), list(chain.from_iterable(goals))
        owner = np.repeat(np.arange(len(query_ids)), n_ranked)
        rank = np.arange(1, len(owner) + 1) - (np.cumsum(n_ranked) - n_ranked)[owner]
        row = np.repeat(np.arange(len(owner)), n_goals[owner])
        before = np.arange(len(row)) - np.repeat(np.cumsum(n_goals[owner]) - n_goals[owner], n_goals[owner])
        goal = (np.cumsum(n_goals) - n_goals)[owner[row]] + before
        retrieved_term, goal_term = expected.terms.numbers(retrieved_ids)[row], expected.terms.numbers(goal_ids)[goal]
        unknown = np.flatnonzero((retrieved_term == UNKNOWN) & (goal_term == UNKNOWN)).tolist()
        return cls(
            query_ids,
            np.array([query in expected.ids for query in query_ids], dtype=bool),
            owner[row],
            rank[row],
            goal,
            np.repeat(np.arange(len(query_ids)), n_goals),
            retrieved_term,
            goal_term,
            np.array([place for place in unknown if retrieved_ids[row[place]] == goal_ids[goal[place]]], dtype=np.int64),
            expected.terms,
        )

    @property
    def n_queries(self) -> int:
        """The number of queries to score."""
        return len(self.query_ids)

    def best(self, formula: str, k: int | None) -> Floats:
        """For each query: the best similarity between any expected id and any of the first k retrieved ids."""
        rows = slice(None) if k is None else self.rank <= k
        best = np.zeros(self.n_queries)
        np.maximum.at(best, self.query[rows], self._values(formula)[rows])
        return self._scores(best)

    def mean_best(self, formula: str, k: int | None) -> Floats:
        """For each query: the mean over expected ids of the best similarity to the first k retrieved ids."""
        rows = slice(None) if k is None else self.rank <= k
        best = np.zeros(len(self.goal_query))
        np.maximum.at(best, self.goal[rows], self._values(formula)[rows])
        total = np.bincount(self.goal_query, weights=best, minlength=self.n_queries)
        return self._scores(ratio(total, np.bincount(self.goal_query, minlength=self.n_queries)))

    def _scores(self, values: Floats) -> Floats:
        """The values; NaN for queries without a list of expected ids."""
        return values if self.is_given.all() else np.where(self.is_given, values, np.nan)

    def _values(self, formula: str) -> Floats:
        """The similarity of each row; equal ids have the similarity 1, even if they are unknown."""
        if formula not in self._known:
            values = self.terms.similarity(formula, self.retrieved_term, self.goal_term)
            values[self.same_unknown] = 1.0
            self._known[formula] = values
        return self._known[formula]

    @cached_property
    def _known(self) -> dict[str, Floats]:
        return {}


def _each_once(terms: Terms, ids: Sequence[str]) -> list[str]:
    """The ids, without those that mean the same term as an earlier one in another spelling."""
    if len(ids) < 2:
        return list(ids)
    ids_by_term: dict[int | str, str] = {}
    for spelling, number in zip(ids, terms.numbers(ids).tolist(), strict=True):
        ids_by_term.setdefault(spelling if number == UNKNOWN else number, spelling)
    return list(ids_by_term.values())


def first_ids(query_ids: Sequence[str], run: Run, rule: RankRule, depth: int | None) -> list[list[str]]:
    """The best ids of each query, ranked by the rule; empty if the query is missing from the run."""
    is_open = run.unsettled(rule).tolist()
    depth = min((most for most in (depth, rule.depth) if most is not None), default=None)
    lists: list[list[str]] = []
    for query in query_ids:
        place = run.numbers.get(query)
        if place is None:
            lists.append([])
        elif is_open[place]:
            lists.append(run.in_order(place, rule)[:depth])
        else:
            lists.append(list(islice(run.rankings[place], depth)))
    return lists
