"""rprec_mult: precision at a multiple of R, the number of relevant documents of the query."""

import numpy as np

from assay.grammar import REQUIRED, Param, positive
from assay.metrics._expected import tied_relevant
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model import Ints, ratio

MULTIPLE = Param("multiple", positive, REQUIRED, "how many times R documents are looked at", at=True)


def r_precision_multiple(run: GradedRun, multiple: float, rel: float | None) -> Scores:
    """Precision at a multiple of R, the number of relevant documents of the query.

    The cutoff is multiple · R + 0.9 rounded down, as in trec_eval. A ranking that is shorter is still divided by it.
    """
    cutoff = _cutoff(run, multiple, rel)
    return ratio(run.relevant(rel).top(cutoff).count, cutoff)


def expected_r_precision_multiple(run: GradedRun, multiple: float, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    cutoff = _cutoff(run, multiple, rel)
    return ratio(tied_relevant(run, rel).expected_count(cutoff), cutoff)


def _cutoff(run: GradedRun, multiple: float, rel: float | None) -> Ints:
    return np.floor(multiple * run.n_relevant(rel) + 0.9).astype(np.int64)


METRIC = Metric(
    "rprec_mult",
    r_precision_multiple,
    expected=expected_r_precision_multiple,
    params=(MULTIPLE, REL),
    aliases=("r_precision_multiple",),
    formula="relevant in top c ÷ c,  c = ⌊multiple · R + 0.9⌋",
    cite="Buckley & Voorhees 2005, TREC: Experiment and Evaluation in Information Retrieval, ch. 3",
    trec=("Rprec_mult_{multiple:.2f}",),
)
