"""The protocol: one line of JSON per case to a program, one line of JSON per answer back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from assay.conformance.cases import Case
from assay.conformance.check import Answer
from assay.errors import Faults
from assay.text import shortened

SHAPE = '{"id": "…", "value": 0.5} or {"id": "…", "error": "…"}'


def render_requests(cases: Iterable[Case]) -> str:
    """What a program reads."""
    return "".join(f"{json.dumps(case.request, ensure_ascii=False)}\n" for case in cases)


def render_cases(cases: Iterable[Case]) -> str:
    """The same lines with everything the kit knows about each case; a program can read these as well."""
    return "".join(f"{json.dumps(case.to_dict(), ensure_ascii=False)}\n" for case in cases)


def parse_answers(text: str, cases: Iterable[Case], source: str = "answers") -> dict[str, Answer]:
    """Case → its answer, in whatever order they come. Lines that are no answers are errors that name the line."""
    known = {case.name for case in cases}
    faults, found = Faults(source), dict[str, Answer]()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            faults.add(number, f"expected JSON such as {SHAPE}, found {shortened(line)}")
            continue
        if fault := _fault(record, known, found):
            faults.add(number, fault)
        else:
            found[record["id"]] = Answer(record.get("value"), _error_text(record))
    faults.raise_if_any()
    return found


def _error_text(record: dict[str, Any]) -> str:
    """Why there is no value; an error without words is one too."""
    error = record.get("error")
    return "" if error is None or record.get("value") is not None else str(error) or "no reason given"


def _fault(record: Any, known: set[str], found: dict[str, Answer]) -> str:
    """What is wrong with a line; empty if nothing is."""
    if not isinstance(record, dict) or not isinstance(record.get("id"), str):
        return f"expected {SHAPE}, found {shortened(record)}"
    if record["id"] not in known:
        return f"no case with the id {shortened(record['id'])} was asked for"
    if record["id"] in found:
        return f"case {record['id']} is answered twice"
    if "value" not in record and "error" not in record:
        return f"case {record['id']}: expected a value or an error, found {shortened(sorted(record))}"
    return ""
