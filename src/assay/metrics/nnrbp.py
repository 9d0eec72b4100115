"""nnrbp: nrbp as a share of that of an ideal ranking."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._novelty import ALPHA, BETA, MOST_BY_GREED, expected_novel_gain, fading, ideal_hits, novel_gain
from assay.metrics._param import JUDGED_ONLY, REL
from assay.model import ratio


def nnrbp(run: GradedRun, alpha: float, beta: float, rel: float | None) -> Scores:
    """Nrbp as a share of that of an ideal ranking.

    The ideal takes what gains most at each rank; in rare cases a ranking is better: above 1. ndeval: nan for 0 ÷ 0.
    """
    by = run.by_subtopic(rel)
    weigh = fading(beta)
    found, ideal = (novel_gain(by, hits, alpha, weigh, None) for hits in (by.run.retrieved, ideal_hits(by, alpha, None)))
    return ratio(found, ideal)


def expected_nnrbp(run: GradedRun, alpha: float, beta: float, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    ideal = novel_gain(by, ideal_hits(by, alpha, None), alpha, fading(beta), None)
    return ratio(expected_novel_gain(by, alpha, fading(beta), None), ideal)


METRIC = Metric(
    "nnrbp",
    nnrbp,
    expected=expected_nnrbp,
    params=(ALPHA, BETA, REL, JUDGED_ONLY),
    is_monotone=False,
    range=(0.0, MOST_BY_GREED),
    view="subtopics",
    formula="nrbp ÷ nrbp of the ideal ranking",
    cite="Clarke, Craswell, Soboroff & Ashkan 2011, A Comparative Analysis of Cascade Measures for Novelty and Diversity, "
    "WSDM",
)
