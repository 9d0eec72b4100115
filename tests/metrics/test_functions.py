"""The plain functions over one query, with every worked number that belongs to them."""

from math import log2

import numpy as np
import pytest

import assay
from assay.metrics import (
    average_precision_at_k,
    binary_to_graded,
    dcg_at_k,
    f1_at_k,
    hit_rate_at_k,
    mean_average_precision_at_k,
    mean_mrr_at_k,
    mean_ndcg_at_k,
    mean_precision_at_k,
    mean_recall_at_k,
    mrr_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
)

from ._cases import CASES, close, score

OF_IDS = [precision_at_k, recall_at_k, f1_at_k, hit_rate_at_k, mrr_at_k, average_precision_at_k, ndcg_at_k, dcg_at_k]
MEANS = [
    (mean_precision_at_k, precision_at_k),
    (mean_recall_at_k, recall_at_k),
    (mean_mrr_at_k, mrr_at_k),
    (mean_average_precision_at_k, average_precision_at_k),
    (mean_ndcg_at_k, ndcg_at_k),
]


def printed(value):
    """A number as it is printed with six digits."""
    return pytest.approx(value, abs=5e-7)


# ---- worked numbers


def test_the_ideal_of_three_relevant_documents():
    assert dcg_at_k([1, 1, 1], 5) == close(1 / log2(2) + 1 / log2(3) + 1 / log2(4))
    assert dcg_at_k([1, 1, 1], 5) == printed(2.130930)


def test_grades_in_rank_order():
    assert ndcg_at_k([3, 2, 1], 3) == 1
    assert ndcg_at_k([3, 0, 2, 1, 0], 5) == close((3 + 2 / log2(4) + 1 / log2(5)) / (3 + 2 / log2(3) + 1 / log2(4)))
    assert ndcg_at_k([3, 0, 2, 1, 0], 5) == printed(0.930451)
    assert score("ndcg(gain=exp)@5", [3, 0, 2, 1, 0]) == printed(0.950801)
    assert ndcg_at_k([3, 0, 2], 5) == printed(0.938557)


def test_two_of_three():
    retrieved, relevant = ["d1", "d3", "d5"], {"d1", "d5", "d10"}
    assert precision_at_k(retrieved, relevant, 3) == close(2 / 3)
    assert precision_at_k(retrieved, relevant, 5) == close(2 / 5)
    assert recall_at_k(retrieved, relevant, 5) == close(2 / 3)
    assert f1_at_k(retrieved, relevant, 5) == close(2 * (2 / 5) * (2 / 3) / (2 / 5 + 2 / 3))
    assert hit_rate_at_k(retrieved, relevant, 5) == 1
    assert mrr_at_k(retrieved, relevant, 5) == 1
    assert average_precision_at_k(retrieved, relevant, 5) == close((1 / 1 + 2 / 3) / 3)


def test_the_ranking_three_nought_two_one():
    found, ideal = 3 / log2(2) + 2 / log2(4) + 1 / log2(5), 3 / log2(2) + 2 / log2(3) + 1 / log2(4)
    assert dcg_at_k([3, 0, 2, 1], 4) == close(found)
    assert dcg_at_k([3, 0, 2, 1], 4) == printed(4.430677)
    assert dcg_at_k([3, 2, 1, 0], 4) == close(ideal)
    assert dcg_at_k([3, 2, 1, 0], 4) == printed(4.761860)
    assert ndcg_at_k([3, 0, 2, 1], 4) == close(found / ideal)
    assert ndcg_at_k([3, 0, 2, 1], 4) == printed(0.930451)


def test_the_value_once_printed_for_it_belongs_to_three_two_nought_one():
    assert dcg_at_k([3, 2, 0, 1], 4) == pytest.approx(4.693, abs=5e-4)
    assert ndcg_at_k([3, 2, 0, 1], 4) == pytest.approx(0.985, abs=1e-3)


def test_mean_reciprocal_rank_of_first_third_and_nowhere():
    queries = [(["a"], {"a"}), (["x", "y", "a"], {"a"}), (["x"], {"a"})]
    assert mean_mrr_at_k(queries, 10) == close((1 + 1 / 3 + 0) / 3)


def test_average_precision_of_every_other_document():
    relevant = {"a", "c", "e"}
    assert average_precision_at_k(list("abcde"), relevant, 5) == close((1 / 1 + 2 / 3 + 3 / 5) / 3)
    assert average_precision_at_k(list("abcde"), relevant, 5) == printed(0.755556)


