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
    """A name that the user wrote: an argument, a plan or rules file, a call from Python. Only such a name may run code.

    Whatever is cut out of it or made of it is plain text again, so code that loses the mark refuses instead of running.
    """

    __slots__ = ()


def mark_written(content: Any) -> Any:
    """The same with every text in it, keys included, marked as the user's own. Only for what the user hands over himself."""
    if isinstance(content, str):
        return WrittenName(content)
    if isinstance(content, Mapping):
        return {mark_written(name): mark_written(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [mark_written(inner) for inner in content]
    return content


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
    budget: bool = False
    """May stand behind `@` by its name, in place of a rank: `span_recall@tokens=2000`."""
    shown: bool = False
    """Part of the canonical name even at its default, because tools disagree about the default."""
    is_private: bool = False
    """May hold a secret, so that a value which is refused is not shown."""

    @property
    def may_hold_secret(self) -> bool:
        """Whether it is said to, or its name says so."""
        return self.is_private or is_secret_name(self.name)

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


def written(name: str, settings: Mapping[str, Any]) -> str:
    """A name with its settings, as it reads back: `lin(ic=zhou)`; the name alone where there are none."""
    inside = ", ".join(f"{setting}={show(value)}" for setting, value in settings.items())
    return f"{name}({inside})" if inside else name


def changed_settings(params: Sequence[Param], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are not at their defaults, in the order of the parameters."""
    return {param.name: settings[param.name] for param in params if settings[param.name] != param.default}


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
    """What stands between commas, unless brackets or quotes hold it together."""
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
    """A value for every parameter: as it is given, or else its default; of what is given twice the last counts."""
    settings = {param.name: param.default for param in params}
    for name, value in pairs:
        settings |= parse_setting(text, owner, params, name, value)
    return settings


def parse_setting(text: str, owner: str, params: Sequence[Param], name: str, value: str) -> dict[str, Any]:
    """One parameter, read by the one that answers to the name; or an error that says what there is."""
    for param in params:
        if name.lower() in (param.name, *param.aliases):
            try:
                return {param.name: param.parse(unquoted(value))}
            except ValueError as error:
                reason = "; what was given is not shown, for it may hold a secret"
                reason = reason if param.may_hold_secret else f", not {value!r}"
                raise BadParameter(f"{text}: {param.name} is {error}{reason}") from None
    known = ", ".join(param.name for param in params) or "none"
    near = near_matches(name, [param.name for param in params], most=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    raise BadParameter(f"{text}: {owner} has no parameter {name!r} (it has: {known}).{hint}")
