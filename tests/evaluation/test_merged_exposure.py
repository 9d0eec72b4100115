"""What all lists show together, over the queries of several benchmarks: each benchmark has documents of its own."""

import numpy as np
import pytest

import assay
from assay import BenchmarkDataset, Document, Query
from assay.comparison import slice_results
from assay.model import CATALOGUE_COVERAGE, Column, Exposure

METRICS = ("catalogue_coverage@4", "exposure_entropy@4", "exposure_gini@4")


def scored(name, n_documents, n_queries, n_shown):
    """The result of a system that shows documents d0, d1 … of a benchmark, none of them twice."""
    queries = {f"q{place}": Query(f"q{place}", "?", metadata={"language": "en"}) for place in range(n_queries)}
    documents = {f"d{place}": Document(f"d{place}", "x") for place in range(n_documents)}
    dataset = BenchmarkDataset(name, queries=queries, documents=documents, qrels={query: {"d0": 1} for query in queries})
    shown = [f"d{place}" for place in range(n_queries * n_shown)]
    run = {query: shown[place * n_shown : (place + 1) * n_shown] for place, query in enumerate(queries)}
    return assay.evaluate(dataset, run, METRICS, name="bm25").with_fields(benchmark=name)


def values(result):
    return [result.summary[metric] for metric in METRICS]


def test_documents_of_two_benchmarks_are_different_documents():
    merged = scored("a", 10, 2, 4).merge(scored("b", 100, 2, 4))
    assert values(merged) == pytest.approx([16 / 110, 4.0, 1 - 16 / 110])  # 16 of 110 documents, each shown once


def test_lists_may_have_other_lengths_and_merged_results_can_be_merged():
    whole = [16 + 9 + 2, 110 + 100 + 10]
    first = scored("a", 10, 2, 4).merge(scored("b", 100, 2, 4))
    for merged in (first.merge(scored("c", 100, 3, 3), scored("d", 10, 1, 2)),
                   scored("d", 10, 1, 2).merge(scored("c", 100, 3, 3).merge(first))):  # fmt: skip
        assert values(merged) == pytest.approx([whole[0] / whole[1], np.log2(whole[0]), 1 - whole[0] / whole[1]])


def test_a_slice_counts_the_documents_of_its_own_benchmarks():
    results = [scored("a", 10, 2, 4), scored("b", 100, 3, 3), scored("c", 10, 1, 2)]
    (sliced,) = slice_results(results, "benchmark")
    by_benchmark = {part.slice.values[0]: part.results[0] for part in sliced.parts}
    for result in results:
        assert values(by_benchmark[result.benchmark]) == pytest.approx(values(result))
    (sliced,) = slice_results(results, "language")
    assert values(sliced.parts[0].results[0]) == pytest.approx([19 / 120, np.log2(19), 1 - 19 / 120])


def test_a_query_without_value_stays_without_one():
    known = scored("a", 10, 2, 4).table.columns[METRICS[0]].weight
    unknown = Column.undefined(2, CATALOGUE_COVERAGE).weight
    stacked = Exposure.stacked([unknown, known])
    column = Column(np.full(4, np.nan), stacked, CATALOGUE_COVERAGE)
    assert (column.counts.tolist(), column.summary()) == ([False, False, True, True], 8 / 10)
