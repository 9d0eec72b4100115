"""Parameters that several metrics share, and gains as they are written."""

from __future__ import annotations

import ast
import math

from assay.grammar import (
    REQUIRED,
    Param,
    cutoff,
    depth,
    flag,
    number,
    one_of,
    positive,
)

GAINS = ("linear", "exp", "binary")
_GAIN_WORD = one_of(*GAINS, log2="linear", exp_log2="exp")


def gain(text: str) -> str | tuple[tuple[float, float], ...]:
    """`linear`, `exp`, `binary`, or a map from grade to gain: `{1: 3.5, 2: 9}` or `1=3.5,2=9`."""
    if "=" in text and "{" not in text:
        text = "{" + text.replace("=", ":") + "}"
    if not text.startswith("{"):
        try:
            return _GAIN_WORD(text)
        except ValueError as error:
            raise ValueError(f"{error}, or a map such as {{1: 3.5, 2: 9}}") from None
    try:
        table = ast.literal_eval(text)
        if table and all(math.isfinite(number) for pair in table.items() for number in pair):
            return tuple(sorted((float(grade), float(worth)) for grade, worth in table.items()))
    except (ValueError, SyntaxError, TypeError, AttributeError, OverflowError, RecursionError, MemoryError):
        pass
    raise ValueError("a map from grade to gain such as {1: 3.5, 2: 9}")


gain.choices = GAINS  # type: ignore[attr-defined]

CUTOFF = Param("k", cutoff, None, "only the first k ranks count", aliases=("cutoff",), at=True)
CUTOFF_NEEDED = Param("k", cutoff, REQUIRED, "only the first k ranks count", aliases=("cutoff",), at=True)
REL = Param("rel", number, None, "lowest grade that is relevant; by default the policy's (any grade above 0)")
JUDGED_ONLY = Param("judged_only", flag, False, "drop unjudged documents from the ranking first")
GAIN = Param(
    "gain", gain, "linear", "what a grade is worth: linear, exp (2^grade − 1), binary, or a map", ("gains", "dcg"), dot=True
)
GAIN_LEVEL = Param("rel", number, None, "grades below it gain nothing; the policy's level does not matter here")
DISCOUNT = Param(
    "discount", one_of("log2", "jk2002"), "log2", "log2: 1/log₂(rank+1); jk2002: none at rank 1, then 1/log₂(rank)"
)
MAX_GRADE = Param("max_grade", positive, None, "top of the grading scale; by default the largest grade judged", ("max_rel",))
MIN_GRADE = Param("min_grade", number, 0.0, "bottom of the grading scale", ("min_rel",))
TARGET = Param("t", positive, 1.0, "gain the user wants before stopping")
CUTOFF_VISITED = Param("k", depth, REQUIRED, "only the first k ranks count", aliases=("cutoff",), at=True)
DEPTH = Param("depth", depth, 1000, "ranks the user model is summed over (cwl_eval: 1000)")
