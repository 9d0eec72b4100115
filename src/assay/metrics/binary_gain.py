"""bing: each relevant document, discounted by the number of non-relevant ones above it."""

import numpy as np

from assay.metrics._expected import groups_of, ranks_of, tied_relevant
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model import ratio


def binary_gain(run: GradedRun, rel: float | None) -> Scores:
    """Each relevant document, discounted by the number of non-relevant ones above it.

    A relevant document that is not retrieved contributes 0.
    """
    hits = run.relevant(rel)
    return ratio(hits.sum(1.0 / np.log2(2.0 + hits.rank - hits.position)), run.n_relevant(rel))


def expected_binary_gain(run: GradedRun, rel: float | None) -> Scores:
    """The mean over all orders of ties: each number of the group's others is as likely as any to stand above a relevant
    document of the group.
    """
    query, better, equal, n_hits, n_before = groups_of(tied_relevant(run, rel))
    n_others, others_above = equal - n_hits, better - n_before
    total = np.concatenate(([0.0], np.cumsum(1.0 / np.log2(1.0 + ranks_of(run)))))
    mean = (total[others_above + n_others + 1] - total[others_above]) / (n_others + 1)
    return ratio(np.bincount(query, weights=n_hits * mean, minlength=run.n_queries), run.n_relevant(rel))


METRIC = Metric(
    "bing",
    binary_gain,
    expected=expected_binary_gain,
    params=(REL,),
    aliases=("binary_gain",),
    formula="1/R · Σ over relevant ranks of 1 ÷ log₂(2 + non-relevant above)",
    cite="Buckley 2008, trec_eval 9, m_binG.c (experimental)",
    trec=("binG",),
)
