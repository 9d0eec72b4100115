"""recall: share of the relevant documents that are among the first k."""

from assay.metrics._expected import tied_relevant
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, JUDGED_ONLY, REL
from assay.model import ratio


def recall(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """Share of the relevant documents that are among the first k.

    Without a cutoff the whole ranking counts. A query with nothing relevant scores 0.
    """
    return ratio(run.relevant(rel).top(k).count, run.n_relevant(rel))


def expected_recall(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return ratio(tied_relevant(run, rel).expected_count(k), run.n_relevant(rel))


METRIC = Metric(
    "recall",
    recall,
    expected=expected_recall,
    params=(CUTOFF, REL, JUDGED_ONLY),
    aliases=("r",),
    mistaken_for=("hit", "capped_recall"),
    formula="relevant in top k ÷ R",
    cite="Cleverdon & Keen 1966, Factors Determining the Performance of Indexing Systems",
    trec=("recall_{k}",),
)
