"""load_balance: how evenly queries are spread over the experts; 1 where all get as many, 0 where one gets all."""

import numpy as np

from assay.grammar import Param, cutoff
from assay.metrics._metric import Metric
from assay.model import EVENNESS, Composed, Routing

EXPERTS = Param("experts", cutoff, None, "how many experts there are; by default all that occur, chosen or optimal")


def load_balance(routing: Routing, experts: int | None) -> Composed:
    """How evenly queries are spread over the experts; 1 where all get as many, 0 where one gets all.

    Only the first choice counts, and queries that were sent nowhere do not. No query has a balance of its own, so none
    has a score. With a single expert there is nothing to balance: undefined. Where more experts occur than `experts` says,
    there are as many as occur.
    """
    kinds = routing.kinds(experts)
    known = ~np.isnan(kinds[:, 0])
    return Composed(np.full(len(kinds), np.nan), np.where(known[:, np.newaxis], kinds, np.nan))


METRIC = Metric(
    "load_balance",
    load_balance,
    params=(EXPERTS,),
    aliases=("routing_entropy", "expert_load_balance"),
    range=(0.0, 1.0),
    aggregation=EVENNESS,
    view="routing",
    formula="− Σ share(e) · ln share(e) ÷ ln (number of experts), over experts e",
    cite="Pielou 1966, The Measurement of Diversity in Different Types of Biological Collections, J Theor Biol 13",
)
