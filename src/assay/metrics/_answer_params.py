"""Parameters of metrics that read answers."""

from __future__ import annotations

from assay.grammar import Param, one_of

TOKENS = Param(
    "tokens",
    one_of("words", "squad"),
    "words",
    "words: Unicode words, or letters in scripts without blanks; squad: as in SQuAD's evaluation, without English articles",
)
COUNT = Param(
    "count",
    one_of("set", "bag"),
    "set",
    "set: each word counts once, as in relevance by tokens; bag: as often as it occurs, as in SQuAD",
)
