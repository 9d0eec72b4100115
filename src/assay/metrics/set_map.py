"""set_map: set precision times set recall; order does not matter."""

from assay.metrics._metric import GradedRun, Metric, Scores
from assay.metrics._param import REL
from assay.model import ratio


def set_map(run: GradedRun, rel: float | None) -> Scores:
    """Set precision times set recall; order does not matter.

    0 when nothing is retrieved or nothing is relevant.
    """
    found = run.relevant(rel).count
    return ratio(found**2, run.n_retrieved * run.n_relevant(rel))


METRIC = Metric(
    "set_map",
    set_map,
    params=(REL,),
    aliases=("set_ap", "setap"),
    formula="(relevant retrieved)² ÷ (retrieved · R)",
    cite="trec_eval 9, m_set_map.c",
    trec=("set_map",),
)
