"""JSON Schema, as much of draft 7 as our own schemas use: what in a value is not as the schema says, and where."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from assay.errors import DataError
from assay.model import is_finite_number
from assay.text import shortened

Schema = Mapping[str, Any]
Place = tuple[str | int, ...]
NOTES = {"$schema", "$id", "title", "description", "examples", "default"}
"""Keywords that check nothing."""


class Fault(NamedTuple):
    """Something that the schema does not allow."""

    place: Place
    """Names and numbers that lead to it: ("test_cases", 3, "difficulty")."""
    what: str


def schema_faults(value: Any, schema: Schema, place: Place = ()) -> Iterator[Fault]:
    """Everything in the value that the schema does not allow; a keyword that is not known here is an error."""
    if unknown := sorted(schema.keys() - NOTES - _CHECKS.keys()):
        raise DataError(f"the schema uses {', '.join(unknown)}, which is not checked here")
    if "type" in schema and not _has_type(value, schema["type"]):
        yield Fault(place, f"expected {_named(schema['type'])}, found {shortened(value)}")
        return
    for keyword, argument in schema.items():
        if keyword in _CHECKS:
            yield from _CHECKS[keyword](value, argument, schema, place)


def _named(types: str | list[str]) -> str:
    return " or ".join(_WORDS[name] for name in ([types] if isinstance(types, str) else types))


def _has_type(value: Any, types: str | list[str]) -> bool:
    names = [types] if isinstance(types, str) else types
    return any(_TYPES[name](value) for name in names)


def _is_number(value: Any) -> bool:
    return is_finite_number(value) and not isinstance(value, bool)


_WORDS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "null": "null",
    "number": "a number",
    "object": "an object",
    "string": "text",
}
_TYPES: dict[str, Callable[[Any], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and float(value).is_integer(),
    "null": lambda value: value is None,
    "number": _is_number,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """A pattern as ECMAScript means it: digits are ASCII, and `$` is the very end."""
    return re.compile(text.removesuffix("$") + r"\Z" if text.endswith("$") else text, re.ASCII)


def _checked_before(*_: Any) -> Iterator[Fault]:
    """The type, which is looked at first."""
    return iter(())


def _enum(value: Any, allowed: list[Any], _: Schema, place: Place) -> Iterator[Fault]:
    if value not in allowed:
        yield Fault(place, f"expected one of {', '.join(map(str, allowed))}, found {shortened(value)}")


def _matches(value: Any, pattern: str, schema: Schema, place: Place) -> Iterator[Fault]:
    if isinstance(value, str) and not _pattern(pattern).search(value):
        example = f" (such as {schema['examples'][0]})" if schema.get("examples") else ""
        yield Fault(place, f"expected {pattern}{example}, found {shortened(value)}")


def _items(value: Any, schema_of_items: Schema, _: Schema, place: Place) -> Iterator[Fault]:
    for number, item in enumerate(value if isinstance(value, list) else ()):
        yield from schema_faults(item, schema_of_items, (*place, number))


def _min_items(value: Any, least: int, _: Schema, place: Place) -> Iterator[Fault]:
    if isinstance(value, list) and len(value) < least:
        yield Fault(place, f"expected at least {least} of them, found {len(value)}")


def _required(value: Any, names: list[str], _: Schema, place: Place) -> Iterator[Fault]:
    for name in names if isinstance(value, dict) else ():
        if name not in value:
            yield Fault((*place, name), "is missing")


def _properties(value: Any, schemas: Mapping[str, Schema], _: Schema, place: Place) -> Iterator[Fault]:
    for name in schemas if isinstance(value, dict) else ():
        if name in value:
            yield from schema_faults(value[name], schemas[name], (*place, name))


def _pattern_properties(value: Any, schemas: Mapping[str, Schema], _: Schema, place: Place) -> Iterator[Fault]:
    for name in value if isinstance(value, dict) else ():
        for pattern, one in schemas.items():
            if _pattern(pattern).search(name):
                yield from schema_faults(value[name], one, (*place, name))


def _additional(value: Any, allowed: bool | Schema, schema: Schema, place: Place) -> Iterator[Fault]:
    patterns = schema.get("patternProperties", {})
    for name in value if isinstance(value, dict) else ():
        if name in schema.get("properties", {}) or any(_pattern(pattern).search(name) for pattern in patterns):
            continue
        if isinstance(allowed, Mapping):
            yield from schema_faults(value[name], allowed, (*place, name))
        elif not allowed:
            known = ", ".join([*schema.get("properties", {}), *patterns])
            yield Fault((*place, name), f"is not known here; known are {known}")


_CHECKS: dict[str, Callable[[Any, Any, Schema, Place], Iterator[Fault]]] = {
    "type": _checked_before,
    "enum": _enum,
    "pattern": _matches,
    "items": _items,
    "minItems": _min_items,
    "required": _required,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional,
}
