"""Comparisons of clustered queries: swapped together, resampled together; and what is said about it."""

import itertools
from dataclasses import astuple

import numpy as np
import pytest

import assay
from assay import UnknownName, UsageError
from assay.comparison import ComparisonOptions, compare_results, worst_slices
from assay.evaluation import with_intervals

from ._systems import compared, tagged

RNG = np.random.default_rng(1)
A = RNG.uniform(0, 0.6, size=12).round(1)
B = A + RNG.uniform(-0.1, 0.4, size=12).round(1)
DOCUMENT = ["d1", "d1", "d1", "d2", "d2", "d3", "d4", "d4", "d5", None, None, "d5"]
CLUSTERS = [[0, 1, 2], [3, 4], [5], [6, 7], [8, 11], [9], [10]]


def systems(a=A, b=B, document=DOCUMENT, metric="mrr"):
    return [tagged(name, {metric: list(scores)}, {"document": document}) for name, scores in (("a", a), ("b", b))]


def test_p_is_that_of_all_ways_to_swap_whole_clusters():
    differences = B - A
    sums = np.array([differences[inside].sum() for inside in CLUSTERS])
    flipped = [abs(np.dot(signs, sums)) for signs in itertools.product((-1, 1), repeat=len(sums))]
    expected = np.mean(np.array(flipped) >= abs(sums.sum()) - 1e-9)
    pair = compared(*systems(), cluster="document").pairs[0]
    assert pair.p == pytest.approx(expected)
    assert pair.difference == pytest.approx(differences.mean())
    assert (pair.n, pair.wins + pair.ties + pair.losses) == (12, 12), "queries are counted one by one"
    assert pair.p != compared(*systems()).pairs[0].p


@pytest.mark.parametrize("test", ["paired_t", "wilcoxon", "sign", "bootstrap", "bayesian", "non_inferiority(margin=0.1)"])
@pytest.mark.parametrize("interval", ["auto", "bootstrap", "t", "bca", "studentised"])
def test_one_query_in_each_cluster_changes_nothing(test, interval):
    own = [f"d{number}" for number in range(12)]
    for document in (own, [None, *own[1:]]):
        clustered = compared(*systems(document=document), cluster="document", test=test, interval=interval).pairs[0]
        assert astuple(clustered) == astuple(compared(*systems(), test=test, interval=interval).pairs[0])


def test_copies_of_a_query_are_no_new_evidence():
    """Every query four times: the test and the interval are those of the queries alone."""
    own = [f"d{number}" for number in range(12)]
    alone = compared(*systems(document=own)).pairs[0]
    copied = systems(np.repeat(A, 4), np.repeat(B, 4), np.repeat(own, 4).tolist())
    clustered, plain = (compared(*copied, cluster=cluster).pairs[0] for cluster in ("document", None))
    assert (clustered.p, clustered.low, clustered.high) == pytest.approx((alone.p, alone.low, alone.high))
    assert plain.high - plain.low < 0.6 * (clustered.high - clustered.low)
    assert plain.p < clustered.p


def test_gaffkes_bound_reaches_as_far_as_the_largest_cluster():
    """One of four clusters changed, which has six queries: the bound is that of four queries."""
    a = np.full(24, 0.5)
    b = a - 0.02 * (np.arange(24) < 6)
    document = [f"d{number // 6}" for number in range(24)]
    pair = compared(*systems(a, b, document), cluster="document").pairs[0]
    assert (pair.interval, pair.low < -0.3) == ("gaffke", True)
    alone = compared(*systems(a[::6], b[::6], document[::6])).pairs[0]
    assert (pair.low, pair.high) == pytest.approx((alone.low, alone.high))


def test_equal_differences_in_clusters_of_different_sizes_are_not_certain():
    """As for single queries: twelve losses of the same size do not show that every query loses that much."""
    pair = compared(*systems(np.ones(12), np.full(12, 0.6)), cluster="document").pairs[0]
    assert (pair.interval, pair.low < -0.6, -0.41 < pair.high < 0) == ("gaffke", True, True)


