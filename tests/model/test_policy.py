"""Policy: the defaults are written down here, and nothing but the listed choices is taken."""

import dataclasses

import numpy as np
import pytest

from assay import BadParameter, Policy

CHOICES = {
    "ties": ("docid_desc", "docid_asc", "input_order", "reverse_order", "ranx", "expected", "error"),
    "precision": ("float64", "float32"),
    "missing": ("zero", "skip", "error"),
    "extra": ("skip", "error"),
    "no_relevant": ("zero", "skip", "error"),
    "negatives": ("unjudged", "nonrelevant"),
    "duplicates": ("error", "keep_best"),
}
"""The first is the default."""


def test_defaults_and_choices():
    levels = {"rel": None, "judged_only": False, "drop_self": False, "max_grade": None}
    assert Policy().to_dict() == {field: choices[0] for field, choices in CHOICES.items()} | levels
    for field, choices in CHOICES.items():
        for choice in choices:
            assert Policy(**{field: choice}).to_dict()[field] == choice
        for bad in ("", "DOCID_DESC", "average", None, 0, []):
            with pytest.raises(BadParameter) as caught:
                Policy(**{field: bad})
            assert all(text in str(caught.value) for text in (field, repr(bad), *choices))


def test_levels_are_finite_numbers_and_switches_true_or_false():
    for field in ("rel", "max_grade"):
        for level in (1, 2.5, np.float64(2), np.int64(2)):
            assert getattr(Policy(**{field: level}), field) == level
        for bad in ("1", float("nan"), float("inf"), [], 1j, 10**400):
            with pytest.raises(BadParameter, match=field):
                Policy(**{field: bad})
    assert Policy(rel=0).rel == 0
    with pytest.raises(BadParameter, match="max_grade"):
        Policy(max_grade=-1)
    for field in ("judged_only", "drop_self"):
        for bad in ("no", "false", None, 1):
            with pytest.raises(BadParameter, match=field):
                Policy(**{field: bad})


def test_a_policy_cannot_be_changed_or_misspelt_and_reads_back():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Policy().ties = "docid_asc"
    with pytest.raises(TypeError):
        Policy(tie="docid_asc")
    with pytest.raises(TypeError):
        Policy("docid_asc")
    policy = Policy(ties="input_order", rel=2, judged_only=True, depth=7)
    assert Policy(**policy.to_dict()) == policy
