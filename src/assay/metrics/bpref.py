"""bpref: how rarely a judged non-relevant document stands above a relevant one; unjudged documents do not matter."""

import numpy as np

from assay.metrics._expected import tied_hits
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model import Floats, Hits, Ints, ratio, tie_groups


def bpref(run: GradedRun, rel: float | None) -> Scores:
    """How rarely a judged non-relevant document stands above a relevant one; unjudged documents do not matter.

    Only the first R non-relevant documents count. With none judged non-relevant every retrieved relevant one scores 1.
    Negative grades count as unjudged.
    """
    judged = run.judged
    relevant = run.is_relevant(judged, rel)
    above = (judged.position - judged.running_sum(relevant.astype(float)))[relevant]
    hits = judged.where(relevant)
    return _share_preferred(run, rel, hits, np.minimum(above, run.n_relevant(rel)[hits.query]))


def expected_bpref(run: GradedRun, rel: float | None) -> Scores:
    """The mean over all orders of ties: each number of the group's non-relevant documents is as likely as any to stand
    above a relevant one of the group.
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
    """The score, given the non-relevant documents above each relevant one, of which only R count."""
    total = run.n_relevant(rel)
    n_other = run.ideal.where(run.ideal.grade >= 0).count - total
    most = np.minimum(n_other, total)
    return ratio(hits.sum(1.0 - ratio(above, most[hits.query])), total)


METRIC = Metric(
    "bpref",
    bpref,
    expected=expected_bpref,
    params=(REL,),
    aliases=("binary_preference",),
    formula="1/R · Σ over retrieved relevant r of (1 − min(N above r, R) ÷ min(N, R)),  N = judged non-relevant",
    cite="Buckley & Voorhees 2004, Retrieval Evaluation with Incomplete Information, SIGIR",
    trec=("bpref",),
)
