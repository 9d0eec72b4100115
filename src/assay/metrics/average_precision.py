"""map: precision at each relevant document, averaged over all relevant documents."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import CUTOFF, JUDGED_ONLY, REL, Param, one_of
from assay.model.graded import ratio

NORM = Param("norm", one_of("relevant", "min"), "relevant", "divide by R, or by the smaller of k and R")


def average_precision(run: GradedRun, k: int | None, rel: float | None, norm: str) -> Scores:
    """A relevant document that is not retrieved within k contributes 0."""
    hits = run.relevant(rel).top(k)
    total = run.n_relevant(rel)
    return ratio(hits.sum(hits.position / hits.rank), total if norm == "relevant" or k is None else total.clip(max=k))


METRIC = Metric(
    "map",
    average_precision,
    params=(CUTOFF, REL, NORM, JUDGED_ONLY),
    aliases=("ap", "average_precision", "mean_average_precision", "map_cut"),
    formula="Σ over relevant ranks i ≤ k of P@i, ÷ R",
    cite="Harman 1992, Overview of the First TREC Conference",
    trec=("map", "map_cut_{k}"),
)
