"""routing_accuracy: share of the queries that were sent to an expert they belong to."""

import numpy as np

from assay.grammar import Param, cutoff
from assay.metrics._metric import Metric, Scores
from assay.model import Routing

CHOICES = Param(
    "k", cutoff, None, "a right expert among the first k choices is enough; by default the first", ("n",), at=True
)


def routing_accuracy(routing: Routing, k: int | None) -> Scores:
    """Share of the queries that were sent to an expert they belong to.

    Where several experts are right, any of them will do. A query that was sent nowhere scores 0. A query whose right
    expert is not known has no score, nor has one that the gate answered without an expert.
    """
    is_right = routing.place <= (k or 1)
    return np.where(np.isnan(routing.place), np.nan, is_right)


METRIC = Metric(
    "routing_accuracy",
    routing_accuracy,
    params=(CHOICES,),
    aliases=("router_accuracy", "expert_accuracy"),
    view="routing",
    formula="queries with route = optimal expert ÷ queries with an optimal expert",
    cite="Shazeer et al. 2017, Outrageously Large Neural Networks: The Sparsely-Gated Mixture-of-Experts Layer, ICLR",
)
