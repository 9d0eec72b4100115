"""Sets: everything that was retrieved, regardless of its order."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.arrays import ratio
from assay.errors import BadParameter
from assay.grammar import Param, cutoff, numbers, positive
from assay.metrics.definition import JUDGED_ONLY, REL, GradedRun, Metric, Scores


def _four_weights(text: str) -> tuple[float, ...]:
    weights = numbers(text)
    if len(weights) != 4:
        raise ValueError("four numbers (relevant retrieved, other retrieved, relevant missed, other missed)")
    return weights


UTILITY_WEIGHTS = Param(
    "weights",
    _four_weights,
    (1.0, -1.0, 0.0, 0.0),
    "value of each document in four groups: relevant retrieved, other retrieved, relevant missed, other missed",
    dot=True,
)
COLLECTION_SIZE = Param(
    "collection", cutoff, 0, "number of documents in the collection; required if the fourth weight is not 0", ("num_docs",)
)


def utility(run: GradedRun, weights: tuple[float, ...], collection: int, rel: float | None) -> Scores:
    """Weighted sum of four counts: relevant and other documents, retrieved and missed.

    It can be negative. As in trec_eval, the summary is the mean over queries, not the sum.
    """
    n_hits, total = run.relevant(rel).count, run.n_relevant(rel)
    other = run.n_retrieved - n_hits
    cells = (n_hits, other, total - n_hits, collection - total - other)
    return sum((weight * cell for weight, cell in zip(weights, cells, strict=True)), np.zeros(run.n_queries))


def check(params: Mapping[str, Any]) -> None:
    """The number of documents that were not retrieved follows only from the size of the collection."""
    if params["weights"][3] and not params["collection"]:
        raise BadParameter("utility: a fourth weight needs collection, the number of documents in the collection")


UTILITY = Metric(
    "utility",
    utility,
    params=(UTILITY_WEIGHTS, COLLECTION_SIZE, REL),
    check=check,
    range=(float("-inf"), float("inf")),
    formula="w₁ · relevant retrieved + w₂ · other retrieved + w₃ · relevant missed + w₄ · other missed",
    cite="Lewis 1995, The TREC-4 Filtering Track",
    trec=("utility", "utility_{weights}"),
)


def set_map(run: GradedRun, rel: float | None) -> Scores:
    """Set precision times set recall; the order of the documents has no effect.

    0 if nothing was retrieved or nothing is relevant.
    """
    n_hits = run.relevant(rel).count
    return ratio(n_hits**2, run.n_retrieved * run.n_relevant(rel))


SET_MAP = Metric(
    "set_map",
    set_map,
    params=(REL, JUDGED_ONLY),
    aliases=("set_ap", "setap"),
    formula="(relevant retrieved)² ÷ (retrieved · R)",
    cite="trec_eval 9, m_set_map.c",
    trec=("set_map",),
)


def set_precision(run: GradedRun, rel: float | None) -> Scores:
    """Share of all retrieved documents that are relevant; their order has no effect.

    0 if nothing was retrieved.
    """
    return ratio(run.relevant(rel).count, run.n_retrieved)


SET_PRECISION = Metric(
    "set_precision",
    set_precision,
    params=(REL, JUDGED_ONLY),
    aliases=("set_p", "setp"),
    formula="relevant retrieved ÷ retrieved",
    cite="van Rijsbergen 1979, Information Retrieval",
    trec=("set_P",),
)


def set_recall(run: GradedRun, rel: float | None) -> Scores:
    """Share of the relevant documents that were retrieved, at any rank.

    0 if nothing is relevant.
    """
    return ratio(run.relevant(rel).count, run.n_relevant(rel))


SET_RECALL = Metric(
    "set_recall",
    set_recall,
    params=(REL,),
    aliases=("set_r", "setr"),
    formula="relevant retrieved ÷ R",
    cite="van Rijsbergen 1979, Information Retrieval",
    trec=("set_recall",),
)


SET_F_BETA = Param("beta", positive, 1.0, "weight of recall, not squared", dot=True)


def set_f(run: GradedRun, rel: float | None, beta: float) -> Scores:
    """Weighted harmonic mean of set precision and set recall, with β as in trec_eval.

    β is not squared, so β = 4 gives the F2 of textbooks. The metric f squares β.
    """
    p, r = set_precision(run, rel), set_recall(run, rel)
    return ratio((beta + 1.0) * p * r, r + beta * p)


SET_F = Metric(
    "set_f",
    set_f,
    params=(REL, SET_F_BETA, JUDGED_ONLY),
    aliases=("setf",),
    formula="(β + 1) · precision · recall ÷ (recall + β · precision)",
    cite="van Rijsbergen 1979, Information Retrieval; trec_eval 9, m_set_F.c",
    trec=("set_F", "set_F_{beta}"),
)


def set_relative_precision(run: GradedRun, rel: float | None) -> Scores:
    """Number of relevant documents retrieved, as a share of the largest number possible.

    Equal to set precision if at most R documents were retrieved, and to set recall if at least R were.
    """
    return ratio(run.relevant(rel).count, np.minimum(run.n_retrieved, run.n_relevant(rel)))


SET_RELATIVE_PRECISION = Metric(
    "set_relative_precision",
    set_relative_precision,
    params=(REL, JUDGED_ONLY),
    aliases=("set_relative_p", "set_rel_p", "setrelp"),
    formula="relevant retrieved ÷ min(retrieved, R)",
    cite="trec_eval 9, m_set_rel_P.c",
    trec=("set_relative_P",),
)
