"""Schema: checks saved content against its expected type when it is read.

A value of the wrong type is an error that names the source, the place in it, what was expected and what was found:
`r.json: results[1].counts.missing: expected a whole number, found text`. Keys that are not plain words are quoted:
`results[1].summary["ndcg@10"]`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn, TypeVar

import msgspec

from assay.errors import AssayError, DataError
from assay.text import printable, shortened

T = TypeVar("T")
DEEPEST = 50
"""Levels of lists and objects in parts that may hold anything: provenance, metadata, what a provider says."""
LONGEST_KEY = 60
"""Characters of a key that a message shows."""
LONGEST_PLACE = 200
LARGEST = 2**63 - 1
Count = Annotated[int, msgspec.Meta(ge=0, le=LARGEST)]
"""A count that fits into every database and array."""
Number = Annotated[int, msgspec.Meta(ge=-LARGEST, le=LARGEST)] | float
"""A number; a whole number stays an int."""
NESTED = f"nested too deeply: at most {DEEPEST} levels are allowed"
HALF = "found half of a surrogate pair where no text is expected"
WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
    "bytes": "bytes",
}
"""msgspec's names of types → ours."""


class SchemaError(ValueError):
    """A value of the wrong type, and its place below the value that was checked."""

    def __init__(self, what: str, place: str = "") -> None:
        super().__init__(f"{place}: {what}" if place else what)
        self.what, self.place = what, place


