"""Reply: what a system answered to one query in words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import DataError
from assay.model.numeric import is_finite_number
from assay.text import shortened, words_of

ANSWERS = ("answer", "response", "generated_answer", "predicted_answer", "prediction", "actual_output")
"""Names under which systems and evaluation tools put what was answered."""
CONFIDENCE = ("confidence", "answer_confidence", "probability")
ABSTAINED = ("abstained", "abstain", "refused", "no_answer")
_LETTER = re.compile(r"[^\W_]")
YES, NO = ("true", "yes", "1"), ("false", "no", "0", "")


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
    has_text = next((name for name in ANSWERS if name in said), None)
    abstained = next((said_yes(said[name], name) for name in ABSTAINED if said.get(name) is not None), False)
    if has_text is None and not abstained:
        return None
    confidence = next((said[name] for name in CONFIDENCE if said.get(name) not in (None, "")), None)
    return Reply(_text(None if has_text is None else said[has_text]), _number(confidence), abstained)


def said_yes(value: Any, name: str) -> bool:
    """True or false, also as tables write it."""
    word = str(value).strip().lower()
    if word not in (*YES, *NO):
        raise DataError(f"{name} is true or false, not {shortened(value)}")
    return word in YES


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DataError(f"an answer is text, or null where there is none, not {shortened(value)}")
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
