"""nrbp: gain over all subtopics of a user who goes on with chance beta, less for each document that repeats one."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._novelty import ALPHA, BETA, expected_novel_gain, fading, novel_gain
from assay.metrics._param import JUDGED_ONLY, REL
from assay.model import ratio


def nrbp(run: GradedRun, alpha: float, beta: float, rel: float | None) -> Scores:
    """Gain over all subtopics of a user who goes on with chance beta, less for each document that repeats one.

    All ranks count. 1 only if every document of an endless ranking were relevant to every subtopic.
    """
    by = run.by_subtopic(rel)
    scale = 1.0 - (1.0 - alpha) * beta
    return ratio(scale * novel_gain(by, by.run.retrieved, alpha, fading(beta), None), by.n_subtopics)


def expected_nrbp(run: GradedRun, alpha: float, beta: float, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    scale = 1.0 - (1.0 - alpha) * beta
    return ratio(scale * expected_novel_gain(by, alpha, fading(beta), None), by.n_subtopics)


METRIC = Metric(
    "nrbp",
    nrbp,
    expected=expected_nrbp,
    params=(ALPHA, BETA, REL, JUDGED_ONLY),
    is_monotone=False,
    view="subtopics",
    formula="(1 − (1 − alpha) · beta) ÷ subtopics · Σ over ranks i and subtopics of document i of (1 − alpha)^seen · "
    "beta^(i − 1)",
    cite="Clarke, Kolla & Vechtomova 2009, An Effectiveness Measure for Ambiguous and Underspecified Queries, ICTIR",
)
