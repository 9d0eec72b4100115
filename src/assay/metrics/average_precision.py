"""map: precision at each relevant document, averaged over all relevant documents."""

import numpy as np

from assay.grammar import Param, one_of
from assay.metrics._expected import groups_of, ranks_of, tied_relevant
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, JUDGED_ONLY, REL
from assay.model import ratio

NORM = Param("norm", one_of("relevant", "min"), "relevant", "divide by R, or by the smaller of k and R")


def average_precision(run: GradedRun, k: int | None, rel: float | None, norm: str) -> Scores:
    """Precision at each relevant document, averaged over all relevant documents.

    A relevant document that is not retrieved within k contributes 0.
    """
    hits = run.relevant(rel).top(k)
    total = run.n_relevant(rel)
    return ratio(hits.sum(hits.position / hits.rank), total if norm == "relevant" or k is None else total.clip(max=k))


def expected_average_precision(run: GradedRun, k: int | None, rel: float | None, norm: str) -> Scores:
    """The mean over all orders of ties. Within a group of n equals, r of them relevant and b documents above, the one at
    rank b + i is relevant with chance r ÷ n and then has (i − 1)(r − 1) ÷ (n − 1) relevant equals above it on average.
    """
    query, better, equal, n_hits, n_before = groups_of(tied_relevant(run, rel))
    inside = equal if k is None else np.clip(k - better, 0, equal)
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / ranks_of(run))))
    per_rank = harmonic[better + inside] - harmonic[better]
    equals_above = ratio(n_hits - 1, equal - 1) * (inside - (better + 1) * per_rank)
    found = n_hits / equal * ((n_before + 1) * per_rank + equals_above)
    total = run.n_relevant(rel)
    bottom = total if norm == "relevant" or k is None else total.clip(max=k)
    return ratio(np.bincount(query, weights=found, minlength=run.n_queries), bottom)


METRIC = Metric(
    "map",
    average_precision,
    expected=expected_average_precision,
    params=(CUTOFF, REL, NORM, JUDGED_ONLY),
    aliases=("ap", "average_precision", "mean_average_precision", "map_cut"),
    mistaken_for=("mrr", "precision"),
    formula="Σ over relevant ranks i ≤ k of P@i, ÷ R",
    cite="Harman 1992, Overview of the First TREC Conference",
    trec=("map", "map_cut_{k}"),
)
