"""Parameters of metrics that read spans."""

from __future__ import annotations

from assay.grammar import Param, cutoff, one_of

FIRST_CHUNKS = Param("k", cutoff, None, "only the first k chunks count", aliases=("cutoff",), at=True)
FIRST_FILES = Param("k", cutoff, None, "only the first k files count", aliases=("cutoff",), at=True)
TOKENS = Param(
    "tokens",
    cutoff,
    None,
    "only the chunks that a budget of so many words pays for; the first that does not fit ends the list",
    aliases=("budget",),
    budget=True,
)
UNIT = Param(
    "unit",
    one_of("gold", "lines", "characters", line="lines", chars="characters", character="characters"),
    "gold",
    "what is counted: lines, characters, or gold: what the gold spans are written in, characters where they differ",
)
