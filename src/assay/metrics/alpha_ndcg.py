"""alpha_ndcg: discounted gain over all subtopics, less for repeating one, as a share of that of an ideal ranking."""

from assay.metrics._gains import discounts
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._novelty import ALPHA, MOST_BY_GREED, expected_novel_gain, ideal_hits, novel_gain
from assay.metrics._param import CUTOFF, JUDGED_ONLY, REL
from assay.model import ratio


def alpha_ndcg(run: GradedRun, k: int | None, alpha: float, rel: float | None) -> Scores:
    """Discounted gain over all subtopics, less for repeating one, as a share of that of an ideal ranking.

    The ideal takes what gains most at each rank, as in ndeval; in rare cases a ranking is better than that: above 1.
    """
    by = run.by_subtopic(rel)
    found, ideal = (novel_gain(by, hits, alpha, discounts, k) for hits in (by.run.retrieved, ideal_hits(by, alpha, k)))
    return ratio(found, ideal)


def expected_alpha_ndcg(run: GradedRun, k: int | None, alpha: float, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    ideal = novel_gain(by, ideal_hits(by, alpha, k), alpha, discounts, k)
    return ratio(expected_novel_gain(by, alpha, discounts, k), ideal)


METRIC = Metric(
    "alpha_ndcg",
    alpha_ndcg,
    expected=expected_alpha_ndcg,
    params=(CUTOFF, ALPHA, REL, JUDGED_ONLY),
    aliases=("α_ndcg", "a_ndcg"),
    is_monotone=False,
    range=(0.0, MOST_BY_GREED),
    view="subtopics",
    formula="Σ over ranks i ≤ k and subtopics of document i of (1 − alpha)^seen ÷ log₂(i + 1), ÷ that of the ideal ranking",
    cite="Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon 2008, Novelty and Diversity in Information "
    "Retrieval Evaluation, SIGIR",
)
