"""Ids as this system writes them: one text, several joined by `;`, or a list of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.errors import DataError
from assay.model import is_finite_number, text_id
from assay.text import shortened

Ids = str | Iterable[Any]


def id_list(ids: Ids | None) -> list[str]:
    """The ids in their order; blanks around them and empty ones between two `;` do not count, None is no id at all."""
    if ids is None:
        return []
    if isinstance(ids, str):
        return [one.strip() for one in ids.split(";") if one.strip()]
    if isinstance(ids, bytes) or not isinstance(ids, Iterable):
        raise DataError(f"ids are one text, several joined by ';', or a list of them; found {shortened(ids)}")
    return [text_id(one) for one in ids]


def relevant_grades(relevant: Ids | Mapping[Any, float] | None, grades: Mapping[Any, float] | None) -> dict[str, float]:
    """Relevant id → grade: 1 each, or what the grades say, where a relevant id without a grade has 0."""
    if isinstance(relevant, Mapping):
        return _checked(relevant)
    known = None if grades is None else _checked(grades)
    return {one: 1.0 if not known else known.get(one, 0.0) for one in id_list(relevant)}


def _checked(grades: Any) -> dict[str, float]:
    """Text id → grade; a grade is any finite number."""
    if not isinstance(grades, Mapping):
        raise DataError(f"grades are a map, id → grade, found {shortened(grades)}")
    for one, grade in grades.items():
        if not is_finite_number(grade):
            raise DataError(f"the grade of {one} is a finite number, not {shortened(grade)}")
    return {text_id(one): grade for one, grade in grades.items()}
