"""RagReader: takes the records of RAG tools one by one, then gives their contexts ids and builds a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from assay.datasets.context_lists import Context, context_of, entries_of, parse_cell
from assay.datasets.dataset import BenchmarkDataset, Notes
from assay.datasets.fields import Record, answer_text, filled_id
from assay.datasets.rag_tools import CONTEXT_ROLES, ROLES, TOOLS, Tool, field_of, tool_of_record
from assay.errors import DataError
from assay.model import Document, Query, is_finite_number
from assay.text import counted, shortened, some_of

LONGEST_TAG = 200
"""A longer text in another column does not become metadata, because nobody slices by it."""
METADATA = ("metadata", "additional_metadata")
"""Fields whose content describes the question."""

Entries = list[Context] | str
"""Contexts, or one text with contexts that a delimiter separates."""


@dataclass
class Row:
    """One record: the question, and what it says about contexts."""

    query: Query
    has_id: bool
    contexts: dict[str, Entries]
    """Role → contexts; a role without contexts is not there."""


@dataclass
class _File:
    """The records of one file, and how they were read."""

    label: str
    is_table: bool
    tool: Tool | None = None
    rows: dict[str, Row] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    unused: dict[str, None] = field(default_factory=dict)
    n_records: int = 0
    counts: Counter[str] = field(default_factory=Counter)


class RagReader:
    """Takes the records of one or several files; each file is one system."""

    def __init__(self, name: str, notes: Notes) -> None:
        self.name, self.notes = name, notes
        self._files: list[_File] = []
        self._differences: list[str] = []
        """What a reader of results must know about several files."""

    def start_file(self, label: str, *, is_table: bool) -> None:
        """Records that follow are those of this file."""
        self._files.append(_File(label, is_table))

    def take(self, place: str, record: Record) -> None:
        """Take one record. The first record with the columns of a tool decides which tool the file is from."""
        file = self._files[-1]
        file.n_records += 1
        file.tool = file.tool or tool_of_record(record, is_table=file.is_table) or _tool_by_choice(record)
        if file.tool is None:
            raise DataError(_unknown(record))
        whole = file.tool.completed(record)
        columns = file.tool.find(whole)
        values = {role: field_of(whole, name) for role, name in columns.items()}
        file.columns = {**columns, **file.columns}
        if file.tool.name == "Phoenix" and values.get("retrieved") is None:
            file.counts["spans"] += 1
            return
        row = _row(values, file.n_records, place, self.notes)
        self._keep(file, row, _simple(record, columns.values(), file))

    def _keep(self, file: _File, row: Row, metadata: dict[str, Any]) -> None:
        """Add a row to its file. A query that was there before counts once, unless each record is one document."""
        known = file.rows.get(row.query.query_id)
        if known is not None and file.tool is not None and file.tool.is_per_document:
            for role, entries in row.contexts.items():
                known.contexts[role] = [*_contexts(known.contexts.get(role, []), ""), *_contexts(entries, "")]
        elif known is not None:
            file.counts["repeated"] += 1
        else:
            query = replace(row.query, metadata={**metadata, **(row.query.metadata or {})} or None)
            file.rows[query.query_id] = replace(row, query=query)

    def finish_file(self) -> None:
        """Split texts with several contexts, now that all of them are known, and note what was not used."""
        file = self._files[-1]
        texts = [text for row in file.rows.values() for text in row.contexts.values() if isinstance(text, str)]
        known = file.tool.delimiters if file.tool is not None else ()
        delimiter = next((mark for mark in known if any(mark in text for text in texts)), "")
        for row in file.rows.values():
            row.contexts = {role: _contexts(entries, delimiter) for role, entries in row.contexts.items()}
        if delimiter:
            self.notes.mend(file.label, f"contexts in one text are split at {delimiter!r}")
        if n := file.counts["spans"]:
            self.notes.mend(file.label, f"{counted(n, 'span')} without retrieved documents {_are(n)} not used")
        if n := file.counts["repeated"]:
            records = f"{counted(n, 'record')} {'repeats' if n == 1 else 'repeat'} a query"
            self.notes.lose(file.label, f"{records}; only its first record is used")
        if unused := [name for name in file.unused if name not in file.columns.values()]:
            self.notes.lose(file.label, f"columns that are not used: {some_of(unused, 8)}")

    def dataset(self) -> tuple[BenchmarkDataset, list[dict[str, list[str]]]]:
        """The benchmark, and what each system retrieved for its queries."""
        rows = self._shared_rows()
        pool = _Pool([row for system in rows for row in system.values()])
        first = self._files[0]
        about: dict[str, Any] = {"tool": first.tool.name if first.tool else "", "columns": _in_order(first.columns)}
        if first.tool is not None and first.tool.advice:
            about["advice"] = first.tool.advice
        if self._differences:
            about["differences"] = self._differences
        dataset = BenchmarkDataset(self.name, metadata=about)
        for query, row in rows[0].items():
            dataset.add_query(replace(row.query, query_id=query))
            if relevant := pool.ids_of(row, "reference", "reference_ids"):
                dataset.qrels[query] = relevant
        retrieved = [
            {query: list(pool.ids_of(row, *CONTEXT_ROLES[:2])) for query, row in system.items() if _has_retrieved(row)}
            for system in rows
        ]
        dataset.documents, dataset.retrieved = pool.documents, retrieved[0]
        self._note(pool, rows)
        dataset.repairs = self.notes.repairs
        return dataset, retrieved

    def _shared_rows(self) -> list[dict[str, Row]]:
        """Query → row, for each file; the ids of the first file, and only queries that all files have."""
        first = self._files[0].rows
        if len(self._files) == 1:
            return [first]
        by_text = {key: query for query, key in _numbered_texts(first).items()}
        systems = [first]
        for file in self._files[1:]:
            keys = _numbered_texts(file.rows)
            ids = {query: query if row.has_id and query in first else by_text.get(keys[query], "")
                   for query, row in file.rows.items()}  # fmt: skip
            systems.append({ids[query]: row for query, row in file.rows.items() if ids[query]})
        shared = [query for query in first if all(query in system for system in systems)]
        for file, system in zip(self._files, systems, strict=True):
            if n := len(file.rows) - len(shared):
                self._tell(
                    file, f"{counted(n, 'query')} {_are(n)} left out, because another file does not have the same question"
                )
            if n := sum(_truth(system[query]) != _truth(first[query]) for query in shared):
                what = f"the ground truth of {counted(n, 'query')} differs from {self._files[0].label}"
                self._tell(file, f"{what}, whose ground truth is used")
        return [{query: system[query] for query in shared} for system in systems]

    def _tell(self, file: _File, what: str) -> None:
        self.notes.lose(file.label, what)
        self._differences.append(f"{file.label}: {what}.")

    def _note(self, pool: _Pool, rows: Iterable[Mapping[str, Row]]) -> None:
        """Note what was fixed in the contexts of all records, once each."""
        label = self._files[0].label
        for count, what in (
            (pool.n_twice, "listed twice for one query; the first counts"),
            (len(pool.same), "found under two ids with the same text; they count as one document"),
            (len(pool.other_texts), "found with several texts under one id; the first text is used"),
        ):
            if count:
                self.notes.mend(label, f"{counted(count, 'context')} {_are(count)} {what}")
        if not any(_has_retrieved(row) for system in rows for row in system.values()):
            self.notes.mend(label, "no record has retrieved contexts, so there is no system to score")


def _tool_by_choice(record: Record) -> Tool | None:
    """The tool of a record that is not recognised: the user chose this format, or the record leaves out empty fields."""
    likely = (tool for tool in TOOLS[:-1] if {"query", "expected"} <= tool.find(record).keys())
    return tool_of_record(record, is_table=True) or next(likely, None)


def _unknown(record: Record) -> str:
    known = "user_input and retrieved_contexts, or input and retrieval_context"
    return f"expected a question and contexts under the names of a tool, such as {known}; found {some_of([*record], 10)}"


def _row(values: Mapping[str, Any], number: int, place: str, notes: Notes) -> Row:
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
    return Row(Query(query_id, text.strip(), expected=answer or None, metadata=metadata), own_id is not None, contexts)


def _parse(value: Any, role: str) -> Entries:
    """The contexts of a field; empty entries are left out."""
    if isinstance(value, int | float):
        value = [value]
    entries = entries_of(value)
    if role.endswith("_ids"):
        ids = _split_ids(entries) if isinstance(entries, str) else entries
        return [Context(doc_id=filled_id(entry)) if not isinstance(entry, Mapping) else _named(entry) for entry in ids]
    return entries if isinstance(entries, str) else [part for entry in entries if (part := context_of(entry)) is not None]


def _named(entry: Mapping[str, Any]) -> Context:
    context = context_of(entry)
    if context is None or not context.doc_id:
        raise DataError(f"expected an id, found {shortened(entry)}")
    return replace(context, text="")


def _split_ids(text: str) -> list[str]:
    separator = next((mark for mark in ";|," if mark in text), ";")
    return [part.strip() for part in text.split(separator) if part.strip()]


def _check_lengths(contexts: Mapping[str, Entries]) -> None:
    for texts, ids in (CONTEXT_ROLES[:2], CONTEXT_ROLES[2:]):
        if texts not in contexts or ids not in contexts:
            continue
        n_texts, n_ids = (1 if isinstance(contexts[role], str) else len(contexts[role]) for role in (texts, ids))
        if n_texts != n_ids:
            raise DataError(f"expected an id for each context, found {n_texts} {texts} contexts and {n_ids} ids")


def _contexts(entries: Entries, delimiter: str) -> list[Context]:
    """The contexts; a text is split at the delimiter."""
    if not isinstance(entries, str):
        return entries
    texts = entries.split(delimiter) if delimiter else [entries]
    return [Context(text.strip()) for text in texts if text.strip()]


def _simple(record: Record, roles: Iterable[str], file: _File) -> dict[str, Any]:
    """The other fields with simple values, for slices; the names of fields with other values are noted as not used."""
    taken = set(roles)
    heads = {name.partition(".")[0] for name in taken}
    simple: dict[str, Any] = {}
    for name, value in _flat(record):
        if name in taken or name in heads or value in (None, "", [], {}) or any(_starts(name, pattern) for pattern in taken):
            continue
        if _is_simple(value):
            simple[name] = value
        elif file.tool is not None and not any(fnmatchcase(name, pattern) for pattern in file.tool.used):
            file.unused[name] = None
    return simple


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


def _numbered_texts(rows: Mapping[str, Row]) -> dict[str, tuple[str, int]]:
    """Query → its text, and how often the text occurred before."""
    seen: Counter[str] = Counter()
    keys: dict[str, tuple[str, int]] = {}
    for query, row in rows.items():
        keys[query] = row.query.text, seen[row.query.text]
        seen[row.query.text] += 1
    return keys


def _truth(row: Row) -> tuple[Any, ...]:
    """What decides which contexts are relevant; equal for the same truth."""
    contexts = [row.contexts.get(role, []) for role in CONTEXT_ROLES[2:]]
    keys = [frozenset((context.key, context.doc_id) for context in some) for some in contexts if not isinstance(some, str)]
    return row.query.expected, *keys


def _has_retrieved(row: Row) -> bool:
    return any(role in row.contexts for role in CONTEXT_ROLES[:2])


def _in_order(columns: Mapping[str, str]) -> dict[str, str]:
    return {role: columns[role] for role in ROLES if role in columns}


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


class _Pool:
    """The distinct contexts of all records: those with ids first, because a text alone may belong to one of them."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.documents: dict[str, Document] = {}
        self.same: dict[str, str] = {}
        """Id → the id of a document with the same text."""
        self.other_texts: set[str] = set()
        self.n_twice = 0
        self._by_text: dict[str, str] = {}
        self._pairs = {id(row): {roles: _paired(row, *roles) for roles in PAIRS} for row in rows}
        contexts = [context for pairs in self._pairs.values() for some in pairs.values() for context in some]
        for context in contexts:
            if context.doc_id and context.text:
                self._add(context)
        number = 0
        for context in contexts:
            if not context.doc_id and context.key not in self._by_text:
                number += 1
                while f"c{number}" in self.documents:
                    number += 1
                self._add(replace(context, doc_id=f"c{number}"))

    def _add(self, context: Context) -> None:
        there = self.documents.get(context.doc_id)
        if there is not None:
            if " ".join(there.text.split()) != context.key:
                self.other_texts.add(context.doc_id)
                self._by_text.setdefault(context.key, context.doc_id)
            return
        first = self._by_text.setdefault(context.key, context.doc_id)
        if first == context.doc_id:
            self.documents[first] = Document(first, context.text)
        else:
            self.same[context.doc_id] = first

    def ids_of(self, row: Row, texts: str, ids: str) -> dict[str, float]:
        """Id → grade of the contexts of a row, in their order; a context that is listed twice counts once."""
        grades: dict[str, float] = {}
        for context in self._pairs[id(row)][texts, ids]:
            doc_id = self.same.get(context.doc_id, context.doc_id) or self._by_text[context.key]
            self.n_twice += doc_id in grades
            grades.setdefault(doc_id, context.grade)
        return grades


PAIRS = (CONTEXT_ROLES[:2], CONTEXT_ROLES[2:])
"""The roles of texts and of ids: of retrieved contexts, and of reference contexts."""


def _paired(row: Row, texts: str, ids: str) -> list[Context]:
    """The contexts of a row, with their ids if the record has these in a column of their own."""
    with_text, with_id = (row.contexts.get(role, []) for role in (texts, ids))
    if isinstance(with_text, str) or isinstance(with_id, str):
        return []
    if not with_text or not with_id:
        return with_text or with_id
    return [replace(context, doc_id=name.doc_id) for context, name in zip(with_text, with_id, strict=True)]