@pytest.mark.parametrize("test", ["tukey_hsd", "randomized_tukey_hsd", "friedman", "anova"])
def test_tests_of_many_systems_take_clusters_as_blocks(test):
    third = tagged("c", {"mrr": ((A + B) / 2).tolist()}, {"document": DOCUMENT})
    copied = [
        tagged(
            result.name, {"mrr": np.repeat(result.array("mrr"), 3).tolist()}, {"document": [f"d{n // 3}" for n in range(36)]}
        )
        for result in (*systems(), third)
    ]
    clustered = compared(*copied, cluster="document", test=test)
    alone = compared(*systems(), third, test=test)
    assert clustered.fields["mrr"].p == pytest.approx(alone.fields["mrr"].p)


def test_values_that_are_not_means_are_resampled_by_cluster():
    times = np.arange(12) + 5.0
    plain, clustered = (
        compared(*systems(times, times + 0.1 * np.arange(12) ** 2, metric="latency_p50"), cluster=cluster).pairs[0]
        for cluster in (None, "document")
    )
    assert clustered.interval == "bootstrap"
    assert clustered.difference == plain.difference
    assert (clustered.low, clustered.high) != (plain.low, plain.high)


def test_slices_have_the_clusters_of_their_queries():
    from assay.comparison import compare_slices

    tags = {"document": DOCUMENT, "language": ["de"] * 8 + ["en"] * 4}
    both = [tagged(name, {"mrr": list(scores)}, tags) for name, scores in (("a", A), ("b", B))]
    whole = compare_results(both, ComparisonOptions(cluster="document"))
    german, _ = compare_slices(whole, "language").parts
    alone = compared(*(result.subset(queries=[f"q{n}" for n in range(8)]) for result in both), cluster="document")
    assert german.pairs[0].p == alone.pairs[0].p
    assert german.clusters.n == 4


def test_clusters_are_recorded_and_few_are_noticed():
    comparison = compared(*systems(), cluster="document")
    plain = comparison.to_dict()
    assert (plain["n_clusters"], plain["how"]["cluster"]) == (7, "document")
    assert not any("cluster" in remark for remark in comparison.remarks)
    few = compared(*systems(document=["x"] * 6 + ["y"] * 6), cluster="document")
    assert any("With 2 clusters, p of a two-sided randomisation test is at least 0.5" in remark for remark in few.remarks)
    assert "n_clusters" not in compared(*systems()).to_dict()


def test_an_unknown_tag_is_an_error_with_the_known_ones():
    with pytest.raises(UnknownName, match="document"):
        compared(*systems(), cluster="documant")
    with pytest.raises(UsageError, match="runs and judgments have no fields of queries"):
        assay.compare({"q": {"d": 1}}, {"a": {"q": {"d": 1.0}}, "b": {"q": {"e": 1.0}}}, cluster="document")
    lists = [result.with_fields(queries={query: assay.Query(query, metadata={"document": ["x", "y"]}) for query in
             result.query_ids}) for result in systems()]  # fmt: skip
    with pytest.raises(UsageError, match="only one cluster"):
        compared(*lists, cluster="document")
    with pytest.raises(UsageError, match="does not know clusters"):
        worst_slices(systems(), how=ComparisonOptions(cluster="document"))


def test_the_interval_of_one_system_is_over_clusters_and_says_so():
    result = with_intervals(systems()[0], cluster="document")
    interval = result.intervals["mrr"]
    assert (interval.method, interval.cluster, interval.n_clusters) == ("t", "document", 7)
    from tests._results import saved_and_read

    assert saved_and_read(result).intervals == result.intervals
    assert with_intervals(systems()[0]).intervals["mrr"].to_dict().keys() == {"low", "high", "level", "method"}


@pytest.mark.slow
def test_equal_systems_differ_in_one_of_twenty_experiments_with_clusters():
    """30 clusters of five queries whose differences share half of their variance; plain tests are far too often wrong."""
    rng = np.random.default_rng(3)
    document = np.repeat([f"d{number}" for number in range(30)], 5).tolist()
    wrong = np.zeros(2)
    for _ in range(400):
        shared, own = rng.normal(size=30), rng.normal(size=150)
        a = np.full(150, 0.5)
        b = np.clip(a + 0.1 * (np.repeat(shared, 5) + own), 0, 1)
        both = systems(a, b, document)
        wrong += [compared(*both, cluster=cluster).pairs[0].is_significant for cluster in (None, "document")]
    assert wrong[0] / 400 > 0.15
    assert wrong[1] / 400 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)
