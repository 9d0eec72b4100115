"""Respellings: how ids of two sides that never match might be meant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import islice

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
