"""num_ret: how many documents were retrieved."""

from assay.grammar import Param, number
from assay.metrics._metric import GradedRun, Metric, Scores
from assay.model import SUM

LEVEL = Param("rel", number, None, "count only documents with at least this grade")


def num_ret(run: GradedRun, rel: float | None) -> Scores:
    """How many documents were retrieved.

    Counts unjudged documents too, unless a grade is asked for. Summed over queries.
    """
    counts = run.n_retrieved if rel is None else run.relevant(rel).count
    return counts.astype(float)


METRIC = Metric(
    "num_ret",
    num_ret,
    params=(LEVEL,),
    aliases=("numret",),
    range=(0.0, float("inf")),
    aggregation=SUM,
    formula="documents retrieved",
    cite="trec_eval 9, m_num_ret.c",
    trec=("num_ret",),
)
