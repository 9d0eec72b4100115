"""Preference: how often relevant documents rank above documents judged not relevant."""

import numpy as np

from assay.arrays import Floats, Ints, ratio
from assay.metrics.definition import CUTOFF, REL, GradedRun, Metric, Scores
from assay.metrics.ties import tied_hits
from assay.model import GEOMETRIC_MEAN
from assay.views import Hits, tie_groups


def bpref(run: GradedRun, rel: float | None) -> Scores:
    """How rarely documents judged not relevant rank above relevant ones; unjudged documents are ignored.

    Only the first R non-relevant documents count. If no document is judged not relevant, each retrieved relevant document
    contributes 1. Negative grades count as unjudged.
    """
    judged = run.judged
    relevant = run.is_relevant(judged, rel)
    above = (judged.position - judged.running_sum(relevant.astype(float)))[relevant]
    hits = judged.where(relevant)
    return _share_preferred(run, rel, hits, np.minimum(above, run.n_relevant(rel)[hits.query]))


def expected_bpref(run: GradedRun, rel: float | None) -> Scores:
    """The mean over all orders of ties.

    The number of non-relevant documents of a group that are above a relevant one is 0, 1, … with equal probability.
    """
    judged, ties = tied_hits(run, run.retrieved.grade >= 0)
    relevant = run.is_relevant(judged, rel)
    start, group = tie_groups(judged.query, ties.better)
    before = (judged.position - 1 - judged.running_sum(relevant.astype(float)) + relevant)[start]
    n_others = np.bincount(group, weights=~relevant, minlength=len(start))
    most = run.n_relevant(rel)[judged.query[start]]
    above = (_up_to(before + n_others, most) - _up_to(before - 1, most)) / (n_others + 1)
    return _share_preferred(run, rel, judged.where(relevant), above[group][relevant])


def _up_to(x: Floats, most: Ints) -> Floats:
    """Σ of min(y, most) over y = 0 … x."""
    low = np.minimum(x, most)
    return low * (low + 1) / 2 + (x - low) * most


def _share_preferred(run: GradedRun, rel: float | None, hits: Hits, above: Floats) -> Floats:
    """The score, given the number of non-relevant documents above each relevant one, at most R."""
    total = run.n_relevant(rel)
    n_other = run.ideal.where(run.ideal.grade >= 0).count - total
    most = np.minimum(n_other, total)
    return ratio(hits.sum(1.0 - ratio(above, most[hits.query])), total)


BPREF = Metric(
    "bpref",
    bpref,
    expected=expected_bpref,
    params=(REL,),
    aliases=("binary_preference",),
    formula="1/R · Σ over retrieved relevant r of (1 − min(N above r, R) ÷ min(N, R)),  N = judged non-relevant",
    cite="Buckley & Voorhees 2004, Retrieval Evaluation with Incomplete Information, SIGIR",
    trec=("bpref",),
)


def accuracy(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """Probability that a retrieved relevant document ranks above a retrieved non-relevant one.

    Only retrieved documents count. 1 if all of them are relevant, 0 if none is.
    """
    hits = run.relevant(rel).top(k)
    retrieved = run.n_retrieved if k is None else run.n_retrieved.clip(max=k)
    others = retrieved - hits.count
    wrong = ratio(hits.sum((hits.rank - hits.position).astype(float)), others * hits.count)
    return np.where(hits.count > 0, 1.0 - wrong, 0.0)


ACCURACY = Metric(
    "accuracy",
    accuracy,
    is_monotone=False,
    ignores_the_rest=True,
    params=(CUTOFF, REL),
    mistaken_for=("hit", "precision"),
    formula="1 − (pairs with the non-relevant document first) ÷ (relevant · non-relevant), all within top k",
    cite="MacAvaney, Macdonald & Ounis 2022, Streamlining Evaluation with ir-measures, ECIR",
)


def geometric_bpref(run: GradedRun, rel: float | None) -> Scores:
    """Geometric mean of bpref, in which hard queries weigh more.

    The score of a query is its bpref. The geometric mean raises scores below 0.00001 to 0.00001.
    """
    return bpref(run, rel)


def expected_geometric_bpref(run: GradedRun, rel: float | None) -> Scores:
    """The mean of each query over all orders of ties."""
    return expected_bpref(run, rel)


GEOMETRIC_BPREF = Metric(
    "gm_bpref",
    geometric_bpref,
    expected=expected_geometric_bpref,
    params=(REL,),
    aliases=("geometric_bpref",),
    aggregation=GEOMETRIC_MEAN,
    formula="exp(mean of ln max(bpref, 10⁻⁵))",
    cite="Buckley & Voorhees 2004, Retrieval Evaluation with Incomplete Information, SIGIR; Robertson 2006, On GMAP, CIKM",
    trec=("gm_bpref",),
)
