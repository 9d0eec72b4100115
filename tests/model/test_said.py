"""said: what cells say, and which say nothing."""

import numpy as np
import pytest

from assay.errors import DataError
from assay.model.values import said_under, said_yes


@pytest.mark.parametrize("nothing", [None, "", "  ", float("nan"), np.float64("nan")])
def test_empty_cells_say_nothing(nothing):
    assert said_under({"a": nothing, "b": 0}, ("a", "b")) == ("b", 0)
    assert said_under({"a": nothing}, ("a", "b")) == ("", None)
    assert said_yes({"a": nothing}, ("a",)) is None


def test_the_first_name_that_says_something_counts():
    assert said_under({"b": [], "a": "x"}, ("b", "a")) == ("b", [])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((True, True), ("TRUE", True), (" yes ", True), ("on", True), (1, True), (1.0, True), (np.bool_(True), True)),
        *((False, False), ("no", False), ("off", False), ("0", False), (0.0, False), (np.False_, False)),
    ],
)
def test_yes_and_no_as_tables_write_them(value, expected):
    assert said_yes({"gated": value}, ("skipped", "gated")) is expected


@pytest.mark.parametrize("value", ["maybe", 2, [True], 0.5])
def test_anything_else_is_told(value):
    with pytest.raises(DataError, match="gated is true or false, not"):
        said_yes({"gated": value}, ("gated",))
