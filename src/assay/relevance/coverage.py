"""coverage: a text is relevant when it holds enough of the expected words, however long it is."""

from __future__ import annotations

from collections.abc import Sequence

from assay.grammar import Param, fraction
from assay.model import Floats, Query, ratio
from assay.relevance._by_text import Pairs, has_expected, judge_by_text
from assay.relevance._resolver import Ground, Judged, Resolver

THRESHOLD = Param("threshold", fraction, 0.7, "lowest share of the expected words that is relevant")


def word_coverage(pairs: Pairs) -> Floats:
    """The share of the expected words that the text has."""
    return ratio(pairs.shared, pairs.n_wanted[pairs.query])


def resolve_coverage(ground: Ground, queries: Sequence[Query], threshold: float) -> dict[str, Judged]:
    """The case that F1 gets wrong: a long chunk with the whole answer in it covers it fully."""
    return judge_by_text(ground, queries, word_coverage, threshold)


RESOLVER = Resolver(
    "coverage", "share of the expected words that a text holds", has_expected, resolve_coverage, (THRESHOLD,)
)
