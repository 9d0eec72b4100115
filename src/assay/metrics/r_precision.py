"""rprec: precision at R, the number of relevant documents of the query."""

from assay.metrics._expected import tied_relevant
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import JUDGED_ONLY, REL
from assay.model import ratio


def r_precision(run: GradedRun, rel: float | None) -> Scores:
    """Precision at R, the number of relevant documents of the query.

    Divided by R also when fewer than R documents are retrieved; there precision and recall are the same.
    """
    total = run.n_relevant(rel)
    return ratio(run.relevant(rel).top(total).count, total)


def expected_r_precision(run: GradedRun, rel: float | None) -> Scores:
    """The mean over all orders of ties."""
    total = run.n_relevant(rel)
    return ratio(tied_relevant(run, rel).expected_count(total), total)


METRIC = Metric(
    "rprec",
    r_precision,
    expected=expected_r_precision,
    params=(REL, JUDGED_ONLY),
    aliases=("r_precision", "r-precision", "r_prec"),
    formula="relevant in top R ÷ R",
    cite="Buckley & Voorhees 2005, TREC: Experiment and Evaluation in Information Retrieval, ch. 3",
    trec=("Rprec",),
)
