"""The stability of a comparison is that of its scores, in whatever order the queries come."""

import numpy as np

from assay.comparison import ComparisonOptions, compare_results, system_stability
from assay.stats import order_stability, variance_components

from ._systems import tagged

RNG = np.random.default_rng(5)
HARD = RNG.random(20)
SYSTEMS = [
    tagged(
        f"s{number}",
        {"mrr": HARD + 0.05 * number + RNG.normal(0, 0.2, 20), "latency": RNG.random(20) + number},
        {"topic": [f"t{place // 2}" for place in range(20)]},
    )
    for number in range(3)
]


def scores(metric):
    order = np.argsort(SYSTEMS[0].query_ids)
    return np.column_stack([result.array(metric)[order] for result in SYSTEMS])


def test_each_metric_has_its_figures_and_lower_may_be_better():
    mrr, latency = system_stability(compare_results(SYSTEMS))
    assert (mrr.metric, mrr.n, latency.metric) == ("mrr", 20, "latency")
    assert mrr.components == variance_components(scores("mrr"))
    assert mrr.order == order_stability(scores("mrr"))
    assert latency.order.best_stays == 1.0
    assert latency.to_dict()["order"]["same_order"] == 1.0


def test_the_order_of_queries_does_not_matter_and_clusters_do():
    plain = system_stability(compare_results(SYSTEMS))
    turned = [result.subset(queries=result.query_ids[::-1]) for result in SYSTEMS]
    assert system_stability(compare_results(turned)) == plain
    clustered = system_stability(compare_results(SYSTEMS, ComparisonOptions(cluster="topic")))
    assert clustered[0].components == plain[0].components
    assert clustered[0].order != plain[0].order
