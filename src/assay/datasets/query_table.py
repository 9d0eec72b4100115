"""Tables of queries and of judgments: take their records one by one, then decide what their columns mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from assay.datasets.dataset import BenchmarkDataset, Notes, Repair
from assay.datasets.document_ids import DocumentIds
from assay.datasets.fields import Record, judgment_of, query_of, role_of, roles_of
from assay.errors import DataError
from assay.files import WEAK_NAMES, accepted_names, current_reading, fold
from assay.model import GENERATED_FROM, MEDIA_FIELDS, Query
from assay.text import counted

ID_NAME = re.compile(r"(^|_)(ids?|docs?|documents?|sources?|chunks?|passages?)$")
"""Names of columns that probably hold ids of documents."""
MAX_NOTES = 5
"""How many ids of a table are noted."""
MAX_VALUES_CHECKED = 1000
"""How many values of a column are compared with the documents."""


class QueryTable:
    """Takes the records of a table of queries. `finish` decides what their relevant ids mean, when documents are known."""

    def __init__(self, dataset: BenchmarkDataset, label: str) -> None:
        self.dataset, self.label = dataset, label
        self.notes = Notes(label)
        self._places: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        """Text → id of a query whose record has no id."""
        self._judged: dict[str, dict[str, float]] = {}
        self._columns: dict[str, str] = {}
        """Query → the column with its relevant ids."""
        self._names: dict[str, None] = {}
        self._n_joined = 0

    def take(self, number: int, place: str, record: Record) -> None:
        """Take the record of this number. Records of the same query are joined if they have the same text and answer."""
        named = current_reading().named_roles("queries", record)
        read = query_of(record, number, place, self.notes, named)
        self._names |= dict.fromkeys(record)
        query = read.query
        if not read.has_id and query.text and read.judged is not None:
            query = replace(query, query_id=self._ids.setdefault(query.text, query.query_id))
        if query.query_id in self._places:
            self._join(query, read.judged)
            return
        self._places[query.query_id] = place
        self.dataset.add_query(query)
        if read.retrieved is not None:
            self.dataset.retrieved[query.query_id] = read.retrieved
        if read.judged is not None:
            self._judged[query.query_id], self._columns[query.query_id] = read.judged, read.column

    def _join(self, query: Query, judged: Mapping[str, float] | None) -> None:
        """Add the relevant ids of another record of a query."""
        before, known = self.dataset.queries[query.query_id], self._judged.get(query.query_id)
        if replace(before, metadata=None) != replace(query, metadata=None) or judged is None or known is None:
            first = f"first at {self._places[query.query_id]}"
            raise DataError(f"query {query.query_id} appears twice ({first}); give each query its own id")
        for doc, grade in judged.items():
            if known.get(doc, grade) != grade:
                raise DataError(f"document {doc} has two grades for query {query.query_id}; keep one of them")
        known |= judged
        for name, value in (query.metadata or {}).items():
            if (before.metadata or {}).get(name) != value:
                what = f"the column {name!r} differs between records of one query; the value of the first record is kept"
                current_reading().note_once(("differs", name), self.label, what)
        self._n_joined += 1

    def finish(self, *, has_judgments: bool = False) -> None:
        """Add the judgments to the dataset. `has_judgments`: a file of its own has judgments."""
        others = current_reading().documents
        documents = DocumentIds(self.dataset.documents if others is None else others)
        self._check_columns()
        self._use_column_of_documents(documents)
        self._tell_chunks(documents)
        self._resolve_weak_names(documents, has_judgments=has_judgments)
        for query, judged in self._judged.items():
            self.dataset.qrels[query] = documents.resolve(judged)
        for query, retrieved in self.dataset.retrieved.items():
            self.dataset.retrieved[query] = list(documents.resolve(dict.fromkeys(retrieved, 1.0)))
        if self._n_joined:
            records = counted(self._n_joined, "record")
            self.notes.mend(self.label, f"{records} with the same query and other documents were joined with the first one")
        self.dataset.repairs += [*self.notes.repairs, *notes_on_ids(documents, self.label)]
        self._tell_unused(documents, is_named=not has_judgments and not self.dataset.qrels)

    def _use_column_of_documents(self, documents: DocumentIds) -> None:
        """If none of the relevant ids is a document, use another column that fits the role and whose ids are documents."""
        if not documents or not self._judged or self._is_named("relevant"):
            return
        if any(doc in documents for judged in self._judged.values() for doc in documents.resolve(judged)):
            return
        metadata = [self.dataset.queries[query].metadata or {} for query in self._judged]
        names = dict.fromkeys(name for some in metadata for name in some)
        for name in (name for name in names if (role_of("queries", name) or ("",))[0] == "relevant"):
            values = [str(some[name]) for some in metadata if some.get(name) is not None]
            if values and all(doc in documents for value in values for doc in documents.ids_of(value)):
                self._swap(name)
                return

    def _tell_chunks(self, documents: DocumentIds) -> None:
        """If no relevant id is a document, but the documents are chunks of them, note how to score whole documents."""
        judged = {doc for some in self._judged.values() for doc in documents.resolve(some)}
        if judged and documents.is_quick and not any(doc in documents for doc in judged) and documents.are_parents(judged):
            what = "the relevant ids are documents, but the table of documents has chunks of them"
            advice = "to score whole documents, add --unit document --id-map with the table of chunks"
            current_reading().note_once(("relevant", "chunks"), self.label, f"{what}; {advice}")

    def _swap(self, name: str) -> None:
        """Read the relevant ids from another column."""
        before = next(iter(self._columns.values()))
        for query, judged in list(self._judged.items()):
            metadata = dict(self.dataset.queries[query].metadata or {})
            value, metadata[before] = metadata.pop(name, None), "; ".join(judged)
            self.dataset.add_query(replace(self.dataset.queries[query], metadata=metadata))
            self._judged[query] = {} if value is None else dict.fromkeys([str(value)], 1.0)
            self._columns[query] = name
        what = f"no id in {before!r} is a document, but those in {name!r} are; {name!r} is read as the relevant documents"
        current_reading().notes.pop(("queries", "relevant", name), None)
        current_reading().note_once(("relevant", name), self.label, what)

    def _check_columns(self) -> None:
        """Raise if no column has the text of queries, although one has a name that is not known."""
        roles = roles_of("queries", self._names, current_reading().named_roles("queries", self._names))
        unknown = [name for name in self._names if name not in roles.values() and role_of("queries", name) is None]
        if (
            not self._names
            or roles.keys() & {"query", *MEDIA_FIELDS}
            or ("query_id" in roles and (self._judged or not unknown))
        ):
            return
        names = ", ".join(map(repr, self._names))
        what = f"found no column with the text of queries among {names}; {accepted_names('queries', 'query')}"
        raise DataError(what, source=self.label)

    def _is_named(self, role: str) -> bool:
        """Whether the user named a column of this table for a role."""
        return current_reading().named_column(role, self._names) is not None

    def _resolve_weak_names(self, documents: DocumentIds, *, has_judgments: bool) -> None:
        """Columns such as `source` are relevant ids if they name documents; otherwise they are metadata."""
        queries = [query for query, column in self._columns.items() if fold(column) in WEAK_NAMES]
        column = self._columns[queries[0]] if queries else ""
        if not queries or self._is_named("relevant"):
            return
        names_documents = any(doc in documents for query in queries for doc in documents.resolve(self._judged[query]))
        if not has_judgments and (names_documents or not documents):
            what = f"the column {column!r} is read as the relevant documents"
            current_reading().note_once(("relevant", column), self.label, what)
            return
        for query in queries:
            before, value = self.dataset.queries[query], "; ".join(self._judged.pop(query))
            self.dataset.add_query(replace(before, metadata={**(before.metadata or {}), self._columns.pop(query): value}))

    def _tell_unused(self, documents: DocumentIds, *, is_named: bool) -> None:
        """Note unused columns whose values are documents; or, if `is_named`, whose names look like ids."""
        queries = [query.metadata or {} for query in self.dataset.queries.values()][:MAX_VALUES_CHECKED]
        for name in dict.fromkeys(name for metadata in queries for name in metadata if name != GENERATED_FROM):
            values = [metadata[name] for metadata in queries if metadata.get(name)]
            if values and documents.is_quick and all(_names_documents(value, documents) for value in values):
                reason = "its values are ids of documents"
            elif values and is_named and ID_NAME.search(fold(name)):
                reason = "its name looks like ids of documents"
            else:
                continue
            advice = f"if these are the relevant documents, add --columns relevant={name}"
            what = f"the column {name!r} is not used, but {reason}; {advice}"
            self.dataset.repairs.append(Repair(self.label, what, code="unused-column"))


def notes_on_ids(documents: DocumentIds, label: str) -> list[Repair]:
    """What users should know about how ids were read."""
    repairs = [Repair(label, f"{text!r} is read as one id: {why}", code="ids") for text, why in documents.unclear.items()]
    if documents.n_matched:
        repairs.append(Repair(label, f"{counted(documents.n_matched, 'id')} matched a file by its name", code="ids"))
    return repairs[:MAX_NOTES]


def _names_documents(value: Any, documents: DocumentIds) -> bool:
    values = value if isinstance(value, list) else [value]
    return bool(values) and all(isinstance(entry, str) and entry in documents for entry in values)


class JudgmentTable:
    """Takes the records of a table of judgments. A document judged twice for a query is a fault."""

    def __init__(self, dataset: BenchmarkDataset) -> None:
        self.dataset = dataset
        self._unused: dict[str, str] = {}

    def take(self, place: str, record: Record) -> None:
        """Take one record."""
        judgment, unused = judgment_of(record)
        is_judged = judgment.doc_id in self.dataset.qrels.get(judgment.query_id, ())
        if is_judged or (not judgment.has_interval and (judgment.query_id, judgment.doc_id) in self.dataset.intervals):
            raise DataError(f"document {judgment.doc_id} is judged twice for query {judgment.query_id}")
        self.dataset.add_judgment(judgment)
        for name in unused:
            self._unused.setdefault(name, place)

    def finish(self) -> None:
        """Note the columns that were not used."""
        losses = (Repair(place, f"the field {name!r} is not used", is_loss=True) for name, place in self._unused.items())
        self.dataset.repairs += losses
