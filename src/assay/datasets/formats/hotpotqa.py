"""hotpotqa: questions with paragraphs and supporting facts, as in HotpotQA (Yang et al. 2018) and 2WikiMultihopQA.

The fields are described in the README of https://github.com/hotpotqa/hotpot, section "JSON Format". The same data on
Hugging Face (hotpotqa/hotpot_qa) has columns in place of pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.entries import is_text, is_texts, is_whole
from assay.datasets.fields import Record, answer_text, filled_id
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.errors import DataError
from assay.files import TABLES, FileSource, each_record
from assay.model import Document, Query, Span
from assay.text import shortened

EXAMPLE = """\
[{"_id": "q1", "question": "Which sleeps longer, cat or lion?", "answer": "lion", "type": "comparison", "level": "easy",
  "supporting_facts": [["Cat", 0], ["Lion", 1]],
  "context": [["Cat", ["Cats sleep 12 to 16 hours a day.", " Kittens sleep more."]],
              ["Lion", ["Lions are cats.", " Lions sleep up to 20 hours a day."]]]}]"""
OWN_FIELDS = ("_id", "id", "question", "answer", "type", "level", "supporting_facts", "context")
"""Fields of a question that are read; others become its metadata."""
DISTRACTOR, FULLWIKI = "distractor", "fullwiki"
MIN_COMPLETE = 0.9
"""The share of questions whose context must have all supporting paragraphs in the distractor setting."""

Paragraphs = dict[str, list[str]]
"""Title → sentences."""
Facts = list[tuple[str, int]]
"""Title and sentence number of each supporting fact."""


class _Question(NamedTuple):
    """A question as it is in the file."""

    query: Query
    paragraphs: Paragraphs
    facts: Facts | None
    """None if the file does not tell the supporting facts, as in the test set."""


def read_hotpotqa(path: Path) -> BenchmarkDataset:
    """A paragraph is a document, and paragraphs with a supporting fact are relevant. The sentences of the facts are gold
    spans. `type` and `level` are the tags query_type and difficulty.

    The setting is in the metadata of the dataset. In the distractor setting, a question searches only its own paragraphs,
    so that their ids are `<question>/<title>`. In the fullwiki setting, the paragraphs of a question are what a retriever
    returned: they are `dataset.retrieved`, their ids are titles, and all questions search all paragraphs. A supporting
    paragraph that is not in the file stays relevant. A file is read as fullwiki if its name or folder says so, or if less
    than nine of ten questions have all their supporting paragraphs. Questions without supporting facts are unjudged.
    """
    notes, questions = Notes(str(path)), dict[str, _Question]()

    def take(place: str, record: Record) -> None:
        question = _parse_question(record, place, notes)
        if questions.setdefault(question.query.query_id, question) is not question:
            raise DataError(f"question {question.query.query_id} appears twice; give each question its own id")

    each_record(path, take)
    setting = _setting(path, questions)
    dataset = BenchmarkDataset(FileSource(path.resolve()).name, metadata={"setting": setting}, repairs=notes.repairs)
    for question in questions.values():
        _add_question(dataset, question, is_scoped=setting == DISTRACTOR, notes=notes)
    return require_queries(dataset, str(path))


def _parse_question(record: Record, place: str, notes: Notes) -> _Question:
    query_id = filled_id(record["_id"] if record.get("_id") is not None else record.get("id"))
    text = record.get("question")
    if not isinstance(text, str):
        raise DataError(f"expected the question as text, found {shortened(text)}")
    kind, level = (None if record.get(name) is None else str(record[name]) for name in ("type", "level"))
    more = {name: value for name, value in record.items() if name not in OWN_FIELDS and value is not None}
    answer = answer_text(record.get("answer"), place, notes)
    query = Query(query_id, text, kind, level, metadata=more or None, expected=answer)
    return _Question(query, _paragraphs(record.get("context")), _facts(record.get("supporting_facts")))


def _pairs(value: Any, second: str) -> list[Any]:
    """Pairs of a title and something else, from a list of pairs or objects, or from an object with a list of each."""
    if isinstance(value, Mapping):
        titles, others = value.get("title"), value.get(second)
        if not isinstance(titles, list) or not isinstance(others, list) or len(titles) != len(others):
            raise DataError(f"expected lists title and {second} of the same length, found {shortened(value)}")
        return list(zip(titles, others, strict=True))
    if not isinstance(value, list):
        raise DataError(f"expected a list of pairs [title, {second}], found {shortened(value)}")
    return [(pair.get("title"), pair.get(second)) if isinstance(pair, Mapping) else pair for pair in value]


def _paragraphs(context: Any) -> Paragraphs:
    paragraphs: Paragraphs = {}
    for pair in _pairs(context, "sentences"):
        if not _is_paragraph(pair):
            raise DataError(f"expected a paragraph [title, sentences], found {shortened(pair)}")
        title, sentences = filled_id(pair[0]), [sentence.strip() for sentence in pair[1]]
        if paragraphs.setdefault(title, sentences) != sentences:
            raise DataError(f"two paragraphs have the title {title} and different sentences; rename one of them")
    return paragraphs


def _is_paragraph(pair: Any) -> bool:
    return isinstance(pair, list | tuple) and len(pair) == 2 and is_text(pair[0]) and is_texts(pair[1])


def _facts(value: Any) -> Facts | None:
    """The supporting facts. No question is without any, so an empty list means that they are not told."""
    facts: Facts = []
    for pair in [] if value is None else _pairs(value, "sent_id"):
        if not (isinstance(pair, list | tuple) and len(pair) == 2 and is_text(pair[0]) and is_whole(pair[1])):
            raise DataError(f"expected a supporting fact [title, sentence number], found {shortened(pair)}")
        facts.append((filled_id(pair[0]), pair[1]))
    return facts or None


def _setting(path: Path, questions: Mapping[str, _Question]) -> str:
    """Distractor if nearly all questions have all their supporting paragraphs, and the name does not say otherwise."""
    if FULLWIKI in path.name.lower() or path.resolve().parent.name.lower() == FULLWIKI:
        return FULLWIKI
    judged = [(question.facts, question.paragraphs) for question in questions.values() if question.facts is not None]
    n_complete = sum(all(title in paragraphs for title, _ in facts) for facts, paragraphs in judged)
    return DISTRACTOR if judged and n_complete >= MIN_COMPLETE * len(judged) else FULLWIKI


def _add_question(dataset: BenchmarkDataset, question: _Question, *, is_scoped: bool, notes: Notes) -> None:
    query, paragraphs, facts = question
    name = query.query_id
    ids = {title: f"{name}/{title}" if is_scoped else title for title in [*paragraphs, *(title for title, _ in facts or ())]}
    for title, sentences in paragraphs.items():
        document = Document(ids[title], " ".join(sentences), title=title, group=name if is_scoped else None)
        if dataset.documents.setdefault(document.doc_id, document) != document:
            notes.lose(f"question {name}", f"the paragraph {title} has another text than before; the first text is used")
    if is_scoped:
        query = replace(query, scope=name)
    else:
        dataset.retrieved[name] = [ids[title] for title in paragraphs]
    dataset.add_query(query)
    if facts is None:
        return
    dataset.qrels[name] = dict.fromkeys((ids[title] for title, _ in facts), 1)
    spans = [_span(ids[title], paragraphs.get(title, []), number) for title, number in dict.fromkeys(facts)]
    if gold := [span for span in spans if span is not None]:
        dataset.spans[name] = gold
    for title, number in facts:
        if title in paragraphs and not 0 <= number < len(paragraphs[title]):
            notes.lose(f"question {name}", f"the paragraph {title} has no sentence {number}; it counts as relevant")


def _span(doc_id: str, sentences: list[str], number: int) -> Span | None:
    """The place of a sentence in its document; None if there is no such sentence."""
    if not 0 <= number < len(sentences):
        return None
    start = list(accumulate((len(sentence) + 1 for sentence in sentences), initial=0))[number]
    return Span(doc_id, start, start + len(sentences[number]), text=sentences[number])


def notes_on_setting(dataset: BenchmarkDataset) -> list[str]:
    """What the figures of a setting mean."""
    if dataset.metadata.get("setting") != FULLWIKI:
        return []
    return ["hotpotqa, fullwiki setting: the documents are only the paragraphs in the file, not the whole Wikipedia"]


def detect(probe: Probe) -> bool:
    """Records with a question and a context of titles with sentences."""
    record = probe.first_record
    if probe.suffix in TABLES or not isinstance(record.get("question"), str) or not record.keys() & {"_id", "id"}:
        return False
    try:
        return bool(_paragraphs(record.get("context")))
    except DataError:
        return False


FORMAT = Format(
    "hotpotqa",
    "questions with paragraphs and supporting facts: HotpotQA in the distractor or fullwiki setting, 2WikiMultihopQA",
    read_hotpotqa,
    detect,
    example=EXAMPLE,
    needs="JSON or Parquet records with _id, question, and context as [title, sentences]",
    rank=30,
    marks=frozenset({"supporting_facts"}),
    notes=notes_on_setting,
)
