"""Similarities: the order of ids is the rule's, only what is needed is looked at, and each formula is asked once."""

import numpy as np
import pytest

from assay.model.policy import Policy
from assay.model.run import Run
from assay.ontology.similarity_view import Expected, Similarities, first_ids


class Letters:
    """Terms that are letters: as alike as they are near in the alphabet; digits are unknown."""

    def __init__(self):
        self.asked = []

    def numbers(self, ids):
        return np.array([ord(one) if one.isalpha() else -1 for one in ids], dtype=np.int64)

    def similarity(self, formula, a, b):
        self.asked.append((formula, len(a)))
        return np.where((a < 0) | (b < 0), 0.0, 1 / (1 + np.abs(a - b)))


PLAIN = Policy().rank_rule


def seen(run, expected, depth=None, rule=PLAIN):
    terms = Letters()
    queries = tuple(dict.fromkeys((*run, *expected)))
    return Similarities.of(queries, Run(run), rule, Expected(expected, terms), depth), terms


def test_best_and_mean_best():
    view, _ = seen({"q": ["d", "b"], "p": ["a"]}, {"q": ["a", "e"], "p": ["a"]})
    assert view.best("any", 1).tolist() == [1 / 2, 1]
    assert view.mean_best("any", 1).tolist() == pytest.approx([(1 / 4 + 1 / 2) / 2, 1])
    assert view.mean_best("any", None).tolist() == pytest.approx([(1 / 2 + 1 / 2) / 2, 1])


def test_each_formula_is_asked_once_for_all_cutoffs():
    view, terms = seen({"q": ["d", "b", "c"]}, {"q": ["a", "e"]})
    for k in (1, 2, None):
        view.best("one", k)
        view.mean_best("one", k)
    view.best("other", 1)
    assert terms.asked == [("one", 6), ("other", 6)]


def test_only_the_first_ids_are_looked_at():
    view, terms = seen({"q": ["d", "b", "c"]}, {"q": ["a", "e"]}, depth=2)
    assert view.best("one", 2).tolist() == [1 / 2]
    assert terms.asked == [("one", 4)]


def test_an_unknown_id_is_itself():
    view, _ = seen({"q": ["1", "2"], "p": ["1"]}, {"q": ["2"], "p": ["3"]})
    assert view.best("one", 1).tolist() == [0, 0]
    assert view.best("one", 2).tolist() == [1, 0]


def test_an_id_expected_twice_counts_once():
    view, _ = seen({"q": ["a"]}, {"q": ["a", "a", "c"]})
    assert view.mean_best("one", None).tolist() == pytest.approx([(1 + 1 / 3) / 2])


def test_nothing_at_all():
    view, _ = seen({}, {})
    assert view.best("one", 1).tolist() == []
    view, _ = seen({"q": []}, {"p": []})
    assert np.isnan(view.best("one", 1)[0])
    assert view.mean_best("one", 1)[1] == 0


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input_order"])
def test_ids_stand_in_the_order_of_the_rule(ties):
    rule = Policy(ties=ties).rank_rule
    run = Run({"q": {"b": 1, "c": 2, "a": 1}, "p": {"x": 3, "y": 2}})
    order = {"docid_desc": ["c", "b", "a"], "docid_asc": ["c", "a", "b"], "input_order": ["c", "b", "a"]}[ties]
    assert first_ids(["p", "q", "z"], run, rule, None) == [["x", "y"], order, []]
    assert first_ids(["q"], run, rule, 2) == [order[:2]]


def test_a_query_may_be_left_out_of_its_own_ranking():
    rule = Policy(drop_self=True).rank_rule
    view, _ = seen({"a": ["a", "c"]}, {"a": ["a"]}, rule=rule)
    assert view.best("one", 1).tolist() == [1 / 3]
