"""Lists of contexts: read the contexts of a question from lists, and from the texts by which tables represent lists."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.datasets.evidence import FIELDS as EVIDENCE_FIELDS
from assay.datasets.list_cells import parse_cell
from assay.errors import DataError
from assay.files import DOCUMENT_NAMES
from assay.model import IDS, is_finite_number, text_id
from assay.text import shortened

BROKEN_LIST = re.compile(r"\s*\[(\s*[\['\"{]|.*\]\s*$)", re.DOTALL)
"""The beginning of a list, or a text in square brackets. A text such as `[1] Cats` is neither."""
FRONTS = ("", "document.", "kwargs.", "metadata.")
"""Where a context has its id and its text: in itself, or in a nested object or a dotted name of some tools."""
GRADES = ("expect_score", "expected_score", "relevance", "grade")
"""Fields with the grade of a reference context; without one it is 1."""


@dataclass(frozen=True)
class Context:
    """A context: a text, an id, or both."""

    text: str = ""
    doc_id: str = ""
    grade: float = 1.0
    metadata: Mapping[str, Any] | None = field(default=None, compare=False)
    """What the record says about the context, if that may name evidence."""

    @cached_property
    def key(self) -> str:
        """The text without differences in white space: contexts with the same key are the same."""
        return " ".join(self.text.split())


def entries_of(value: Any) -> list[Any] | str:
    """The entries of a list of contexts; a text that is not a list as it is. A single object is a list with one entry."""
    if isinstance(value, str):
        parsed = parse_cell(value)
        if isinstance(parsed, str) and BROKEN_LIST.match(value):
            raise DataError(f"expected a list such as ['a', 'b'] or [\"a\", \"b\"], found {shortened(value)}")
        value = parsed
    if isinstance(value, Mapping):
        inner = value.get("documents")
        return inner if isinstance(inner, list) else [value]
    if not isinstance(value, list | str):
        raise DataError(f"expected a list of contexts, found {shortened(value)}")
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        return value[0]
    return value


def context_of(entry: Any) -> Context | None:
    """A context from a text, or from an object with a text or an id; None if it is empty."""
    if entry is None:
        return None
    if isinstance(entry, str):
        return Context(entry) if entry.strip() else None
    if isinstance(entry, Mapping):
        text = _field(entry, DOCUMENT_NAMES["text"], str) or ""
        doc_id = _field(entry, (*DOCUMENT_NAMES["doc_id"], *IDS), str | int)
        grade = next((entry[name] for name in GRADES if is_finite_number(entry.get(name))), 1.0)
        if text.strip() or doc_id is not None:
            metadata = entry.get("metadata")
            about = metadata if isinstance(metadata, Mapping) and any(name in metadata for name in EVIDENCE_FIELDS) else None
            return Context(text, "" if doc_id is None else text_id(doc_id), float(grade), about)
    raise DataError(f"expected a context (a text, or an object with a text or an id), found {shortened(entry)}")


def _field(entry: Mapping[str, Any], names: tuple[str, ...], kind: Any) -> Any:
    """The first of these fields with a value of this kind, in the object itself or in what it contains."""
    for front in FRONTS:
        inner = entry.get(front[:-1]) if front else entry
        holders = [(entry, front), *([(inner, "")] if isinstance(inner, Mapping) else [])]
        for name in names:
            for holder, start in holders:
                value = holder.get(f"{start}{name}")
                if isinstance(value, kind) and not isinstance(value, bool) and value != "":
                    return value
    return None
