"""Comparisons on values that all result lists have together: which test decides, and what is said about it."""

import numpy as np
import pytest

import assay
from assay import BenchmarkDataset, Document, Query
from assay.reports import ComparisonReport, render_comparisons

METRICS = ["catalogue_coverage@5", "exposure_gini@5", "ndcg@5"]
N, SIZE = 20, 300


@pytest.fixture(scope="module")
def results():
    """A system that shows few documents over and over, and one that shows many."""
    rng = np.random.default_rng(3)
    queries = {f"q{place}": Query(f"q{place}", "?") for place in range(N)}
    documents = {f"d{place}": Document(f"d{place}", "x") for place in range(SIZE)}
    qrels = {query: {f"d{place}": 1} for place, query in enumerate(queries)}
    dataset = BenchmarkDataset("shop", queries=queries, documents=documents, qrels=qrels)
    runs = {
        name: {query: [f"d{place}" for place in rng.permutation(size)[:5]] for query in queries}
        for name, size in (("few", N), ("many", SIZE))
    }
    return {name: assay.evaluate(dataset, run, METRICS, name=name) for name, run in runs.items()}


def printed_as_markdown(compared):
    return render_comparisons(ComparisonReport([compared]), "markdown").replace("&#39;", "'").replace("\\_", "_")


@pytest.mark.parametrize("test", ["bayesian", "bayesian(rope=0.01)"])
def test_a_bayesian_test_says_nothing_about_a_value_that_is_no_mean(results, test):
    compared = assay.compare(None, results, METRICS, test=test)
    by_metric = {pair.metric: pair for pair in compared.pairs}
    coverage, _, ndcg = (by_metric[metric] for metric in METRICS)
    assert coverage.untested == "this test needs a mean over queries"
    assert (np.isnan(coverage.p), coverage.is_significant, coverage.better) == (True, False, None)
    assert coverage.low > 0  # the interval is still that of the jackknife
    assert (ndcg.untested, 0 < ndcg.p_better < 1) == ("", True)
    printed = printed_as_markdown(compared)
    assert "nan" not in printed
    assert "catalogue_coverage@5 cannot be tested: this test needs a mean over queries." in printed
    assert "is better than few on ndcg@5" in printed
    assert "Student" not in printed
    assert compared.to_dict()["how"]["test"] == test


def test_the_head_names_the_test_of_values_of_all_lists_beside_that_of_means(results):
    both = assay.compare(None, results, METRICS, correct_metrics=True)
    assert both.to_dict()["how"]["test_of_all_lists"] == "student_t"
    assert "randomization test (Student's t test on values of all lists)" in printed_as_markdown(both)
    only = assay.compare(None, results, ["catalogue_coverage@5", "exposure_gini@5"], correct_metrics=True)
    assert (only.to_dict()["how"]["test"], "test_of_all_lists" in only.to_dict()["how"]) == ("student_t", False)
    first = assay.compare(None, results, METRICS[::-1])  # only ndcg@5 is tested
    assert "test_of_all_lists" not in first.to_dict()["how"]
    assert "Student's t test" not in printed_as_markdown(first)
