"""bing: each relevant document, discounted by the number of non-relevant ones above it."""

import numpy as np

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model.graded import ratio


def binary_gain(run: GradedRun, rel: float | None) -> Scores:
    """A relevant document that is not retrieved contributes 0."""
    hits = run.relevant(rel)
    return ratio(hits.sum(1.0 / np.log2(2.0 + hits.rank - hits.position)), run.n_relevant(rel))


METRIC = Metric(
    "bing",
    binary_gain,
    params=(REL,),
    aliases=("binary_gain",),
    formula="1/R · Σ over relevant ranks of 1 ÷ log₂(2 + non-relevant above)",
    cite="Buckley 2008, trec_eval 9, m_binG.c (experimental)",
    trec=("binG",),
)
