"""flat_scores: the scores of all rankings as one array, and what may be a score."""

from decimal import Decimal

import numpy as np
import pytest

import assay
from assay import DataError, Run
from assay.model.run import flat_scores, in_floats, is_kind_of_score


@pytest.mark.parametrize(
    ("kind", "wanted"), [(int, True), (float, True), (np.float32, True), (bool, False), (str, False), (np.bool_, False)]
)
def test_which_types_can_be_ranked(kind, wanted):
    assert is_kind_of_score(kind) is wanted


def test_scores_are_flat_in_the_order_given():
    assert flat_scores([{"a": 2, "b": 1.5}, {}, {"c": np.float64(3)}], 3).tolist() == [2.0, 1.5, 3.0]
    assert flat_scores([{"a": True}], 1) is None
    assert flat_scores([{"a": 1, "b": "x"}], 2) is None


def test_decimals_become_floats_and_truth_values_are_named():
    assert in_floats({"q": {"a": Decimal("1.5"), "b": np.array(2)}}) == {"q": {"a": 1.5, "b": 2.0}}
    with pytest.raises(DataError, match="query q: the score of document b is True; only a number can be ranked"):
        in_floats({"q": {"a": 1, "b": True}})


def test_decimals_are_ranked_wherever_they_are_given():
    given = {"q": {"a": Decimal("1.5"), "b": Decimal("2.5")}}
    assert assay.evaluate({"q": {"a": 1}}, given, "mrr")["mrr"] == 0.5
    assert Run(given) == {"q": {"a": 1.5, "b": 2.5}}
    assert {type(score) for score in Run(given)["q"].values()} == {float}


@pytest.mark.parametrize("bad", [True, np.True_], ids=repr)
@pytest.mark.parametrize("form", ["mapping", "pairs", "rows", "hits"])
def test_truth_values_are_refused_in_every_form(bad, form):
    source = {
        "mapping": {"q": {"a": bad}},
        "pairs": {"q": [("a", bad)]},
        "rows": [("q", "a", bad)],
        "hits": {"q": [{"id": "a", "score": bad}]},
    }[form]
    for read in (Run, lambda run: assay.evaluate({"q": {"a": 1}}, run, "mrr")):
        with pytest.raises(DataError, match="True"):
            read(source)


@pytest.mark.parametrize("bad", ["0.5", "1", b"1", None, True, False, np.True_, [1.0], 10**400], ids=repr)
@pytest.mark.parametrize("place", [1, 500, 999])
def test_what_is_no_number_is_refused_wherever_it_stands_in_a_borrowed_dictionary(bad, place):
    """NumPy would read text as the number it spells, None as nan and True as 1."""
    ranking = {f"d{number}": 1000.5 - number for number in range(1000)}
    run = {"q0": {"d1": 2.5}, "q": ranking | {f"d{place}": bad}}
    with pytest.raises(DataError, match=f"run, query q: the score of document d{place} is "):
        assay.evaluate({"q0": {"d1": 1}, "q": {"d1": 1, "other": 1}}, run, "mrr")


def test_scores_of_0_and_1_are_numbers():
    run = {"q": {"a": 1.0, "b": 0.0, "c": 1, "d": 0, "e": np.float32(1), "f": np.int64(0)}}
    assert flat_scores([run["q"]], 6).tolist() == [1, 0, 1, 0, 1, 0]
    assert flat_scores([run["q"] | {"g": np.False_}], 7) is None
    assert flat_scores([run["q"] | {"g": 0.5, "h": 0.25, "i": True}], 9) is None