def decode_json(content: bytes, kind: type[T], source: str, error: type[AssayError] = DataError) -> T:
    """The JSON text as a value of that type, or one error that names the source.

    Half of a surrogate pair is accepted, although msgspec does not read it; NaN and Infinity are not.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except msgspec.ValidationError as fault:
        _raise_error(fault, _plain_or_nothing(content), kind, source, error)
    except RecursionError:
        raise error(NESTED, source=source) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        plain = parse_plain(content, source, error, constants=False)
    return convert_plain(plain, kind, source, error)


def parse_plain(content: bytes, source: str, error: type[AssayError] = DataError, *, constants: bool = True) -> Any:
    """The JSON text as plain values; `constants` says whether NaN and Infinity are accepted."""
    try:
        return json.loads(content, parse_constant=None if constants else _no_constant)
    except RecursionError:
        raise error(NESTED, source=source) from None
    except json.JSONDecodeError as fault:
        raise error(f"not JSON: {fault.msg}", source=source, line=fault.lineno) from None
    except UnicodeDecodeError:
        raise error("not valid UTF-8", source=source) from None
    except ValueError as fault:
        raise error(f"this JSON cannot be used: {shortened(str(fault), 100)}", source=source) from None


def convert_plain(plain: Any, kind: Any, source: str, error: type[AssayError] = DataError) -> Any:
    """Plain values as a value of that type, or one error that names the source."""
    try:
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as fault:
        _raise_error(fault, plain, kind, source, error)
    except UnicodeEncodeError:
        raise error(HALF, source=source) from None
    except RecursionError:
        raise error(NESTED, source=source) from None


@contextmanager
def schema_errors_in(source: str, place: str = "", error: type[AssayError] = DataError) -> Iterator[None]:
    """Turn a SchemaError into an error that names the source and the place of the value in it."""
    try:
        yield
    except SchemaError as fault:
        raise error(_line(_joined(place, fault.place), fault.what), source=source) from None


def check_plain(plain: Any, kind: Any, place: str) -> None:
    """Raise a SchemaError if a plain value does not have that type. The value is not changed."""
    try:
        msgspec.convert(plain, kind)
    except msgspec.ValidationError as fault:
        below, what = _described(fault, plain, kind)
        raise SchemaError(what, _joined(place, below)) from None
    except UnicodeEncodeError:
        raise SchemaError(HALF, place) from None


def check_depth(values: Mapping[str, Any], place: str) -> None:
    """Raise a SchemaError if a value is nested too deeply to be written again."""
    level: list[Any] = [values]
    for _ in range(DEEPEST):
        level = [inner for value in level for inner in _inside(value)]
        if not level:
            return
    raise SchemaError(NESTED, place)


def _inside(value: Any) -> Iterable[Any]:
    inner = value.values() if isinstance(value, dict) else value
    return [child for child in inner if isinstance(child, dict | list)]


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


class _OutOfRange:
    """A number that is too large for any type. It fails again when the values are converted, which gives its place."""


def _float(text: str) -> float | _OutOfRange:
    value = float(text)
    return value if math.isfinite(value) else _OutOfRange()


def _plain_or_nothing(content: bytes) -> Any:
    try:
        return json.loads(content, parse_float=_float)
    except (ValueError, RecursionError):
        return None


def _raise_error(fault: msgspec.ValidationError, plain: Any, kind: Any, source: str, error: type[AssayError]) -> NoReturn:
    raise error(_line(*_described(fault, plain, kind)), source=source) from None


def _line(place: str, what: str) -> str:
    """Both in one line, because names in files may contain any character."""
    where = place if len(place) <= LONGEST_PLACE else f"{place[:LONGEST_PLACE]}…"
    return printable(f"{where}: {what}" if where else what)


def _described(fault: msgspec.ValidationError, plain: Any, kind: Any) -> tuple[str, str]:
    """The place, and what is wrong, in the words of assay."""
    what, _, path = str(fault).partition(" - at `$")
    place = _named_keys(path.removesuffix("`"), plain, kind)
    if isinstance(fault.__cause__, SchemaError):
        return _joined(place, fault.__cause__.place), fault.__cause__.what
    if field := re.fullmatch(r"Object missing required field `(.*)`", what):
        return at_key(place, field[1]), "required field is missing"
    if field := re.fullmatch(r"Object contains unknown field `(.*)`", what, re.DOTALL):
        return at_key(place, field[1]), "unknown field"
    return place, _in_words(what)


def _in_words(what: str) -> str:
    text = re.sub(r"`([a-z |]+)`", lambda names: _any_of(names[1].split(" | ")), what)
    text = text.replace(", got ", ", found ")
    return text[:1].lower() + text[1:]


def _any_of(names: list[str]) -> str:
    """`a or b` for these types; a whole number is left out next to a number."""
    types = [name.strip() for name in names if name.strip() != "int" or "float" not in names]
    return " or ".join(WORDS.get(name, name) for name in types)


def _joined(place: str, below: str) -> str:
    return f"{place}{below}" if not place or below.startswith("[") else f"{place}.{below}" if below else place


def _named_keys(path: str, plain: Any, kind: Any) -> str:
    """`.per_query[...]` with the key in place of the dots: the key that causes the error at this path."""
    place, value = "", plain
    for name, index in re.findall(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]", path):
        key = _wrong_key(value, plain, kind, path) if index == "..." and isinstance(value, dict) else name or index
        place = f"{place}[{key}]" if index.isdecimal() else at_key(place, key)
        value = _step(value, key)
    return place


def at_key(place: str, key: str) -> str:
    """The place of a key in an object: `summary.mrr`, but `summary["ndcg@10"]` if the key is not a plain word."""
    if key.isidentifier() and len(key) <= LONGEST_KEY:
        return f"{place}.{key}" if place else key
    return f'{place}["{printable(key if len(key) <= LONGEST_KEY else f"{key[: LONGEST_KEY - 1]}…")}"]'


def _step(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        return value.get(key)
    return value[int(key)] if isinstance(value, list) and key.isdecimal() and int(key) < len(value) else None


def _wrong_key(value: dict[str, Any], plain: Any, kind: Any, path: str) -> str:
    """The first key of an object that is wrong, found by bisection, so that a large object is fast as well."""
    whole, keys = dict(value), list(value)
    while len(keys) > 1:
        half = keys[: len(keys) // 2]
        value.clear()
        value.update({key: whole[key] for key in half})
        keys = half if _fails_at(plain, kind, path) else keys[len(half) :]
    value.clear()
    value.update(whole)
    return keys[0] if keys else "..."


def _fails_at(plain: Any, kind: Any, path: str) -> bool:
    try:
        msgspec.convert(plain, kind)
    except msgspec.ValidationError as fault:
        return str(fault).partition(" - at `$")[2].removesuffix("`") == path
    except UnicodeEncodeError:
        return False
    return False
