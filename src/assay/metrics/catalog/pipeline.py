"""Pipeline: how long it took, which expert was chosen, and what reranking changed."""

from typing import Any

import numpy as np

from assay.arrays import ratio
from assay.grammar import Param, cutoff
from assay.metrics.catalog.dcg import ndcg
from assay.metrics.definition import CUTOFF, GAIN, Metric, Scores
from assay.model import EVENNESS, MEAN, PERCENTAGE_OF_SUMS, Composed, quantile
from assay.views import Reranking, Routing, Timing


def reranking_improvement(reranking: Reranking, k: int | None, gain: Any) -> Composed:
    """How much better NDCG is after reranking than before, as a percentage of the NDCG before.

    Over all queries it is the change of the mean NDCG as a percentage of the mean before, which is not the mean of the
    queries' percentages. A query with an NDCG of 0 before has no percentage of its own, but counts in both means; where all
    are 0 the figure is undefined.
    """
    before, after = reranking.each(lambda run: ndcg(run, k, gain, "log2", None, "judged"))
    percentage = np.where(before > 0, 100 * ratio(after - before, before), np.nan)
    return Composed(percentage, np.column_stack([after - before, before]))


RERANKING_IMPROVEMENT = Metric(
    "reranking_improvement",
    reranking_improvement,
    params=(CUTOFF, GAIN),
    aliases=("rerank_improvement",),
    range=(-100.0, float("inf")),
    aggregation=PERCENTAGE_OF_SUMS,
    view="reranking",
    formula="100 · (mean NDCG@k after − mean NDCG@k before) ÷ mean NDCG@k before",
    cite="Nogueira & Cho 2019, Passage Re-ranking with BERT, arXiv:1901.04085",
)


def latency(timing: Timing) -> Scores:
    """How long a query took to be answered, in milliseconds.

    Queries that were not answered have no time and do not count. In a batch each query takes its share.
    """
    return timing.ms


LATENCY = Metric(
    "latency",
    latency,
    aliases=("mean_latency", "mrt", "mean_response_time"),
    range=(0.0, float("inf")),
    higher_is_better=False,
    aggregation=MEAN,
    view="timing",
    formula="mean over answered queries",
    cite="Dean & Barroso 2013, The Tail at Scale, CACM 56(2)",
)


def time_alone(timing: Timing) -> Scores:
    """Queries that were not answered do not count.

    Undefined where queries were asked in batches: none was timed alone.
    """
    return timing.alone


def latency_percentile(percent: int) -> Metric:
    """The metric of one percentile of the times."""
    return Metric(
        f"latency_p{percent}",
        time_alone,
        meaning=f"time within which {percent} % of the queries were answered, in milliseconds.",
        range=(0.0, float("inf")),
        higher_is_better=False,
        aggregation=quantile(percent / 100),
        view="timing",
        formula=f"{percent} th percentile over answered queries, interpolated",
        cite="Dean & Barroso 2013, The Tail at Scale, CACM 56(2)",
    )


LATENCY_P50, LATENCY_P95, LATENCY_P99 = map(latency_percentile, (50, 95, 99))


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


LOAD_BALANCE = Metric(
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


ROUTING_CHOICES = Param(
    "k", cutoff, None, "a right expert among the first k choices is enough; by default the first", ("n",), at=True
)


def routing_accuracy(routing: Routing, k: int | None) -> Scores:
    """Share of the queries that were sent to an expert they belong to.

    Where several experts are right, any of them will do. A query that was sent nowhere scores 0. A query whose right
    expert is not known has no score, nor has one that the gate answered without an expert.
    """
    is_right = routing.place <= (k or 1)
    return np.where(np.isnan(routing.place), np.nan, is_right)


ROUTING_ACCURACY = Metric(
    "routing_accuracy",
    routing_accuracy,
    params=(ROUTING_CHOICES,),
    aliases=("router_accuracy", "expert_accuracy"),
    view="routing",
    formula="queries with route = optimal expert ÷ queries with an optimal expert",
    cite="Shazeer et al. 2017, Outrageously Large Neural Networks: The Sparsely-Gated Mixture-of-Experts Layer, ICLR",
)
