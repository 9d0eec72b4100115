"""wasted_retrievals: retrievals that nobody needed, as a percentage of all queries."""

from assay.metrics._metric import Metric, Scores
from assay.model import PERCENTAGE, Routing


def wasted_retrievals(routing: Routing) -> Scores:
    """Retrievals that nobody needed, as a percentage of all queries.

    What a better gate could still save. A query without a decision, or of which nobody says whether it needs retrieval,
    has no score.
    """
    return 100 * routing.bad((routing.skipped == 0) & (routing.needed == 0))


METRIC = Metric(
    "wasted_retrievals",
    wasted_retrievals,
    range=(0.0, 100.0),
    higher_is_better=False,
    aggregation=PERCENTAGE,
    view="routing",
    formula="100 · retrieved though not needed ÷ queries",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)