def test_perfect_retrieval():
    retrieved, relevant = ["doc1", "doc2", "doc3", "doc4"], ["doc1", "doc2"]
    assert hit_rate_at_k(retrieved, relevant, 1) == hit_rate_at_k(retrieved, relevant, 2) == 1
    assert ndcg_at_k(retrieved, relevant, 2) == mrr_at_k(retrieved, relevant, 10) == 1


def test_nothing_relevant_retrieved():
    retrieved, relevant = ["doc3", "doc4", "doc5", "doc6"], ["doc1", "doc2"]
    assert hit_rate_at_k(retrieved, relevant, 10) == 0
    assert ndcg_at_k(retrieved, relevant, 10) == mrr_at_k(retrieved, relevant, 10) == 0


def test_partial_retrieval():
    retrieved, relevant = ["doc4", "doc1", "doc5", "doc2"], ["doc1", "doc2", "doc3"]
    assert (hit_rate_at_k(retrieved, relevant, 1), hit_rate_at_k(retrieved, relevant, 2)) == (0, 1)
    assert mrr_at_k(retrieved, relevant, 4) == close(1 / 2)
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert ndcg_at_k(retrieved, relevant, 4) == close((1 / log2(3) + 1 / log2(5)) / ideal)
    assert ndcg_at_k(retrieved, relevant, 4) == printed(0.498189)
    assert ndcg_at_k(retrieved, relevant, 2) == close(1 / log2(3) / (1 + 1 / log2(3)))
    assert ndcg_at_k(retrieved, relevant, 2) == printed(0.386853)
    assert precision_at_k(retrieved, relevant, 4) == close(2 / 4)
    assert recall_at_k(retrieved, relevant, 4) == close(2 / 3)
    assert average_precision_at_k(retrieved, relevant, 4) == close((1 / 2 + 2 / 4) / 3)
    assert average_precision_at_k(retrieved, relevant, 2) == close(1 / 2 / 3)
    assert score("map(norm=min)@2", [0, 1, 0, 1], [1]) == close(1 / 2 / 2)


# ---- shapes of input


@pytest.mark.parametrize("function", OF_IDS)
def test_nothing_retrieved_or_nothing_relevant_scores_0(function):
    assert function([], {"a"}, 5) == 0.0
    assert function(["a"], set(), 5) == 0.0
    assert function(["a"], {"a": 0, "b": 0}, 5) == 0.0
    assert function([], [], 5) == 0.0
    assert isinstance(function([], [], 5), float)


@pytest.mark.parametrize("function", OF_IDS)
def test_relevant_may_be_a_set_a_list_or_grades(function):
    retrieved = ["a", "b", "c"]
    wanted = function(retrieved, {"b", "x"}, 3)
    assert function(retrieved, ["b", "x"], 3) == function(retrieved, {"b": 1, "x": 1, "c": 0}, 3) == wanted
    assert function(tuple(retrieved), frozenset({"b", "x"}), 3) == wanted
    assert function(np.array(retrieved), np.array(["b", "x"]), np.int64(3)) == wanted


@pytest.mark.parametrize("function", OF_IDS)
def test_whole_numbers_are_ids(function):
    wanted = function(["1", "2", "3"], {"2", "9"}, 3)
    assert function([1, 2, 3], {2, 9}, 3) == wanted
    assert function([1, 2, 3], {"2", "9"}, 3) == wanted
    assert function(np.array([1, 2, 3]), {2: 1, 9: 1}, 3) == wanted


@pytest.mark.parametrize("function", OF_IDS)
def test_a_document_retrieved_twice_is_an_error(function):
    with pytest.raises(assay.DataError, match="document b is retrieved twice"):
        function(["a", "b", "b"], {"b"}, 3)
    with pytest.raises(assay.DataError, match="document 7 is retrieved twice"):
        function([7, "7"], {"b"}, 3)


@pytest.mark.parametrize("function", OF_IDS)
@pytest.mark.parametrize("k", [0, -1, 2.0, "5", True, None, float("nan")])
def test_k_is_a_whole_number_from_1_up(function, k):
    with pytest.raises(assay.BadParameter, match="k is a whole number from 1 up"):
        function(["a"], {"a"}, k)


@pytest.mark.parametrize("doc", [1.5, None, True])
def test_other_ids_are_an_error(doc):
    with pytest.raises(assay.DataError, match="an id is text or a whole number"):
        precision_at_k([doc], {"a"}, 1)


