"""The jackknife of values that all result lists have together, against leaving out every list in a loop."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import entropy, t

import assay
from assay import BenchmarkDataset, Document, Query
from assay.model import CATALOGUE_COVERAGE, EXPOSURE_ENTROPY, EXPOSURE_GINI, NO_DOCUMENT, Column
from assay.stats import Clusters, clustered_intervals, column_intervals, jackknifed, jackknifed_gap

SIZE, LONGEST = 9, 4
LISTS = st.lists(st.sets(st.integers(0, SIZE - 1), min_size=1, max_size=LONGEST), min_size=3, max_size=7)
FIGURES = pytest.mark.parametrize("aggregation", [CATALOGUE_COVERAGE, EXPOSURE_ENTROPY, EXPOSURE_GINI], ids=repr)


def parts_of(lists):
    """The parts of each query: the size of the catalogue, and its documents."""
    parts = np.full((len(lists), LONGEST + 1), float(NO_DOCUMENT))
    parts[:, 0] = SIZE
    for row, shown in zip(parts, lists, strict=True):
        row[1 : len(shown) + 1] = sorted(shown)
    return parts


def plain(aggregation, lists):
    """The value of these lists, by a loop over pairs or by SciPy."""
    times = Counter(document for shown in lists for document in shown)
    counts = np.array([times[document] for document in range(SIZE)])
    if aggregation is CATALOGUE_COVERAGE:
        return np.count_nonzero(counts) / SIZE
    if aggregation is EXPOSURE_ENTROPY:
        return entropy(counts, base=2)
    return sum(abs(one - other) for one in counts for other in counts) / (2 * SIZE * counts.sum())


def jackknife_values(aggregation, blocks):
    """The value of all lists, and n − 1 times how far the value without each block is below the mean of these values."""
    every = plain(aggregation, [shown for block in blocks for shown in block])
    without = [
        plain(aggregation, [shown for other, block in enumerate(blocks) if other != left_out for shown in block])
        for left_out in range(len(blocks))
    ]
    return every + (len(blocks) - 1) * (np.mean(without) - np.array(without))


def one_document(aggregation, lists):
    """How much the value changes without the document that is shown least, or with another one if there is only one."""
    times = Counter(document for shown in lists for document in shown)
    if len(times) > 1:
        least = min(times, key=times.__getitem__)
        changed = [shown - {least} for shown in lists]
    else:
        changed = [*lists, {next(document for document in range(SIZE) if document not in times)}]
    return abs(plain(aggregation, lists) - plain(aggregation, changed))


def error_of(values, *changes):
    return math.sqrt(values.var(ddof=1) / len(values) + sum(change**2 for change in changes))


def column(aggregation, lists):
    return Column(np.full(len(lists), math.nan), parts_of(lists), aggregation)


@FIGURES
@given(lists=LISTS)
def test_value_and_interval(aggregation, lists):
    values = jackknife_values(aggregation, [[shown] for shown in lists])
    estimate = jackknifed(parts_of(lists), aggregation.figure)
    assert column(aggregation, lists).summary() == pytest.approx(plain(aggregation, lists))
    error = error_of(values, one_document(aggregation, lists))
    assert (estimate.value, estimate.error) == pytest.approx((values.mean(), error))
    assert estimate.error > 0
    half = t.ppf(0.975, len(lists) - 1) * estimate.error
    low, high, method = column_intervals({"": column(aggregation, lists)}, "bootstrap")[""]
    assert (low, high) == pytest.approx((estimate.value - half, estimate.value + half))
    assert method == "t"  # a bootstrap does not fit


@FIGURES
@given(lists=LISTS, others=st.data())
def test_differences_are_a_paired_t_test_that_one_document_of_a_system_cannot_decide(aggregation, lists, others):
    other = others.draw(st.lists(st.sets(st.integers(0, SIZE - 1), min_size=1, max_size=LONGEST), min_size=len(lists),
                                 max_size=len(lists)))  # fmt: skip
    a, b = (jackknife_values(aggregation, [[shown] for shown in some]) for some in (lists, other))
    gap = jackknifed_gap(parts_of(lists), parts_of(other), aggregation.figure).mean
    assert gap.value == pytest.approx(plain(aggregation, other) - plain(aggregation, lists), abs=1e-12)
    error = error_of(b - a, one_document(aggregation, lists), one_document(aggregation, other))
    assert gap.p() == pytest.approx(2 * t.sf(abs((b - a).mean()) / error, len(lists) - 1))


@FIGURES
@given(lists=LISTS, codes=st.data())
def test_clusters_are_left_out_together(aggregation, lists, codes):
    clusters = Clusters.of(codes.draw(st.lists(st.integers(0, 2), min_size=len(lists), max_size=len(lists))))
    low, high, _ = clustered_intervals({"": column(aggregation, lists)}, clusters)[""]
    if clusters.n < 2:
        assert math.isnan(low)
        return
    blocks = [
        [shown for shown, code in zip(lists, clusters.codes, strict=True) if code == each] for each in range(clusters.n)
    ]
    values = jackknife_values(aggregation, blocks)
    half = t.ppf(0.975, clusters.n - 1) * error_of(values, one_document(aggregation, lists))
    assert (low, high) == pytest.approx((values.mean() - half, values.mean() + half))


@FIGURES
def test_too_little_to_know(aggregation):
    assert math.isnan(column_intervals({"": column(aggregation, [{1, 2}])})[""][0])  # one query
    assert math.isnan(jackknifed(parts_of([{1}, set()]), EXPOSURE_GINI.figure).interval(0.95)[0])  # one shows everything


def test_compare_and_slices_use_the_lists_of_their_queries():
    queries = {f"q{place}": Query(f"q{place}", "?", metadata={"kind": "ab"[place % 2]}) for place in range(6)}
    documents = {name: Document(name, name) for name in "abcdefgh"}
    dataset = BenchmarkDataset("tiny", queries=queries, documents=documents, qrels={query: {"a": 1} for query in queries})
    runs = {
        "same": {query: ["a", "b"] for query in queries},
        "varied": {query: ["a", name] for query, name in zip(queries, "bcdeff", strict=True)},
    }
    compared = assay.compare(dataset, runs, ["catalogue_coverage@2"])
    (pair,) = compared.pairs
    assert (pair.value_a, pair.value_b, pair.difference) == (2 / 8, 6 / 8, 4 / 8)
    # four queries of the second run show a document of their own, the two with f do not
    values = jackknife_values(CATALOGUE_COVERAGE, [[{0, place}] for place in (1, 2, 3, 4, 5, 5)]) * SIZE / 8 - 2 / 8
    error = error_of(values, 1 / 8, 1 / 8)
    half = t.ppf(0.975, 5) * error
    assert (pair.interval, pair.low, pair.high) == ("t", pytest.approx(4 / 8 - half), pytest.approx(4 / 8 + half))
    assert (pair.p, pair.better) == (pytest.approx(2 * t.sf(4 / 8 / error, 5)), None)
    part = compared.results[1].subset(queries=["q0", "q2", "q4"])
    assert part.summary == {"catalogue_coverage@2": 4 / 8}


def random_lists(rng, n, k, size):
    return np.column_stack([np.full(n, float(size)), np.argsort(rng.random((n, size)), axis=1)[:, :k]])


@pytest.mark.parametrize(("n", "k", "size"), [(50, 5, 40), (25, 5, 20), (20, 2, 2000)])
@FIGURES
def test_equal_systems_do_not_differ_if_nearly_all_documents_are_shown_or_nearly_none_twice(aggregation, n, k, size):
    rng = np.random.default_rng([n, k, size])
    sides = [(random_lists(rng, n, k, size), random_lists(rng, n, k, size)) for _ in range(100)]
    known = [jackknifed(a, aggregation.figure) for a, _ in sides]
    true = np.mean([each.value for each in known])
    assert np.mean([low <= true <= high for low, high in (each.interval(0.95) for each in known)]) >= 0.95
    p = np.array([jackknifed_gap(a, b, aggregation.figure).mean.p() for a, b in sides])
    assert np.mean(p <= 0.05) <= 0.05
    assert p.min() > 0.001


def test_one_document_more_is_no_verdict():
    shown = [{place % SIZE, (place + 1) % SIZE} for place in range(5 * SIZE)]
    fewer = [some - {8} for some in shown]
    gap = jackknifed_gap(parts_of(fewer), parts_of(shown), CATALOGUE_COVERAGE.figure).mean
    assert (gap.value, gap.error) == pytest.approx((1 / SIZE, math.sqrt(2) / SIZE))  # 8 of 9, and all
    assert gap.p() == pytest.approx(2 * t.sf(1 / math.sqrt(2), len(shown) - 1))


def test_many_documents_more_are_a_verdict_although_no_query_shows_a_document_alone():
    lists = [{place % SIZE, (place + 1) % SIZE} for place in range(5 * SIZE)]
    few = [{place % 2} for place in range(len(lists))]
    gap = jackknifed_gap(parts_of(few), parts_of(lists), CATALOGUE_COVERAGE.figure).mean
    assert gap.value == pytest.approx(7 / SIZE)
    assert gap.p() == pytest.approx(2 * t.sf(7 / math.sqrt(2), len(lists) - 1))
    assert gap.p() < 0.001


RESULTS = st.lists(st.lists(st.integers(0, 11), min_size=1, max_size=3, unique=True), min_size=3, max_size=8)


def shop_of(n_queries, lines=1):
    documents = {f"d{place}": Document(f"d{place}", "x") for place in range(12)}
    queries = {f"q{place}": Query(f"q{place}", "?") for place in range(n_queries)}
    in_order = dict(list(documents.items())[::lines])
    return BenchmarkDataset("tiny", queries=queries, documents=in_order, qrels={query: {"d0": 1} for query in queries})


def run_of(lists):
    return {f"q{place}": [f"d{each}" for each in shown] for place, shown in enumerate(lists)}


@settings(max_examples=20, deadline=None)
@given(lists=RESULTS, others=st.data())
def test_the_queries_that_changed_are_those_with_other_documents(lists, others):
    other = [others.draw(st.sampled_from([shown, shown[::-1], [11, 10, 9]])) for shown in lists]
    metrics = ["catalogue_coverage@3", "exposure_gini@3", "exposure_entropy@3"]
    results = {
        "a": assay.evaluate(shop_of(len(lists)), run_of(lists), metrics),
        "b": assay.evaluate(shop_of(len(lists), lines=-1), run_of(other), metrics),  # the same documents in another order
    }
    n_changed = sum(set(one) != set(two) for one, two in zip(lists, other, strict=True))
    for pair in assay.compare(None, results, metrics).pairs:
        assert pair.n_changed == n_changed
        assert pair.is_same == (not n_changed)
        if not n_changed:
            assert (pair.difference, pair.p, pair.low, pair.high) == (0.0, 1.0, 0.0, 0.0)


def test_other_documents_that_are_shown_as_often_are_a_change():
    metrics = ["catalogue_coverage@3"]
    runs = {"a": run_of([[0, 1], [2, 3], [4, 5]]), "b": run_of([[6, 7], [8, 9], [10, 11]])}
    (pair,) = assay.compare(shop_of(3), runs, metrics).pairs
    assert (pair.difference, pair.n_changed, pair.is_same, pair.p) == (0.0, 3, False, 1.0)
    assert pair.low < 0 < pair.high


def test_one_list_of_twenty_is_one_change():
    lists = [[place % 10, (place + 1) % 10] for place in range(20)]
    runs = {"a": run_of(lists), "b": run_of([[10, 11], *lists[1:]])}
    for pair in assay.compare(shop_of(20), runs, ["catalogue_coverage@2", "exposure_gini@2"]).pairs:
        assert pair.n_changed == 1
