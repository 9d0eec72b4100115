"""alpha_dcg: discounted gain of the first k over all subtopics, less for each document that repeats one."""

from assay.metrics._gains import discounts
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._novelty import ALPHA, expected_novel_gain, most_gain, novel_gain
from assay.metrics._param import CUTOFF_NEEDED, JUDGED_ONLY, REL
from assay.model import ratio


def alpha_dcg(run: GradedRun, k: int, alpha: float, rel: float | None) -> Scores:
    """Discounted gain of the first k over all subtopics, less for each document that repeats one.

    1 only if each of the first k documents is relevant to every subtopic.

    It is ndeval's, which at k = 1 forgets to divide by the number of subtopics.
    """
    by = run.by_subtopic(rel)
    most = by.n_subtopics * most_gain(alpha, discounts, k)
    return ratio(novel_gain(by, by.run.retrieved, alpha, discounts, k), most)


def expected_alpha_dcg(run: GradedRun, k: int, alpha: float, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    return ratio(expected_novel_gain(by, alpha, discounts, k), by.n_subtopics * most_gain(alpha, discounts, k))


METRIC = Metric(
    "alpha_dcg",
    alpha_dcg,
    expected=expected_alpha_dcg,
    params=(CUTOFF_NEEDED, ALPHA, REL, JUDGED_ONLY),
    aliases=("α_dcg", "a_dcg"),
    is_monotone=False,
    view="subtopics",
    formula="Σ over ranks i ≤ k and subtopics of document i of (1 − alpha)^seen ÷ log₂(i + 1), ÷ its value if every "
    "document were about every subtopic",
    cite="Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher & MacKinnon 2008, Novelty and Diversity in Information "
    "Retrieval Evaluation, SIGIR",
)
