"""num_nonrel_judged_ret: how many documents judged not relevant were retrieved."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model import SUM


def num_nonrel_judged_ret(run: GradedRun, rel: float | None) -> Scores:
    """How many documents judged not relevant were retrieved.

    Unjudged documents and negative grades do not count. Summed over queries.
    """
    return (run.judged.count - run.relevant(rel).count).astype(float)


METRIC = Metric(
    "num_nonrel_judged_ret",
    num_nonrel_judged_ret,
    params=(REL,),
    range=(0.0, float("inf")),
    higher_is_better=False,
    aggregation=SUM,
    formula="judged non-relevant retrieved",
    cite="trec_eval 9, m_num_nonrel_judged_ret.c",
    trec=("num_nonrel_judged_ret",),
)
