"""Average precision: the mean of precision at relevant documents or at recall points."""

from __future__ import annotations

import numpy as np

from assay.arrays import Floats, Ints, best_to_come, ratio
from assay.grammar import REQUIRED, Param, fraction, fractions, one_of
from assay.metrics.definition import CUTOFF, JUDGED_ONLY, REL, GradedRun, Metric, Scores
from assay.metrics.ties import groups_of, ranks_of, tied_relevant
from assay.model import GEOMETRIC_MEAN

AP_NORM = Param(
    "norm",
    one_of("relevant", "min", "found"),
    "relevant",
    "the divisor. relevant: R; min: the smaller of k and R; found: the relevant documents within k, so that documents that "
    "were not found cost nothing",
)


def average_precision(run: GradedRun, k: int | None, rel: float | None, norm: str) -> Scores:
    """Mean of the precision at the rank of each relevant document.

    The mean is over all relevant documents of the query. One that is not among the first k contributes 0.
    """
    hits = run.relevant(rel).top(k)
    return ratio(hits.sum(hits.position / hits.rank), hits.count if norm == "found" else _divisor(run, k, rel, norm))


def _divisor(run: GradedRun, k: int | None, rel: float | None, norm: str) -> Ints:
    total = run.n_relevant(rel)
    return total if norm == "relevant" or k is None else total.clip(max=k)


def expected_average_precision(run: GradedRun, k: int | None, rel: float | None, norm: str) -> Scores | None:
    """The mean over all orders of ties; None if the divisor depends on the order.

    Take a group of n tied documents, r of them relevant, with b documents above the group. The document at rank b + i is
    relevant with probability r ÷ n, and then (i − 1)(r − 1) ÷ (n − 1) relevant documents of the group are above it on
    average.
    """
    if norm == "found" and k is not None:
        return None
    query, better, equal, n_hits, n_before = groups_of(tied_relevant(run, rel))
    inside = equal if k is None else np.clip(k - better, 0, equal)
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / ranks_of(run))))
    per_rank = harmonic[better + inside] - harmonic[better]
    equals_above = ratio(n_hits - 1, equal - 1) * (inside - (better + 1) * per_rank)
    precisions = n_hits / equal * ((n_before + 1) * per_rank + equals_above)
    bottom = run.relevant(rel).count if norm == "found" else _divisor(run, k, rel, norm)
    return ratio(np.bincount(query, weights=precisions, minlength=run.n_queries), bottom)


AVERAGE_PRECISION = Metric(
    "map",
    average_precision,
    expected=expected_average_precision,
    params=(CUTOFF, REL, AP_NORM, JUDGED_ONLY),
    aliases=("ap", "average_precision", "mean_average_precision", "map_cut", "average_precision_score"),
    mistaken_for=("mrr", "precision"),
    formula="Σ over relevant ranks i ≤ k of P@i, ÷ R",
    cite="Harman 1992, Overview of the First TREC Conference",
    trec=("map", "map_cut_{k}"),
)


def label_ranking_average_precision(run: GradedRun, rel: float | None) -> Scores:
    """Average precision in which tied documents share the last rank of their group, so that the order of ties has no effect.

    A relevant document that was not retrieved contributes 0.
    """
    query, better, equal, n_hits, n_before = groups_of(tied_relevant(run, rel))
    precisions = n_hits * (n_before + n_hits) / (better + equal)
    return ratio(np.bincount(query, weights=precisions, minlength=run.n_queries), run.n_relevant(rel))


LABEL_RANKING_AVERAGE_PRECISION = Metric(
    "lrap",
    label_ranking_average_precision,
    expected=label_ranking_average_precision,
    params=(REL,),
    aliases=("label_ranking_average_precision", "label_ranking_average_precision_score"),
    mistaken_for=("map",),
    formula="1/R · Σ over relevant documents d of (relevant documents with at least the score of d) ÷ (all such documents)",
    cite="Tsoumakas, Katakis & Vlahavas 2010, Mining Multi-label Data",
)


RECALL_ROUNDING = Param(
    "rounding",
    one_of("up", "nearest"),
    "up",
    "relevant documents needed for recall x. up: ⌊x · R + 0.9⌋ (trec_eval 9); nearest: ⌊x · R + 0.5⌋ (trec_eval 10)",
)
_ADDED = {"up": 0.9, "nearest": 0.5}


def interpolated_precisions(run: GradedRun, points: tuple[float, ...], rel: float | None, rounding: str) -> Floats:
    """Queries × recall points; 0 if fewer relevant documents were retrieved than a point needs."""
    hits = run.relevant(rel)
    needed = np.floor(np.multiply.outer(run.n_relevant(rel), points) + _ADDED[rounding]).astype(np.int64)
    best = best_to_come(hits.position / hits.rank, hits.query, hits.n_queries)
    place = hits.first[:, None] + np.maximum(needed, 1) - 1
    is_reached = np.maximum(needed, 1) <= hits.count[:, None]
    result = np.zeros(needed.shape)
    result[is_reached] = best[place[is_reached]]
    return result


ELEVEN = tuple(point / 10 for point in range(11))
RECALL_POINTS = Param("points", fractions, ELEVEN, "the recall points", dot=True)


