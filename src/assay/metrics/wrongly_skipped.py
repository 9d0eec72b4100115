"""wrongly_skipped: queries that needed retrieval and were denied it, as a percentage of all queries."""

from assay.metrics._metric import Metric, Scores
from assay.model import PERCENTAGE, Routing


def wrongly_skipped(routing: Routing) -> Scores:
    """Queries that needed retrieval and were denied it, as a percentage of all queries.

    The price of gate_efficiency: such a query is answered without the documents it needs. A query without a decision, or
    of which nobody says whether it needs retrieval, has no score.
    """
    return 100 * routing.bad((routing.skipped == 1) & (routing.needed == 1))


METRIC = Metric(
    "wrongly_skipped",
    wrongly_skipped,
    range=(0.0, 100.0),
    higher_is_better=False,
    aggregation=PERCENTAGE,
    view="routing",
    formula="100 · skipped though needed ÷ queries",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)
