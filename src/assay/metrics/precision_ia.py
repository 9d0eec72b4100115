"""precision_ia: precision of the first k for each subtopic, averaged over the subtopics of a query."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF_NEEDED, JUDGED_ONLY, REL
from assay.metrics.precision import expected_precision, precision


def precision_ia(run: GradedRun, k: int, rel: float | None) -> Scores:
    """Precision of the first k for each subtopic, averaged over the subtopics of a query.

    1 only if each of the first k documents is relevant to every subtopic; a ranking shorter than k is divided by k.
    """
    by = run.by_subtopic(rel)
    return by.mean(precision(by.run, k, None, "k"))


def expected_precision_ia(run: GradedRun, k: int, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    return by.mean(expected_precision(by.run, k, None, "k"))


METRIC = Metric(
    "precision_ia",
    precision_ia,
    expected=expected_precision_ia,
    params=(CUTOFF_NEEDED, REL, JUDGED_ONLY),
    aliases=("p_ia",),
    is_monotone=False,
    mistaken_for=("precision",),
    view="subtopics",
    formula="mean over subtopics of (documents of the first k that are relevant to it ÷ k)",
    cite="Agrawal, Gollapudi, Halverson & Ieong 2009, Diversifying Search Results, WSDM",
)
