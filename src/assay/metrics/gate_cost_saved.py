"""gate_cost_saved: cost of the retrievals that were rightly skipped, as a percentage of the cost of retrieving always."""

import numpy as np

from assay.metrics._metric import Metric
from assay.model import PERCENTAGE_OF_SUMS, Composed, Routing


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


METRIC = Metric(
    "gate_cost_saved",
    gate_cost_saved,
    range=(0.0, 100.0),
    aggregation=PERCENTAGE_OF_SUMS,
    view="routing",
    formula="100 · cost of what was rightly skipped ÷ cost of all queries",
    cite="Elkan 2001, The Foundations of Cost-Sensitive Learning, IJCAI",
)
