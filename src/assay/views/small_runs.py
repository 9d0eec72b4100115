"""FewRankings: a small run, ranked in plain Python, because array operations have a higher fixed cost."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np

from assay.model import Qrels, Ranking, RankRule, Run
from assay.views.graded import Ties, ordered_run
from assay.views.ranked import Ranked

MAX_RANKINGS = 8
"""A run with more rankings is faster with arrays."""
MAX_DOCUMENTS = 500
"""A run with more documents is faster with arrays."""
LARGEST_EXACT = 2.0**53
"""Whole numbers up to this one do not change when they become floats."""
IS_BEHIND = {"docid_desc": str.__lt__, "docid_asc": str.__gt__}
"""Tie rule → whether the first id is ranked after the second one."""


_Row = tuple[int, int, int, int]
"""A judged document that was retrieved: the index of its query, how many documents score higher, how many score the same
(itself included), and the number of its judgment.
"""


@dataclass(frozen=True)
class FewRankings:
    """The judged documents that a run retrieved, each with the number of better and of equal documents."""

    run: Run
    qrels: Qrels
    rows: list[_Row]
    rankings: dict[int, Ranking]
    """Index of each judged query that is in the run → its ranking."""
    n_constant: int
    """Number of judged queries with several documents that all have the same score."""
    _known: dict[str, Ranked] = field(default_factory=dict)

    def ranked(self, rule: RankRule) -> Ranked | None:
        """The run ranked by a rule; None if only arrays can apply the rule."""
        if rule.precision != "float64":
            return None
        has_ties = any(equal > 1 for _, _, equal, _ in self.rows)
        key = rule.ties if has_ties else ""
        if key not in self._known:
            ahead = self._ahead(key) if has_ties else repeat(0)
            if ahead is None:
                return None
            self._known[key] = self._ranked(ahead, has_ties=has_ties)
        return self._known[key]

    def _ranked(self, ahead: Iterable[int], *, has_ties: bool) -> Ranked:
        """The run with `ahead` of the equal documents before the document of each row."""
        pairs = zip(self.rows, ahead, strict=False)  # without ties, zeros never end
        rows = sorted((query, better + n + 1, better, *rest) for (query, better, *rest), n in pairs)
        _, rank, better, equal, judgment = zip(*rows, strict=True)
        ties = Ties(np.array(better), np.array(equal)) if has_ties else None
        n_extra = len(self.run.query_ids) - len(self.rankings)
        extra = tuple(query for query in self.run.query_ids if query not in self.qrels.numbers) if n_extra else ()
        is_missing, length = np.ones(len(self.qrels), dtype=bool), np.zeros(len(self.qrels), dtype=np.int64)
        for number, ranking in self.rankings.items():
            is_missing[number], length[number] = False, len(ranking)
        graded = ordered_run(self.qrels, np.array(judgment), np.array(rank), length, self.run.tag, ties)
        return Ranked(graded, is_missing, self.n_constant, n_extra, extra)

    def _ahead(self, tie_rule: str) -> list[int] | None:
        """For each row: how many of the equal documents come before. None if the rule does not compare ids."""
        is_behind = IS_BEHIND.get(tie_rule)
        if is_behind is None:
            return None
        try:
            return [sum(map(is_behind, repeat(self.qrels.docs[row[3]]), self._equals(*row))) for row in self.rows]
        except TypeError:  # an id is a whole number that has not been converted yet
            return None

    def _equals(self, query: int, _: int, equal: int, judgment: int) -> Sequence[str]:
        """The documents with the score of a row; none if it is the only one."""
        if equal == 1:
            return ()
        ranking = self.rankings[query]
        score = ranking[self.qrels.docs[judgment]]
        return [doc for doc, other in ranking.items() if other == score]


def few_rankings(run: Run, qrels: Qrels) -> FewRankings | None:
    """The run in this form; None if it is too large, has other scores than plain numbers, or no judged document."""
    if len(run.query_ids) > MAX_RANKINGS or sum(map(len, run.rankings)) > MAX_DOCUMENTS:
        return None
    rows: list[_Row] = []
    rankings: dict[int, Ranking] = {}
    n_constant = 0
    for query, ranking in zip(run.query_ids, run.rankings, strict=True):
        scores = _ascending(ranking)
        if scores is None:
            return None
        number = qrels.numbers.get(query)
        if number is not None:
            rankings[number] = ranking
            n_constant += len(scores) > 1 and scores[0] == scores[-1]
            rows += _rows(qrels, number, ranking, scores)
    return FewRankings(run, qrels, rows, rankings, n_constant) if rows else None


def _ascending(ranking: Ranking) -> list[float] | None:
    """The scores of a ranking, lowest first; None if one of them is not a float or an exact whole number."""
    kinds = set(map(type, ranking.values()))
    if not kinds <= {float, int}:
        return None
    scores = sorted(ranking.values())
    if int in kinds and not -LARGEST_EXACT <= scores[0] <= scores[-1] <= LARGEST_EXACT:
        return None
    total = sum(scores)
    return scores if total == total else None  # nan, or infinite scores of both signs


def _rows(qrels: Qrels, number: int, ranking: Ranking, scores: list[float]) -> Iterator[_Row]:
    """The retrieved judged documents of one query."""
    start, end = qrels.bounds[number], qrels.bounds[number + 1]
    for judgment, score in enumerate(map(ranking.get, qrels.docs[start:end]), start):
        if score is not None:
            past = bisect_right(scores, score)
            first = bisect_left(scores, score, 0, past)
            yield number, len(scores) - past, past - first, judgment
