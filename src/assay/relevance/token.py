"""token: a text is relevant when its words and the expected ones have a high enough F1."""

from __future__ import annotations

from collections.abc import Sequence

from assay.grammar import Param, fraction
from assay.model import Floats, Query, ratio
from assay.relevance._by_text import Pairs, has_expected, judge_by_text
from assay.relevance._resolver import Ground, Judged, Resolver

THRESHOLD = Param("threshold", fraction, 0.3, "lowest F1 that is relevant; 0.5 is strict, 0.1 lenient", ("f1_threshold",))


def token_f1(pairs: Pairs) -> Floats:
    """Twice the shared words over the words of both: the harmonic mean of the share of each."""
    return ratio(2 * pairs.shared, pairs.index.n_distinct[pairs.text] + pairs.n_wanted[pairs.query])


def resolve_token(ground: Ground, queries: Sequence[Query], threshold: float) -> dict[str, Judged]:
    """Different words are compared, repetitions do not count. A long text has a low F1 even if it holds the answer."""
    return judge_by_text(ground, queries, token_f1, threshold)


RESOLVER = Resolver("token", "F1 of the words shared with the expected answer", has_expected, resolve_token, (THRESHOLD,))
