"""Reported: hits, with what a retriever says about the query as a whole, such as its answer in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.model import Hit
from assay.views import ABSTAINED, ANSWERS, CONFIDENCE
from assay.views import SAID as ROUTES

FIELDS = frozenset((*ANSWERS, *CONFIDENCE, *ABSTAINED))
"""Names under which something is said about a query beside its hits; everything else there is left alone."""


class Reported(list[Hit]):
    """A list of hits like any other; `said` is what came along."""

    def __init__(self, hits: Iterable[Hit], said: Mapping[str, Any]) -> None:
        super().__init__(hits)
        self.said = dict(said)


def reported(hits: list[Hit], answer: Any) -> list[Hit]:
    """The hits with what an answer says beside them; as they are, where it says nothing."""
    said = said_beside(answer)
    return Reported(hits, said) if said else hits


def said_beside(answer: Any) -> dict[str, Any]:
    """What an answer says about the query as a whole; nothing where it is a mere list of hits."""
    if isinstance(answer, Reported):
        return answer.said
    if not isinstance(answer, Mapping) or all(map(_is_score, answer.values())):
        return {}
    said = {name: value for name, value in answer.items() if name in FIELDS and not isinstance(value, list | Mapping)}
    return said | {name: value for name, value in answer.items() if name in ROUTES and value is not None}


def _is_score(value: Any) -> bool:
    """Where all are scores, the names are those of documents."""
    return isinstance(value, int | float) and not isinstance(value, bool)
