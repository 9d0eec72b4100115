"""mrr: one over the rank of the first relevant document."""

from assay.metrics._expected import expected_first, tied_relevant
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, JUDGED_ONLY, REL
from assay.model import ratio


def reciprocal_rank(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """One over the rank of the first relevant document.

    0 when no relevant document is within the first k.
    """
    first = run.relevant(rel).top(k).first_rank()
    return ratio(first > 0, first)


def expected_reciprocal_rank(run: GradedRun, k: int | None, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    return expected_first(tied_relevant(run, rel), k)


METRIC = Metric(
    "mrr",
    reciprocal_rank,
    expected=expected_reciprocal_rank,
    params=(CUTOFF, REL, JUDGED_ONLY),
    aliases=("rr", "recip_rank", "reciprocal_rank", "mean_reciprocal_rank"),
    formula="1 ÷ rank of the first relevant document",
    cite="Kantor & Voorhees 2000, The TREC-5 Confusion Track, Information Retrieval 2",
    trec=("recip_rank",),
)
