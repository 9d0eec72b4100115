"""The grammar of names: `name(parameter=value)`, shared by metrics, resolvers, providers, chunkers and fusions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.errors import BadParameter, near_matches
from assay.masking import is_secret_name

REQUIRED = object()
"""Default of a parameter that must be given."""


class WrittenName(str):
    """A name that the user wrote: in an argument, in a plan or rules file, or in Python. Only such a name may run code.

    Any text derived from it is a plain `str` again. So a name that loses the mark on its way is refused, not run.
    """

    __slots__ = ()


def mark_written(content: Any) -> Any:
    """The same content with every text in it, keys included, marked as written by the user. Only for direct user input."""
    if isinstance(content, str):
        return WrittenName(content)
    if isinstance(content, Mapping):
        return {mark_written(name): mark_written(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [mark_written(inner) for inner in content]
    return content


@dataclass(frozen=True)
class Param:
    """One parameter. `parse` turns text into a value, or raises a ValueError that says what the value must be."""

    name: str
    parse: Callable[[str], Any]
    default: Any
    meaning: str
    aliases: tuple[str, ...] = ()
    at: bool = False
    """Set by `@` (and by trec_eval's dot)."""
    dot: bool = False
    """Set by trec_eval's dot alone: `utility.1,-1,0,0`, `set_F.2`, `ndcg.1=3.5`."""
    budget: bool = False
    """May follow `@` by name, in place of a rank: `span_recall@tokens=2000`."""
    shown: bool = False
    """Part of the canonical name even at its default, because tools disagree about the default."""
    is_private: bool = False
    """May hold a secret, so an error does not show the value."""
    is_later: bool = False
    """Added after fingerprints were stored: it counts in them only if it is set."""

    @property
    def may_hold_secret(self) -> bool:
        """Whether it is marked as private, or its name says so."""
        return self.is_private or is_secret_name(self.name)

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it accepts, if there is a fixed list."""
        return getattr(self.parse, "choices", ())


def show(value: Any) -> str:
    """A value as it is written in a canonical name: the shortest form that reads back."""
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


def written(name: str, settings: Mapping[str, Any]) -> str:
    """A name with its settings, in a form that reads back: `lin(ic=zhou)`; the name alone if there are no settings."""
    inside = ", ".join(f"{setting}={show(value)}" for setting, value in settings.items())
    return f"{name}({inside})" if inside else name


def changed_settings(params: Sequence[Param], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are not at their defaults, in the order of the parameters."""
    return {param.name: settings[param.name] for param in params if settings[param.name] != param.default}


def cutoff(text: str) -> int:
    """A rank: 1, 2, 3, …"""
    if not text.isdecimal() or not text.isascii() or not text.strip("0"):
        raise ValueError("a whole number of at least 1")
    if len(text) > 10 or int(text) > 10**9:
        raise ValueError("at most 1,000,000,000")
    return int(text)


def depth(text: str) -> int:
    """A number of ranks that are all visited, whether the ranking reaches them or not."""
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
    """A number of at least 0."""
    if (value := number(text)) < 0:
        raise ValueError("a number of at least 0")
    return value


def days(text: str) -> float:
    """A number of days above 0; with a unit, hours, weeks or years of 365 days: 30, 30d, 12h, 2w, 1y."""
    bare = text.strip().lower()
    unit = DAYS_PER_UNIT.get(bare[-1:], 0.0)
    try:
        return positive(bare[:-1] if unit else bare) * (unit or 1.0)
    except ValueError:
        raise ValueError("a number of days above 0, such as 30, 12h or 2w") from None


DAYS_PER_UNIT = {"h": 1 / 24, "d": 1.0, "w": 7.0, "y": 365.0}
"""Unit → its length in days."""


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
    """True or false, in the words people use."""
    word = text.lower()
    if word in ("true", "yes", "on", "1"):
        return True
    if word in ("false", "no", "off", "0"):
        return False
    raise ValueError("true or false")


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


def split_call(text: str) -> tuple[str, list[tuple[str, str]]]:
    """`token(threshold=0.5)` → token, [(threshold, 0.5)]. Brackets inside values stay together."""
    shape = re.fullmatch(r"\s*(?P<name>[^\s()]+)\s*(?:\((?P<inside>.*)\))?\s*", text, re.DOTALL)
    if not shape:
        raise BadParameter(f"{text!r} is not a name; write name or name(parameter=value)")
    settings = []
    for part in split_arguments(shape["inside"] or ""):
        name, equals, value = part.partition("=")
        if not equals:
            raise BadParameter(f"{text}: write parameters as name=value, not {part!r}")
        settings.append((name.strip(), value.strip()))
    return shape["name"], settings


def split_arguments(inside: str) -> list[str]:
    """Split at commas, but not inside brackets or quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for place, letter in enumerate(inside):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"" and (place == start or not inside[place - 1].isalnum()):
            quote = letter
        elif letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(inside[start:place])
            start = place + 1
        if depth < 0:
            break
    if depth or quote:
        raise BadParameter(f"the {'quotes' if quote else 'brackets'} in {inside!r} do not match")
    return [part.strip() for part in (*parts, inside[start:]) if part.strip()]


def unquoted(text: str) -> str:
    """The text without the one pair of quotes around it, if there is one."""
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def parse_settings(text: str, owner: str, params: Sequence[Param], pairs: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """A value for every parameter: the given value, else the default. If one is given twice, the last value counts."""
    settings = {param.name: param.default for param in params}
    for name, value in pairs:
        settings |= parse_setting(text, owner, params, name, value)
    return settings


def parse_setting(text: str, owner: str, params: Sequence[Param], name: str, value: str) -> dict[str, Any]:
    """One parameter, found by its name or an alias; or an error that lists the parameters."""
    for param in params:
        if name.lower() in (param.name, *param.aliases):
            try:
                return {param.name: param.parse(unquoted(value))}
            except ValueError as error:
                reason = " (the value is not shown because it may hold a secret)"
                reason = reason if param.may_hold_secret else f", not {value!r}"
                raise BadParameter(f"{text}: {param.name} must be {error}{reason}") from None
    known = [param.name for param in params]
    if not known:
        raise BadParameter(f"{text}: {owner} has no parameters, but {name!r} is given")
    near = near_matches(name, known, most=1)
    question = f" Did you mean {near[0]}?" if near else ""
    raise BadParameter(f"{text}: {owner} has no parameter {name!r}.{question}   (choose from {', '.join(known)})")
