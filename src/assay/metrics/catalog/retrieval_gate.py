"""Retrieval gate: whether it was right to retrieve at all, and what that saved."""

import numpy as np

from assay.metrics.definition import Metric, Scores
from assay.model import PERCENTAGE, PERCENTAGE_OF_SUMS, SUM, Composed
from assay.views import Routing


def gate_cost_saved(routing: Routing) -> Composed:
    """Cost of the retrievals that were rightly skipped, as a percentage of the cost of retrieving always.

    gate_efficiency, with each query weighed by what a retrieval costs there; the same where all cost the same. Queries
    without a cost do not count. Where everything is free the figure is undefined; so it is where retrievals were skipped and
    not one of them has a cost, for then nobody knows what was saved.
    """
    is_skipped = (routing.skipped == 1) & ~np.isnan(routing.needed)
    is_unknown = is_skipped.any() and np.isnan(routing.cost[is_skipped]).all()
    saved = np.where(np.isnan(routing.cost) | is_unknown, np.nan, routing.saved)
    parts = np.column_stack([routing.cost * saved, np.where(np.isnan(saved), np.nan, routing.cost)])
    return Composed(np.where(routing.cost > 0, 100 * saved, np.nan), parts)


GATE_COST_SAVED = Metric(
    "gate_cost_saved",
    gate_cost_saved,
    range=(0.0, 100.0),
    aggregation=PERCENTAGE_OF_SUMS,
    view="routing",
    formula="100 · cost of what was rightly skipped ÷ cost of all queries",
    cite="Elkan 2001, The Foundations of Cost-Sensitive Learning, IJCAI",
)


def gate_accuracy(routing: Routing) -> Scores:
    """Share of the queries about which the retrieval gate decided rightly.

    Right is to skip what needs no retrieval, and to retrieve what does. A decision that was not reported scores 0; a
    query of which nobody says whether it needs retrieval has no score.
    """
    return routing.good(routing.skipped != routing.needed)


GATE_ACCURACY = Metric(
    "gate_accuracy",
    gate_accuracy,
    view="routing",
    formula="(rightly skipped + rightly retrieved) ÷ queries",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)


def gate_efficiency(routing: Routing) -> Scores:
    """Retrievals that were rightly skipped, as a percentage of all queries.

    The score of a query is 100 where its retrieval was rightly skipped, else 0. The most there can be is the share of
    queries that need no retrieval: gate_recall divides by those. What was not reported was not saved. A query of which
    nobody says whether it needs retrieval has no score.
    """
    return 100 * routing.saved


GATE_EFFICIENCY = Metric(
    "gate_efficiency",
    gate_efficiency,
    range=(0.0, 100.0),
    aggregation=PERCENTAGE,
    view="routing",
    formula="100 · rightly skipped ÷ queries",
    cite="Jeong et al. 2024, Adaptive-RAG: Learning to Adapt Retrieval-Augmented Large Language Models, NAACL",
)


def gate_recall(routing: Routing) -> Scores:
    """Share of the needless retrievals that were skipped.

    How much of what could be saved was saved. A query that needs retrieval has no score, for it cannot be saved.
    """
    return np.where(routing.needed == 0, routing.saved, np.nan)


GATE_RECALL = Metric(
    "gate_recall",
    gate_recall,
    view="routing",
    formula="rightly skipped ÷ queries that need no retrieval",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)


def retrievals_saved(routing: Routing) -> Scores:
    """Number of retrievals that were rightly skipped.

    What was not reported was not saved. A query of which nobody says whether it needs retrieval has no score.
    """
    return routing.saved


RETRIEVALS_SAVED = Metric(
    "retrievals_saved",
    retrievals_saved,
    range=(0.0, float("inf")),
    aggregation=SUM,
    view="routing",
    formula="rightly skipped, counted",
    cite="Jeong et al. 2024, Adaptive-RAG: Learning to Adapt Retrieval-Augmented Large Language Models, NAACL",
)


def wasted_retrievals(routing: Routing) -> Scores:
    """Retrievals that nobody needed, as a percentage of all queries.

    What a better gate could still save. A query without a decision, or of which nobody says whether it needs retrieval,
    has no score.
    """
    return 100 * routing.bad((routing.skipped == 0) & (routing.needed == 0))


WASTED_RETRIEVALS = Metric(
    "wasted_retrievals",
    wasted_retrievals,
    range=(0.0, 100.0),
    higher_is_better=False,
    aggregation=PERCENTAGE,
    view="routing",
    formula="100 · retrieved though not needed ÷ queries",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)


def wrongly_skipped(routing: Routing) -> Scores:
    """Queries that needed retrieval and were denied it, as a percentage of all queries.

    The price of gate_efficiency: such a query is answered without the documents it needs. A query without a decision, or
    of which nobody says whether it needs retrieval, has no score.
    """
    return 100 * routing.bad((routing.skipped == 1) & (routing.needed == 1))


WRONGLY_SKIPPED = Metric(
    "wrongly_skipped",
    wrongly_skipped,
    range=(0.0, 100.0),
    higher_is_better=False,
    aggregation=PERCENTAGE,
    view="routing",
    formula="100 · skipped though needed ÷ queries",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)
