"""Numbers: what may be a score or a grade, in memory and as text."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.model.values import as_number, as_score, is_finite_number, is_truth_value, parse_number


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (2, 2.0),
        (np.float32(0.5), 0.5),
        (Decimal("2.50"), 2.5),
        (Fraction(1, 4), 0.25),
        (np.array(3), 3.0),
        (np.array(Decimal("1.5"), dtype=object), 1.5),
        (True, 1.0),
        (np.False_, 0.0),
    ],
)
def test_numbers_of_all_kinds(value, wanted):
    assert as_number(value) == wanted


@pytest.mark.parametrize(
    "value",
    [
        "2",
        b"2",
        None,
        float("nan"),
        Decimal("nan"),
        Decimal("sNaN"),
        10**400,
        1j,
        np.complex64(1),
        [2],
        np.array([2]),
        np.str_("2"),
    ],
    ids=repr,
)
def test_what_is_no_number(value):
    assert as_number(value) is None
    assert not is_finite_number(value)


@pytest.mark.parametrize("value", [True, False, np.True_, np.array(True)], ids=repr)
def test_a_truth_value_is_no_score(value):
    assert is_truth_value(value)
    assert as_score(value) is None
    with pytest.raises(TypeError):
        parse_number(value)


@pytest.mark.parametrize("value", [0, 1.0, "true", None, np.array(1)], ids=repr)
def test_what_is_no_truth_value(value):
    assert not is_truth_value(value)


@given(st.floats(allow_nan=False))
def test_what_python_writes_is_read_back(number):
    assert parse_number(repr(number)) == number


@pytest.mark.parametrize("text", ["1_0", "٢", "１", "\u00a01", "", "x", "0x10", "1,5"])
def test_text_that_other_tools_do_not_take_for_a_number(text):
    with pytest.raises(ValueError):
        parse_number(text)


@pytest.mark.parametrize(
    ("text", "wanted"), [(" 1 ", 1.0), ("+2", 2.0), (".5", 0.5), ("1e3", 1000.0), ("-inf", float("-inf"))]
)
def test_text_that_is_a_number(text, wanted):
    assert parse_number(text) == wanted
