"""Run: the ranked documents of each query, and their order."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, singledispatch
from importlib import import_module
from itertools import chain
from struct import Struct
from struct import error as StructError  # noqa: N812
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.arrays import Floats, Ints, ScoreOrder
from assay.errors import DataError
from assay.frames import Columns, Tables, Tabular
from assay.model.ids import all_text, key_id, sorted_ids, text_id, with_text_keys
from assay.model.kinds import RunSource
from assay.model.policy import Policy, RankRule
from assay.model.quicksort import quicksort_order
from assay.model.values import are_columns, as_score, scored_entries, unpacked
from assay.text import counted

Ranking = dict[str, float]
RankReader = Callable[[], Mapping[str, Ranking]]
"""Reads query → document → rank when the ranks are needed."""


MAX_SORTED_BY_PYTHON = 64
"""Up to this number of documents, Python sorts faster than NumPy, whose calls have a higher fixed cost."""


KEEP_BEST = "add --duplicates keep-best (in Python: duplicates='keep_best' in assay.Policy or assay.Run)"
GIVEN_ORDER = RankRule("input_order", "float64", drop_self=False)


class Rankings(NamedTuple):
    """Rankings as they are read: query → document → score, in any order, and the system's tag."""

    by_query: dict[str, Ranking]
    tag: str = ""
    read_ranks: RankReader | None = None
    """Reads the ranks, if the source may have ranks in addition to scores."""
    notes: tuple[str, ...] = ()
    """What users should know about how the run was read."""


@singledispatch
def as_rankings(source: Any, duplicates: str = "error") -> Rankings:
    """Rankings from any source. The readers are in `assay.files`, which is imported when the first one is needed."""
    import_module("assay.files.runs")
    return as_rankings(source, duplicates)


def rankings_of_mapping(source: Mapping[Any, Any], duplicates: str = "error") -> Rankings:
    """Rankings from query → (document → score), query → ids best first, or query → columns as Chroma returns them.

    A Series or a generator can replace a mapping or list.
    """
    by_query = source if all_text(source) else with_text_keys(source, "run")
    rankings = list(by_query.values())
    if rankings and are_columns(rankings[0]):
        return Rankings({query: _ranking_of_columns(query, ranked, duplicates) for query, ranked in by_query.items()})
    if set(map(type, rankings)) <= {dict} and all_text(map(next, map(iter, filter(None, rankings)))):
        return Rankings(dict(by_query))
    return Rankings({query: _ranking(query, ranked, duplicates) for query, ranked in by_query.items()})


def _ranking(query: str, ranked: Any, duplicates: str) -> Ranking:
    """Scores by document. A list of ids is a ranking, best first; pairs are (id, score)."""
    ranked = unpacked(ranked)
    if isinstance(ranked, Mapping):
        return dict(ranked) if all_text(ranked) else with_text_keys(ranked, f"run, query {query}")
    if not isinstance(ranked, Sequence | np.ndarray) or isinstance(ranked, str | bytes):
        raise DataError(
            f"expected a map of documents to scores, or a ranked list of ids, found {ranked!r}", source=f"run, query {query}"
        )
    if len(ranked) and isinstance(ranked[0], tuple | list):
        return ranking_of_pairs(query, list(ranked), duplicates)
    return ranking_of_pairs(query, [(doc, 0.0 - place) for place, doc in enumerate(ranked)], duplicates)


def _ranking_of_columns(query: str, ranked: Any, duplicates: str) -> Ranking:
    """Scores by document, or by the term that the metadata name. The best entry of a term counts."""
    if not are_columns(ranked):
        return _ranking(query, ranked, duplicates)
    try:
        entries = scored_entries(ranked)
    except ValueError as error:
        raise DataError(str(error), source=f"run, query {query}") from None
    return ranking_of_pairs(query, entries, duplicates)


def ranking_of_pairs(query: str, pairs: Sequence[Any], duplicates: str) -> Ranking:
    """Scores by document. A document that appears twice is an error, or keeps its better score."""
    ranking: Ranking = {}
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise DataError(f"expected pairs (document, score), found {pair!r}", source=f"run, query {query}")
        doc, score = text_id(pair[0]), as_score(pair[1])
        if score is None:
            raise bad_score(query, doc, pair[1])
        if doc in ranking and duplicates == "error":
            message = f"document {doc} appears twice; to use the better score, {KEEP_BEST}"
            raise DataError(message, source=f"run, query {query}", code="duplicate")
        ranking[doc] = max(score, ranking.get(doc, score))
    return ranking


