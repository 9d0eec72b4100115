"""rag_template: questions with expected answers, and contexts (passages) with or without ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from assay.atomic_write import atomic_write
from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.entries import (
    DOCUMENT_ID,
    EXPECTED,
    GROUND_TRUTH_NAMES,
    QUERY_ID,
    Entry,
    Judged,
    agree_on_truth,
    is_text,
    is_texts,
    is_whole,
    judged_by_query,
    parse_line,
    read_entries,
    split_metadata,
    take_ground_truth,
    with_id,
)
from assay.datasets.format import Format, marks_of_formats
from assay.datasets.probe import Probe
from assay.datasets.times.record_times import TIME
from assay.errors import DataError, Faults
from assay.files import FileSource, convert, decoded_lines, read_json
from assay.model import Document, Query, RelevanceJudgment, Span, time_text
from assay.text import shortened

CONTENT = ("content", "text", "page_content", "body")
DOCUMENT_FIELDS = {"source": is_text, "section": is_text, "page_number": is_whole, "group": is_text}
"""Fields of a document that are in its metadata."""


class Contexts:
    """All documents of a file: first the shared contexts, then the contexts of single questions."""

    def __init__(self, label: str, notes: Notes) -> None:
        self.label, self.notes = label, notes
        self.documents: dict[str, Document] = {}
        self.are_shared = False
        """Whether there are contexts for every question."""
        self._uses: Counter[str] = Counter()
        """How often an id is used, by shared contexts and by contexts of questions."""

    def read_shared(self, value: Any) -> None:
        """Read the contexts that every question may search. Contexts without ids and with the same text are one document."""
        documents = self._shared_documents(value)
        known: dict[tuple[object, ...], str] = {}
        for document in documents.values():
            if document.doc_id:
                known.setdefault(_identity(document), document.doc_id)
        faults = Faults(f"{self.label}, context")
        for number, document in documents.items():
            doc_id = document.doc_id or known.setdefault(_identity(document), f"c{number}")
            try:
                self._add_shared(number, doc_id, document)
            except ValueError as error:
                faults.add(number, str(error))
        faults.raise_if_any(len(documents))
        self.are_shared = bool(self.documents)
        self._uses.update(self.documents.keys())

    def _shared_documents(self, value: Any) -> dict[int, Document]:
        """Number → document; its id is empty if none is given."""
        faults = Faults(f"{self.label}, context")
        documents: dict[int, Document] = {}
        for number, context in enumerate(each_context(value, self.label), 1):
            try:
                documents[number] = self._document(context, f"{self.label}, context {number}")
            except ValueError as error:
                faults.add(number, str(error))
        faults.raise_if_any(len(documents) + len(faults))
        return documents

    def _add_shared(self, number: int, doc_id: str, document: Document) -> None:
        there = self.documents.get(doc_id)
        if there is None:
            self.documents[doc_id] = named(document, doc_id)
            return
        if _identity(there) != _identity(document):
            raise DataError(f"another context with the id {doc_id} has a different text; give each context its own id")
        place = f"{self.label}, context {number}"
        self.notes.mend(place, f"has the same text as {doc_id}; they count as one document")
        if named(document, doc_id) != there:
            self.notes.lose(place, f"its source, section or metadata differ from {doc_id}; the values of {doc_id} are used")

    def parse_own(self, value: Any, place: str) -> dict[str, Document]:
        """The contexts of one question: id in the question → document; its own id is empty if none is given."""
        documents: dict[str, Document] = {}
        for number, context in enumerate(each_context(value), 1):
            document = self._document(context, f"{place}, context {number}")
            name = document.doc_id or f"c{number}"
            if documents.setdefault(name, document) is not document:
                raise DataError(f"two contexts have the id {name}; give each context its own id")
        return documents

    def expect(self, documents: Mapping[str, Document]) -> None:
        """Count the ids in the contexts of a question in advance: an id that several questions use must be made unique."""
        self._uses.update(name for name, document in documents.items() if document.doc_id)

    def add_own(self, own: Mapping[str, Document], query_id: str, scope: str, place: str) -> dict[str, str]:
        """Add the contexts of one question: id in the question → id of the document."""
        names = {
            name: name if document.doc_id and self._uses[name] <= 1 else f"{query_id}/{name}"
            for name, document in own.items()
        }
        if taken := [name for name, doc_id in names.items() if doc_id in self.documents]:
            raise DataError(f"two contexts have the id {taken[0]}; give each context its own id")
        for name, document in own.items():
            doc_id = names[name]
            if document.doc_id and doc_id != name:
                self.notes.mend(place, f"other contexts have the id {name} too; this one gets the id {doc_id}")
            if document.group not in (None, scope):
                self.notes.lose(place, f"context {name} has the group {document.group}, but belongs only to this question")
            self.documents[doc_id] = named(document, doc_id, scope)
        return names

    def _document(self, value: Any, place: str) -> Document:
        """A document; its id is empty if none is given."""
        entry = Entry.of(value, CONTENT[0], place, self.notes)
        doc_id = entry.take_id(DOCUMENT_ID) or ""
        text = entry.take_text(CONTENT, "the content")
        title = entry.take_own({"title": is_text}).get("title") if "title" in entry.fields else None
        own = entry.take_own(DOCUMENT_FIELDS)
        return Document(doc_id, text, title=title, time=entry.take_time("documents"), metadata=entry.rest(), **own)


def each_context(value: Any, label: str = "contexts") -> Iterator[Any]:
    """The contexts of a list, of a mapping id → context, or a single context."""
    if isinstance(value, Mapping) and not value.keys() & {*CONTENT}:
        yield from (with_id(key, context, CONTENT[0], label) for key, context in value.items())
    elif isinstance(value, list):
        yield from value
    elif isinstance(value, str | Mapping):
        yield value
    else:
        raise DataError(f"expected a list of contexts, found {shortened(value)}", source=label)


def _identity(document: Document) -> tuple[object, ...]:
    """Two contexts without ids are the same document if these values are equal."""
    return document.text, document.title, document.group


def named(document: Document, doc_id: str, group: str | None = None) -> Document:
    """The same document with this id, and in this group if one is given."""
    return replace(document, doc_id=doc_id, group=group if group is not None else document.group)


EXAMPLE = """\
{
  "name": "cats", "version": "1.0", "language": "en",
  "contexts": [
    {"id": "p1", "content": "Cats sleep 12 to 16 hours a day.", "metadata": {"topic": "cats", "source": "cats.md"}},
    {"id": "p2", "content": "Lions sleep up to 20 hours a day.", "metadata": {"topic": "lions", "source": "lions.md"}}
  ],
  "questions": [
    {"id": "q1", "question": "How long do cats sleep?", "expected": "12 to 16 hours a day",
     "query_type": "factual", "difficulty": "easy", "metadata": {"qrels": {"p1": 3, "p2": 0}}}
  ]
}

