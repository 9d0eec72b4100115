"""said: what cells say, and which say nothing."""

import numpy as np
import pytest

from assay.errors import DataError
from assay.model.values import bool_field, first_field


@pytest.mark.parametrize("nothing", [None, "", "  ", float("nan"), np.float64("nan")])
def test_empty_cells_say_nothing(nothing):
    assert first_field({"a": nothing, "b": 0}, ("a", "b")) == ("b", 0)
    assert first_field({"a": nothing}, ("a", "b")) == ("", None)
    assert bool_field({"a": nothing}, ("a",)) is None


def test_the_first_name_that_says_something_counts():
    assert first_field({"b": [], "a": "x"}, ("b", "a")) == ("b", [])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        *((True, True), ("TRUE", True), (" yes ", True), ("on", True), (1, True), (1.0, True), (np.bool_(True), True)),
        *((False, False), ("no", False), ("off", False), ("0", False), (0.0, False), (np.False_, False)),
    ],
)
def test_yes_and_no_as_tables_write_them(value, expected):
    assert bool_field({"gated": value}, ("skipped", "gated")) is expected


@pytest.mark.parametrize("value", ["maybe", 2, [True], 0.5])
def test_anything_else_is_told(value):
    with pytest.raises(DataError, match="gated is true or false, not"):
        bool_field({"gated": value}, ("gated",))
