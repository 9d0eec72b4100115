"""Written form: the fields of a record as `assay.serialize` writes them."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec


class Optional(NamedTuple):
    """The type of a field that may be absent."""

    kind: Any


def written_form(title: str, record: type[Any], /, *left_out: str, **more: Any) -> type[msgspec.Struct]:
    """The form of a record, with a title: its fields without some of them, and with more fields or other types.

    A float may be null, because JSON cannot hold nan.
    """
    names = [field.name for field in dataclasses.fields(record)] if dataclasses.is_dataclass(record) else record._fields
    hints = get_type_hints(record)
    kinds = {name: _plain(hints[name]) for name in names if name not in left_out} | more
    required = [(name, kind) for name, kind in kinds.items() if not isinstance(kind, Optional)]
    optional = [(name, kind) for name, kind in kinds.items() if isinstance(kind, Optional)]
    absent = [(name, Union[kind.kind, msgspec.UnsetType], msgspec.UNSET) for name, kind in optional]  # noqa: UP007
    return msgspec.defstruct(title, [*required, *absent])


def _plain(hint: Any) -> Any:
    """The type that a value of another type has in JSON."""
    if hint is float:
        return float | None
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return Union[tuple(map(_plain, inner))]  # noqa: UP007 (the types are known only at run time)
    if origin in (tuple, list, Sequence):
        return list[_plain(inner[0])]  # type: ignore[misc]
    if origin in (dict, Mapping):
        return dict[str, _plain(inner[1])]  # type: ignore[misc]
    return hint
