"""Rank-biased: a user who continues to the next document with a fixed probability."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.arrays import Floats, Ints, ratio
from assay.grammar import Param, flag, one_of, persistence
from assay.metrics.definition import CUTOFF, HALF_LIFE, REL, GradedRun, Metric, Scores, Worth
from assay.metrics.ties import ranks_of, tied_hits
from assay.views import Hits

COMPATIBILITY_P = Param("p", persistence, 0.95, "probability that the user continues to the next document", shown=True)
COMPATIBILITY_NORMALIZE = Param("normalize", flag, True, "divide by the overlap of the ideal ranking with itself")


def compatibility(run: GradedRun, p: float, normalize: bool) -> Scores:
    """Rank-biased overlap between the ranking and the closest ideal ranking.

    Among documents with the same grade, the ideal ranking keeps the order of the run; documents that were not retrieved
    come last.
    """
    ideal = run.ideal.where(run.ideal.grade > 0)
    hits = run.retrieved.where(run.retrieved.grade > 0)
    depth = np.maximum(run.n_retrieved, ideal.count)
    longest = int(depth.max(initial=0))
    weight = p ** np.arange(longest, dtype=float)
    shared = np.concatenate(([0.0], np.cumsum(weight / np.arange(1.0, longest + 1.0))))
    agreed = np.maximum(hits.rank, _ideal_rank(hits, ideal))
    overlap = hits.sum(shared[depth[hits.query]] - shared[agreed - 1])
    if normalize:
        return ratio(overlap, ideal.sum(shared[depth[ideal.query]] - shared[ideal.rank - 1]))
    total = np.concatenate(([0.0], np.cumsum(weight)))
    return ratio(overlap, total[depth])


def _ideal_rank(hits: Hits, ideal: Hits) -> Ints:
    """The rank of each hit in the ideal ranking: after all better grades, and in the order of the run within its grade."""
    order = np.lexsort((hits.rank, -hits.grade, hits.query))
    place = np.empty(len(order), dtype=np.int64)
    new = np.diff(hits.query[order], prepend=-1) != 0
    new |= np.diff(hits.grade[order], prepend=np.nan) != 0
    start = np.flatnonzero(new)
    length = np.diff(np.append(start, len(order)))
    place[order] = np.arange(len(order)) - np.repeat(start, length)
    return _n_better(hits, ideal) + place + 1


def _n_better(hits: Hits, ideal: Hits) -> Ints:
    """For each hit: how many judged documents of its query have a better grade."""
    levels: Floats = np.unique(ideal.grade)
    width = len(levels) + 1
    # ideal rows ascend in this key: query first, then grade from best to worst
    key = ideal.query * width + (len(levels) - np.searchsorted(levels, ideal.grade))
    keys = hits.query * width + (len(levels) - np.searchsorted(levels, hits.grade))
    return np.searchsorted(key, keys, side="left") - ideal.first[hits.query]


COMPATIBILITY = Metric(
    "compatibility",
    compatibility,
    params=(COMPATIBILITY_P, COMPATIBILITY_NORMALIZE),
    aliases=("compat",),
    formula="RBO(ranking, ideal) ÷ RBO(ideal, ideal),  RBO = Σ p^(i − 1) · overlap at depth i ÷ i",
    cite="Clarke, Vtyurina & Smucker 2021, Assessing Top-k Preferences, TOIS 39(3)",
)


RBP_P = Param("p", persistence, 0.8, "probability that the user continues to the next document", dot=True, shown=True)
RBP_GAIN = Param(
    "gain",
    one_of("binary", "scale", "query", "grade"),
    "binary",
    "binary: 1 if relevant; scale: grade ÷ highest grade; query: grade ÷ highest grade of the query (trec_eval 10); "
    "grade: the grade itself, so that scores can exceed 1 (ranx)",
)


def rbp(run: GradedRun, k: int | None, p: float, rel: float | None, gain: str) -> Scores:
    """Gain per inspected document, for a user who continues to the next document with probability p.

    Ranks beyond the end of the ranking have weight too, so scores are always below 1, except with gain=grade. trec_eval 10
    uses p=0.9 and gain=query.
    """
    hits, worth = run.retrieved, _rbp_worth(run, rel, gain)
    inside = (hits.rank <= (k or hits.rank.max(initial=0))) & (worth > 0)
    hits, worth = hits.where(inside), worth[inside]
    return (1.0 - p) * hits.sum(worth * p ** (hits.rank - 1.0))


def expected_rbp(run: GradedRun, k: int | None, p: float, rel: float | None, gain: str) -> Scores:
    """The mean over all orders of ties."""
    return (1.0 - p) * tied_hits(run).expected_sum(_rbp_worth(run, rel, gain), p ** (ranks_of(run) - 1.0), k)


def _rbp_worth(run: GradedRun, rel: float | None, gain: str) -> Floats:
    """The gain of each retrieved document."""
    return _worth_of_hits(run, run.retrieved, {"rel": rel, "gain": gain})


def _worth_of_hits(run: GradedRun, hits: Hits, params: Mapping[str, Any]) -> Floats:
    """The gain of each of these documents."""
    grade, rel, gain = hits.grade, params["rel"], params["gain"]
    if gain == "binary":
        return run.is_relevant(hits, rel).astype(float)
    if gain == "grade":
        return np.where(run.is_relevant(hits, rel), grade, 0.0)
    if gain == "scale":
        return ratio(np.clip(grade, 0.0, run.max_grade), run.max_grade)
    best = np.zeros(run.n_queries)
    np.maximum.at(best, run.ideal.query, run.ideal.grade)
    return ratio(np.maximum(grade, 0.0), best[hits.query])


def _highest_worth(run: GradedRun, params: Mapping[str, Any]) -> float:
    return run.max_grade if params["gain"] == "grade" else 1.0


RBP = Metric(
    "rbp",
    rbp,
    expected=expected_rbp,
    params=(CUTOFF, RBP_P, REL, RBP_GAIN, HALF_LIFE),
    worth=Worth(_worth_of_hits, {"gain": "grade", "rel": None}, top=_highest_worth),
    aliases=("rank_biased_precision",),
    formula="(1 − p) · Σ gain(i) · p^(i − 1)",
    cite="Moffat & Zobel 2008, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 27(1)",
    trec=("rbp", "rbp_p={p}"),
)


RBP_COMPLETE = Param(
    "complete",
    one_of("tail", "zero"),
    "tail",
    "residual if all retrieved documents are judged. tail: the weight beyond the end of the ranking; zero: 0 (trec_eval 10)",
)


def rbp_residual(run: GradedRun, p: float, complete: str) -> Scores:
    """How much rbp would rise if every unjudged document were relevant.

    Everything beyond the end of the ranking counts as unjudged, so an empty ranking has residual 1. trec_eval 10 reports 0
    instead if all retrieved documents are judged.
    """
    hits = run.judged
    residual = 1.0 - (1.0 - p) * hits.sum(np.power(p, hits.rank - 1.0))
    return residual if complete == "tail" else np.where(hits.count == run.n_retrieved, 0.0, residual)


def expected_rbp_residual(run: GradedRun, p: float, complete: str) -> Scores:
    """The mean over all orders of ties."""
    tied = tied_hits(run, run.retrieved.grade >= 0)
    weight = np.power(p, ranks_of(run) - 1.0)
    residual = 1.0 - (1.0 - p) * tied.expected_sum(np.ones(len(tied.hits.query)), weight, None)
    return residual if complete == "tail" else np.where(tied.hits.count == run.n_retrieved, 0.0, residual)


RBP_RESIDUAL = Metric(
    "rbp_residual",
    rbp_residual,
    expected=expected_rbp_residual,
    params=(RBP_P, RBP_COMPLETE),
    higher_is_better=False,
    formula="1 − (1 − p) · Σ over judged ranks i of p^(i − 1)",
    cite="Moffat & Zobel 2008, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 27(1)",
    trec=("rbp_resid", "rbp_resid_p={p}"),
)
