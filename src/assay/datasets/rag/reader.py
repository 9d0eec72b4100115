"""RagReader: takes the records of RAG tools one by one, then gives their contexts ids and builds a benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assay.datasets.dataset import BenchmarkDataset, Notes
from assay.datasets.evidence import evidence_pack
from assay.datasets.fields import Record
from assay.datasets.rag.context_pool import ContextPool
from assay.datasets.rag.record_fields import field_of
from assay.datasets.rag.row import REFERENCE, RETRIEVED, RagRow, parse_row, simple_fields, split_contexts
from assay.datasets.rag.tools import ROLES, TOOLS, Tool, tool_of_record
from assay.errors import DataError
from assay.text import counted, some_of


@dataclass
class _File:
    """The records of one file, and how they were read."""

    label: str
    is_table: bool
    tool: Tool | None = None
    rows: dict[str, RagRow] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)
    unused: dict[str, None] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    systems: dict[str, dict[str, None]] = field(default_factory=dict)
    """Field → the systems or benchmarks that it names."""


class RagReader:
    """Takes the records of one or several files; each file is one system."""

    def __init__(self, name: str, notes: Notes) -> None:
        self.name, self.notes = name, notes
        self._files: list[_File] = []
        self._remarks: list[str] = []
        """What readers of a result must know."""

    def start_file(self, label: str, *, is_table: bool) -> None:
        """Records that follow are those of this file."""
        self._files.append(_File(label, is_table))

    def take(self, number: int, place: str, record: Record) -> None:
        """Take one record. The first good record with the columns of a tool decides which tool the file is from."""
        file = self._files[-1]
        tool = file.tool or tool_of_record(record, is_table=file.is_table) or _tool_by_choice(record)
        if tool is None:
            raise DataError(_unknown(record))
        whole = tool.completed(record)
        columns = tool.find(whole)
        values = {role: field_of(whole, name) for role, name in columns.items()}
        is_span = tool.name == "Phoenix" and values.get("retrieved") is None
        row = None if is_span else parse_row(values, number, place, self.notes)
        file.tool, file.columns = tool, {**columns, **file.columns}
        if row is None:
            file.counts["spans"] += 1
            return
        for name in tool.systems:
            if record.get(name) is not None:
                file.systems.setdefault(name, {})[str(record[name])] = None
        row.is_judged = tool.empty_is_judged and values.get("reference_ids") == []
        simple, unused = simple_fields(record, columns.values(), tool.used)
        file.unused |= dict.fromkeys(unused)
        self._keep(file, row, simple)

    def _keep(self, file: _File, row: RagRow, metadata: dict[str, Any]) -> None:
        """Add a row to its file. A query that was there before counts once, unless each record is one document."""
        known = file.rows.get(row.query.query_id)
        if known is not None and file.tool is not None and file.tool.is_per_document:
            for role, entries in row.contexts.items():
                known.contexts[role] = [*split_contexts(known.contexts.get(role, []), ""), *split_contexts(entries, "")]
        elif known is not None:
            file.counts["repeated"] += 1
        else:
            query = replace(row.query, metadata={**metadata, **(row.query.metadata or {})} or None)
            file.rows[query.query_id] = replace(row, query=query)

    def finish_file(self) -> None:
        """Split texts with several contexts, now that all of them are known, and note what was not used."""
        file = self._files[-1]
        for name, values in file.systems.items():
            if len(values) > 1:
                advice = f"Write a file for each {name}"
                raise DataError(
                    f"expected the results of one {name}, found {len(values)}: {some_of(list(values), 5)}. {advice}",
                    source=file.label,
                )
        texts = [text for row in file.rows.values() for text in row.contexts.values() if isinstance(text, str)]
        known = file.tool.delimiters if file.tool is not None else ()
        delimiter = next((mark for mark in known if any(mark in text for text in texts)), "")
        for row in file.rows.values():
            row.contexts = {role: split_contexts(entries, delimiter) for role, entries in row.contexts.items()}
        if delimiter:
            self._tell(file, f"a text with several contexts is split at {delimiter!r}", is_loss=False)
        if n := file.counts["spans"]:
            self.notes.mend(file.label, f"{counted(n, 'span')} without retrieved documents {_are(n)} not used")
        if n := file.counts["repeated"]:
            records = f"{counted(n, 'record')} {'repeats' if n == 1 else 'repeat'} a query"
            self._tell(file, f"{records}; only its first record is used")
        if unused := [name for name in file.unused if name not in file.columns.values()]:
            self.notes.lose(file.label, f"columns that are not used: {some_of(unused, 8)}")

    def dataset(self) -> tuple[BenchmarkDataset, list[dict[str, list[str]]]]:
        """The benchmark, and what each system retrieved for its queries."""
        rows = self._shared_rows()
        pool = ContextPool([row for system in rows for row in system.values()])
        first = self._files[0]
        about: dict[str, Any] = {"tool": first.tool.name if first.tool else "", "columns": _in_order(first.columns)}
        if first.tool is not None and first.tool.advice:
            about["advice"] = first.tool.advice
        if self._remarks:
            about["remarks"] = self._remarks
        dataset = BenchmarkDataset(self.name, metadata=about)
        for query, row in rows[0].items():
            evidence = row.query.evidence and [pool.same.get(item, item) for item in row.query.evidence]
            dataset.add_query(replace(row.query, query_id=query, evidence=evidence))
            if (relevant := pool.ids_of(row, REFERENCE)) or row.is_judged:
                dataset.qrels[query] = relevant
        retrieved = [
            {query: list(pool.ids_of(row, RETRIEVED)) for query, row in system.items() if row.has_retrieved}
            for system in rows
        ]
        dataset.documents, dataset.retrieved = pool.documents, retrieved[0]
        if any(query.evidence is not None for query in dataset.queries.values()):
            dataset.pack = evidence_pack("evidence", pool.documents, pool.metadata)
        self._note(pool, rows)
        dataset.repairs = self.notes.repairs
        return dataset, retrieved

    def _shared_rows(self) -> list[dict[str, RagRow]]:
        """Query → row, for each file; the ids of the first file, and only queries that all files have."""
        first = self._files[0].rows
        if len(self._files) == 1:
            return [first]
        by_text = {key: query for query, key in _numbered_texts(first).items()}
        systems = [first]
        for file in self._files[1:]:
            keys = _numbered_texts(file.rows)
            same = {query for query, row in file.rows.items() if row.has_id and query in first}
            ids = {query: query if query in same else by_text.get(keys[query], "") for query in file.rows}
            systems.append({ids[query]: row for query, row in file.rows.items() if ids[query]})
        shared = [query for query in first if all(query in system for system in systems)]
        for file, system in zip(self._files, systems, strict=True):
            if n := len(file.rows) - len(shared):
                self._tell(
                    file, f"{counted(n, 'query')} {_are(n)} left out, because another file does not have the same question"
                )
            if n := sum(system[query].truth != first[query].truth for query in shared):
                what = f"the ground truth of {counted(n, 'query')} differs from {self._files[0].label}"
                self._tell(file, f"{what}, whose ground truth is used")
        return [{query: system[query] for query in shared} for system in systems]

    def _tell(self, file: _File, what: str, *, is_loss: bool = True) -> None:
        """Note something that readers of a result must know."""
        (self.notes.lose if is_loss else self.notes.mend)(file.label, what)
        self._remarks.append(f"{file.label}: {what}.")

    def _note(self, pool: ContextPool, rows: Iterable[Mapping[str, RagRow]]) -> None:
        """Note what was fixed in the contexts of all records, once each."""
        label = self._files[0].label
        for count, what in (
            (pool.n_twice, "listed twice for one query; the first counts"),
            (len(pool.same), "found under two ids with the same text; they count as one document"),
            (len(pool.other_texts), "found with several texts under one id; the first text is used"),
        ):
            if count:
                self.notes.mend(label, f"{counted(count, 'context')} {_are(count)} {what}")
        if not any(row.has_retrieved for system in rows for row in system.values()):
            self.notes.mend(label, "no record has retrieved contexts, so there is no system to score")


def _tool_by_choice(record: Record) -> Tool | None:
    """The tool of a record that is not recognised: the user chose this format, or the record leaves out empty fields."""
    likely = (tool for tool in TOOLS[:-1] if {"query", "expected"} <= tool.find(record).keys())
    return tool_of_record(record, is_table=True) or next(likely, None)


def _unknown(record: Record) -> str:
    known = "user_input and retrieved_contexts, or input and retrieval_context"
    return f"expected a question and contexts under the names of a tool, such as {known}; found {some_of([*record], 10)}"


def _numbered_texts(rows: Mapping[str, RagRow]) -> dict[str, tuple[str, int]]:
    """Query → its text, and how often the text occurred before."""
    seen: Counter[str] = Counter()
    keys: dict[str, tuple[str, int]] = {}
    for query, row in rows.items():
        keys[query] = row.query.text, seen[row.query.text]
        seen[row.query.text] += 1
    return keys


def _in_order(columns: Mapping[str, str]) -> dict[str, str]:
    return {role: columns[role] for role in ROLES if role in columns}


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
