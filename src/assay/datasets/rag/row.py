"""RagRow: one record of a RAG tool, with its question, its contexts and its answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from assay.datasets.dataset import Notes
from assay.datasets.fields import Record, answer_text, filled_id
from assay.datasets.list_cells import parse_cell
from assay.datasets.rag.context_lists import Context, context_of, entries_of
from assay.datasets.rag.tools import CONTEXT_ROLES
from assay.errors import DataError
from assay.model import Query, is_finite_number
from assay.text import shortened

LONGEST_TAG = 200
"""A longer text in another column does not become metadata, because nobody slices by it."""
METADATA = ("metadata", "additional_metadata")
"""Fields whose content describes the question."""

RETRIEVED, REFERENCE = CONTEXT_ROLES[:2], CONTEXT_ROLES[2:]
"""The roles of what was retrieved, and of what is relevant; each as texts, and as ids."""
Entries = list[Context] | str
"""Contexts, or one text with contexts that a delimiter separates."""


@dataclass
class RagRow:
    """One record: the question, and what it says about contexts."""

    query: Query
    has_id: bool
    contexts: dict[str, Entries]
    """Role → contexts; a role without contexts is not there."""
    is_judged: bool = False
    """Whether the record says that nothing is relevant."""

    @property
    def has_retrieved(self) -> bool:
        """Whether the record says what a system retrieved."""
        return any(role in self.contexts for role in RETRIEVED)

    @property
    def truth(self) -> tuple[Any, ...]:
        """What decides which contexts are relevant; equal for the same truth."""
        keys = [frozenset((context.key, context.doc_id) for context in self.listed(role)) for role in REFERENCE]
        return self.query.expected, *keys

    def listed(self, role: str) -> list[Context]:
        """The contexts of a role, after texts with several contexts were split."""
        entries = self.contexts.get(role, [])
        return [] if isinstance(entries, str) else entries

    def paired(self, roles: tuple[str, ...]) -> list[Context]:
        """The contexts of two roles, texts and ids: with their ids, if the record has these in a column of their own."""
        with_text, with_id = map(self.listed, roles)
        if not with_text or not with_id:
            return with_text or with_id
        return [replace(context, doc_id=name.doc_id) for context, name in zip(with_text, with_id, strict=True)]


def parse_row(values: Mapping[str, Any], number: int, place: str, notes: Notes) -> RagRow:
    """The question and its contexts."""
    text = values.get("query")
    if not isinstance(text, str) or not text.strip():
        raise DataError(f"the question must be a text with words, not {shortened(text)}")
    own_id = values.get("query_id")
    query_id = f"q{number}" if own_id is None else filled_id(own_id)
    expected, response = values.get("expected"), values.get("response")
    if isinstance(expected, str) and expected.lstrip()[:2] in ("['", '["'):
        expected = parse_cell(expected)
    answer = (answer_text(expected, f"{place}, query {query_id}", notes) or "").strip() if expected else ""
    metadata = {"response": response} if isinstance(response, str) and response else None
    contexts = {role: _parse(values[role], role) for role in CONTEXT_ROLES if values.get(role) not in (None, "", [])}
    _check_lengths(contexts)
    evidence = None if values.get("evidence") is None else [entry.doc_id for entry in _ids_in(values["evidence"])]
    query = Query(query_id, text.strip(), expected=answer or None, metadata=metadata, evidence=evidence)
    return RagRow(query, own_id is not None, contexts)


def _parse(value: Any, role: str) -> Entries:
    """The contexts of a field; empty entries are left out."""
    if isinstance(value, int | float):
        value = [value]
    if role.endswith("_ids"):
        return _ids_in(value)
    entries = entries_of(value)
    return entries if isinstance(entries, str) else [part for entry in entries if (part := context_of(entry)) is not None]


def _ids_in(value: Any) -> list[Context]:
    """Ids as a list, or as one text."""
    entries = entries_of(value)
    ids = _split_ids(entries) if isinstance(entries, str) else entries
    return [Context(doc_id=filled_id(entry)) if not isinstance(entry, Mapping) else _named(entry) for entry in ids]


def _named(entry: Mapping[str, Any]) -> Context:
    context = context_of(entry)
    if context is None or not context.doc_id:
        raise DataError(f"expected an id, found {shortened(entry)}")
    return replace(context, text="")


def _split_ids(text: str) -> list[str]:
    separator = next((mark for mark in ";|," if mark in text), ";")
    return [part.strip() for part in text.split(separator) if part.strip()]


def _check_lengths(contexts: Mapping[str, Entries]) -> None:
    for texts, ids in (RETRIEVED, REFERENCE):
        if texts not in contexts or ids not in contexts:
            continue
        n_texts, n_ids = (1 if isinstance(contexts[role], str) else len(contexts[role]) for role in (texts, ids))
        if n_texts != n_ids:
            raise DataError(f"expected an id for each context, found {n_texts} {texts} contexts and {n_ids} ids")


def split_contexts(entries: Entries, delimiter: str) -> list[Context]:
    """The contexts; a text is split at the delimiter."""
    if not isinstance(entries, str):
        return entries
    texts = entries.split(delimiter) if delimiter else [entries]
    return [Context(text.strip()) for text in texts if text.strip()]


def simple_fields(record: Record, roles: Iterable[str], used: Iterable[str]) -> tuple[dict[str, Any], list[str]]:
    """The other fields with simple values, for slices; and the names of fields that are not used. `used` are patterns."""
    taken = set(roles)
    heads = {name.partition(".")[0] for name in taken}
    simple: dict[str, Any] = {}
    unused: list[str] = []
    for name, value in _flat(record):
        if name in taken or name in heads or value in (None, "", [], {}) or any(_starts(name, pattern) for pattern in taken):
            continue
        if _is_simple(value):
            simple[name] = value
        elif not any(fnmatchcase(name, pattern) for pattern in used):
            unused.append(name)
    return simple, unused


def _is_simple(value: Any) -> bool:
    """Whether a value can be a tag: a number, a truth value, or a short text that is not JSON."""
    if isinstance(value, str):
        return len(value) <= LONGEST_TAG and value.lstrip()[:1] not in ("{", "[")
    return isinstance(value, bool) or is_finite_number(value)


def _flat(record: Record) -> Iterator[tuple[str, Any]]:
    """The fields of a record, and those of its nested objects under dotted names."""
    for name, value in record.items():
        if isinstance(value, Mapping):
            front = "" if name in METADATA else f"{name}."
            yield from ((f"{front}{key}", inner) for key, inner in value.items())
        else:
            yield str(name), value


def _starts(name: str, pattern: str) -> bool:
    """Whether a name starts as a pattern such as `[*` says, or is inside the field of that name."""
    return name.startswith(pattern[:-1] if pattern.endswith("*") else f"{pattern}.")
