"""Masks: what differs between two recordings of one tree gets the same text, of the same length where tables have it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

DAY = r"20[2-9]\d-[01]\d-[0-3]\d"
MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
EVALUATION = re.compile(rf"\b{DAY}-([\w.-]*?[a-z0-9])-([0-9a-f]{{4,}})\b(?!-)")
Mask = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]


def _zeros(match: re.Match[str]) -> str:
    return re.sub(r"\d", "0", match[0])


MASKS: Sequence[Mask] = (
    (re.compile(rf"\b{DAY}([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?"), _zeros),
    (re.compile(r'("evaluation": ?")[0-9a-f]{24}"'), r'\1MASKED"'),
    (re.compile(r"(?<= \()[0-9a-f]{4}(?=\))"), "0000"),
    (re.compile(rf"\b\d{{1,2}} ({MONTHS})\w* 20\d\d\b"), "0 Month 0000"),
    (re.compile(r"(?<=\bassay[ /])\d+\.\d+\.\d+\w*"), "0.0.0"),
    (re.compile(r'("(?:assay|python|platform)": ?")[^"]*"'), r'\1MASKED"'),
    (re.compile(r"(?<=\bpython )3\.\d+\.\d+"), "0.0.0"),
    (re.compile(r"\bat 0x[0-9a-f]+"), "at 0x0"),
    (re.compile(r'((?:name="csrf" value|data-csrf|"csrf")(?:=|: ?)")[^"]*"'), r'\1MASKED"'),
)


def mask(text: str, folders: Sequence[Path] = ()) -> str:
    """The text without times, ids, versions, addresses and the names of `folders`, which become FOLDER.

    The ids of evaluations are numbered as they appear, so that two are still told apart.
    """
    for folder in folders:
        text = text.replace(str(folder), "FOLDER")
    seen: dict[str, int] = {}

    def numbered(match: re.Match[str]) -> str:
        number = seen.setdefault(match[0], len(seen) + 1)
        return f"0000-00-00-{match[1]}-{number:0{len(match[2])}}"

    text = EVALUATION.sub(numbered, text)
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text
