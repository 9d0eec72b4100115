"""hit: whether any of the first k documents is relevant."""

from assay.metrics._expected import chance_of_none, tied_relevant
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, JUDGED_ONLY, REL


def hit(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """Whether any of the first k documents is relevant.

    1 or 0 per query, so the summary is the share of queries with a hit. trec_eval calls it success.
    """
    return (run.relevant(rel).top(k).count > 0).astype(float)


def expected_hit(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return 1.0 - chance_of_none(tied_relevant(run, rel), k)


METRIC = Metric(
    "hit",
    hit,
    expected=expected_hit,
    params=(CUTOFF, REL, JUDGED_ONLY),
    aliases=("hit_rate", "hitrate", "success", "top_k_accuracy"),
    mistaken_for=("recall",),
    formula="1 if a relevant document is in the top k, else 0",
    cite="Buckley & Voorhees 2005, TREC: Experiment and Evaluation in Information Retrieval, ch. 3",
    trec=("success_{k}",),
)
