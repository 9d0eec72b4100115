"""Grades of a judge: what it said about a pair, and whether that is a grade at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.model import is_finite_number
from assay.text import printable, shortened

LONGEST_REPLY = 20_000
"""Characters of the longest reply that is read."""
MAX_REASON = 2000
"""Characters of a reason that are stored."""
MAX_SHOWN = 120
"""Characters of a reply that an explanation shows."""
NAME = "grade"
"""The name of the grade in a reply."""
FENCE = re.compile(r"```\w*\s*(.*?)\s*```", re.DOTALL)
Scale = tuple[float, ...]
"""The grades that a judge may give; empty: any finite number."""


@dataclass(frozen=True)
class PairGrade:
    """The grade that a judge gave to a pair, or why there is none. A pair without a grade is ungraded, never 0."""

    grade: float | None
    why: str = ""
    """Why there is no grade; empty if there is one."""
    reason: str = ""
    """What the judge said to explain its grade."""
    model: str = ""
    """The model that answered, as the service reports it."""
    is_failure: bool = False
    """Whether no reply came that could be read as an answer, so that it makes sense to ask again."""

    def to_fields(self) -> dict[str, str]:
        """Everything but the grade, for a log."""
        fields = {"why": self.why, "reason": self.reason, "model": self.model}
        return {name: value for name, value in fields.items() if value}


def ungraded(why: str, model: str = "") -> PairGrade:
    """A pair without a grade."""
    return PairGrade(None, why, model=model)


def read_reply(text: str, scale: Scale) -> PairGrade:
    """The grade in a reply of a model: `{"grade": 2, "reason": "…"}`, or only a number.

    Text in `<think>` and a code fence are left out, and sentences may precede the grade. Everything else has no grade: two
    grades, text after the grade, a grade in words, null, and a grade that is not on the scale.
    """
    rest = text.strip()
    if len(rest) > LONGEST_REPLY:
        return ungraded(f"the reply has more than {LONGEST_REPLY:,} characters")
    if "</think>" in rest:
        rest = rest.rpartition("</think>")[2].strip()
    elif rest.startswith("<think>"):
        return ungraded("the reply ends inside <think>")
    if not rest:
        return ungraded("the reply is empty")
    if number := re.fullmatch(r"(?:```\w*\s*)?(-?\d+(?:\.\d+)?)(?:\s*```)?", rest):
        return read_value(float(number[1]), scale)
    graded = [(end, content) for end, content in _objects(rest) if NAME in content]
    if not graded:
        return ungraded(f"the reply has no grade: {_shown(rest)}")
    if len(graded) > 1:
        return ungraded(f"the reply has {len(graded)} grades")
    ((end, content),) = graded
    if rest[end:].strip().strip("`").strip():
        return ungraded(f"text follows the grade: {_shown(rest[end:])}")
    return read_value(content[NAME], scale, content.get("reason"))


def read_object(text: str) -> Mapping[str, Any] | None:
    """The one JSON object of a reply, without text in `<think>` and without a code fence; None for any other reply."""
    rest = text.strip()
    if "</think>" in rest:
        rest = rest.rpartition("</think>")[2].strip()
    if fenced := FENCE.fullmatch(rest):
        rest = fenced[1]
    try:
        content = json.loads(rest)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, Mapping) else None


class _TwoGrades(ValueError):
    """An object that has a grade twice."""


def _members(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    if sum(name == NAME for name, _ in pairs) > 1:
        raise _TwoGrades
    return dict(pairs)


def _objects(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The JSON objects in a text that are not inside another one, each with the position after it."""
    decoder, start = json.JSONDecoder(object_pairs_hook=_members), text.find("{")
    while start >= 0:
        try:
            content, end = decoder.raw_decode(text, start)
            yield end, content
        except _TwoGrades:
            yield len(text), {NAME: "twice in one object"}
            return
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)


def read_value(value: Any, scale: Scale, reason: Any = "") -> PairGrade:
    """The grade in a value: a number on the scale, also as text such as "2". Anything else is not a grade."""
    if isinstance(value, str) and re.fullmatch(r"\d+(?:\.\d+)?", value.strip()):
        value = float(value)
    if isinstance(value, bool) or not is_finite_number(value):
        return ungraded(f"the grade is not a number: {_shown(value)}")
    if scale and float(value) not in scale:
        return ungraded(f"the grade {value:g} is not on the scale {', '.join(f'{grade:g}' for grade in scale)}")
    return PairGrade(float(value), reason=" ".join(reason.split())[:MAX_REASON] if isinstance(reason, str) else "")


def read_returned(returned: Any) -> PairGrade:
    """The grade that a function or a program returned: a number, a number and a reason, or a map with `grade`."""
    if isinstance(returned, PairGrade):
        return returned
    if isinstance(returned, Mapping):
        if NAME not in returned:
            return ungraded(f"expected a map with grade, found {_shown(returned)}")
        return read_value(returned[NAME], (), returned.get("reason"))
    if isinstance(returned, tuple) and len(returned) == 2:
        return read_value(returned[0], (), returned[1])
    return read_value(returned, ())


def _shown(value: object) -> str:
    return printable(" ".join(value.split()))[:MAX_SHOWN] if isinstance(value, str) else shortened(value, MAX_SHOWN)
