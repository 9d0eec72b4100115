"""runid: the tag the run was submitted under."""

from assay.metrics._metric import GradedRun, Metric
from assay.model import TEXT


def runid(run: GradedRun) -> list[str]:
    """The tag the run was submitted under.

    The last column of a TREC run; empty where the run has none.
    """
    return [run.tag] * run.n_queries


METRIC = Metric(
    "runid",
    runid,
    range=(float("nan"), float("nan")),
    aggregation=TEXT,
    formula="text",
    cite="trec_eval 9, m_runid.c",
    trec=("runid",),
)
