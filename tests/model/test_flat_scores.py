"""flat_scores: the scores of all rankings as one array, and what may be a score."""

from decimal import Decimal

import numpy as np
import pytest

import assay
from assay import DataError, Run
from assay.model.flat_scores import flat_scores, in_floats, is_kind_of_score


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
