"""judged: share of the first k retrieved documents that have a judgment at all."""

from assay.metrics._expected import tied_hits
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF
from assay.model import ratio


def judged(run: GradedRun, k: int | None) -> Scores:
    """Share of the first k retrieved documents that have a judgment at all.

    Divided by what was retrieved within k, not by k. Any judgment counts, even a negative grade (as in ir_measures).
    """
    seen = run.n_retrieved if k is None else run.n_retrieved.clip(max=k)
    return ratio(run.retrieved.top(k).count, seen)


def expected_judged(run: GradedRun, k: int | None) -> Scores:
    """The mean over all orders of ties."""
    seen = run.n_retrieved if k is None else run.n_retrieved.clip(max=k)
    return ratio(tied_hits(run).expected_count(k), seen)


METRIC = Metric(
    "judged",
    judged,
    expected=expected_judged,
    params=(CUTOFF,),
    formula="judged in top k ÷ retrieved in top k",
    cite="MacAvaney, Macdonald & Ounis 2022, Streamlining Evaluation with ir-measures, ECIR",
)
