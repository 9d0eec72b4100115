"""flat_scores: the scores of all rankings as one array, and what may be a score."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.model.numeric import as_score
from assay.model.ordering import Floats


def is_kind_of_score(kind: type) -> bool:
    """Whether values of a type can be ranked as they are; truth values, which Python takes for numbers, cannot."""
    return issubclass(kind, numbers.Real | np.number) and not issubclass(kind, bool)


def flat_scores(rankings: Sequence[dict[str, float]], n_rows: int) -> Floats | None:
    """Scores as one array, or None where one of them is no number. Types are sampled: the first of each query."""
    sample = set(map(type, map(next, map(iter, map(dict.values, filter(None, rankings))))))
    if not all(map(is_kind_of_score, sample)):
        return None
    try:
        return np.fromiter(chain.from_iterable(map(dict.values, rankings)), np.float64, n_rows)
    except (TypeError, ValueError, OverflowError):
        return None


def in_floats(by_query: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """The same scores as floats: decimals and arrays without dimensions become some, what cannot is an error."""
    found: dict[str, dict[str, float]] = {}
    for query, ranking in by_query.items():
        floats = found.setdefault(query, {})
        for doc, given in ranking.items():
            score = as_score(given)
            if score is None:
                raise DataError(bad_score(query, doc, given))
            floats[doc] = score
    return found


def bad_score(query: str, doc: str, score: object) -> str:
    """What is wrong with a score that is none."""
    return f"run, query {query}: the score of document {doc} is {score!r}; only a number can be ranked"
