"""mean_best_similarity: by hand, against every pair by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.parsing import parse_metric

from ._terms import PARENTS, score, terms, view

rankings = st.lists(st.sampled_from([*PARENTS, "OLD", "nobody"]), unique=True, max_size=6)


@pytest.mark.parametrize(
    ("metric", "ranking", "expected", "value"),
    [
        ("mean_best_similarity@10", ["C"], ["C"], 1),
        ("mean_best_similarity@10", ["C"], ["C", "S"], 1 / 2),
        ("mean_best_similarity(formula=simple)@10", ["C", "E"], ["D", "E"], (2 / 3 + 1) / 2),
        ("mean_best_similarity(formula=simple)@1", ["C", "E"], ["D", "E"], (2 / 3 + 1 / 3) / 2),
        ("mean_best_similarity", ["C"], ["C", "C"], 1),
        ("mean_best_similarity", ["C"], ["C", "OLD", "S"], 1 / 2),
        ("mean_best_similarity", ["C"], ["OLD", "S", "C"], 1 / 2),
        ("mean_best_similarity", ["nobody"], ["nobody", "somebody"], 1 / 2),
        ("mean_best_similarity", [], ["C"], 0),
        ("mean_best_similarity", ["C"], [], 0),
    ],
)
def test_by_hand(metric, ranking, expected, value):
    assert score(metric, ranking, expected) == pytest.approx(value)


@given(rankings, rankings, st.integers(1, 7))
def test_against_every_pair_by_itself(ranking, expected, k):
    ontology = terms()

    def alike(a, b):
        numbers = ontology.numbers([a]), ontology.numbers([b])
        return 1.0 if a == b == "nobody" else float(ontology.similarity("hybrid", *numbers)[0])

    once = [one for one in expected if one != "OLD" or "C" not in expected]  # two ids of one term
    best = [max((alike(wanted, found) for found in ranking[:k]), default=0.0) for wanted in once]
    value = sum(best) / len(best) if best else 0.0
    assert score(f"mean_best_similarity@{k}", ranking, expected) == pytest.approx(value)


@given(rankings, rankings)
def test_it_is_never_above_the_maximum(ranking, expected):
    assert score("mean_best_similarity", ranking, expected) <= score("max_ont_sim", ranking, expected) + 1e-12


def test_with_one_expected_term_it_is_the_maximum():
    assert score("mean_best_similarity@2", ["E", "C"], ["D"]) == score("max_ont_sim@2", ["E", "C"], ["D"])


def test_queries_without_judgments_have_no_score():
    values = parse_metric("mean_best_similarity").score(view({"a": ["C"], "b": ["C"]}, {"a": ["C"]}))
    assert values[0] == 1
    assert np.isnan(values[1])
