"""num_q: how many queries were scored."""

import numpy as np

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.model import SUM


def num_q(run: GradedRun) -> Scores:
    """How many queries were scored.

    1 per query that counts, whether or not anything was retrieved for it.
    """
    return np.ones(run.n_queries)


METRIC = Metric(
    "num_q",
    num_q,
    aliases=("numq",),
    range=(0.0, float("inf")),
    aggregation=SUM,
    formula="number of queries",
    cite="trec_eval 9, m_num_q.c",
    trec=("num_q",),
)