JSON lines, one question each, with its own contexts:
{"question": "How long do cats sleep?", "answer": "12 to 16 hours", "contexts": ["Cats sleep 12 to 16 hours a day."]}"""
QUESTION = ("question", "query", "text", "input")
CONTEXTS = ("contexts", "documents", "passages", "context", "retrieval_context")
LINES = (".jsonl", ".ndjson")
TAGS = ("query_type", "difficulty", "domain")
QUERY_FIELDS = {"scope": is_text, "evidence": is_texts}
"""Fields of a query that are in its metadata."""
FIELDS_OF_OTHER_FORMATS = {
    "haystack_sessions",
    "conversation",
    "queries",
    "spans",
    "start_line",
    "start_char",
}
"""Fields of records in other formats."""
RESERVED = {"name", "version", "metadata", "questions", "qrels", "judgments", "spans", *CONTEXTS}


def read_rag_template(path: Path) -> BenchmarkDataset:
    """One JSON object, a JSON list of questions, or JSON lines.

    Questions without ids are numbered q1, q2 …, and contexts c1, c2 …. Contexts without ids and with the same text are one
    document. Contexts inside a question are its scope: their ids are <question>/c1 …, or their own ids if no other question
    uses them. Ground truth by ids is read from `relevantIds`, `relevantChunkIds`, `groundTruthIds` or `qrels`, in the
    question or its metadata. An empty list means that nothing is relevant; without a list, the question is unjudged. If a
    question has both `context` and `retrieval_context`, or both `ground_truth` and `answer`, the first is used and the
    second becomes metadata. Contexts that a system retrieved are `rag_records`, which is recognised by the names of tools.
    To read them as what the question may search, choose this format by its name.
    """
    source = FileSource.at(path)
    return require_queries(_Reader(source, Notes(source.label)).read(), source.label)


class _Question(NamedTuple):
    """A question whose contexts have no ids of documents yet."""

    position: int
    """Its position in the file, counted from 1."""
    query: Query
    grades: dict[str, float] | None
    contexts: dict[str, Document] | None
    """Its own contexts by their ids in the question; None if it has none."""


class _Reader:
    """Reads one file."""

    def __init__(self, source: FileSource, notes: Notes) -> None:
        self.source, self.notes = source, notes
        self.is_lines = Probe(source.path).suffix in LINES
        self.contexts = Contexts(source.label, notes)
        self._questions: dict[str, _Question] = {}
        self._bad: set[str] = set()
        """Ids of questions that cannot be read."""
        self.dataset = BenchmarkDataset(source.name, documents=self.contexts.documents, repairs=notes.repairs)

    def read(self) -> BenchmarkDataset:
        """The whole dataset. Faults of the contexts come first, because questions need the contexts."""
        content = self._content()
        questions = list(self._values(content.pop("questions")))
        if shared := next((name for name in CONTEXTS if content.get(name) is not None), None):
            self.contexts.read_shared(content.pop(shared))
        self._read_questions(questions, judged_by_query(content.pop("qrels", {}), self.source.label, self.notes))
        self._read_rest(content)
        self._look_for_judged()
        return self.dataset

    def _content(self) -> dict[str, Any]:
        """The file as one object with `questions`."""
        if self.is_lines:
            return {"questions": dict(decoded_lines(self.source.path, parse_line))}
        content = read_json(self.source)
        if isinstance(content, dict) and content.get("questions") is not None:
            return content
        return {"questions": [content] if isinstance(content, dict) else content}

    def _values(self, value: Any) -> Iterator[tuple[int, Any]]:
        """Number and question: the line number, or the position in the list."""
        if self.is_lines:
            yield from value.items()
        elif isinstance(value, Mapping):
            yield from enumerate(
                (with_id(key, question, QUESTION[0], self.source.label) for key, question in value.items()), 1
            )
        elif isinstance(value, list):
            yield from enumerate(value, 1)
        else:
            raise DataError(f"expected a list of questions, found {shortened(value)}", source=self.source.label)

    def _read_questions(self, values: list[tuple[int, Any]], judged: dict[str, Judged]) -> None:
        """Parse all questions, then add the good ones, because their contexts decide which ids must be made unique."""
        noun = "" if self.is_lines else "question"
        read_entries(values, self.source.label, noun, partial(self._take_question, judged))
        for question in self._questions.values():
            self.contexts.expect(question.contexts or {})
        added = [(values[question.position - 1][0], question) for question in self._questions.values()]
        read_entries(added, self.source.label, noun, self._add_question)
        known = self.dataset.queries.keys() | self._bad
        self.dataset.qrels.update({query: truth.grades for query, truth in judged.items() if query not in known})

    def _take_question(self, judged: Mapping[str, Judged], count: int, place: str, value: Any) -> None:
        """Parse one question."""
        entry = Entry.of(value, QUESTION[0], place, self.notes)
        query_id = entry.take_id(QUERY_ID) or f"q{count}"
        if query_id in self._questions:
            raise DataError(f"question {query_id} appears twice; give each question its own id")
        self._bad.add(query_id)
        self._questions[query_id] = self._parse_question(entry, query_id, judged.get(query_id), count)
        self._bad.discard(query_id)

    def _parse_question(self, entry: Entry, query_id: str, judged: Judged | None, count: int) -> _Question:
        text, expected = entry.take_text(QUESTION, "the question"), entry.take_expected()
        contexts = entry.take(CONTEXTS)
        truth = agree_on_truth([judgment for judgment in (take_ground_truth(entry), judged) if judgment is not None])
        fields = {**_tags_of(entry), **entry.take_own(QUERY_FIELDS)}
        own = None
        if contexts is not None and (contexts != [] or not self.contexts.are_shared):
            fields.setdefault("scope", query_id)
            own = self._parse_contexts(contexts, entry.place)
        time = entry.take_time("queries")
        query = Query(query_id, text, expected=expected, time=time, metadata=entry.rest(), **fields)
        return _Question(count, query, None if truth is None else truth.grades, own)

    def _parse_contexts(self, contexts: Any, place: str) -> dict[str, Document]:
        """The contexts of a question. Ids of shared contexts are an error."""
        if is_texts(contexts) and contexts and all(context in self.contexts.documents for context in contexts):
            raise DataError('its contexts must be texts, not ids; if they are its ground truth, use "relevantIds"')
        return self.contexts.parse_own(contexts, place)

    def _add_question(self, _: int, place: str, question: _Question) -> None:
        """Add a question, its contexts and its grades, with the ids of the documents."""
        query, grades = question.query, question.grades
        if question.contexts is not None:
            names = self.contexts.add_own(question.contexts, query.query_id, str(query.scope), place)
            grades = None if grades is None else {names.get(doc, doc): grade for doc, grade in grades.items()}
        if grades is not None:
            self.dataset.qrels[query.query_id] = grades
        self.dataset.queries[query.query_id] = query

    def _read_rest(self, content: dict[str, Any]) -> None:
        """Read name, version, judgments, spans and metadata."""
        label = self.source.label
        self.dataset.name = str(content.pop("name", self.dataset.name))
        self.dataset.version = str(content.pop("version", self.dataset.version))
        judgments = convert(content.pop("judgments", []), list[RelevanceJudgment], f"{label}: judgments")
        self.dataset.judgments = {(judgment.query_id, judgment.doc_id): judgment for judgment in judgments}
        self.dataset.spans = convert(content.pop("spans", {}), dict[str, list[Span]], f"{label}: spans")
        more = content.pop("metadata", {})
        self.dataset.metadata = {**content, **(more if isinstance(more, Mapping) else {"metadata": more})}

    def _look_for_judged(self) -> None:
        """Note judged documents that are not in the file, unless the file has no documents at all."""
        documents = self.dataset.documents
        for query, judged in self.dataset.qrels.items() if documents else ():
            for doc in judged:
                if doc not in documents:
                    self.notes.mend(f"question {query}", f"judged document {doc} is not among the contexts")


def _tags_of(entry: Entry) -> dict[str, str | None]:
    """Type, difficulty and domain, if they are fields of the question; in its metadata, they are tags anyway."""
    there = [name for name in TAGS if isinstance(entry.fields.get(name, 0), str | None)]
    return {name: entry.fields.pop(name) for name in there}


def write_rag_template(dataset: BenchmarkDataset, path: Path) -> None:
    """Write everything as one JSON object; scope, evidence and ground truth go to the metadata of questions."""
    import msgspec

    if Probe(path).suffix in LINES:
        raise DataError("rag_template is written as one JSON file; use the extension .json", source=path)
    apart = {name: value for name, value in dataset.metadata.items() if name in RESERVED}
    content: dict[str, Any] = {"name": dataset.name, "version": dataset.version}
    content |= {name: value for name, value in dataset.metadata.items() if name not in RESERVED}
    content |= {"metadata": apart} if apart else {}
    content["contexts"] = [_context(document) for document in dataset.documents.values()]
    content["questions"] = [_question(query, dataset.qrels.get(query.query_id)) for query in dataset.queries.values()]
    more = {
        "qrels": {query: judged for query, judged in dataset.qrels.items() if query not in dataset.queries},
        "judgments": list(dataset.judgments.values()),
        "spans": dataset.spans,
    }
    content |= {name: value for name, value in more.items() if value}
    with atomic_write(path) as file:
        file.write(msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")


def _context(document: Document) -> dict[str, Any]:
    outside, metadata = split_metadata(document.metadata, {name: getattr(document, name) for name in DOCUMENT_FIELDS})
    title = {} if document.title is None else {"title": document.title}
    dated = {} if document.time is None else {TIME: time_text(document.time)}
    return {"id": document.doc_id, **title, CONTENT[0]: document.text, **dated, **outside, "metadata": metadata}


def _question(query: Query, judged: Mapping[str, float] | None) -> dict[str, Any]:
    if taken := next((name for name in GROUND_TRUTH_NAMES if name in (query.metadata or {})), None):
        reason = f"its metadata has {taken!r}, which this format reads as ground truth"
        raise DataError(f"query {query.query_id}: {reason}; rename the field, or write json instead")
    outside, metadata = split_metadata(query.metadata, {name: getattr(query, name) for name in QUERY_FIELDS})
    named = {"expected": query.expected, **{name: getattr(query, name) for name in TAGS}}
    named |= {TIME: None if query.time is None else time_text(query.time)}
    filled = {name: value for name, value in named.items() if value is not None}
    truth = {} if judged is None else {"qrels": judged}
    return {"id": query.query_id, "question": query.text, **filled, **outside, "metadata": {**metadata, **truth}}


def detect(probe: Probe) -> bool:
    """An object with `questions`; or records with a question, and contexts or an expected answer.

    Records with names of RAG tools are claimed by `rag_records`, which has a higher rank.
    """
    if probe.suffix not in (".json", *LINES):
        return False
    keys = probe.outer_keys
    if (keys & (FIELDS_OF_OTHER_FORMATS | marks_of_formats()) or keys >= {"file", "start"}) and "questions" not in keys:
        return False
    if "questions" in keys:
        return True
    if _has_unknown_records(probe):
        return False
    return bool(keys & {*QUESTION}) and bool(keys & {*CONTEXTS, *EXPECTED})


def _has_unknown_records(probe: Probe) -> bool:
    """Whether a question has a list of objects under a name that is not known: probably its passages, in another format."""
    known = {*CONTEXTS, *EXPECTED, *GROUND_TRUTH_NAMES, "metadata", "evidence"}
    values = {name: value for name, value in probe.first_record.items() if name not in known}
    return any(isinstance(value, list) and any(isinstance(entry, dict) for entry in value) for value in values.values())


FORMAT = Format(
    "rag_template",
    "questions with expected answers and contexts: a JSON object, a JSON list, or JSON lines",
    read_rag_template,
    detect,
    write_rag_template,
    example=EXAMPLE,
    needs="JSON with questions, or JSON records with question, and contexts or answer",
    rank=15,
    is_single_file=True,
)
