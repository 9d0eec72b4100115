"""BenchmarkDataset: queries, documents, ground truth and tags, created in code or read from any known format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.datasets.corpus import StoredDocuments
from assay.datasets.document_data.document_data import DocumentData
from assay.datasets.evidence import evidence_documents, evidence_pack
from assay.datasets.fingerprint_rows import ROWS
from assay.datasets.kinds import ColumnNames, DocumentSource, LenientShare, PopularitySource, QuerySource, VectorSource
from assay.datasets.times.time_scope import (
    AsOf,
    AsOfSource,
    Intervals,
    TimeLimits,
    TimeScope,
    ValidJudgments,
    add_interval,
    parse_as_of,
    with_as_of,
)
from assay.errors import DataError, Fault, UnknownName, current_leniency, most_faults, near_matches, raise_faults
from assay.frames import Columns, Tables, Tabular, filled_columns, tag_columns
from assay.model import (
    IGNORED,
    Document,
    FeatureTable,
    Judgments,
    JudgmentSource,
    Pack,
    Qrels,
    Query,
    RelevanceJudgment,
    Span,
    fingerprint,
    is_ignore,
    judgments_of_mapping,
    key_id,
)
from assay.text import counted

__all__ = ["BenchmarkDataset", "Pack", "Repair"]


PARTS = ("queries", "documents", "judgments")


@dataclass(frozen=True)
class Repair:
    """A problem in a file that reading could fix or skip: its place, and what was done about it."""

    place: str
    what: str
    is_loss: bool = False
    """Whether something could not be used. If not, it was fixed, and the fix was unambiguous."""
    code: str = ""
    """The kind of repair, if users are told about this kind everywhere: one of `REPAIR_CODES`."""


REPAIR_CODES = ("left-out", "unused-file", "unused-column", "columns", "documents", "ids", "times")
"""A bad record that was left out; a file of the folder that nothing used; a column of ids that is not used; a choice between
columns; documents that replaced those of the benchmark; ids that were matched or could not be; and times without a zone."""


@dataclass(eq=False)
class BenchmarkDataset(Tabular):
    """A benchmark. `queries`, `documents` and `qrels` are mappings by id; `BenchmarkDataset("name", "1.0")` is empty."""

    name: str = "dataset"
    version: str = "1.0"
    metadata: dict[str, Any] = field(default_factory=dict)
    queries: dict[str, Query] = field(default_factory=dict)
    documents: MutableMapping[str, Document] = field(default_factory=dict)
    qrels: dict[str, dict[str, float]] = field(default_factory=dict)
    """Query → document → grade. A query without any document here was judged to have nothing relevant."""
    judgments: dict[tuple[str, str], RelevanceJudgment] = field(default_factory=dict)
    """Judgments that also record who judged, or when."""
    spans: dict[str, list[Span]] = field(default_factory=dict)
    """Query → the spans of files that answer it."""
    files: Mapping[str, Document] | None = None
    """The files that the documents were cut from, if the documents are chunks."""
    pack: Pack | None = None
    repairs: list[Repair] = field(default_factory=list)
    format: str = ""
    path: Path | None = None
    terms: Any = field(default=None, repr=False, compare=False)
    """The vocabulary of a domain, if the documents are its terms. It may also know the terms under other ids."""
    retrieved: dict[str, list[str]] = field(default_factory=dict)
    """Query → ids that a system returned, best first, if the file has the answers of a system."""
    subtopics: dict[tuple[str, str], dict[str, float]] = field(default_factory=dict)
    """Query and document → subtopic → grade, if judgments are per subtopic. `qrels` has the best of these grades."""
    features: FeatureTable | None = None
    """The features of the documents of each query, if the benchmark is for learning to rank. The documents have no texts."""
    intervals: Intervals = field(default_factory=dict)
    """Query and document → judgments that hold only for a time. Loading moves those that hold into `qrels`."""
    as_of: AsOf | None = None
    """The time as of which documents count: younger ones are out of scope. `with_as_of` sets it."""
    time_limits: TimeLimits | None = None
    """What `as_of` left out of the ground truth."""
    valid_judgments: ValidJudgments = field(default_factory=ValidJudgments)
    """How many judgments hold only for a time, and how many do not hold."""
    document_data: DocumentData = field(default_factory=DocumentData, repr=False)
    """Vectors and popularity of documents from elsewhere. `with_document_data` sets them."""
    _fingerprints: dict[str, tuple[object, str]] = field(default_factory=dict, repr=False)
    """The fingerprint of documents in files, with the state of the files."""

    def __post_init__(self) -> None:
        if not self.format:  # made in Python, where a grade may be the word for documents that do not count
            worded = {query: judged for query, judged in self.qrels.items() if str in set(map(type, judged.values()))}
            if worded:
                self.qrels = {**self.qrels, **{query: _with_numbers(judged) for query, judged in worded.items()}}

    def add_query(self, query: Query) -> None:
        """Add or replace a query."""
        self.queries[query.query_id] = query

    def add_document(self, document: Document) -> None:
        """Add or replace a document."""
        self.documents[document.doc_id] = document
        self._fingerprints.clear()

    def add_judgment(self, judgment: RelevanceJudgment) -> None:
        """Add or replace a judgment. Judgments of a document that hold for different times are kept side by side."""
        if judgment.has_interval:
            add_interval(self.intervals, judgment)
            self.qrels.setdefault(judgment.query_id, {})
            return
        self.qrels.setdefault(judgment.query_id, {})[judgment.doc_id] = judgment.relevance_grade
        self.subtopics.pop((judgment.query_id, judgment.doc_id), None)
        if judgment.judge is not None or judgment.timestamp is not None:
            self.judgments[judgment.query_id, judgment.doc_id] = judgment
        else:
            self.judgments.pop((judgment.query_id, judgment.doc_id), None)

    def get_relevant_docs(self, query_id: str, min_grade: float | None = None) -> set[str]:
        """Ids of the documents that are relevant to a query: grade above 0, and at least `min_grade` if given.

        If a query has evidence and no judgments, the documents that its evidence names have grade 1.
        """
        judged = self._grades(key_id(query_id))
        return {doc for doc, grade in judged.items() if grade > 0 and (min_grade is None or grade >= min_grade)}

    def get_relevance_grade(self, query_id: str, doc_id: str) -> float:
        """The grade of a document; 0 if it is unjudged. Evidence counts as in `get_relevant_docs`."""
        return self._grades(key_id(query_id)).get(key_id(doc_id), 0)

    def _grades(self, query_id: str) -> Mapping[str, float]:
        """Document → grade of a query: its judgments, otherwise grade 1 for each document that its evidence names."""
        if query_id in self.qrels or query_id not in self.queries:
            return self.qrels.get(query_id, {})
        return dict.fromkeys(evidence_documents(self.queries[query_id], self.documents), 1)

    def in_scope(self, query: Query) -> Iterable[str]:
        """Ids of the documents that a query may search: those of its group, and with `as_of` none that are too young."""
        documents = self.documents if query.scope is None else self.groups.get(query.scope, ())
        if self.as_of is None:
            return documents
        scope = TimeScope(self)
        return [doc for doc in documents if not scope.is_younger(query.query_id, doc)]

    def with_as_of(self, as_of: AsOfSource) -> BenchmarkDataset:
        """The benchmark as of the time of each query (`query`), or as of a fixed time.

        Younger documents are out of scope, and their judgments are left out. Judgments with `valid_from` or `valid_to` count
        if they hold then.
        """
        return with_as_of(self, parse_as_of(as_of))

    def with_document_data(
        self, vectors: VectorSource | None = None, popularity: PopularitySource | None = None
    ) -> BenchmarkDataset:
        """The benchmark with vectors and popularity of its documents, for metrics of result lists.

        `vectors` are a file such as vectors.npz, the name of a model, or id → vector. `popularity` is a table with ids of
        documents and numbers, a data frame, records, or id → number.
        """
        from assay.datasets.document_data.popularity import with_document_data

        return with_document_data(self, vectors, popularity)

    @property
    def groups(self) -> Mapping[str, Sequence[str]]:
        """Group → its documents. This is computed on every access, so store the result."""
        if self.features is not None:
            return self.features.groups
        members: dict[str, list[str]] = {}
        for doc_id, document in self.documents.items():
            if document.group is not None:
                members.setdefault(document.group, []).append(doc_id)
        return members

    @property
    def owner_of_relevance(self) -> Pack | None:
        """The pack that decides relevance by evidence: the dataset's own, or one by ids if queries have evidence."""
        if self.pack is None and any(query.evidence is not None for query in self.queries.values()):
            return evidence_pack("evidence", self.documents)
        return self.pack

    def judged(self) -> Qrels:
        """The judgments, prepared for scoring."""
        if not self.subtopics:
            is_whole = self.features is not None and sum(map(len, self.qrels.values())) == len(self.features)
            return Qrels(Judgments(self.qrels, in_file_order=True) if is_whole else self.qrels)
        known = {pair: grades for pair, grades in self.subtopics.items() if pair[1] in self.qrels.get(pair[0], ())}
        return Qrels(judgments_of_mapping(self.qrels)._replace(subtopics=known))

    def get_statistics(self) -> dict[str, Any]:
        """Sizes, judgments per query, the distribution of grades, and the number of queries per tag value.

        Evidence counts as judgments, as in `get_relevant_docs`.
        """
        by_evidence = (key for key, query in self.queries.items() if query.evidence is not None)
        judged_queries = dict.fromkeys((*self.qrels, *by_evidence))
        grades = Counter(grade for query in judged_queries for grade in self._grades(query).values())
        tags: dict[str, Counter[str]] = {}
        for query in self.queries.values():
            for name, value in query.tags.items():
                tags.setdefault(name, Counter())[value] += 1
        n_judgments = sum(grades.values())
        return {
            "name": self.name,
            "version": self.version,
            "format": self.format,
            "num_queries": len(self.queries),
            "num_documents": len(self.documents),
            "num_judgments": n_judgments,
            "num_judged_queries": len(judged_queries),
            "num_relevant": sum(count for grade, count in grades.items() if grade > 0),
            "judgments_per_query": n_judgments / len(judged_queries) if judged_queries else 0.0,
            "grade_distribution": {_plain(grade): grades[grade] for grade in sorted(grades)},
            "tags": {
                name: dict(sorted(counts.items())) for name, counts in sorted(tags.items()) if len(counts) <= MAX_TAG_VALUES
            },
            "num_scopes": len({query.scope for query in self.queries.values()} - {None}),
            "num_expected": sum(query.expected is not None for query in self.queries.values()),
            "num_evidence": sum(query.evidence is not None for query in self.queries.values()),
            "num_spans": sum(map(len, self.spans.values())),
            "num_repairs": len(self.repairs),
        }

    def fingerprint(self, part: str) -> str:
        """A hash of the queries, documents or judgments that does not depend on their order or the file format.

        The hash of documents that stay in a file is computed once, and again if the file or the documents have changed.
        """
        if part not in PARTS:
            raise UnknownName("part", part, near_matches(part, PARTS), f"choose from {', '.join(PARTS)}")
        if part == "documents" and self.features is not None:
            return self.features.fingerprint
        documents = self.documents
        if part != "documents" or isinstance(documents, dict):  # in memory: quick to compute, and may change
            return fingerprint(ROWS[part](self))
        state = documents.state() if isinstance(documents, StoredDocuments) else None
        if part not in self._fingerprints or self._fingerprints[part][0] != state:
            self._fingerprints[part] = state, fingerprint(ROWS[part](self))
        return self._fingerprints[part][1]

    @classmethod
    def from_frames(
        cls,
        queries: QuerySource,
        documents: DocumentSource | None = None,
        qrels: JudgmentSource | None = None,
        *,
        name: str = "dataset",
        columns: ColumnNames | None = None,
        lenient: LenientShare | None = None,
    ) -> BenchmarkDataset:
        """A benchmark from tables: pandas, polars or Arrow frames, or lists of records, with columns found by their names.

        Queries may have their relevant ids in a column. Queries and documents may also be mappings id → text, and qrels a
        mapping query → document → grade. `columns` and `lenient` are those of `load_dataset`.
        """
        from assay.datasets.loading import from_frames

        return from_frames(queries, documents, qrels, name=name, columns=columns, lenient=lenient)

    @classmethod
    def from_json(cls, path: str | Path) -> BenchmarkDataset:
        """Read the JSON layout that `save_json` writes."""
        from assay.datasets.loading import load_dataset

        return load_dataset(path, "json")

    def save_json(self, path: str | Path) -> None:
        """Write everything as one JSON file."""
        from assay.datasets.formats.tables import JSON

        JSON.save(self, Path(path))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values, as `save_json` writes them."""
        from assay.datasets.formats.tables import content_of

        return content_of(self)

    def _tables(self) -> Tables:
        return {"queries": self._query_columns, "documents": self._document_columns, "qrels": self._judged_columns}

    def _query_columns(self) -> Columns:
        """A row for each query: its text, the ids of its relevant documents, best first, and its tags.

        The ids of a query that is not judged are None.
        """
        queries = list(self.queries.values())
        is_judged = [query.query_id in self.qrels or query.evidence is not None for query in queries]
        columns: dict[str, Sequence[Any]] = {
            "query_id": list(self.queries),
            "query": [query.text for query in queries],
            "relevant_ids": [
                _best_first(self._grades(query)) if judged else None
                for query, judged in zip(self.queries, is_judged, strict=True)
            ],
            **filled_columns({name: [getattr(query, name) for query in queries] for name in ("expected", "scope", "time")}),
        }
        return columns | tag_columns([query.tags for query in queries], list(columns))

    def _document_columns(self) -> Columns:
        """A row for each document, with the fields that at least one document has."""
        documents = list(self.documents.values())
        names = ("title", "source", "page_number", "section", "group", "time")
        more = filled_columns({name: [getattr(document, name) for document in documents] for name in names})
        texts = [document.text for document in documents]
        return {"doc_id": [document.doc_id for document in documents], "text": texts, **more}

    def _judged_columns(self) -> Columns:
        return self.judged().columns_of()

    @classmethod
    def from_trec_qrels(cls, path: str | Path, name: str = "", version: str = "1.0") -> BenchmarkDataset:
        """Read judgments alone from TREC qrels."""
        qrels = Qrels(str(path))
        by_query = {query: qrels[query] for query in qrels}
        queries = {query: Query(query) for query in by_query}
        return cls(
            name or Path(path).stem,
            version,
            queries=queries,
            qrels=by_query,
            subtopics=subtopics_of(qrels),
            format="trec",
            path=Path(path),
        )

    def save_trec_qrels(self, path: str | Path) -> None:
        """Write the judgments as TREC qrels. A query judged to have nothing relevant is an error: qrels cannot hold it."""
        from assay.datasets.formats.trec import write_judgments

        write_judgments(self, Path(path))

    def __repr__(self) -> str:
        parts = (counted(len(self.queries), "query"), counted(len(self.documents), "document"))
        n_judgments = sum(map(len, self.qrels.values()))
        return f"BenchmarkDataset({self.name} {self.version}: {', '.join(parts)}, {counted(n_judgments, 'judgment')})"


def _best_first(grades: Mapping[str, float]) -> list[str]:
    """The relevant documents, the highest grade first."""
    return sorted((doc for doc, grade in grades.items() if grade > 0), key=lambda doc: -grades[doc])


MAX_TAG_VALUES = 50
"""A tag with more values than this identifies queries; it is not useful to slice by."""


def _plain(grade: float) -> float:
    """A whole grade as an int; any other grade unchanged."""
    return int(grade) if float(grade).is_integer() and grade != IGNORED else grade


def recall_fingerprint(dataset: BenchmarkDataset, value: str) -> None:
    """Set the fingerprint of documents in files, if an earlier process computed it from the same content."""
    if isinstance(dataset.documents, StoredDocuments):
        dataset._fingerprints["documents"] = dataset.documents.state(), value


def _with_numbers(judged: Mapping[str, Any]) -> dict[str, float]:
    """The judgments of a query with the grade that the word `ignore` stands for."""
    return {doc: IGNORED if is_ignore(grade) else grade for doc, grade in judged.items()}


def subtopics_of(qrels: Qrels) -> dict[tuple[str, str], dict[str, float]]:
    """Query and document → subtopic → grade; empty if the judgments have no subtopics."""
    return {pair: dict(grades) for pair, grades in qrels.judgments().subtopics.items()} if qrels.subtopics else {}


def require_queries(dataset: BenchmarkDataset, place: str) -> BenchmarkDataset:
    """The dataset; an error if it has no queries."""
    if not dataset.queries:
        raise DataError("expected at least one query, found none", source=place)
    return dataset


class Notes:
    """Collects repairs and losses for the dataset, and faults to raise together. `line 7` is a place in the source."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.repairs: list[Repair] = []
        self._faults: list[Fault] = []
        self._leniency = current_leniency()

    def mend(self, place: str, what: str) -> None:
        """Note something that was fixed, without any ambiguity."""
        self.repairs.append(Repair(place, what))

    def lose(self, place: str, what: str) -> None:
        """Note something that could not be used."""
        self.repairs.append(Repair(place, what, is_loss=True))

    def fault(self, place: str, what: str) -> None:
        """Note something that makes a record unreadable. Only the first twenty are kept, unless records may be left out."""
        if self.full:
            return
        number = next((place.removeprefix(way) for way in ("line ", f"{self.source}:") if place.startswith(way)), "")
        if number.isdecimal():
            self._faults.append(Fault(what, int(number), source=self.source))
        else:
            self._faults.append(Fault(f"{place}: {what}" if place else what, source=self.source))

    @property
    def n_faults(self) -> int:
        """The number of faults so far."""
        return len(self._faults)

    @property
    def full(self) -> bool:
        """Whether there are enough faults to stop reading."""
        return len(self._faults) >= most_faults(self._leniency)

    def raise_if_any(self, n_records: int | None = None) -> None:
        """Raise one DataError with all faults so far. `n_records` is how many records were read, bad ones included."""
        raise_faults(self._faults, self.source, n_records, self._leniency, is_full=self.full)