class Run(Tabular, Mapping[str, Ranking]):
    """A system's rankings from any source: after `run = Run(source)`, `run[query][document]` is a score.

    Documents are ordered by score, highest first. The policy decides the order of equal scores.
    """

    _make: Callable[[], list[Ranking]]
    _read_ranks: RankReader | None = None
    notes: tuple[str, ...] = ()
    """What users should know about how the run was read."""

    def __init__(self, source: RunSource, *, duplicates: str = "error") -> None:
        Policy(duplicates=duplicates)  # raises if the value is unknown
        rankings = thoroughly_checked(as_rankings(source, duplicates))
        self.query_ids: tuple[str, ...] = tuple(rankings.by_query)
        self.rankings = list(map(dict, rankings.by_query.values()))
        self.tag, self._read_ranks, self.notes = rankings[1:]
        self.order  # noqa: B018 (validates every score now, not at first use)

    @classmethod
    def borrow(cls, rankings: Rankings) -> Run:
        """A run over rankings that the caller does not change later; nothing is copied."""
        run = cls.__new__(cls)
        run.query_ids = tuple(rankings.by_query)
        run.rankings = list(rankings.by_query.values())
        run.tag, run._read_ranks, run.notes = rankings[1:]
        return run

    @classmethod
    def deferred(
        cls, query_ids: tuple[str, ...], n_retrieved: Ints, scores: Floats, make: Callable[[], list[Ranking]], tag: str = ""
    ) -> Run:
        """A run that already has its scores in arrays; its rankings are created when they are first needed."""
        run = cls.__new__(cls)
        run.query_ids, run.n_retrieved, run.scores, run.tag = query_ids, n_retrieved, scores, tag
        run._make = make
        return run

    @cached_property
    def rankings(self) -> list[Ranking]:
        """For each query: document → score."""
        return self._make()

    def __getitem__(self, query: str) -> Ranking:
        return dict(self.rankings[self.numbers[key_id(query)]])

    def __iter__(self) -> Iterator[str]:
        return iter(self.query_ids)

    def __len__(self) -> int:
        return len(self.query_ids)

    def __repr__(self) -> str:
        return f"Run({counted(len(self), 'query')}, {counted(int(self.n_retrieved.sum()), 'document')})"

    def to_dict(self) -> dict[str, Ranking]:
        """Query → document → score."""
        return {query: self[query] for query in self}

    def _tables(self) -> Tables:
        return {"run": self._ranked_columns}

    def _ranked_columns(self) -> Columns:
        """A row for each retrieved document, best first. Equal scores keep their order."""
        ranked = [self.ranked(place) for place in range(len(self))]
        scores = chain.from_iterable(map(own.__getitem__, docs) for own, docs in zip(self.rankings, ranked, strict=True))
        n_rows = int(self.n_retrieved.sum())
        return {
            "query_id": [query for query, docs in zip(self.query_ids, ranked, strict=True) for _ in docs],
            "doc_id": list(chain.from_iterable(ranked)),
            "score": np.fromiter(scores, float, n_rows),
            "rank": np.fromiter(chain.from_iterable(range(1, len(docs) + 1) for docs in ranked), np.int64, n_rows),
        }

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Query id → its index in `query_ids`."""
        return {query: place for place, query in enumerate(self.query_ids)}

    @cached_property
    def n_retrieved(self) -> Ints:
        """The number of documents retrieved for each query."""
        return np.fromiter(map(len, self.rankings), np.int64, len(self.rankings))

    @cached_property
    def scores(self) -> Floats:
        """All scores in one array, in input order."""
        flat = flat_scores(self.rankings, int(self.n_retrieved.sum()))
        if flat is None or np.isnan(flat).any():
            self.rankings = list(in_floats(dict(zip(self.query_ids, self.rankings, strict=True))).values())
            return np.array(list(chain.from_iterable(map(dict.values, self.rankings))))
        return flat

    @cached_property
    def ranks(self) -> list[Ranking]:
        """For each query: document → the rank that the source gives it; an error if the source has no ranks."""
        if self._read_ranks is None:
            raise DataError(
                "ties=rank_column orders equal scores by their ranks, but this run has no ranks. "
                "Use a TREC file, or a table or JSON lines with a rank column; or choose another value for ties"
            )
        by_query = self._read_ranks()
        return [by_query[query] for query in self.query_ids]

    @cached_property
    def order(self) -> ScoreOrder:
        """Scores in rank order."""
        end = np.cumsum(self.n_retrieved)
        return ScoreOrder.of(-self.scores, end - self.n_retrieved, end)

    def ranked(self, place: int, rule: RankRule = GIVEN_ORDER) -> list[str]:
        """The documents of one query by descending score. Equal scores are in input order, in reverse, by their ranks, or as
        ranx sorts them.
        """
        docs = list(self.rankings[place])
        if rule.ties not in ("ranx", "reverse_order", "rank_column"):
            if self.order.was_sorted[place]:
                return docs
            if len(docs) <= MAX_SORTED_BY_PYTHON and rule.precision == "float64":
                return sorted(docs, key=self.rankings[place].__getitem__, reverse=True)
        start, end = self.order.start[place], self.order.end[place]
        negated = -self.scores[start:end]
        if rule.precision != "float64":
            with np.errstate(over="ignore"):
                negated = negated.astype(rule.precision)
        if rule.ties == "reverse_order":
            docs, negated = docs[::-1], negated[::-1]
        if rule.ties == "rank_column" and len(np.unique(negated)) < len(docs):
            docs, negated = self._by_rank(place, docs, negated)
        best_first = (
            quicksort_order(negated.tolist()) if rule.ties == "ranx" else np.argsort(negated, kind="stable").tolist()
        )
        return list(map(docs.__getitem__, best_first))

    def _by_rank(self, place: int, docs: list[str], negated: NDArray[Any]) -> tuple[list[str], NDArray[Any]]:
        """Documents and scores in the order of the rank column; equal ranks in input order."""
        rank = self.ranks[place]
        order = np.argsort([rank[doc] for doc in docs], kind="stable")
        return [docs[number] for number in order.tolist()], negated[order]

    def in_order(self, place: int, rule: RankRule) -> list[str]:
        """The documents of one query in the order of the rule, with ties broken."""
        if rule.ties not in ("docid_desc", "docid_asc"):
            return self.ranked(place, rule)
        ranking = self.rankings[place]
        by_id = sorted_ids(list(ranking), reverse=rule.ties == "docid_desc")
        with np.errstate(over="ignore"):
            negated = -np.array([ranking[doc] for doc in by_id], dtype=np.float64).astype(rule.precision)
        return [by_id[number] for number in np.argsort(negated, kind="stable").tolist()]

    def unsettled(self, rule: RankRule) -> NDArray[np.bool_]:
        """Which rankings are not sorted in the input, or have ties that the rule reorders."""
        order = self.order
        if rule.precision != "float64":
            return np.ones(len(order.start), dtype=bool)
        unsettled: NDArray[np.bool_] = ~order.was_sorted
        if rule.ties != "input_order":
            tied = np.flatnonzero(order.negated[1:] == order.negated[:-1])
            number = np.searchsorted(order.end, tied, side="right")
            unsettled[number[tied + 1 < order.end[number]]] = True
        return unsettled

    def as_given(self) -> Rankings:
        """The rankings that this run was created from."""
        by_query = dict(zip(self.query_ids, self.rankings, strict=True))
        return Rankings(by_query, self.tag, self._read_ranks, self.notes)

    def with_rankings(self, by_query: dict[str, Ranking]) -> Run:
        """The run with other rankings, and its own tag, notes and ranks."""
        return Run.borrow(Rankings(by_query, self.tag, self._read_ranks, self.notes))

    def without_self(self) -> Run:
        """The run without documents whose id is the query's id; the same run if there are none."""
        if not any(map(dict.__contains__, self.rankings, self.query_ids)):
            return self
        by_query = {
            query: {doc: score for doc, score in ranking.items() if doc != query} if query in ranking else ranking
            for query, ranking in zip(self.query_ids, self.rankings, strict=True)
        }
        return self.with_rankings(by_query)

    def without_queries(self, left_out: frozenset[str]) -> Run:
        """The run without the rankings of these queries; the same run if it has none of them."""
        if left_out.isdisjoint(self.query_ids):
            return self
        pairs = zip(self.query_ids, self.rankings, strict=True)
        by_query = {query: ranking for query, ranking in pairs if query not in left_out}
        return self.with_rankings(by_query)

    def negated(self) -> Run:
        """The run with the sign of every score changed, as if scores were distances."""
        by_query = {
            query: {doc: -score for doc, score in ranking.items()}
            for query, ranking in zip(self.query_ids, self.rankings, strict=True)
        }
        return self.with_rankings(by_query)

    def with_text_ids(self) -> Run:
        """The same run with every document id as text. (Reading a mapping checks only the first id of each ranking.)"""
        by_query = {
            query: with_text_keys(ranking, f"run, query {query}")
            for query, ranking in zip(self.query_ids, self.rankings, strict=True)
        }
        return self.with_rankings(by_query)


