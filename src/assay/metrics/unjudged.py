"""unjudged: share of the first k ranks that hold a document nobody judged."""

from assay.metrics._expected import tied_hits
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF_NEEDED


def unjudged(run: GradedRun, k: int) -> Scores:
    """Share of the first k ranks that hold a document nobody judged.

    Divided by k, also when fewer are retrieved. A negative grade is no judgment (both as in trec_eval 10).
    """
    return (run.n_retrieved.clip(max=k) - run.judged.top(k).count) / k


def expected_unjudged(run: GradedRun, k: int) -> Scores:
    """The mean over all orders of ties."""
    return (run.n_retrieved.clip(max=k) - tied_hits(run, run.retrieved.grade >= 0).expected_count(k)) / k


METRIC = Metric(
    "unjudged",
    unjudged,
    expected=expected_unjudged,
    params=(CUTOFF_NEEDED,),
    aliases=("unj", "hole"),
    higher_is_better=False,
    formula="unjudged in top k ÷ k",
    cite="trec_eval 10, m_unj.c",
    trec=("unj_{k}",),
)
