"""load_balance: how evenly queries are spread over the experts; 1 where all get as many, 0 where one gets all."""

import numpy as np

from assay.grammar import Param, cutoff
from assay.metrics._metric import Metric
from assay.model.routing import Routing
from assay.model.scores import EVENNESS, Composed

EXPERTS = Param("experts", cutoff, None, "how many experts there are; by default all that occur, chosen or optimal")


def load_balance(routing: Routing, experts: int | None) -> Composed:
    """Only the first choice counts. The score of a query is how rare its expert is, and their mean is the figure. Queries
    that were sent nowhere do not count. With a single expert there is nothing to balance: undefined.
    """
    kinds = routing.kinds(experts)
    kind, n_kinds = kinds[:, 0], max(float(experts or len(routing.experts)), len(set(routing.first) - {None}))
    known = ~np.isnan(kind)
    rarity = np.full(len(kind), np.nan)
    if known.any() and n_kinds > 1:
        _, number, count = np.unique(kind[known], return_inverse=True, return_counts=True)
        rarity[known] = -np.log(count[number] / known.sum()) / np.log(n_kinds) + 0.0
    return Composed(rarity, np.where(known[:, np.newaxis], kinds, np.nan))


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
