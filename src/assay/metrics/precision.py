"""precision: share of the first k ranks that hold a relevant document."""

from assay.grammar import Param, one_of
from assay.metrics._expected import tied_relevant
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF_NEEDED, JUDGED_ONLY, REL
from assay.model import ratio

OVER = Param("over", one_of("k", "retrieved"), "k", "divide by k, or by the documents retrieved within k")


def precision(run: GradedRun, k: int, rel: float | None, over: str) -> Scores:
    """Share of the first k ranks that hold a relevant document.

    A ranking shorter than k is still divided by k, unless over=retrieved.
    """
    found = run.relevant(rel).top(k).count
    return ratio(found, k if over == "k" else run.n_retrieved.clip(max=k))


def expected_precision(run: GradedRun, k: int, rel: float | None, over: str) -> Scores:
    """The mean over all orders of ties."""
    found = tied_relevant(run, rel).expected_count(k)
    return ratio(found, k if over == "k" else run.n_retrieved.clip(max=k))


METRIC = Metric(
    "precision",
    precision,
    expected=expected_precision,
    params=(CUTOFF_NEEDED, REL, OVER, JUDGED_ONLY),
    aliases=("p", "prec"),
    mistaken_for=("capped_recall", "hit"),
    formula="relevant in top k ÷ k",
    cite="Cleverdon & Keen 1966, Factors Determining the Performance of Indexing Systems",
    trec=("P_{k}",),
)
