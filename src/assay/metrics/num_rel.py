"""num_rel: how many relevant documents there are, retrieved or not."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model import SUM


def num_rel(run: GradedRun, rel: float | None) -> Scores:
    """How many relevant documents there are, retrieved or not.

    Depends on the judgments alone. Summed over queries.
    """
    return run.n_relevant(rel).astype(float)


METRIC = Metric(
    "num_rel",
    num_rel,
    params=(REL,),
    aliases=("numrel",),
    range=(0.0, float("inf")),
    aggregation=SUM,
    formula="R",
    cite="trec_eval 9, m_num_rel.c",
    trec=("num_rel",),
)
