"""Arguments that several tools share: a checked value, and a ranking in which each id counts once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from assay.errors import BadParameter
from assay.model import text_id

AGAIN = "\0again "
"""The prefix of names that replace repeated ids; no document has such a name."""


def credited_once(ids: Iterable[Any]) -> list[str]:
    """The ids as text. A repeated or empty id is replaced by a name that no document has.

    If every copy of a relevant document counted, DCG could exceed its ideal, and recall could exceed 1.
    """
    ranked: dict[str, None] = {}
    for rank, id_ in enumerate(ids, 1):
        name = text_id(id_)
        ranked[f"{AGAIN}{rank}" if name in ranked or not name else name] = None
    return list(ranked)


T = TypeVar("T")


def checked(parse: Callable[[str], T], name: str, value: Any) -> T:
    """The value as `parse` reads it; an error that names the argument if it cannot."""
    try:
        return parse(str(value))
    except ValueError as error:
        raise BadParameter(f"{name} must be {error}, not {value!r}") from None