@pytest.mark.parametrize("grade", ["1", None, float("nan"), float("inf")])
def test_other_grades_are_an_error(grade):
    with pytest.raises(assay.DataError, match="a grade is a finite number"):
        ndcg_at_k(["a"], {"a": grade}, 1)
    with pytest.raises(assay.DataError, match="a grade is a finite number"):
        ndcg_at_k([1, grade], 2)


def test_grades_count_for_gain_and_only_above_0_for_relevance():
    relevant = {"a": 3, "b": 0, "c": -1, "d": 0.5}
    assert precision_at_k(list("abcd"), relevant, 4) == close(2 / 4)
    assert dcg_at_k(list("abcd"), relevant, 4) == close(3 + 0.5 / log2(5))
    assert ndcg_at_k(list("abcd"), relevant, 4) == close((3 + 0.5 / log2(5)) / (3 + 0.5 / log2(3)))


def test_bare_grades():
    assert ndcg_at_k([0, 1], k=2) == ndcg_at_k([0, 1], 2) == ndcg_at_k((0, 1), 2) == close(1 / log2(3))
    assert dcg_at_k([3, 2, 1], 2) == close(3 + 2 / log2(3))
    assert ndcg_at_k([], 5) == dcg_at_k([], 5) == 0
    assert ndcg_at_k([0, 0], 5) == 0
    assert ndcg_at_k(np.array([3, 2, 1]), 3) == 1


def test_bare_grades_and_what_was_not_retrieved():
    assert ndcg_at_k([3, 0, 2], 5, ideal=[1]) == close((3 + 2 / log2(4)) / (3 + 2 / log2(3) + 1 / log2(4)))
    assert ndcg_at_k([3, 0, 2], 1, ideal=[4]) == close(3 / 4)


def test_k_is_needed():
    with pytest.raises(assay.BadParameter, match="k is a whole number from 1 up, not None"):
        ndcg_at_k([3, 2, 1])


def test_relevant_ids_become_judgments():
    assert binary_to_graded({"a"}) == {"a": 1}
    assert binary_to_graded([1, "b"], grade=3) == {"1": 3, "b": 3}


@pytest.mark.parametrize(
    ("function", "metric"),
    [
        *((precision_at_k, "precision"), (recall_at_k, "recall"), (f1_at_k, "f1"), (hit_rate_at_k, "hit")),
        *((mrr_at_k, "mrr"), (average_precision_at_k, "map"), (ndcg_at_k, "ndcg"), (dcg_at_k, "dcg")),
    ],
)
def test_they_agree_with_the_metrics_of_a_run(function, metric):
    for case in CASES[::10]:
        grades = {f"d{place}": grade for place, grade in enumerate(case.ranked) if grade is not None}
        grades |= {f"missed{place}": grade for place, grade in enumerate(case.missed)}
        for k in (1, 4, 100):
            assert function([f"d{place}" for place in range(len(case.ranked))], grades, k) == score(f"{metric}@{k}", *case)


# ---- means


@pytest.mark.parametrize(("mean", "function"), MEANS)
def test_means(mean, function):
    pairs = [(["a", "b"], {"b"}), (["a", "b"], {"a": 2, "c": 1}), ([], {"a"}), ([1, 2], [2])]
    wanted = sum(function(*pair, 2) for pair in pairs) / len(pairs)
    assert mean(pairs, 2) == close(wanted)
    assert mean([{"retrieved_ids": retrieved, "relevant_ids": relevant} for retrieved, relevant in pairs], 2) == close(
        wanted
    )
    assert mean(iter(pairs), 2) == close(wanted)
    assert mean([], 2) == 0.0


def test_mean_ndcg_of_bare_grades():
    assert mean_ndcg_at_k([[3, 2, 1], [0, 1], []], 3) == close((1 + 1 / log2(3) + 0) / 3)
    assert mean_ndcg_at_k([np.array([3, 2, 1]), (0, 1)], 3) == close((1 + 1 / log2(3)) / 2)
    assert mean_ndcg_at_k([[0, 1], (["a"], {"a"})], 3) == close((1 / log2(3) + 1) / 2)


def test_a_mean_checks_k_too():
    with pytest.raises(assay.BadParameter, match="k is a whole number"):
        mean_recall_at_k([(["a"], {"a"})], 0)


def test_means_agree_with_the_metrics_of_a_run():
    pairs = [(["d0", "d1"], {"d1": 1}), (["d0"], {"d0": 1, "missed0": 1})]
    found = assay.evaluate({"a": pairs[0][1], "b": pairs[1][1]}, {"a": pairs[0][0], "b": pairs[1][0]}, ["map@2"])
    assert mean_average_precision_at_k(pairs, 2) == close(found["map@2"])
