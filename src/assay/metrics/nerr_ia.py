"""nerr_ia: err_ia as a share of that of an ideal ranking."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._novelty import ALPHA, MOST_BY_GREED, expected_novel_gain, ideal_hits, novel_gain
from assay.metrics._param import CUTOFF, JUDGED_ONLY, REL
from assay.metrics._stopping import reciprocals
from assay.model import ratio


def nerr_ia(run: GradedRun, k: int | None, alpha: float, rel: float | None) -> Scores:
    """Err_ia as a share of that of an ideal ranking.

    The ideal takes what gains most at each rank, as in ndeval; in rare cases a ranking is better than that: above 1.
    """
    by = run.by_subtopic(rel)
    found, ideal = (novel_gain(by, hits, alpha, reciprocals, k) for hits in (by.run.retrieved, ideal_hits(by, alpha, k)))
    return ratio(found, ideal)


def expected_nerr_ia(run: GradedRun, k: int | None, alpha: float, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    ideal = novel_gain(by, ideal_hits(by, alpha, k), alpha, reciprocals, k)
    return ratio(expected_novel_gain(by, alpha, reciprocals, k), ideal)


METRIC = Metric(
    "nerr_ia",
    nerr_ia,
    expected=expected_nerr_ia,
    params=(CUTOFF, ALPHA, REL, JUDGED_ONLY),
    is_monotone=False,
    range=(0.0, MOST_BY_GREED),
    view="subtopics",
    formula="err_ia ÷ err_ia of the ideal ranking",
    cite="Clarke, Craswell, Soboroff & Ashkan 2011, A Comparative Analysis of Cascade Measures for Novelty and Diversity, "
    "WSDM",
)
