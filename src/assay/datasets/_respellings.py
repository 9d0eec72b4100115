"""Respellings: how ids of two sides that never match might be meant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import islice
from typing import NamedTuple

from assay.datasets._chunk_ids import document_of

LOOKED_AT = 1000
"""Ids of one side that are tried."""
RESPELLINGS: dict[str, Callable[[str], str]] = {
    "they are chunks of documents": document_of,
    "blanks are around them": str.strip,
    "they are numbers with .0 behind": lambda one: one.removesuffix(".0"),
    "zeros are in front": lambda one: one.lstrip("0"),
    "they are in capitals": str.lower,
    "they are in small letters": str.upper,
    "folders are in front": lambda one: one.rpartition("/")[2],
    "an ending is behind": lambda one: one.rpartition(".")[0],
}
"""What may be wrong with the ids of one side → how they would be right."""


def respelled(strange: Iterable[str], known: Collection[str]) -> str:
    """What would make some of the strange ids known, with an example; empty where nothing does."""
    ids = list(islice(strange, LOOKED_AT))
    for what, respell in RESPELLINGS.items():
        for one in ids:
            if (meant := respell(one)) != one and meant in known:
                return f"{what}: {one!r} is {meant!r} there"
    return ""


class OtherBeginning(NamedTuple):
    """What the ids of either side begin with, and an id that would be known if it began like the others."""

    theirs: str
    ours: str
    example: str

    @property
    def said(self) -> str:
        """The difference in words."""
        meant = self.ours + self.example.removeprefix(self.theirs)
        return f"they begin with {self.theirs!r} instead of {self.ours!r}: {self.example!r} is {meant!r} there"


def other_beginning(strange: Iterable[str], known: Collection[str]) -> OtherBeginning | None:
    """How ids differ that are alike but for the letters all of one side begin with; None where they differ in more.

    Two of them have to fit: one may do so by chance.
    """
    ids, others = list(islice(strange, LOOKED_AT)), list(islice(known, LOOKED_AT))
    theirs, ours = _beginning(ids), _beginning(others)
    if theirs == ours:
        return None
    fitting = list(dict.fromkeys(one for one in ids if ours + one.removeprefix(theirs) in known))
    return OtherBeginning(theirs, ours, fitting[0]) if len(fitting) > 1 else None


def _beginning(ids: list[str]) -> str:
    """What all of them begin with, short of the digits that count them."""
    first, last = min(ids, default=""), max(ids, default="")
    n_shared = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:n_shared].rstrip("0123456789")
