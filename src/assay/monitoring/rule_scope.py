"""Rule scope: where a rule applies, how severe it is, and what undecided means; and the amounts in rules."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.errors import BadParameter, near_matches
from assay.execution import parse_where
from assay.grammar import show
from assay.metrics import BoundMetric
from assay.text import shortened

FAIL, WARN = "fail", "warn"
SEVERITIES = (FAIL, WARN)
_BLANKS = re.compile(r"""('[^']*'|"[^"]*")|\s+""")
"""Blanks outside of quotes. They are reduced to one each, because other patterns are slow on many blanks."""
_OPTIONS = re.compile(r"\s*\[([^\[\]]*)\]\s*$")
_SEVERITY = re.compile(r"\s*(fail|warn)\s*:\s+", re.IGNORECASE)
_WHERE = re.compile(r"\s+(?:where|in)\s+(?=[^\s=]+=)", re.IGNORECASE)
_ON = re.compile(r"\s+on\s+", re.IGNORECASE)

Where = tuple[tuple[str, tuple[str, ...]], ...]
"""For each tag, the values that match."""


@dataclass(frozen=True)
class Guard:
    """`5% over 100 changes`: the chance that any of so many equally good versions fails, over all tested rules."""

    chance: float
    changes: int
    is_fresh: bool = False
    """Whether every evaluation draws new queries, so that evidence adds up."""

    def __str__(self) -> str:
        unit = "evaluations with fresh queries" if self.is_fresh else "changes"
        return f"{show(round(100 * self.chance, 9))}% over {self.changes:,} {unit}"


@dataclass(frozen=True)
class Terms:
    """`… on rag-template where language=de [warn, undecided: fail]`."""

    severity: str = FAIL
    undecided: str = WARN
    """The severity of a rule that is undecided."""
    where: Where = ()
    on: str = ""
    """A benchmark, a provider, or `benchmark/provider`; empty: all results."""
    place: str = field(default="", compare=False)
    """The place of the rule: `gate.yaml:3`."""
    is_usual: bool = field(default=False, compare=False)
    """Whether `undecided` is set for the whole file, so that a single rule does not repeat it."""
    guard: Guard | None = field(default=None, compare=False)
    """The guard of the file of the rule."""
    alpha: float | None = field(default=None, compare=False)
    """The error rate at which a tested rule fails, if it is not the usual one."""
    by_evidence: bool = field(default=False, compare=False)
    """Whether the evidence of all evaluations decides if a tested rule fails, and no test of one evaluation."""

    def __str__(self) -> str:
        options = [*([WARN] if self.severity == WARN else []), *self._doubt]
        parts = (f" on {self.on}" if self.on else "", f" where {self.slice}" if self.where else "")
        return "".join(parts) + (f" [{', '.join(options)}]" if options else "")

    @property
    def _doubt(self) -> list[str]:
        return ["undecided: fail"] if self.undecided == FAIL and not self.is_usual else []

    @property
    def slice(self) -> str:
        """`language=de difficulty=hard,medium`; empty if all queries count."""
        return " ".join(f"{_quoted(name)}={_quoted(','.join(values))}" for name, values in self.where)

    def is_about(self, benchmark: str, provider: str) -> bool:
        """Whether the rule applies to a result."""
        return not self.on or self.on in (benchmark, provider, f"{benchmark}/{provider}")


def _quoted(text: str) -> str:
    return shlex.quote(text)


def split_terms(text: str, place: str = "", undecided: str = WARN) -> tuple[str, Terms]:
    """The body of a rule, and its terms."""
    severity, doubt, rest = FAIL, "", _BLANKS.sub(lambda match: match[1] or " ", text)
    if prefix := _SEVERITY.match(rest):
        severity, rest = prefix[1].lower(), rest[prefix.end() :]
    if options := _OPTIONS.search(rest):
        rest = rest[: options.start()]
        for option in filter(None, map(str.strip, options[1].split(","))):
            severity, doubt = _option(option, severity, doubt)
    body, *clauses = _WHERE.split(rest, maxsplit=1)
    body, *about = _ON.split(body, maxsplit=1)
    where = parse_tags(clauses[0]) if clauses else ()
    on = about[0].strip() if about else ""
    return " ".join(body.split()), Terms(severity, doubt or undecided, where, on, place, is_usual=not doubt)


