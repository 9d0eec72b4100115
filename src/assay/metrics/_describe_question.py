"""Questions described in words: what `assay metrics --for` prints, from the records alone."""

from __future__ import annotations

from typing import Any

from assay.metrics._describe import describe, hanging, written
from assay.metrics._questions import Question


def describe_question(question: Question) -> dict[str, Any]:
    """A question and its metrics as plain JSON values."""
    return {
        "question": question.key,
        "asks": question.asks,
        "advice": question.advice,
        "start": list(question.start),
        "metrics": [describe(metric) for metric in question.records()],
    }


def explain_question(question: Question, width: int | None = None) -> str:
    """A question, the advice, its metrics with their meanings, and what to write, wrapped to the width if there is one."""
    size = max(len(written(metric)) for metric in question.records())
    lines = [hanging("", f"{question.asks} ({question.key})", width), "", hanging("  ", question.advice, width), ""]
    lines += [hanging(f"  {written(metric):<{size}}  ", metric.meaning, width) for metric in question.records()]
    return "\n".join([*lines, "", hanging("  ", f"To begin with: -m {' '.join(map(_quoted, question.start))}", width)])


def _quoted(spelling: str) -> str:
    """A spelling as a shell takes it."""
    return f"'{spelling}'" if "(" in spelling else spelling
