"""JSON: every value has one form, which any JSON reader takes."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.grammar import WrittenName
from assay.serialize import dumps, to_json


@dataclass(frozen=True)
class Figure:
    value: float
    places: tuple[int, ...] = ()


class Point(NamedTuple):
    x: int
    y: int


CASES = [
    (None, None),
    (True, True),
    (2**70, 2**70),
    (0.1, 0.1),
    (math.nan, None),
    (-math.inf, None),
    ("ü", "ü"),
    (np.float32(0.5), 0.5),
    (np.int64(3), 3),
    (np.bool_(True), True),
    (np.array([[1.0, math.nan]]), [[1.0, None]]),
    (np.array(2), 2),
    ({1: {"a": (1, 2)}}, {"1": {"a": [1, 2]}}),
    (MappingProxyType({"a": 1}), {"a": 1}),
    ({3, 1, 2}, [1, 2, 3]),
    (frozenset({"b", 1}), ["b", 1]),
    (Path("a") / "b", str(Path("a") / "b")),
    (Figure(math.inf, (1,)), {"value": None, "places": [1]}),
    (Point(1, 2), [1, 2]),
    (Figure, str(Figure)),
    (1j, "1j"),
]


def test_every_kind_of_value():
    for value, expected in CASES:
        assert to_json(value) == expected, value
        assert json.loads(dumps(value)) == expected, value


def test_texts_and_what_is_no_number():
    assert type(to_json(WrittenName("a"))) is str
    with pytest.raises(ValueError, match="nan"):
        to_json({"a": [1.0, math.nan]}, nan="error")
    assert dumps({"ü": [1, None]}) == '{"\\u00fc":[1,null]}', "one line in ASCII"
    assert dumps({"ü": [1, None]}, indent=2) == '{\n  "ü": [\n    1,\n    null\n  ]\n}', "lines for people"


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))
def test_what_is_json_already_stays_as_it_is(value):
    assert to_json(value) == value == json.loads(dumps(value))
