"""The door for what was written earlier: one line that names source, place, what was expected and what was found."""

from typing import Any

import msgspec

from assay.errors import StoreError
from assay.schema import Count, Number, SchemaError, check_depth, convert_plain, decode_json, parse_plain, schema_errors_in
from assay.text import shortened


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


CONTENTS = [
    b'{"inner": [{"n": 1}, {}]}',
    b'{"inner": [{"n": 1, "m": 2}]}',
    b'{"inner": [{"n": -1}]}',
    b'{"inner": [{"n": 1.5}]}',
    b'{"inner": {}}',
    b'{"rows": {"q1": {"a": 1}, "q2": {"a": 1, "b": []}}}',
    b'{"rows": {"odd": {}}}',
    b"[]",
    b'{"rows": {"q": {"a": ' + b"1" * 401 + b"}}}",
    b'{"rows": {"q": {"a": 1e999, "b": 2.0, "c": null}}}',
    b'{"rows": {"q": {}, "a b": {"x@10": 1, "y@10": -1e999}}}',
    b'{"odd key": 1}',
    b'{"inner": [{"n": ' + b"1" * 401 + b"}]}",
    b'{"rows": {"a\\nb": 1}}',
    b'{"more": ' + b"[" * 100_000,
    b"",
    b'{"rows": NaN}',
    b'{"rows": {"\xff": {}}}',
]


def test_what_does_not_fit_is_told_in_one_line(snapshots):
    texts = {shortened(content.decode(errors="replace")): content for content in CONTENTS}
    cases = {text: lambda content=content: decode_json(content, Outer, "f") for text, content in texts.items()}
    rows = {f"q{n}": {"a": float(n)} for n in range(1000)} | {"q777": {"a": "word"}}
    cases["one of many, of a store"] = lambda: convert_plain({"rows": rows}, Outer, "s", StoreError)
    cases["depth"] = lambda: fail_in(lambda: check_depth(nested(50), "provenance"))
    cases["a place within"] = lambda: fail_in(lambda: raise_error(SchemaError("wrong", "summary.x")))
    snapshots.check_errors("errors/schema", cases)


def nested(levels):
    value = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def raise_error(error):
    raise error


def fail_in(act):
    with schema_errors_in("r.json", "results[1]"):
        act()


def test_what_fits_is_read():
    assert decode_json(b'{"rows": {"\\ud800": {}}}', Outer, "f").rows == {"\ud800": {}}
    check_depth(nested(49), "provenance")
    assert parse_plain(b"[Infinity]", "f") == [float("inf")]
