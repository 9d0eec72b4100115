"""squad: questions about paragraphs with marked answers, as in SQuAD 1.1 and 2.0 and their translations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.errors import DataError
from assay.files import FileSource, decode_file
from assay.model import Document, Query, Span, text_id
from assay.text import shortened

EXAMPLE = """\
{"version": "v2.0", "data": [
  {"title": "House_cat", "paragraphs": [
    {"context": "Cats sleep 12 to 16 hours a day. Kittens sleep more.",
     "qas": [
       {"id": "q1", "question": "How long do cats sleep?", "is_impossible": false,
        "answers": [{"text": "12 to 16 hours", "answer_start": 11}]},
       {"id": "q2", "question": "How long do lions sleep?", "is_impossible": true, "answers": [],
        "plausible_answers": [{"text": "12 to 16 hours", "answer_start": 11}]}]}]}]}"""
QUESTION_FIELDS = ("id", "question", "answers", "is_impossible")
"""Fields of a question that are read; others become its metadata."""


def read_squad(path: Path) -> BenchmarkDataset:
    """A paragraph is a document with an id such as `House_cat/1`, and the paragraph of a question is its relevant document.
    The first answer is the expected answer, and its position is a gold span. All answers are in the metadata as `answers`,
    and answer metrics accept any of them. An impossible question is unanswerable: it has `answerable: false` in its metadata
    and no gold span. Its paragraph still counts as relevant, because a reader must find it to see that it has no answer.

    If an answer is not at the given position, assay uses the only occurrence of the answer instead. If the answer does not
    occur, or occurs more than once, its position is reported as lost. A question without an id gets one from its paragraph
    and number: `House_cat/1/q2`.
    """
    notes = Notes(str(path))
    content: Any = decode_file(path, object)
    dataset = BenchmarkDataset(FileSource(path.resolve()).name)
    if isinstance(content, dict) and content.get("version") is not None:
        dataset.version = str(content["version"])
    for doc_id, title, paragraph in _paragraphs(content, notes):
        _add_paragraph(dataset, doc_id, title, paragraph, notes)
        if notes.full:
            break
    notes.raise_if_any(len(dataset.queries) + notes.n_faults)
    dataset.repairs = notes.repairs
    return require_queries(dataset, str(path))


def _paragraphs(content: Any, notes: Notes) -> Iterator[tuple[str, str | None, Mapping[str, Any]]]:
    """Id, title and content of every paragraph, numbered within its article. Articles with the same title are one."""
    articles = content.get("data") if isinstance(content, dict) else content
    if not isinstance(articles, list):
        raise DataError(f"expected a list of articles under data, found {shortened(articles)}", source=notes.source)
    n_seen: dict[str, int] = {}
    for number, article in enumerate(articles, 1):
        place = f"article {number}"
        paragraphs = article.get("paragraphs") if isinstance(article, dict) else None
        if not isinstance(paragraphs, list):
            notes.fault(place, f"expected an object with a list of paragraphs, found {shortened(article)}")
            continue
        title = article.get("title")
        named = isinstance(title, str) and bool(title.strip())
        name = title if named else f"article-{number}"
        if not named:
            notes.mend(place, f"has no title; the ids of its paragraphs start with {name}")
        for paragraph in paragraphs:
            n_seen[name] = n_seen.get(name, 0) + 1
            doc_id = f"{name}/{n_seen[name]}"
            if isinstance(paragraph, dict) and isinstance(paragraph.get("context"), str):
                yield doc_id, title.replace("_", " ") if named else None, paragraph
            else:
                notes.fault(doc_id, f"expected an object with context as text and qas, found {shortened(paragraph)}")


def _add_paragraph(
    dataset: BenchmarkDataset, doc_id: str, title: str | None, paragraph: Mapping[str, Any], notes: Notes
) -> None:
    """Add one paragraph and its questions. A paragraph without questions is still a document."""
    more = {name: value for name, value in paragraph.items() if name not in ("context", "qas") and value is not None}
    document = Document(doc_id, paragraph["context"], title=title, metadata=more or None)
    questions = paragraph.get("qas")
    if not isinstance(questions, list | None):
        notes.fault(doc_id, f"expected qas to be a list of questions, found {shortened(questions)}")
        return
    dataset.add_document(document)
    for number, fields in enumerate(questions or (), 1):
        place = f"{doc_id}, question {number}"
        if not isinstance(fields, dict):
            notes.fault(place, f"expected an object with question, id and answers, found {shortened(fields)}")
            continue
        try:
            _add_question(dataset, document, fields, f"{doc_id}/q{number}", _Place(place, notes))
        except DataError as error:
            notes.fault(place, str(error))


class _Place:
    """Notes about one place."""

    def __init__(self, place: str, notes: Notes) -> None:
        self._place, self._notes = place, notes

    def mend(self, what: str) -> None:
        """Note something that was fixed, without any ambiguity."""
        self._notes.mend(self._place, what)

    def lose(self, what: str) -> None:
        """Note something that could not be used."""
        self._notes.lose(self._place, what)


def _add_question(dataset: BenchmarkDataset, document: Document, fields: Mapping[str, Any], number: str, at: _Place) -> None:
    """Add a question with its answers, and with its paragraph as the relevant document."""
    own_id = fields.get("id")
    query_id = number if own_id is None or own_id == "" else text_id(own_id)
    if query_id in dataset.queries:
        raise DataError(f"question {query_id} appears twice; give each question its own id")
    question = fields.get("question")
    if not isinstance(question, str):
        raise DataError(f"expected the question as text, found {shortened(question)}")
    impossible = fields.get("is_impossible")
    if not isinstance(impossible, bool | None):
        raise DataError(f"is_impossible must be true or false, not {shortened(impossible)}")
    answers = _answers(fields.get("answers"))
    if impossible and answers:
        at.mend("is marked as impossible but has answers; the answers are not used")
        answers = []
    if not impossible and not answers:
        at.lose("has no answer and is not marked as impossible; only its paragraph can decide what is relevant")
    placed = [_locate_answer(text, start, document.text, at) for text, start in answers]
    metadata = {name: value for name, value in fields.items() if name not in QUESTION_FIELDS and value is not None}
    if impossible is not None:
        metadata["answerable"] = not impossible
    if answers:
        metadata["answers"] = [_plain(text, start) for text, start in dict.fromkeys(placed)]
    expected = placed[0][0] if placed else None
    dataset.add_query(Query(query_id, question, metadata=metadata or None, expected=expected))
    dataset.qrels[query_id] = {document.doc_id: 1}
    for text, start in placed[:1]:
        if start is not None:
            dataset.spans[query_id] = [Span(document.doc_id, start, start + len(text), text=text)]


def _plain(text: str, start: int | None) -> dict[str, Any]:
    return {"text": text} if start is None else {"text": text, "answer_start": start}


def _answers(value: Any) -> list[tuple[str, int | None]]:
    """Text and place of each answer; the place is None if it is not given."""
    if not isinstance(value, list | None):
        raise DataError(f"expected answers to be a list, found {shortened(value)}")
    answers: list[tuple[str, int | None]] = []
    for answer in value or ():
        text = answer.get("text") if isinstance(answer, dict) else None
        start = answer.get("answer_start") if isinstance(answer, dict) else None
        if not isinstance(text, str) or not text.strip():
            raise DataError(f"expected an answer with text and answer_start, found {shortened(answer)}")
        if isinstance(start, bool) or not isinstance(start, int | None):
            raise DataError(f"answer_start must be a whole number, not {shortened(start)}")
        answers.append((text, start))
    return answers


def _locate_answer(text: str, start: int | None, context: str, at: _Place) -> tuple[str, int | None]:
    """The answer and its real place; None as its place if that is ambiguous."""
    if start is not None and start >= 0 and context.startswith(text, start):
        return text, start
    fault = "has no answer_start" if start is None else f"is not at character {start}"
    first = context.find(text)
    if first < 0 or context.find(text, first + 1) >= 0:
        where = "does not occur in the paragraph" if first < 0 else "occurs more than once in the paragraph"
        at.lose(f"the answer {shortened(text)} {fault} and {where}; its position is not used")
        return text, None
    at.mend(f"the answer {shortened(text)} {fault}; it was found at character {first}")
    return text, first


def detect(probe: Probe) -> bool:
    """A JSON file with articles of paragraphs under data, or a JSON list of such articles."""
    if probe.suffix != ".json":
        return False
    if probe.is_list:
        return "paragraphs" in probe.outer_keys and {"context", "qas"} <= probe.keys
    return "data" in probe.outer_keys and "paragraphs" in probe.keys_under("data")


FORMAT = Format(
    "squad",
    "questions about paragraphs with marked answers: SQuAD 1.1 and 2.0",
    read_squad,
    detect,
    example=EXAMPLE,
    needs="a JSON file with data: articles with paragraphs, each with context and qas",
    rank=20,
)
