"""Retrieval gate: whether it was correct to retrieve at all, and what skipping saved."""

import numpy as np

from assay.metrics.definition import Metric, Scores
from assay.model import PERCENTAGE, PERCENTAGE_OF_SUMS, SUM, Composed
from assay.views import Routing


def gate_cost_saved(routing: Routing) -> Composed:
    """Cost of the retrievals that were correctly skipped, as a percentage of the cost of always retrieving.

    This is gate_efficiency with each query weighted by the cost of its retrieval; both are equal if all costs are equal.
    Queries without a cost do not count. The value is undefined if all costs are 0, or if retrievals were skipped but none of
    them has a cost.
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
    formula="100 · cost of correctly skipped retrievals ÷ cost of all queries",
    cite="Elkan 2001, The Foundations of Cost-Sensitive Learning, IJCAI",
)


def gate_accuracy(routing: Routing) -> Scores:
    """Share of the queries for which the retrieval gate decided correctly.

    It is correct to skip a query that needs no retrieval, and to retrieve for a query that does. A query without a reported
    decision scores 0. A query has no score if it is unknown whether it needs retrieval.
    """
    return routing.good(routing.skipped != routing.needed)


GATE_ACCURACY = Metric(
    "gate_accuracy",
    gate_accuracy,
    view="routing",
    formula="(correctly skipped + correctly retrieved) ÷ queries",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)


def gate_efficiency(routing: Routing) -> Scores:
    """Retrievals that were correctly skipped, as a percentage of all queries.

    A query scores 100 if its retrieval was correctly skipped, else 0. The maximum is the percentage of queries that need no
    retrieval; gate_recall divides by their number. A query without a reported decision counts as not skipped.
    A query has no score if it is unknown whether it needs retrieval.
    """
    return 100 * routing.saved


GATE_EFFICIENCY = Metric(
    "gate_efficiency",
    gate_efficiency,
    range=(0.0, 100.0),
    aggregation=PERCENTAGE,
    view="routing",
    formula="100 · correctly skipped ÷ queries",
    cite="Jeong et al. 2024, Adaptive-RAG: Learning to Adapt Retrieval-Augmented Large Language Models, NAACL",
)


def gate_recall(routing: Routing) -> Scores:
    """Share of the unnecessary retrievals that were skipped.

    It says how much of the possible saving was achieved. A query that needs retrieval has no score.
    """
    return np.where(routing.needed == 0, routing.saved, np.nan)


GATE_RECALL = Metric(
    "gate_recall",
    gate_recall,
    view="routing",
    formula="correctly skipped ÷ queries that need no retrieval",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)


def retrievals_saved(routing: Routing) -> Scores:
    """Number of retrievals that were correctly skipped.

    A query without a reported decision counts as not skipped. A query has no score if it is unknown whether it needs
    retrieval.
    """
    return routing.saved


RETRIEVALS_SAVED = Metric(
    "retrievals_saved",
    retrievals_saved,
    range=(0.0, float("inf")),
    aggregation=SUM,
    view="routing",
    formula="number of correctly skipped retrievals",
    cite="Jeong et al. 2024, Adaptive-RAG: Learning to Adapt Retrieval-Augmented Large Language Models, NAACL",
)


def wasted_retrievals(routing: Routing) -> Scores:
    """Unnecessary retrievals, as a percentage of all queries.

    A better gate could still save these. A query has no score if its decision is unknown, or
    if it is unknown whether it needs retrieval.
    """
    return 100 * routing.bad((routing.skipped == 0) & (routing.needed == 0))


WASTED_RETRIEVALS = Metric(
    "wasted_retrievals",
    wasted_retrievals,
    range=(0.0, 100.0),
    higher_is_better=False,
    aggregation=PERCENTAGE,
    view="routing",
    formula="100 · unnecessary retrievals ÷ queries",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)


def wrongly_skipped(routing: Routing) -> Scores:
    """Queries that needed retrieval but were skipped, as a percentage of all queries.

    Such a query is answered without the documents that it needs, so look at this metric together with gate_efficiency. A
    query has no score if its decision, or whether it needs retrieval, is unknown.
    """
    return 100 * routing.bad((routing.skipped == 1) & (routing.needed == 1))


WRONGLY_SKIPPED = Metric(
    "wrongly_skipped",
    wrongly_skipped,
    range=(0.0, 100.0),
    higher_is_better=False,
    aggregation=PERCENTAGE,
    view="routing",
    formula="100 · wrongly skipped ÷ queries",
    cite="Powers 2011, Evaluation: From Precision, Recall and F-Measure to ROC, J Mach Learn Technol 2(1)",
)
