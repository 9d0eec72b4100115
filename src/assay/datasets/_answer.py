"""Answers: what a file expects as the answer, as text."""

from __future__ import annotations

from assay.datasets._notes import Notes
from assay.text import shortened


def answer_text(value: object, place: str, notes: Notes) -> str | None:
    """Numbers are written out, several answers are joined by `; `; what is neither is lost, and noted."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and value and all(isinstance(one, str | int | float) for one in value):
        if len(value) > 1:
            notes.mend(place, f"has {len(value)} answers; joined by '; '")
        return "; ".join(map(str, value))
    notes.lose(place, f"the answer {shortened(value)} is neither text nor a number")
    return None
