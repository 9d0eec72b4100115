"""retrievals_saved: number of retrievals that were rightly skipped."""

from assay.metrics._metric import Metric, Scores
from assay.model import SUM, Routing


def retrievals_saved(routing: Routing) -> Scores:
    """Number of retrievals that were rightly skipped.

    What was not reported was not saved. A query of which nobody says whether it needs retrieval has no score.
    """
    return routing.saved


METRIC = Metric(
    "retrievals_saved",
    retrievals_saved,
    range=(0.0, float("inf")),
    aggregation=SUM,
    view="routing",
    formula="rightly skipped, counted",
    cite="Jeong et al. 2024, Adaptive-RAG: Learning to Adapt Retrieval-Augmented Large Language Models, NAACL",
)
