"""Arguments that the shells of several tools read alike: a checked value, and a ranking in which an id earns once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from assay.errors import BadParameter
from assay.model import text_id

AGAIN = "\0again "
"""How the names begin that stand for ids which came before; no document has one."""


def credited_once(ids: Iterable[Any]) -> list[str]:
    """The ids as text; one that came before is replaced by a name that no document has, and so is an empty one.

    Code that counts every copy of a relevant document gives DCG above its ideal and recall above 1.
    """
    ranked: dict[str, None] = {}
    for rank, id_ in enumerate(ids, 1):
        name = text_id(id_)
        ranked[f"{AGAIN}{rank}" if name in ranked or not name else name] = None
    return list(ranked)


T = TypeVar("T")


def checked(parse: Callable[[str], T], name: str, value: Any) -> T:
    """The value as `parse` reads it; the error for a value it cannot read names the argument."""
    try:
        return parse(str(value))
    except ValueError as error:
        raise BadParameter(f"{name} is {error}, not {value!r}") from None
