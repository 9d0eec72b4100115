"""Policy: the defaults are written down here, and nothing but the listed choices is taken."""

import dataclasses

import numpy as np
import pytest

from assay import BadParameter, Policy
from assay.model.policy import CHOICES


def test_the_defaults():
    assert Policy().to_dict() == {
        "ties": "docid_desc",
        "precision": "float64",
        "missing": "zero",
        "extra": "skip",
        "no_relevant": "zero",
        "rel": None,
        "judged_only": False,
        "negatives": "unjudged",
        "drop_self": False,
        "max_grade": None,
        "duplicates": "error",
    }


@pytest.mark.parametrize(("field", "choice"), [(field, choice) for field, allowed in CHOICES.items() for choice in allowed])
def test_every_choice_is_taken(field, choice):
    assert Policy(**{field: choice}).to_dict()[field] == choice


@pytest.mark.parametrize("field", CHOICES)
@pytest.mark.parametrize("bad", ["", "DOCID_DESC", "average", None, 0, []], ids=repr)
def test_anything_else_is_refused_with_the_choices(field, bad):
    with pytest.raises(BadParameter) as caught:
        Policy(**{field: bad})
    assert all(text in str(caught.value) for text in (field, repr(bad), *CHOICES[field]))


@pytest.mark.parametrize("field", ["rel", "max_grade"])
@pytest.mark.parametrize("level", [1, 2.5, np.float64(2), np.int64(2)], ids=repr)
def test_levels_are_numbers(field, level):
    assert getattr(Policy(**{field: level}), field) == level


def test_the_lowest_levels():
    assert Policy(rel=0).rel == 0
    with pytest.raises(BadParameter, match="max_grade"):
        Policy(max_grade=-1)


@pytest.mark.parametrize("field", ["rel", "max_grade"])
@pytest.mark.parametrize("bad", ["1", float("nan"), float("inf"), [], 1j, pytest.param(10**400, id="huge")], ids=repr)
def test_levels_are_finite(field, bad):
    with pytest.raises(BadParameter, match=field):
        Policy(**{field: bad})


@pytest.mark.parametrize("field", ["judged_only", "drop_self"])
@pytest.mark.parametrize("bad", ["no", "false", None, 1], ids=repr)
def test_switches_are_true_or_false(field, bad):
    with pytest.raises(BadParameter, match=field):
        Policy(**{field: bad})


@pytest.mark.parametrize("ties", CHOICES["ties"])
@pytest.mark.parametrize("precision", CHOICES["precision"])
@pytest.mark.parametrize("drop_self", [False, True])
def test_the_rule_of_ranks(ties, precision, drop_self):
    """Where no order is chosen among equals, they are ranked by the default one and known to be tied."""
    rule = Policy(ties=ties, precision=precision, drop_self=drop_self).rank_rule
    assert rule == ("docid_desc" if ties in ("expected", "error") else ties, precision, drop_self)


def test_nothing_else_decides_ranks():
    policy = Policy(missing="skip", extra="error", no_relevant="skip", rel=2, judged_only=True, negatives="nonrelevant")
    assert policy.rank_rule == Policy().rank_rule


def test_a_policy_cannot_be_changed_or_misspelt():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Policy().ties = "docid_asc"
    with pytest.raises(TypeError):
        Policy(tie="docid_asc")
    with pytest.raises(TypeError):
        Policy("docid_asc")


def test_a_policy_reads_back():
    policy = Policy(ties="input_order", rel=2, judged_only=True)
    assert Policy(**policy.to_dict()) == policy
