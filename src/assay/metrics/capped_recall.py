"""capped_recall: relevant documents in the first k, as a share of the most that could be there."""

from assay.metrics._expected import tied_relevant
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF_NEEDED, JUDGED_ONLY, REL
from assay.model import ratio


def capped_recall(run: GradedRun, k: int, rel: float | None) -> Scores:
    """Relevant documents in the first k, as a share of the most that could be there.

    Precision while k is below R, recall beyond. trec_eval calls it relative precision, BEIR R_cap.
    """
    return ratio(run.relevant(rel).top(k).count, run.n_relevant(rel).clip(max=k))


def expected_capped_recall(run: GradedRun, k: int, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return ratio(tied_relevant(run, rel).expected_count(k), run.n_relevant(rel).clip(max=k))


METRIC = Metric(
    "capped_recall",
    capped_recall,
    expected=expected_capped_recall,
    params=(CUTOFF_NEEDED, REL, JUDGED_ONLY),
    aliases=("r_cap", "recall_cap", "relative_p", "relative_precision"),
    formula="relevant in top k ÷ min(k, R)",
    cite="Thakur et al. 2021, BEIR, NeurIPS Datasets and Benchmarks",
    trec=("relative_P_{k}",),
)
