"""Clusters of queries: sums and contributions by hand, intervals of one system, and how often they cover."""

import numpy as np
import pytest
from scipy import stats

from assay import BadParameter
from assay.metrics import find_metric
from assay.model import MEAN, SUM, Column, Composed
from assay.stats import Clusters, clustered_difference, clustered_intervals, column_intervals, figure_difference

THREE = Clusters.of(["b", "a", "b", "c"])


def column(scores, aggregation=MEAN):
    return Column.of(np.array(scores, dtype=float), aggregation)


def test_sums_have_the_mean_of_the_queries_by_hand():
    """Four queries in three clusters: a has the second, b the first and third, c the last; each sum times 3 / 4."""
    values = np.array([[0.2], [0.4], [0.6], [0.0]])
    assert (THREE.n, THREE.sizes.tolist(), THREE.reach) == (3, [1, 2, 1], 1.5)
    assert THREE.sums(values)[:, 0] == pytest.approx([0.3, 0.6, 0.0])
    assert THREE.sums(values).mean() == pytest.approx(values.mean())
    assert THREE.linear(values)[:, 0] == pytest.approx(
        [0.3 + 0.75 * (0.4 - 0.3), 0.3 + 0.75 * (0.8 - 0.6), 0.3 - 0.75 * 0.3]
    )


def test_sizes_alone_make_no_spread():
    """All queries score 0.8, in clusters of different sizes: the mean is certain."""
    assert THREE.linear(np.full((4, 1), 0.8)) == pytest.approx(np.full((3, 1), 0.8))
    assert clustered_intervals({"m": column([0.8] * 4)}, THREE)["m"] == pytest.approx((0.8, 0.8, "t"))


def test_clusters_of_a_part_are_counted_again():
    part = THREE.taken(np.array([True, False, True, True]))
    assert (part.n, part.codes.tolist()) == (2, [0, 0, 1])


def test_the_interval_is_that_of_the_cluster_means_where_all_have_one_size():
    scores = np.array([0.1, 0.3, 0.5, 0.9, 0.4, 0.8])
    low, high, method = clustered_intervals({"m": column(scores)}, Clusters.of([0, 0, 1, 1, 2, 2]))["m"]
    means = scores.reshape(3, 2).mean(axis=1)
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 2, means.mean(), stats.sem(means)))
    assert method == "t"


def test_a_total_is_about_all_queries():
    scores, clusters = [1.0, 2.0, 4.0, 1.0, 0.0, 3.0], Clusters.of([0, 0, 1, 1, 2, 2])
    low, high, _ = clustered_intervals({"m": column(scores, SUM)}, clusters)["m"]
    of_mean = clustered_intervals({"m": column(scores)}, clusters)["m"]
    assert (low, high) == pytest.approx((6 * of_mean[0], 6 * of_mean[1]))


def test_one_query_in_each_cluster_changes_nothing():
    rng = np.random.default_rng(0)
    singles, scores = Clusters.of([f"{n:02}" for n in range(30)]), rng.uniform(size=30)
    columns = {"m": column(scores), "q": Column.of(scores, find_metric("latency_p50").metric.aggregation)}
    plain, clustered = column_intervals(columns), clustered_intervals(columns, singles)
    assert clustered["m"] == pytest.approx(plain["m"])
    assert clustered["q"] == pytest.approx(plain["q"])
    assert singles.is_single
    a, b = (Column.of(rng.uniform(size=30), columns["q"].aggregation) for _ in range(2))
    assert tuple(clustered_difference(a, b, singles)) == pytest.approx(tuple(figure_difference(a, b)))


def test_a_ratio_of_sums_is_resampled_by_cluster():
    aggregation = find_metric("reranking_improvement@10").metric.aggregation
    parts = np.array([[1.0, 2.0], [1.0, 1.0], [0.0, 3.0], [2.0, 2.0]])
    ratio = Column.of(Composed(np.zeros(4), parts), aggregation)
    low, high, method = clustered_intervals({"m": ratio}, Clusters.of([0, 0, 1, 1]))["m"]
    assert (low, high, method) == (pytest.approx(100 * 2 / 5), pytest.approx(100 * 2 / 3), "bootstrap")


def test_too_few_clusters_have_no_interval_and_wilson_is_refused():
    clustered = clustered_intervals({"m": column([0.0, 1.0, 1.0])}, Clusters.of([0, 0, 0]))["m"]
    assert clustered == pytest.approx((np.nan, np.nan, "none"), nan_ok=True)
    with pytest.raises(BadParameter, match="independent queries"):
        clustered_intervals({"m": column([0.0, 1.0])}, Clusters.of([0, 1]), method="wilson")


def drawn_clusters(rng, n_clusters):
    """Clusters of one to eight queries whose scores share half of their variance."""
    sizes = rng.integers(1, 9, n_clusters)
    codes = np.repeat(np.arange(n_clusters), sizes)
    return codes, 0.5 + 0.1 * rng.normal(size=n_clusters)[codes] + 0.1 * rng.normal(size=len(codes))


@pytest.mark.slow
def test_plain_intervals_are_too_narrow_and_clustered_ones_cover():
    """30 clusters, 4,000 experiments: the standard error of a coverage of 95 % is 0.35 %."""
    rng = np.random.default_rng(7)
    covered = np.zeros(2)
    for _ in range(4000):
        codes, scores = drawn_clusters(rng, 30)
        plain = column_intervals({"m": column(scores)}, "t")["m"]
        clustered = clustered_intervals({"m": column(scores)}, Clusters(codes))["m"]
        covered += [low <= 0.5 <= high for low, high, _ in (plain, clustered)]
    plain, clustered = covered / 4000
    assert plain < 0.80
    assert clustered >= 0.93
