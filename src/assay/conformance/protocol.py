"""The protocol: one line of JSON per case to a program, one line of JSON per answer back."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable
from typing import Any

from assay.conformance.cases import Case
from assay.conformance.check import Answer
from assay.errors import DataError
from assay.text import counted, shortened

SHAPE = '{"id": "…", "value": 0.5} or {"id": "…", "error": "…"}'


def render_requests(cases: Iterable[Case]) -> str:
    """What a program reads."""
    return "".join(f"{json.dumps(case.request, ensure_ascii=False)}\n" for case in cases)


def render_cases(cases: Iterable[Case]) -> str:
    """The same lines with everything the kit knows about each case; a program can read these as well."""
    return "".join(f"{json.dumps(case.to_dict(), ensure_ascii=False)}\n" for case in cases)


def parse_answers(text: str, cases: Iterable[Case], source: str = "answers") -> dict[str, Answer]:
    """Case → its answer, in whatever order they come. Of lines that are no answers, the first of each kind is told."""
    known = {case.name for case in cases}
    found: dict[str, Answer] = {}
    faults: dict[str, list[str]] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        record, (kind, what) = _parsed(line, known, found)
        if kind:
            faults.setdefault(kind, []).append(f"{source}:{number}: {what}")
        else:
            found[record["id"]] = Answer(record.get("value"), _error_text(record))
    if faults:
        total = sum(map(len, faults.values()))
        raise DataError(f"{source}: {counted(total, 'fault')}", [_with_count(lines) for lines in faults.values()])
    return found


def _with_count(lines: list[str]) -> str:
    """The first fault of a kind, and how many there are."""
    return lines[0] if len(lines) == 1 else f"{lines[0]} (and {counted(len(lines) - 1, 'more line')} like it)"


def _parsed(line: str, known: Container[str], found: Container[str]) -> tuple[Any, tuple[str, str]]:
    """The record in a line, and what is wrong with it: the kind of fault, and the fault in words."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None, ("no JSON", f"expected JSON such as {SHAPE}, found {shortened(line)}")
    return record, _fault(record, known, found)


def _error_text(record: dict[str, Any]) -> str:
    """Why there is no value; an error without words is one too."""
    error = record.get("error")
    return "" if error is None or record.get("value") is not None else str(error) or "no reason given"


def _fault(record: Any, known: Container[str], found: Container[str]) -> tuple[str, str]:
    """Kind of fault and what is wrong; both empty if nothing is."""
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        return "no id", f"expected {SHAPE}, found {shortened(record)}"
    name = record["id"]
    if name not in known:
        return "unknown id", f"no case with the id {shortened(name)} was asked for"
    if name in found:
        return "twice", f"case {name} is answered twice"
    if "value" not in record and "error" not in record:
        return "no answer", f"case {name}: expected a value or an error, found {shortened(sorted(record))}"
    return "", ""
