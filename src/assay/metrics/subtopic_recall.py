"""subtopic_recall: share of the subtopics that any of the first k documents is relevant to."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, JUDGED_ONLY, REL
from assay.metrics.hit import expected_hit, hit


def subtopic_recall(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """Share of the subtopics that any of the first k documents is relevant to.

    A subtopic that no judged document is relevant to does not count; 0 where that leaves none.
    """
    by = run.by_subtopic(rel)
    return by.mean(hit(by.run, k, None))


def expected_subtopic_recall(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    by = run.by_subtopic(rel)
    return by.mean(expected_hit(by.run, k, None))


METRIC = Metric(
    "subtopic_recall",
    subtopic_recall,
    expected=expected_subtopic_recall,
    params=(CUTOFF, REL, JUDGED_ONLY),
    aliases=("st_recall", "strecall", "s_recall", "strec"),
    is_monotone=False,
    mistaken_for=("recall",),
    view="subtopics",
    formula="subtopics of the first k documents ÷ subtopics with a relevant document",
    cite="Zhai, Cohen & Lafferty 2003, Beyond Independent Relevance: Methods and Evaluation Metrics for Subtopic Retrieval, "
    "SIGIR",
)
