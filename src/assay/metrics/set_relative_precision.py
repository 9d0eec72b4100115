"""set_relative_precision: relevant documents retrieved, as a share of the most that could have been."""

import numpy as np

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model import ratio


def set_relative_precision(run: GradedRun, rel: float | None) -> Scores:
    """Relevant documents retrieved, as a share of the most that could have been.

    Set precision while fewer than R are retrieved, set recall beyond.
    """
    return ratio(run.relevant(rel).count, np.minimum(run.n_retrieved, run.n_relevant(rel)))


METRIC = Metric(
    "set_relative_precision",
    set_relative_precision,
    params=(REL,),
    aliases=("set_relative_p", "set_rel_p", "setrelp"),
    formula="relevant retrieved ÷ min(retrieved, R)",
    cite="trec_eval 9, m_set_rel_P.c",
    trec=("set_relative_P",),
)
