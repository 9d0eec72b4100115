"""dpr and miracl: records of a question with the passages that were judged for it, as in training files for retrievers.

DPR: https://github.com/facebookresearch/DPR, README, sections "Retriever input data format" and "Retriever validation".
MIRACL and Mr. TyDi: the dataset cards of miracl/miracl and castorini/mr-tydi on Hugging Face.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.entries import Entry, is_texts
from assay.datasets.fields import Record
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.errors import DataError
from assay.files import TABLES, FileSource, each_numbered_record
from assay.model import Document, Query
from assay.text import shortened

DPR_EXAMPLE = """\
[{"question": "How long do cats sleep?", "answers": ["12 to 16 hours", "16 hours"],
  "positive_ctxs": [{"title": "Cat", "text": "Cats sleep 12 to 16 hours a day.", "passage_id": "p1"}],
  "negative_ctxs": [], "hard_negative_ctxs": [{"title": "Lion", "text": "Lions sleep 20 hours.", "passage_id": "p2"}]}]"""
MIRACL_EXAMPLE = """\
{"query_id": "q1", "query": "Can cats swim?", \
"positive_passages": [{"docid": "12#0", "title": "Cat", "text": "Some cats like to swim."}], \
"negative_passages": [{"docid": "12#3", "title": "Cat", "text": "Cats hear mice."}]}"""
GRADES = {
    "dpr": {"positive_ctxs": 1, "negative_ctxs": 0, "hard_negative_ctxs": 0},
    "miracl": {"positive_passages": 1, "negative_passages": 0},
}
"""Format → its fields of passages, and the grade of these passages. Positive passages come first."""
RETRIEVED = "ctxs"
"""The passages that DPR's retriever returned, best first."""
HAS_ANSWER = "has_answer"
QUERY_IDS = ("query_id", "question_id", "q_id", "qid", "id", "_id")
PASSAGE_IDS = ("passage_id", "psg_id", "docid", "doc_id", "id", "_id")
QUESTION = ("question", "query")
SCORES = ("score", "title_score")
"""Fields of a passage that belong to its question, and not to the passage."""


class _Passages:
    """Passages as documents. The passages of a question count when `keep` is called, because the question may be bad."""

    def __init__(self, notes: Notes) -> None:
        self.documents: dict[str, Document] = {}
        self._notes = notes
        self._ids: dict[tuple[str | None, str], str] = {}
        """Title and text → id of a passage that has no id in the file."""
        self._new: dict[str, Document] = {}
        self._new_ids: dict[tuple[str | None, str], str] = {}

    def add(self, passage: Mapping[str, Any], field: str) -> str:
        """The id of a passage, which becomes a document if it has a text. Equal passages without ids are one document."""
        entry = Entry.of(passage, "text", field, self._notes)
        doc_id, title, text = entry.take_id(PASSAGE_IDS), entry.take(("title",)), entry.take(("text",))
        if not isinstance(title, str | None) or not isinstance(text, str | None) or (doc_id is None and text is None):
            raise DataError(f"expected a passage with title and text in {field}, found {shortened(passage)}")
        if text is None:
            return doc_id or ""
        doc_id = doc_id or self._numbered(title, text)
        for name in (*SCORES, HAS_ANSWER):
            entry.fields.pop(name, None)
        time = entry.take_time("documents")
        document = Document(doc_id, text, title=title or None, time=time, metadata=entry.rest())
        before = self.documents.get(doc_id) or self._new.setdefault(doc_id, document)
        if (before.title, before.text) != (document.title, document.text):
            raise DataError(f"two passages have the id {doc_id} and different texts; give each passage its own id")
        return doc_id

    def _numbered(self, title: str | None, text: str) -> str:
        number = len(self._ids) + len(self._new_ids) + 1
        return self._ids.get((title, text)) or self._new_ids.setdefault((title, text), f"p{number}")

    def keep(self) -> None:
        """Keep the passages since the last call."""
        self.documents.update(self._new)
        self._ids.update(self._new_ids)
        self.drop()

    def drop(self) -> None:
        """Forget the passages since the last call of `keep`."""
        self._new, self._new_ids = {}, {}


