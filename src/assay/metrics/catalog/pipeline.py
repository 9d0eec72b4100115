"""Pipeline: the time that queries took, the expert that was chosen, and the effect of reranking."""

from typing import Any

import numpy as np

from assay.arrays import ratio
from assay.grammar import Param, cutoff
from assay.metrics.catalog.dcg import ndcg
from assay.metrics.definition import CUTOFF, GAIN, Metric, Scores
from assay.model import EVENNESS, MEAN, PERCENTAGE_OF_SUMS, Composed, quantile
from assay.views import Reranking, Routing, Timing


def reranking_improvement(reranking: Reranking, k: int | None, gain: Any) -> Composed:
    """Change of nDCG through reranking, as a percentage of the nDCG before.

    The summary is the change of the mean nDCG as a percentage of the mean before, not the mean of the percentages of the
    queries. A query with an nDCG of 0 before has no score, but counts in both means. If all queries have an nDCG of 0
    before, the value is undefined.
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
    """Response time of a query, in milliseconds.

    Queries without a response have no time and do not count. In a batch, each query gets an equal share of the time.
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
    """Queries without a response do not count.

    The value is undefined if queries were sent in batches, because single queries were not timed.
    """
    return timing.alone


def latency_percentile(percent: int) -> Metric:
    """The metric of one percentile of the response times."""
    return Metric(
        f"latency_p{percent}",
        time_alone,
        meaning=f"time within which {percent} % of the queries got a response, in milliseconds.",
        range=(0.0, float("inf")),
        higher_is_better=False,
        aggregation=quantile(percent / 100),
        view="timing",
        formula=f"{percent}th percentile over answered queries, interpolated",
        cite="Dean & Barroso 2013, The Tail at Scale, CACM 56(2)",
    )


LATENCY_P50, LATENCY_P95, LATENCY_P99 = map(latency_percentile, (50, 95, 99))


EXPERTS = Param("experts", cutoff, None, "number of experts. If not set: all experts in the data, chosen or optimal")


def load_balance(routing: Routing, experts: int | None) -> Composed:
    """How evenly queries are spread over the experts: 1 if all get equally many queries, 0 if one gets all.

    Only the first choice counts, and only queries that were routed. A single query has no balance, so queries have no
    scores. With a single expert the value is undefined. If the data has more experts than `experts` says, the number in the
    data is used.
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
    "k",
    cutoff,
    None,
    "a correct expert among the first k choices is enough. If not set: only the first choice counts",
    ("n",),
    at=True,
)


def routing_accuracy(routing: Routing, k: int | None) -> Scores:
    """Share of the queries that were routed to a correct expert.

    If several experts are correct, any of them counts. A query that was not routed scores 0. A query has no score if its
    correct expert is unknown, or if the gate skipped retrieval and the query was not routed.
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
