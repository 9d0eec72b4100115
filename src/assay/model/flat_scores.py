"""flat_scores: the scores of all rankings as one array, and what may be a score."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from itertools import chain
from struct import Struct
from struct import error as StructError  # noqa: N812
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.model.numeric import as_score
from assay.model.ordering import Floats

SAMPLE = 1000
"""About how many values are asked for their type."""


def is_kind_of_score(kind: type) -> bool:
    """Whether values of a type can be ranked as they are; truth values, which Python takes for numbers, cannot."""
    return issubclass(kind, numbers.Real | np.number) and not issubclass(kind, bool)


def flat_scores(rankings: Sequence[dict[str, float]], n_rows: int) -> Floats | None:
    """Scores as one array, or None where one of them is no number.

    Every value is looked at, in C: `struct` takes numbers alone, where NumPy would read text too. What kind of numbers they
    are is sampled; those of another kind, such as decimals, are made floats by the caller.
    """
    values = tuple(chain.from_iterable(map(dict.values, rankings)))
    if not all(map(is_kind_of_score, set(map(type, values[:: len(values) // SAMPLE + 1])))):
        return None
    try:
        scores = np.frombuffer(Struct(f"{n_rows}d").pack(*values)).copy()
    except (TypeError, ValueError, OverflowError, StructError):
        return None
    return None if _has_truth_values(values, scores) else scores


def _has_truth_values(values: tuple[Any, ...], scores: Floats) -> bool:
    """Whether True or False is among the values: only those that are 1 or 0 are looked at."""
    places = np.flatnonzero((scores == 1) | (scores == 0))
    candidates = values if len(places) > len(values) // 4 else map(values.__getitem__, places.tolist())
    return not all(map(is_kind_of_score, set(map(type, candidates))))


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
