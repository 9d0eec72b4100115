"""Agreement: how similar two rankings are, regardless of relevance; and which relevant documents were gained and lost.

A ranking is a list of document ids, best first, or a map from document to score, in which equal scores are ties.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assay.arrays import Floats
from assay.errors import BadParameter, DataError
from assay.model import RankRule, Run, key_id, text_id
from assay.stats.rank_correlation import (
    Items,
    Overlap,
    PairedRankings,
    all_queries,
    ap_correlation_of,
    blocks_of,
    items_of,
    kendall,
    paired_rankings,
)

Ranking = Sequence[Any] | Mapping[Any, float]
Relevant = Collection[Any] | Mapping[Any, float]

OVER = ("union", "intersection")
BROKEN_TIES = RankRule("docid_desc", "float64", drop_self=False)


class Moved(NamedTuple):
    """Relevant documents that entered the first k, and those that left it; best first."""

    gained: tuple[str, ...]
    lost: tuple[str, ...]


class OrderAgreement(NamedTuple):
    """How similarly two lists of values order the same systems."""

    tau: float
    tau_ap: float


@dataclass(frozen=True)
class Agreement:
    """How similar the rankings of two systems are, query by query; nan if a coefficient is undefined for a query."""

    query_ids: tuple[str, ...]
    tau: Floats
    tau_ap: Floats
    rbo: Floats
    overlap: Floats
    k: int
    p: float

    @property
    def columns(self) -> dict[str, Floats]:
        """Name → one value per query: `tau`, `tau_ap`, `rbo(p=0.9)`, `overlap@10`."""
        return {
            "tau": self.tau,
            "tau_ap": self.tau_ap,
            f"rbo(p={self.p:g})": self.rbo,
            f"overlap@{self.k}": self.overlap,
        }

    @property
    def means(self) -> dict[str, float]:
        """Name → mean over the queries for which it is defined; nan if there are none."""
        defined = {name: figures[~np.isnan(figures)] for name, figures in self.columns.items()}
        return {name: float(figures.mean()) if len(figures) else math.nan for name, figures in defined.items()}

    def by_query(self) -> dict[str, dict[str, float]]:
        """Query id → name → value."""
        lists = [figures.tolist() for figures in self.columns.values()]
        return {query: dict(zip(self.columns, row, strict=True)) for query, *row in zip(self.query_ids, *lists, strict=True)}


def agreement(a: Any, b: Any, k: int = 10, p: float = 0.9, over: str = "union") -> Agreement:
    """Compare two runs query by query: Kendall's τ-b, τ_ap, RBO and overlap@k.

    Runs are anything that `assay.Run` reads. A query that only one run has counts too: the other ranking is empty.
    """
    run_a, run_b = (each if isinstance(each, Run) else Run(each) for each in (a, b))
    _check(over=over, k=k, p=p)
    queries = all_queries(run_a, run_b)
    if not queries:
        raise DataError("agreement needs at least one query, but both runs are empty")
    blocks = [_compared(pairs, k, p, over) for pairs in blocks_of(run_a, run_b, queries)]
    tau, tau_ap, rbo_, overlap = np.concatenate(blocks, axis=1)
    return Agreement(queries, tau, tau_ap, rbo_, overlap, k, p)


def kendall_tau(a: Ranking, b: Ranking, over: str = "union", variant: str = "b") -> float:
    """Kendall's τ of two rankings: 1 for the same order, −1 for the reverse, about 0 for unrelated rankings.

    With `over="union"`, documents that only the other system found are tied below all others; `"intersection"` leaves them
    out. `variant="b"` corrects for ties, `"a"` counts them as half agreement. nan with fewer than two documents.
    """
    _check(over=over, variant=variant)
    return float(kendall(items_of(_pair(a, b), over), variant)[0])


def ap_correlation(a: Ranking, b: Ranking, over: str = "union", *, symmetric: bool = True) -> float:
    """τ_ap of two rankings: Kendall's τ in which disagreement near the top weighs more.

    If symmetric, it is the mean of both directions; otherwise a is compared with b as the truth. Ties are handled as in
    τ_ap,b. nan with fewer than two documents. (Yilmaz, Aslam and Robertson 2008; ties: Urbano and Marrero 2017)
    """
    _check(over=over)
    items = items_of(_pair(a, b), over)
    return float((_symmetric(items) if symmetric else ap_correlation_of(items))[0])


def rbo(a: Ranking, b: Ranking, p: float = 0.9, ties: str = "a") -> float:
    """Rank-biased overlap, extrapolated beyond the end of the rankings: 0 for disjoint rankings, 1 for equal ones.

    A reader continues to the next rank with probability p: at 0.9 the first 10 ranks carry 86 % of the weight. Rankings may
    differ in length. `ties="a"` averages over all orders of tied documents; `"b"` corrects for ties, so that a ranking
    always agrees fully with itself. An empty ranking agrees only with another empty ranking. (Webber, Moffat and Zobel
    2010; ties: Corsi and Urbano 2024)
    """
    _check(p=p)
    if ties not in ("a", "b"):
        raise BadParameter(f"ties must be a or b, not {ties!r}")
    return float(Overlap(_pair(a, b)).rbo(p, ties)[0])


def overlap_at_k(a: Ranking, b: Ranking, k: int = 10) -> float:
    """Share of the first k documents that both rankings have; if both are shorter, k is the length of the longer one.

    The value is the mean over all orders of ties. Two empty rankings agree fully.
    """
    _check(k=k)
    return float(Overlap(_pair(a, b)).at(k)[0])


def order_agreement(a: Mapping[str, float] | Sequence[float], b: Mapping[str, float] | Sequence[float]) -> OrderAgreement:
    """Whether two metrics, or two sets of queries, put systems in the same order: τ-b and τ_ap of their values.

    Pass two maps from system to value, or two lists with the systems in the same order; higher is better. Both must have the
    same systems.
    """
    figures = [_figures(each) for each in (a, b)]
    if figures[0].keys() != figures[1].keys():
        odd = sorted(figures[0].keys() ^ figures[1].keys())
        raise DataError(f"both orders must have the same systems, but only one of them has {', '.join(odd[:5])}")
    items = items_of(_pair(*figures), "union")
    return OrderAgreement(float(kendall(items, "b")[0]), float(_symmetric(items)[0]))


def gained_and_lost(a: Ranking, b: Ranking, relevant: Relevant, k: int = 10) -> Moved:
    """Which relevant documents are in the first k of b but not of a, and vice versa.

    `relevant` has ids, or id → grade; a grade above 0 is relevant. Ties are broken as in scoring: by descending id.
    """
    return moved_documents({"query": a}, {"query": b}, {"query": relevant}, k)["query"]


def moved_documents(a: Any, b: Any, relevant: Mapping[str, Relevant], k: int = 10) -> dict[str, Moved]:
    """The same for every query of `relevant` (such as `assay.Qrels`); a query missing from a run has an empty ranking."""
    run_a, run_b = (each if isinstance(each, Run) else Run(each) for each in (a, b))
    _check(k=k)
    moved = {}
    for query, judged in relevant.items():
        relevant_ids = _relevant_ids(judged)
        top_a, top_b = ([doc for doc in _first(run, query, k) if doc in relevant_ids] for run in (run_a, run_b))
        before, after = set(top_a), set(top_b)
        moved[text_id(query)] = Moved(
            tuple(doc for doc in top_b if doc not in before), tuple(doc for doc in top_a if doc not in after)
        )
    return moved


def _compared(pairs: PairedRankings, k: int, p: float, over: str) -> Floats:
    """Coefficient × query."""
    items, overlap = items_of(pairs, over), Overlap(pairs)
    return np.stack((kendall(items, "b"), _symmetric(items), overlap.rbo(p, "a"), overlap.at(k)))


def _symmetric(items: Items) -> Floats:
    """τ_ap in both directions, averaged."""
    return (ap_correlation_of(items) + ap_correlation_of(items.swapped())) / 2


def _pair(a: Ranking, b: Ranking) -> PairedRankings:
    return paired_rankings(Run({"query": a}), Run({"query": b}), ("query",))


def _first(run: Run, query: object, k: int) -> list[str]:
    try:
        place = run.numbers[key_id(query)]
    except KeyError:
        return []
    return run.in_order(place, BROKEN_TIES)[:k]


def _relevant_ids(judged: Relevant) -> set[str]:
    if isinstance(judged, str):
        raise DataError("relevant documents must be a list or set of ids, not a single string")
    if isinstance(judged, Mapping):
        return {text_id(doc) for doc, grade in judged.items() if grade > 0}
    return set(map(text_id, judged))


def _figures(figures: Mapping[str, float] | Sequence[float]) -> dict[str, float]:
    """System → value; systems without a name are numbered from 1."""
    named = figures if isinstance(figures, Mapping) else {str(place): figure for place, figure in enumerate(figures, 1)}
    for system, figure in named.items():
        if not math.isfinite(figure):
            raise DataError(f"the value of system {system} must be a finite number, not {figure}")
    if not named:
        raise DataError("there are no systems to order")
    return {text_id(system): float(figure) for system, figure in named.items()}


def _check(over: str = "union", variant: str = "b", k: int = 1, p: float = 0.5) -> None:
    if over not in OVER:
        raise BadParameter(f"over must be one of {', '.join(OVER)}, not {over!r}")
    if variant not in ("a", "b"):
        raise BadParameter(f"variant must be a or b, not {variant!r}")
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise BadParameter(f"k must be a whole number of at least 1, not {k!r}")
    if not 0 < p < 1:
        raise BadParameter(f"p must be a number between 0 and 1, not {p!r}")
