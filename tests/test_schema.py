"""The door for what was written earlier: one line that names source, place, what was expected and what was found."""

from typing import Any

import msgspec
import pytest

from assay.errors import DataError, StoreError
from assay.schema import Count, Number, SchemaError, check_depth, convert_plain, decode_json, parse_plain, schema_errors_in


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    n: Count
    grades: dict[str, Number] = {}


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    rows: dict[str, dict[str, float | None]] = {}
    inner: list[Inner] = []
    more: Any = None

    def __post_init__(self):
        if "odd" in self.rows:
            raise SchemaError("does not belong here", "rows.odd")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"inner": [{"n": 1}, {}]}', "f: inner[1].n: is missing"),
        (b'{"inner": [{"n": 1, "m": 2}]}', "f: inner[0].m: unknown field"),
        (b'{"inner": [{"n": -1}]}', "f: inner[0].n: expected a whole number >= 0"),
        (b'{"inner": [{"n": 1.5}]}', "f: inner[0].n: expected a whole number, found a number"),
        (b'{"inner": {}}', "f: inner: expected a list, found an object"),
        (b'{"rows": {"q1": {"a": 1}, "q2": {"a": 1, "b": []}}}', "f: rows.q2.b: expected a number or null, found a list"),
        (b'{"rows": {"odd": {}}}', "f: rows.odd: does not belong here"),
        (b"[]", "f: expected an object, found a list"),
        (b'{"rows": {"q": {"a": ' + b"1" * 401 + b"}}}", "f: rows.q.a: number out of range"),
        (b'{"rows": {"q": {"a": 1e999, "b": 2.0, "c": null}}}', "f: rows.q.a: number out of range"),
        (b'{"rows": {"q": {}, "a b": {"x@10": 1, "y@10": -1e999}}}', 'f: rows["a b"]["y@10"]: number out of range'),
        (b'{"odd key": 1}', 'f: ["odd key"]: unknown field'),
        (b'{"inner": [{"n": ' + b"1" * 401 + b"}]}", "f: inner[0].n: expected a whole number <= 9223372036854775807"),
        (b'{"rows": {"a\\nb": 1}}', 'f: rows["a\\nb"]: expected an object, found a whole number'),
        (b'{"more": ' + b"[" * 100_000, "f: nested too deeply, expected up to 50 levels"),
        (b"", "f:1: not JSON: Expecting value"),
        (b'{"rows": NaN}', "f: not JSON that can be used: 'NaN is no number'"),
        (b'{"rows": {"\xff": {}}}', "f: not valid UTF-8"),
    ],
)
def test_what_does_not_fit_is_told_in_one_line(content, said):
    with pytest.raises(DataError) as found:
        decode_json(content, Outer, "f")
    assert str(found.value) == said


def test_half_a_character_is_read():
    assert decode_json(b'{"rows": {"\\ud800": {}}}', Outer, "f").rows == {"\ud800": {}}


def test_the_one_wrong_key_of_many_is_named():
    rows = {f"q{n}": {"a": float(n)} for n in range(1000)}
    rows["q777"]["a"] = "word"
    before = {query: dict(row) for query, row in rows.items()}
    with pytest.raises(StoreError, match=r"^s: rows\.q777\.a: expected a number or null, found a text$"):
        convert_plain({"rows": rows}, Outer, "s", StoreError)
    assert rows == before
    assert list(rows) == list(before)


def nested(levels):
    value = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def test_open_values_have_a_depth():
    check_depth(nested(49), "provenance")
    with pytest.raises(SchemaError, match=r"^provenance: nested too deeply, expected up to 50 levels$"):
        check_depth(nested(50), "provenance")


def test_constants_go_where_they_may():
    assert parse_plain(b"[Infinity]", "f") == [float("inf")]


def test_a_schema_error_names_source_and_place():
    with (
        pytest.raises(DataError, match=r"^r\.json: results\[1\]\.summary\.x: wrong$"),
        schema_errors_in("r.json", "results[1]"),
    ):
        raise SchemaError("wrong", "summary.x")