def thoroughly_checked(rankings: Rankings) -> Rankings:
    """The rankings with every id as text and every score as a number. Runs that are used only once skip this check."""
    by_query = {
        query: ranking if all_text(ranking) else with_text_keys(ranking, f"run, query {query}")
        for query, ranking in rankings.by_query.items()
    }
    kinds = set(map(type, chain.from_iterable(map(dict.values, by_query.values()))))
    return rankings._replace(by_query=by_query if all(map(is_kind_of_score, kinds)) else in_floats(by_query))


AT_ONCE = 50_000
"""About how many values are read at once."""
SAMPLE = 1000
"""About how many values are checked for their type."""


def is_kind_of_score(kind: type) -> bool:
    """Whether values of a type can be ranked directly. Truth values cannot, although Python treats them as numbers."""
    return issubclass(kind, numbers.Real | np.number) and not issubclass(kind, bool)


def flat_scores(rankings: Sequence[dict[str, float]], n_rows: int) -> Floats | None:
    """Scores as one array; None if one of them is not a number.

    Every value is checked, in C: `struct` accepts only numbers, but NumPy would read text too. The type of the numbers is
    checked on a sample. The caller converts other types, such as decimals, to floats. Some rankings are read at a time, so
    that their values stay in the processor's cache.
    """
    scores = np.empty(n_rows)
    step = max(1, AT_ONCE * len(rankings) // max(n_rows, 1))
    place = 0
    for first in range(0, len(rankings), step):
        part = _scores_of(tuple(chain.from_iterable(map(dict.values, rankings[first : first + step]))), n_rows)
        if part is None:
            return None
        scores[place : place + len(part)] = part
        place += len(part)
    return scores


def _scores_of(values: tuple[Any, ...], n_rows: int) -> Floats | None:
    if not all(map(is_kind_of_score, set(map(type, values[:: n_rows // SAMPLE + 1])))):
        return None
    try:
        scores = np.frombuffer(Struct(f"{len(values)}d").pack(*values))
    except (TypeError, ValueError, OverflowError, StructError):
        return None
    return None if _has_truth_values(values, scores) else scores


def _has_truth_values(values: tuple[Any, ...], scores: Floats) -> bool:
    """Whether True or False is among the values. Only values equal to 1 or 0 are checked."""
    places = np.flatnonzero((scores == 1) | (scores == 0))
    candidates = values if len(places) > len(values) // 4 else map(values.__getitem__, places.tolist())
    return not all(map(is_kind_of_score, set(map(type, candidates))))


def in_floats(by_query: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """The same scores as floats. Decimals and arrays without dimensions are converted; anything else is an error."""
    scores: dict[str, dict[str, float]] = {}
    for query, ranking in by_query.items():
        floats = scores.setdefault(query, {})
        for doc, value in ranking.items():
            score = as_score(value)
            if score is None:
                raise bad_score(query, doc, value)
            floats[doc] = score
    return scores


def bad_score(query: str, doc: str, score: object) -> DataError:
    """The error for a score that is not a number."""
    message = f"the score of document {doc} must be a number, not {score!r}"
    return DataError(message, source=f"run, query {query}", code="score")
