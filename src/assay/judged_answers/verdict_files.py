"""Verdict files: JSON lines of verdicts with judge, kind and time; and forms that people fill in with a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.atomic_write import atomic_write
from assay.errors import DataError
from assay.files import each_record, write_lines
from assay.judged_answers.draw import Draw
from assay.judged_answers.items import Item
from assay.judges import TASKS, read_verdict
from assay.store import KINDS, PEOPLE, Judgment, checked_judgment, digest_of_text
from assay.text import printable, shortened, spreadsheet_cell

SCHEMA = "assay.verdicts/1"
FORM_COLUMNS = ("query", "question", "statement", "text", "verdict", "judge", "note", "task", "item", "draw")
CANNOT_TELL = frozenset({"", "?", "-", "cannot tell", "skip"})
"""Cells that say that there is no verdict."""
UNNAMED = "people"
"""The judge of a form in which nobody wrote a name."""
QUESTIONS = {
    "supported": "Does the text support the whole statement? yes or no",
    "contained": "Does the text state the fact? support, partial or none",
    "useful": "Does the text contain a fact that belongs in the right answer? yes or no",
}
"""Task → what people are asked."""


def read_verdicts(path: Path) -> list[Judgment]:
    """The verdicts in JSON lines or in a form; an item without a verdict has none. The document is the id of the item."""
    judgments: list[Judgment] = []

    def take(_place: str, record: Mapping[str, Any]) -> None:
        if (judgment := _parse(record)) is not None:
            judgments.append(judgment)

    each_record(path, take)
    return judgments


def _parse(record: Mapping[str, Any]) -> Judgment | None:
    if "schema" in record and "item" not in record:
        return None
    fields = {name: record.get(name) for name in ("query", "item", "task")}
    if missing := [name for name, value in fields.items() if value is None or value == ""]:
        raise DataError(f"a verdict needs query, item and task; {missing[0]} is missing")
    task = TASKS.get(str(fields["task"]))
    if task is None or task.writes:
        known = ", ".join(name for name, task in TASKS.items() if not task.writes)
        raise DataError(f"the task must be one of {known}, not {shortened(fields['task'])}")
    verdict = record.get("verdict")
    if verdict is None or (isinstance(verdict, str) and verdict.strip().lower() in CANNOT_TELL):
        return None
    kind = record.get("kind") or PEOPLE
    if kind not in KINDS:
        raise DataError(f"kind must be one of {', '.join(KINDS)}, not {shortened(kind)}")
    grade = read_verdict(task, verdict.strip() if isinstance(verdict, str) else verdict)
    if grade.grade is None:
        raise DataError(f"the verdict must be {', '.join(task.words)} or empty, not {shortened(verdict)}")
    return checked_judgment(
        Judgment(
            "",
            str(fields["query"]),
            str(fields["item"]),
            str(record.get("judge") or UNNAMED),
            grade.grade,
            str(record.get("reason") or record.get("note") or ""),
            str(record.get("judged") or ""),
            kind,
            str(record.get("text_digest") or ""),
            str(record.get("draw") or ""),
        )
    )


def verdict_lines(
    items: Iterable[Item], judgments: Iterable[Judgment], unjudged: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """A line for each verdict, and for each item whose verdict could not be read, with the reason."""
    by_item: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        by_item.setdefault(judgment.document, []).append(judgment)
    for item in items:
        head = {"query": item.query, "task": item.task.name, "item": item.id, "statement": item.statement}
        head["text_digest"] = digest_of_text(item.text)
        for judgment in by_item.get(item.id, ()):
            more = {"judge": judgment.judge, "kind": judgment.kind, "judged": judgment.judged}
            more |= {"reason": judgment.reason} if judgment.reason else {}
            more |= {"draw": judgment.pool} if judgment.pool else {}
            yield {**head, "verdict": item.task.word(judgment.grade), **more}
        if item.id in unjudged:
            yield {**head, "verdict": None, "why": unjudged[item.id]}


def write_verdicts(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write verdicts as JSON lines, after a line with the schema."""
    write_lines(path, ({"schema": SCHEMA}, *lines))


def write_form(path: Path, items: Iterable[Item], draw: Draw) -> int:
    """Write a form for people, and return its number of rows. It shows no verdict, no system, and no importance.

    The items of a query are next to each other, in the order of a hash, so their order says nothing.
    """
    queries = {query: place for place, query in enumerate(dict.fromkeys(item.query for item in items))}
    ordered = sorted(items, key=lambda item: (queries[item.query], sha256(f"{draw.seed}\0{item.id}".encode()).digest()))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, FORM_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for item in ordered:
        row = {"query": item.query, "question": QUESTIONS[item.task.name], "statement": item.statement, "text": item.text}
        row |= {"verdict": "", "judge": "", "note": "", "task": item.task.name, "item": item.id, "draw": str(draw)}
        writer.writerow({name: _cell(value) for name, value in row.items()})
    with atomic_write(path) as file:
        file.write(text.getvalue().encode("utf-8", "surrogatepass"))
    return len(ordered)


def _cell(text: str) -> str:
    """A text that no spreadsheet runs, with its lines."""
    first, *more = text.splitlines() or [""]
    return "\n".join([spreadsheet_cell(first), *map(printable, more)])
