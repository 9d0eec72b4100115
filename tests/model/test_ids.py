"""ids: queries and documents are named by text; whole numbers are written out, anything else is refused."""

from pathlib import PurePosixPath
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import DataError
from assay.model.ids import all_text, text_id, with_text_keys


@pytest.mark.parametrize(
    ("given_id", "wanted"),
    [
        ("d7", "d7"),
        ("", ""),
        (" 7 ", " 7 "),
        ("Ä-日本", "Ä-日本"),
        (7, "7"),
        (-3, "-3"),
        (10**30, "1" + "0" * 30),
        (np.int64(7), "7"),
        (np.uint8(255), "255"),
        (np.str_("d7"), "d7"),
        (UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (PurePosixPath("docs/user guide.md"), "docs/user guide.md"),
    ],
)
def test_text_and_whole_numbers_become_text(given_id, wanted):
    found = text_id(given_id)
    assert found == wanted
    assert type(found) is str


@pytest.mark.parametrize(
    "refused", [None, 7.0, np.float64(7), float("nan"), True, np.True_, b"d7", ("d7",), ["d7"], object()]
)
def test_anything_else_is_refused_and_shown(refused):
    with pytest.raises(DataError) as caught:
        text_id(refused)
    assert repr(refused) in str(caught.value)


def test_all_text_wants_exactly_str():
    assert all_text([])
    assert all_text(["a", "b"])
    assert not all_text(["a", np.str_("b")])  # a subclass may hash the same, but it is not what readers write
    assert not all_text(["a", 7])


def test_keys_are_renamed_in_order_and_values_kept():
    renamed = with_text_keys({7: "x", "a": "y", np.int64(5): "z"}, "run")
    assert list(renamed.items()) == [("7", "x"), ("a", "y"), ("5", "z")]


def test_two_ids_that_become_one_are_an_error_that_says_where():
    with pytest.raises(DataError, match="run, query q1"):
        with_text_keys({7: 1.0, "7": 2.0}, "run, query q1")


@given(st.dictionaries(st.integers(-5, 5) | st.integers(-5, 5).map(str), st.integers()))
def test_no_value_is_ever_lost_silently(mapping):
    collides = len({str(key) for key in mapping}) < len(mapping)
    if collides:
        with pytest.raises(DataError):
            with_text_keys(mapping, "run")
    else:
        assert with_text_keys(mapping, "run") == {str(key): value for key, value in mapping.items()}
