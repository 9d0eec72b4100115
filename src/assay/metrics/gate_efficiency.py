"""gate_efficiency: retrievals that were rightly skipped, as a percentage of all queries."""

from assay.metrics._metric import Metric, Scores
from assay.model import PERCENTAGE, Routing


def gate_efficiency(routing: Routing) -> Scores:
    """Retrievals that were rightly skipped, as a percentage of all queries.

    The score of a query is 100 where its retrieval was rightly skipped, else 0. The most there can be is the share of
    queries that need no retrieval: gate_recall divides by those. What was not reported was not saved. A query of which
    nobody says whether it needs retrieval has no score.
    """
    return 100 * routing.saved


METRIC = Metric(
    "gate_efficiency",
    gate_efficiency,
    range=(0.0, 100.0),
    aggregation=PERCENTAGE,
    view="routing",
    formula="100 · rightly skipped ÷ queries",
    cite="Jeong et al. 2024, Adaptive-RAG: Learning to Adapt Retrieval-Augmented Large Language Models, NAACL",
)
