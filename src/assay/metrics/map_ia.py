"""map_ia: average precision for each subtopic, averaged over the subtopics of a query."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import JUDGED_ONLY, REL
from assay.metrics.average_precision import average_precision, expected_average_precision


def map_ia(run: GradedRun, rel: float | None) -> Scores:
    """Average precision for each subtopic, averaged over the subtopics of a query.

    Every subtopic weighs the same, however many documents are relevant to it; one with none does not count.
    """
    by = run.by_subtopic(rel)
    return by.mean(average_precision(by.run, None, None, "relevant"))


def expected_map_ia(run: GradedRun, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    return by.mean(expected_average_precision(by.run, None, None, "relevant"))


METRIC = Metric(
    "map_ia",
    map_ia,
    expected=expected_map_ia,
    params=(REL, JUDGED_ONLY),
    aliases=("ap_ia",),
    is_monotone=False,
    mistaken_for=("map",),
    view="subtopics",
    formula="mean over subtopics of the average precision of the documents that are relevant to it",
    cite="Agrawal, Gollapudi, Halverson & Ieong 2009, Diversifying Search Results, WSDM",
)
