"""substring: a text is relevant when the expected words stand in it, one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.model import Floats, Query
from assay.relevance._by_text import Pairs, has_expected, holds_phrase, judge_by_text
from assay.relevance._resolver import Ground, Judged, Resolver


def holds_expected(pairs: Pairs) -> Floats:
    """1 where the expected words are found whole and in order, else 0."""
    found = np.zeros(len(pairs.query))
    for place in np.flatnonzero(pairs.shared == pairs.n_wanted[pairs.query]).tolist():
        found[place] = holds_phrase(pairs, place)
    return found


def resolve_substring(ground: Ground, queries: Sequence[Query]) -> dict[str, Judged]:
    """Case, punctuation and spacing do not matter; word boundaries do."""
    return judge_by_text(ground, queries, holds_expected, 1.0)


RESOLVER = Resolver("substring", "the expected words, whole and in order", has_expected, resolve_substring)
