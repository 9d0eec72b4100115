"""Param: what a metric can be told, how it is read from text, and how it is written back."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

REQUIRED = object()
"""Default of a parameter that must be given."""


@dataclass(frozen=True)
class Param:
    """One parameter. `parse` turns text into a value or raises ValueError saying what is expected."""

    name: str
    parse: Callable[[str], Any]
    default: Any
    meaning: str
    aliases: tuple[str, ...] = ()
    at: bool = False
    """Set by `@` (and by trec_eval's dot)."""
    dot: bool = False
    """Set by trec_eval's dot alone: `utility.1,-1,0,0`, `set_F.2`, `ndcg.1=3.5`."""
    shown: bool = False
    """Part of the canonical name even at its default, because tools disagree about the default."""

    @property
    def choices(self) -> tuple[str, ...]:
        """The words it may be, where there are only a few."""
        return getattr(self.parse, "choices", ())


def show(value: Any) -> str:
    """A value as it stands in a canonical name: shortest form that reads back."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return _show_tuple(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _show_tuple(value: tuple[Any, ...]) -> str:
    if value and isinstance(value[0], tuple):
        return "{" + ", ".join(f"{show(grade)}: {show(gain)}" for grade, gain in value) + "}"
    return "[" + ", ".join(map(show, value)) + "]"


def cutoff(text: str) -> int:
    """A rank: 1, 2, 3, …"""
    if not text.isdecimal() or not text.isascii() or not text.strip("0"):
        raise ValueError("a whole number from 1 up")
    if len(text) > 10 or int(text) > 10**9:
        raise ValueError("at most 1,000,000,000")
    return int(text)


def depth(text: str) -> int:
    """A number of ranks that are each visited, found in the ranking or not."""
    if (value := cutoff(text)) > 10**7:
        raise ValueError("at most 10,000,000")
    return value


def number(text: str) -> float:
    """Any finite number."""
    try:
        value = float(text)
    except ValueError:
        raise ValueError("a number") from None
    if not math.isfinite(value) or "_" in text:
        raise ValueError("a finite number")
    return value


def positive(text: str) -> float:
    """A number above 0."""
    if (value := number(text)) <= 0:
        raise ValueError("a number above 0")
    return value


def not_negative(text: str) -> float:
    """A number from 0 up."""
    if (value := number(text)) < 0:
        raise ValueError("a number from 0 up")
    return value


def fraction(text: str) -> float:
    """A number from 0 to 1."""
    if not 0 <= (value := number(text)) <= 1:
        raise ValueError("a number from 0 to 1")
    return value


def persistence(text: str) -> float:
    """A probability that is neither 0 nor 1."""
    if not 0 < (value := number(text)) < 1:
        raise ValueError("a number between 0 and 1")
    return value


def flag(text: str) -> bool:
    """True or false."""
    try:
        return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
    except KeyError:
        raise ValueError("true or false") from None


def numbers(text: str) -> tuple[float, ...]:
    """Several numbers: `1,-1,0,0` or `[1, -1, 0, 0]`."""
    parts = text.strip("[]() ").split(",")
    return tuple(number(part.strip()) for part in parts)


def fractions(text: str) -> tuple[float, ...]:
    """Several numbers from 0 to 1."""
    values = numbers(text)
    if not all(0 <= value <= 1 for value in values):
        raise ValueError("numbers from 0 to 1")
    return values


def one_of(*choices: str, **synonyms: str) -> Callable[[str], str]:
    """One word out of a few."""
    known = {choice: choice for choice in choices} | {name.replace("_", "-"): value for name, value in synonyms.items()}

    def parse(text: str) -> str:
        try:
            return known[text.lower()]
        except KeyError:
            raise ValueError(f"one of {', '.join(choices)}") from None

    parse.choices = choices  # type: ignore[attr-defined]
    return parse


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
    except (ValueError, SyntaxError, TypeError, AttributeError):
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
