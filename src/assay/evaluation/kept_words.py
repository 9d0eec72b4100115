"""kept_words: what results keep of what providers say beside their hits, so that scores can be worked out again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from assay.evaluation.answers import Answer
from assay.evaluation.reported_routes import knows_routes, said_of_route
from assay.model import Query
from assay.views import ABSTAINED, ANSWERS, CONFIDENCE

REPLY = frozenset((*ANSWERS, *CONFIDENCE, *ABSTAINED))
"""What is read of an answer in words."""


def kept_words(queries: Mapping[str, Query], answers: Mapping[str, Answer]) -> dict[str, dict[str, Any]]:
    """Query → the fields that metrics of answers and routes read, as plain JSON values.

    A query that failed says nothing, and so does one whose provider reports its hits alone.
    """
    has_truth = knows_routes(queries)
    found: dict[str, dict[str, Any]] = {}
    for query, answer in answers.items():
        reply = {name: value for name, value in (answer.said or {}).items() if name in REPLY}
        if answer.error is None and (said := {**reply, **said_of_route(answer, has_truth=has_truth)}):
            found[query] = _plain(said)
    return found


def _plain(value: Any) -> Any:
    """A value as JSON has it: numbers of NumPy as numbers, what is not a number as nothing, anything else as text."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)