def _option(option: str, severity: str, undecided: str) -> tuple[str, str]:
    """One word in brackets: `warn`, or `undecided: fail`."""
    name, colon, value = (part.strip().lower() for part in option.partition(":"))
    if not colon and name in SEVERITIES:
        return name, undecided
    if name == "severity":
        return parse_severity(value, "severity"), undecided
    if name == "undecided":
        return severity, parse_severity(value, "undecided")
    near = near_matches(name, ("warn", "fail", "undecided"), most=1)
    question = f" Did you mean {near[0]}?" if near else ""
    known = "[warn], [fail], [undecided: fail]"
    raise BadParameter(f"[{option}] is not an option of a rule.{question}   (choose from {known})")


def parse_severity(value: str, name: str) -> str:
    """`warn` or `fail`."""
    if value.strip().lower() not in SEVERITIES:
        raise BadParameter(f"{name} must be warn or fail, not {value!r}")
    return value.strip().lower()


def parse_tags(text: str) -> Where:
    """Parse `language=de difficulty=hard,medium`; values with blanks need quotes."""
    try:
        words = shlex.split(text)
    except ValueError:
        raise BadParameter(f"the quotes in {text!r} do not match") from None
    return tags_from(parse_where(words))


def tags_from(tags: Mapping[str, list[str]]) -> Where:
    """Tags in the form that `Terms` uses."""
    return tuple((name, tuple(dict.fromkeys(values))) for name, values in tags.items())


# Amount: a number in a rule, plain or in per cent of something

NUMBER = r"(?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(?P<unit>%|ms\b|s\b)?"
"""The pattern of an amount in a rule. Seconds are converted to milliseconds, the unit of metrics."""
ROUNDING = 1e-9
"""Values that differ by less are equal, because floating-point sums are slightly off."""


@dataclass(frozen=True)
class Amount:
    """`0.02`, or `20%`."""

    number: float
    is_percent: bool = False

    @classmethod
    def of(cls, shape: re.Match[str]) -> Amount:
        """The amount in a rule."""
        number = float(shape["number"])
        if not math.isfinite(number):
            raise BadParameter(f"the number {shortened(shape['number'])} is too large")
        return cls(1000 * number if shape["unit"] == "s" else number, shape["unit"] == "%")

    def value(self, whole: float) -> float:
        """The amount as a plain number; per cent refer to `whole`."""
        return self.number / 100 * abs(whole) if self.is_percent else self.number

    def __str__(self) -> str:
        return f"{show(self.number)}{'%' if self.is_percent else ''}"


def check_can_fail(bound: BoundMetric, limit: Amount, what: str) -> None:
    """Raise BadParameter for a limit that no change of the metric can exceed: such a rule never fails, so it is a typo."""
    low, high = bound.metric.range
    if limit.is_percent:
        if low == 0 and bound.metric.higher_is_better and limit.number >= 100:
            raise BadParameter(
                f"{bound.name} cannot {what} by more than 100%, so a limit of {limit} never fails. Did you mean "
                f"{show(limit.number / 100)}%?"
            )
        return
    if not math.isfinite(high - low) or limit.number < high - low:
        return
    meant = f". Did you mean {show(limit.number)}%?" if 1 <= limit.number < 100 else ""
    raise BadParameter(f"{bound.name} is between {show(low)} and {show(high)}, so a limit of {limit} never fails{meant}")


def exceeds(value: float, limit: float) -> bool:
    """Whether a value is above a limit by more than a rounding error."""
    return value - limit > ROUNDING * max(1.0, abs(value), abs(limit))
