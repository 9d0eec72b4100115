"""set_precision: share of everything retrieved that is relevant; order does not matter."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model import ratio


def set_precision(run: GradedRun, rel: float | None) -> Scores:
    """Share of everything retrieved that is relevant; order does not matter.

    0 when nothing is retrieved.
    """
    return ratio(run.relevant(rel).count, run.n_retrieved)


METRIC = Metric(
    "set_precision",
    set_precision,
    params=(REL,),
    aliases=("set_p", "setp"),
    formula="relevant retrieved ÷ retrieved",
    cite="van Rijsbergen 1979, Information Retrieval",
    trec=("set_P",),
)
