"""Serialize: any value as plain JSON values and as JSON text, and dataclasses read from such values."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar, get_type_hints

OnNan = Literal["null", "error"]
Record = TypeVar("Record")


def to_json(value: Any, *, nan: OnNan = "null") -> Any:
    """Dicts, lists, text and finite numbers. Dataclasses become dicts, NumPy arrays lists, sets sorted lists, the rest text.

    NaN and infinities become null, or are a ValueError.
    """
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else _nothing(value, nan)
    if isinstance(value, Mapping):
        return {str(name): to_json(inner, nan=nan) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(inner, nan=nan) for inner in value]
    if isinstance(value, set | frozenset):
        return _sorted(to_json(inner, nan=nan) for inner in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name), nan=nan) for field in dataclasses.fields(value)}
    if callable(to_list := getattr(value, "tolist", None)) and not isinstance(value, type):
        return to_json(to_list(), nan=nan)
    return str(value)


def read_record(kind: type[Record], plain: Any) -> Record:
    """The dataclass that `to_json` described; null is nan for a float. A ValueError if it is something else."""
    import msgspec

    hints = get_type_hints(kind)
    try:
        values = msgspec.convert(plain, dict[str, Any])
        known = {name: math.nan if value is None and hints.get(name) is float else value for name, value in values.items()}
        fields = [(name, hints[name]) for name in known if name in hints]
        form = msgspec.defstruct(kind.__name__, fields, forbid_unknown_fields=True)
        return kind(**{name: getattr(msgspec.convert(known, form), name) for name in known})
    except (msgspec.MsgspecError, TypeError) as error:  # a TypeError: a field is missing
        raise ValueError(f"this is no {kind.__name__}: {error}") from None


def dumps(value: Any, *, indent: int | None = None) -> str:
    """JSON text: one line in ASCII; with an indent, several lines for people, with all characters unescaped."""
    if indent is None:
        return json.dumps(to_json(value), separators=(",", ":"))
    return json.dumps(to_json(value), ensure_ascii=False, indent=indent)


def _nothing(value: float, nan: OnNan) -> None:
    if nan == "error":
        raise ValueError(f"JSON cannot hold the number {value}")


def _sorted(values: Iterable[Any]) -> list[Any]:
    """Sorted by value, or by their JSON text if their types cannot be compared."""
    every = list(values)
    try:
        return sorted(every)
    except TypeError:
        return sorted(every, key=json.dumps)