def eleven_point_average(run: GradedRun, points: tuple[float, ...], rel: float | None, rounding: str) -> Scores:
    """Mean of the interpolated precision at eleven recall points.

    A recall point that the ranking never reaches contributes 0.
    """
    return interpolated_precisions(run, points, rel, rounding).mean(axis=1)


ELEVEN_POINT_AVERAGE = Metric(
    "11pt_avg",
    eleven_point_average,
    params=(RECALL_POINTS, REL, RECALL_ROUNDING),
    aliases=("11pt", "eleven_point_average", "11-pt_avg"),
    formula="mean of iprec@0, iprec@0.1, …, iprec@1",
    cite="Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, §8.4",
    trec=("11pt_avg", "11pt_avg_{points}"),
)


def geometric_map(run: GradedRun, rel: float | None) -> Scores:
    """Geometric mean of the average precision, in which hard queries weigh more.

    The score of a query is its average precision. The geometric mean raises scores below 0.00001 to 0.00001.
    """
    return average_precision(run, None, rel, "relevant")


def expected_geometric_map(run: GradedRun, rel: float | None) -> Scores | None:
    """The mean of each query over all orders of ties."""
    return expected_average_precision(run, None, rel, "relevant")


GEOMETRIC_MAP = Metric(
    "gm_map",
    geometric_map,
    expected=expected_geometric_map,
    params=(REL,),
    aliases=("gmap", "geometric_map"),
    aggregation=GEOMETRIC_MEAN,
    formula="exp(mean of ln max(AP, 10⁻⁵))",
    cite="Robertson 2006, On GMAP: and Other Transformations, CIKM",
    trec=("gm_map",),
)


INFERRED_AP_EPSILON = 1e-5


def inferred_ap(run: GradedRun, rel: float | None) -> Scores:
    """Average precision, estimated from a pool in which only a sample of the documents is judged.

    A negative grade marks a document that is in the pool but not judged. A document without a grade is outside the pool.
    """
    pooled = run.retrieved
    is_judged = pooled.grade >= 0
    relevant = run.is_relevant(pooled, rel)
    hits = pooled.where(relevant)
    above = hits.rank - 1.0
    pooled_above = pooled.position[relevant] - 1.0
    judged_above = pooled.running_sum(is_judged.astype(float))[relevant] - 1.0
    relevant_above = hits.position - 1.0
    share_pooled = ratio(pooled_above, above)
    share_relevant = (relevant_above + INFERRED_AP_EPSILON) / (judged_above + 2 * INFERRED_AP_EPSILON)
    expected = 1.0 / hits.rank + above / hits.rank * share_pooled * share_relevant
    return ratio(hits.sum(np.where(hits.rank == 1, 1.0, expected)), run.n_relevant(rel))


INFERRED_AP = Metric(
    "infap",
    inferred_ap,
    is_monotone=False,
    ignores_the_rest=True,
    params=(REL,),
    aliases=("inf_ap", "inferred_ap"),
    formula="1/R · Σ over relevant ranks i of (1/i + (i−1)/i · pooled share · (relevant + ε) ÷ (judged + 2ε)), "
    "counted above rank i;  ε = 10⁻⁵",
    cite="Yilmaz & Aslam 2006, Estimating Average Precision with Incomplete and Imperfect Judgments, CIKM",
    trec=("infAP",),
)


RECALL_LEVEL = Param("recall", fraction, REQUIRED, "the recall point, from 0 to 1", at=True)


def interpolated_precision(run: GradedRun, recall: float, rel: float | None, rounding: str) -> Scores:
    """Highest precision at the given recall or above.

    Recall x is reached at the ⌊x · R + 0.9⌋-th relevant document, as in trec_eval 9. 0 if the ranking never reaches it.
    """
    return interpolated_precisions(run, (recall,), rel, rounding)[:, 0]


INTERPOLATED_PRECISION = Metric(
    "iprec",
    interpolated_precision,
    params=(RECALL_LEVEL, REL, RECALL_ROUNDING, JUDGED_ONLY),
    aliases=("iprec_at_recall", "interpolated_precision", "interpolated_precision_at_recall"),
    formula="max of P@i over ranks i at which recall is x or more",
    cite="Manning, Raghavan & Schütze 2008, Introduction to Information Retrieval, §8.4",
    trec=("iprec_at_recall_{recall:.2f}",),
)


YAAP_EMPTY = Param(
    "empty",
    one_of("zero", "odds"),
    "zero",
    "score of an empty ranking. zero: 0 (trec_eval 9); odds: the value of the formula (trec_eval 10)",
)


def yaap(run: GradedRun, rel: float | None, empty: str) -> Scores:
    """Average precision on a log-odds scale, which spreads out values near 0 and 1.

    It can be negative. An empty ranking scores 0, as in trec_eval 9 with -c.
    """
    hits = run.relevant(rel)
    total = hits.sum(hits.position / hits.rank)
    odds = np.log((1.0 + total) / (1.0 + run.n_relevant(rel) - total))
    return odds if empty == "odds" else np.where(run.n_retrieved > 0, odds, 0.0)


YAAP = Metric(
    "yaap",
    yaap,
    params=(REL, YAAP_EMPTY),
    range=(float("-inf"), float("inf")),
    formula="ln((1 + s) ÷ (1 + R − s)),  s = Σ over relevant ranks i of P@i",
    cite="Robertson 2012, On Smoothing Average Precision, ECIR",
    trec=("yaap",),
)