class _Reader:
    """Reads the questions of one file and their passages. A question counts when all of it is read."""

    def __init__(self, path: Path, grades: Mapping[str, int]) -> None:
        self.notes, self._grades = Notes(str(path)), grades
        self._passages = _Passages(self.notes)
        self.dataset = BenchmarkDataset(
            FileSource(path.resolve()).name, documents=self._passages.documents, repairs=self.notes.repairs
        )

    def take(self, number: int, place: str, record: Record) -> None:
        """Take one question."""
        self._passages.drop()
        entry = Entry.of(record, QUESTION[0], place, self.notes)
        query_id = entry.take_id(QUERY_IDS) or f"q{number}"
        if query_id in self.dataset.queries:
            raise DataError(f"question {query_id} appears twice; give each question its own id")
        text = entry.take_text(QUESTION, "the question")
        judged = self._take_judged(entry, query_id)
        returned, graded = self._take_retrieved(entry)
        answers = entry.take(("answers",))
        if not (answers is None or is_texts(answers)):
            raise DataError(f"answers must be a list of texts, not {shortened(answers)}")
        if answers and len(answers) > 1:
            entry.fields["answers"] = answers
        time = entry.take_time("queries")
        query = Query(query_id, text, metadata=entry.rest(), expected=answers[0] if answers else None, time=time)
        self.dataset.add_query(query)
        self._passages.keep()
        if returned:
            self.dataset.retrieved[query_id] = returned
        if judged or graded:
            self.dataset.qrels[query_id] = {**graded, **judged}

    def _take_judged(self, entry: Entry, query_id: str) -> dict[str, float]:
        judged: dict[str, float] = {}
        for name, grade in self._grades.items():
            for passage in _passages(entry, name):
                doc_id = self._passages.add(passage, name)
                if judged.setdefault(doc_id, grade) != grade:
                    self.notes.mend(f"question {query_id}", f"the passage {doc_id} is positive and negative; it is relevant")
        return judged

    def _take_retrieved(self, entry: Entry) -> tuple[list[str], dict[str, float]]:
        """The passages that a retriever returned, and the grades of those that say whether they have the answer."""
        grades: dict[str, float] = {}
        ids: dict[str, None] = {}
        for passage in _passages(entry, RETRIEVED) if "positive_ctxs" in self._grades else []:
            doc_id = self._passages.add(passage, RETRIEVED)
            ids[doc_id] = None
            if isinstance(has_answer := passage.get(HAS_ANSWER), bool):
                grades[doc_id] = int(has_answer)
        return list(ids), grades


def _passages(entry: Entry, name: str) -> list[Any]:
    passages = entry.fields.pop(name, None)
    if not isinstance(passages, list | None) or not all(isinstance(passage, Mapping) for passage in passages or ()):
        raise DataError(f"{name} must be a list of passages, not {shortened(passages)}")
    return passages or []


def _read(path: Path, grades: Mapping[str, int]) -> BenchmarkDataset:
    reader = _Reader(path, grades)
    each_numbered_record(path, reader.take)
    return require_queries(reader.dataset, str(path))


def read_dpr(path: Path) -> BenchmarkDataset:
    """Positive passages have grade 1, and negative and hard negative passages have grade 0. The documents are all passages
    of the file. A passage without an id gets one, p1, p2 …; equal passages are one document. Questions are numbered q1, q2 …
    if they have no ids. The first answer is the expected answer; several answers are in the metadata.

    A file of DPR's retriever has `ctxs` instead: these passages are documents and `dataset.retrieved`, and `has_answer` is
    their grade. Over these grades, hit@k is DPR's top-k accuracy.
    """
    return _read(path, GRADES["dpr"])


def read_miracl(path: Path) -> BenchmarkDataset:
    """Positive passages have grade 1, and negative passages have grade 0. The documents are all passages of the file that
    have a text; for the whole corpus, pass its file as the documents. A query without passages is unjudged.
    """
    return _read(path, GRADES["miracl"])


def notes_on_judgments(dataset: BenchmarkDataset) -> list[str]:
    """What the judgments of a retriever's file leave out."""
    if not dataset.retrieved:
        return []
    return ["dpr: only passages that DPR's retriever returned are judged, by whether they contain an answer"]


def _detect(grades: Mapping[str, int], others: frozenset[str], probe: Probe) -> bool:
    """Records with a question and lists of passages under the names of the format."""
    record = probe.first_record
    if probe.suffix in TABLES or not any(isinstance(record.get(name), str) for name in QUESTION):
        return False
    lists = [record[name] for name in {*grades, *others} if isinstance(record.get(name), list)]
    return bool(lists) and all(isinstance(passage, Mapping) for passages in lists for passage in passages)


DPR = Format(
    "dpr",
    "questions with positive and negative passages, or with the passages that DPR's retriever returned",
    read_dpr,
    partial(_detect, GRADES["dpr"], frozenset({RETRIEVED})),
    example=DPR_EXAMPLE,
    needs="JSON records with question, and positive_ctxs or ctxs as lists of passages with title and text",
    rank=30,
    marks=frozenset({*GRADES["dpr"], RETRIEVED}),
    notes=notes_on_judgments,
)
MIRACL = Format(
    "miracl",
    "queries with positive and negative passages: MIRACL and Mr. TyDi",
    read_miracl,
    partial(_detect, GRADES["miracl"], frozenset()),
    example=MIRACL_EXAMPLE,
    needs="JSON lines with query, and positive_passages as a list of passages with docid and text",
    rank=30,
    marks=frozenset(GRADES["miracl"]),
)
