"""set_recall: share of the relevant documents that were retrieved; order does not matter."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model import ratio


def set_recall(run: GradedRun, rel: float | None) -> Scores:
    """Share of the relevant documents that were retrieved; order does not matter.

    0 when there is nothing relevant.
    """
    return ratio(run.relevant(rel).count, run.n_relevant(rel))


METRIC = Metric(
    "set_recall",
    set_recall,
    params=(REL,),
    aliases=("set_r", "setr"),
    formula="relevant retrieved ÷ R",
    cite="van Rijsbergen 1979, Information Retrieval",
    trec=("set_recall",),
)
