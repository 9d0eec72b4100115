"""Reply: what a system answered to one query in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any

from assay.errors import DataError
from assay.model.numeric import is_finite_number
from assay.model.said import said_under, said_yes
from assay.text import shortened, words_of

ANSWERS = (
    *("answer", "response", "generated_answer", "predicted_answer", "prediction", "prediction_text", "actual_output"),
)
"""Names under which systems and evaluation tools put what was answered."""
CONFIDENCE = ("confidence", "answer_confidence", "probability")
ABSTAINED = ("abstained", "abstain", "refused", "no_answer")
_LETTER = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Reply:
    """The text of an answer, and how sure the system is of it. Without a word in it, the system has abstained."""

    text: str | None = None
    confidence: float | None = None
    abstained: bool = False

    def __post_init__(self) -> None:
        if not self.abstained and not has_words(self.text or ""):
            object.__setattr__(self, "abstained", True)


def has_words(text: str) -> bool:
    """Whether there is any word in a text; mostly its first letters tell."""
    return bool(_LETTER.search(text) or words_of(text))


def reply_of(said: Mapping[str, Any]) -> Reply | None:
    """The reply in what a system says, by its usual names; None where it says nothing of an answer."""
    named = next((name for name in ANSWERS if name in said), None)
    abstained = bool(said_yes(said, ABSTAINED))
    if named is None and not abstained:
        return None
    text = said[said_under(said, ANSWERS)[0] or named] if named is not None else None
    confidence = said_under(said, CONFIDENCE)[1]
    return Reply(in_words(text, "an answer is text, or null where there is none"), _number(confidence), abstained)


def in_words(value: Any, expected: str) -> str | None:
    """Text as it is, and numbers as they are written; nan is nothing, and anything else is not what was expected."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, float) and isnan(value):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not is_finite_number(value):
        raise DataError(f"{expected}, not {shortened(value)}")
    return str(value)


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            raise DataError(f"a confidence is a number, not {shortened(value)}") from None
    if not is_finite_number(value):
        raise DataError(f"a confidence is a finite number, not {shortened(value)}")
    return float(value)
