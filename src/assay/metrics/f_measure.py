"""f: weighted harmonic mean of precision and recall within the first k."""

from assay.grammar import Param, positive
from assay.metrics._expected import tied_relevant
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF_NEEDED, JUDGED_ONLY, REL
from assay.model import ratio

BETA = Param("beta", positive, 1.0, "how many times recall matters more than precision", dot=False)


def f_measure(run: GradedRun, k: int, rel: float | None, beta: float) -> Scores:
    """Weighted harmonic mean of precision and recall within the first k.

    β is squared, as in the textbook (trec_eval's set_f does not). 0 when nothing relevant is found.
    """
    found = run.relevant(rel).top(k).count
    return ratio((1 + beta**2) * found, k + beta**2 * run.n_relevant(rel))


def expected_f_measure(run: GradedRun, k: int, rel: float | None, beta: float) -> Scores:
    """The mean over all orders of ties."""
    found = tied_relevant(run, rel).expected_count(k)
    return ratio((1 + beta**2) * found, k + beta**2 * run.n_relevant(rel))


METRIC = Metric(
    "f",
    f_measure,
    expected=expected_f_measure,
    params=(CUTOFF_NEEDED, REL, BETA, JUDGED_ONLY),
    aliases=("f_measure", "fbeta", "f_beta", "f_score"),
    titles={"f1": {"beta": 1.0}},
    mistaken_for=("set_f",),
    formula="(1 + β²) · precision · recall ÷ (β² · precision + recall)",
    cite="van Rijsbergen 1979, Information Retrieval",
)
