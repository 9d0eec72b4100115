"""gate_accuracy: share of the queries about which the retrieval gate decided rightly."""

from assay.metrics._metric import Metric, Scores
from assay.model import Routing


def gate_accuracy(routing: Routing) -> Scores:
    """Share of the queries about which the retrieval gate decided rightly.

    Right is to skip what needs no retrieval, and to retrieve what does. A decision that was not reported scores 0; a
    query of which nobody says whether it needs retrieval has no score.
    """
    return routing.good(routing.skipped != routing.needed)


METRIC = Metric(
    "gate_accuracy",
    gate_accuracy,
    view="routing",
    formula="(rightly skipped + rightly retrieved) ÷ queries",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)
