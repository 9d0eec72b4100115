"""locomo: long conversations with questions, as in locomo10.json; one file, or a folder with a file per conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.datasets._answer import answer_text
from assay.datasets._dataset import BenchmarkDataset, require_queries
from assay.datasets._decode import decode_file
from assay.datasets._dialogue import SESSION, read_turns
from assay.datasets._evidence_pack import evidence_pack
from assay.datasets._format import Format, Probe
from assay.datasets._notes import Notes
from assay.datasets._source import FileSource
from assay.datasets._turn_ids import TurnIds
from assay.errors import DataError
from assay.model import Query, text_id
from assay.text import shortened

EXAMPLE = """\
[{"sample_id": "conv-1",
  "conversation": {
    "speaker_a": "Ada", "speaker_b": "Ben",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
      {"speaker": "Ada", "dia_id": "D1:1", "text": "I adopted a cat yesterday!"},
      {"speaker": "Ben", "dia_id": "D1:2", "text": "Mine sleeps all day.", "blip_caption": "a photo of a cat on a sofa"}]},
  "qa": [
    {"question": "When did Ada adopt a cat?", "answer": "7 May 2023", "evidence": ["D1:1"], "category": 2},
    {"question": "What is Ben's dog called?", "adversarial_answer": "Rex", "evidence": ["D1:2"], "category": 5}]}]"""
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
UNANSWERABLE = 5
MANY_FILES = 20
"""How many files of a folder are looked at to recognise it."""


def read_locomo(path: Path) -> BenchmarkDataset:
    """Turns are documents `conv-26/D1:3`, a conversation is a scope, a question is `conv-26/q1`.

    Evidence that is misspelt is mended where only one turn can be meant; the rest is noted as lost, and a question that
    loses all of it has nothing to find: `evidence` is empty, not None. Observations and summaries are not read.
    """
    notes = Notes(str(path))
    dataset = BenchmarkDataset(FileSource(path.resolve()).name)
    for named, sample in _samples(path, notes):
        _add_sample(dataset, _sample_id(sample, named, notes), sample, notes)
        if notes.full:
            break
    notes.raise_if_any()
    dataset.repairs = notes.repairs
    dataset.pack = evidence_pack("locomo", dataset.documents)
    return require_queries(dataset, str(path))


def _samples(path: Path, notes: Notes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every conversation, and what it is called if it does not say so itself."""
    for file in _files(path):
        if file != path and not _looks_like_it(Probe(file)):
            notes.lose(file.name, "holds no conversation and is left out")
            continue
        content: Any = decode_file(file, object)
        stem = FileSource(file).name
        samples = content if isinstance(content, list) else [content]
        for number, sample in enumerate(samples, 1):
            if isinstance(sample, dict):
                yield (f"{stem}-{number}" if isinstance(content, list) else stem), sample
            else:
                place = f"{file.name}, conversation {number}"
                notes.fault(place, f"expected an object with conversation and qa, found {shortened(sample)}")


def _files(path: Path) -> list[Path]:
    """The file itself, or the JSON files of the folder, conv-9 before conv-10."""
    if not path.is_dir():
        return [path]
    files = [file for file in path.iterdir() if Probe(file).suffix == ".json" and file.is_file()]
    if not files:
        raise DataError(f"{path}: there is no .json file in this folder")
    return sorted(
        files, key=lambda file: [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", file.name)]
    )


def _sample_id(sample: Mapping[str, Any], named: str, notes: Notes) -> str:
    given = sample.get("sample_id")
    if given is None or given == "":
        notes.mend(named, "has no sample_id; called so after its file")
        return named
    try:
        return text_id(given)
    except DataError as error:
        notes.fault(named, f"sample_id: {error}")
        return named


def _add_sample(dataset: BenchmarkDataset, sample_id: str, sample: Mapping[str, Any], notes: Notes) -> None:
    """One conversation and its questions."""
    conversations = dataset.metadata.setdefault("conversations", {})
    if sample_id in conversations:
        notes.fault(sample_id, "two conversations have this sample_id; give each its own, or leave one out")
        return
    conversation = sample.get("conversation", sample)
    questions = sample.get("qa")
    if not isinstance(conversation, dict):
        notes.fault(sample_id, f"expected conversation to be an object with session_1, …, found {shortened(conversation)}")
        return
    if not isinstance(questions, list | None):
        notes.fault(sample_id, f"expected qa to be a list of questions, found {shortened(questions)}")
        return
    speakers = [conversation[name] for name in ("speaker_a", "speaker_b") if isinstance(conversation.get(name), str)]
    conversations[sample_id] = {"speakers": speakers}
    documents = read_turns(sample_id, conversation, notes)
    if taken := [one.doc_id for one in documents.values() if one.doc_id in dataset.documents]:
        notes.fault(sample_id, f"{taken[0]} is a turn of another conversation as well; leave / out of ids")
    dataset.documents.update({document.doc_id: document for document in documents.values()})
    turns = TurnIds(documents)
    added = [_query(sample_id, number, fields, turns, notes) for number, fields in enumerate(questions or (), 1)]
    dataset.queries.update({query.query_id: query for query in added})
    if not added:
        notes.mend(sample_id, "has no questions")


def _query(sample_id: str, number: int, fields: Any, turns: TurnIds, notes: Notes) -> Query:
    """One question. Fields nobody knows go to its metadata."""
    place = f"{sample_id}, question {number}"
    if not isinstance(fields, dict):
        notes.fault(place, f"expected an object with question, answer and evidence, found {shortened(fields)}")
        fields = {}
    category = _category(fields.get("category"), place, notes)
    metadata = {name: value for name, value in fields.items() if name not in ("question", "answer", "evidence", "category")}
    metadata |= {"category": fields.get("category") if category is None else category}
    metadata |= {"answerable": category != UNANSWERABLE}
    return Query(
        f"{sample_id}/q{number}",
        _question(fields.get("question"), place, notes),
        query_type=CATEGORIES[category] if category else None,
        metadata={name: value for name, value in metadata.items() if value is not None},
        expected=answer_text(fields.get("answer"), place, notes),
        evidence=_evidence(sample_id, fields.get("evidence"), turns, place, notes),
        scope=sample_id,
    )


def _category(value: object, place: str, notes: Notes) -> int | None:
    """Its number, given as a number or as a name."""
    text = str(value).strip().lower().replace("_", "-").replace(" ", "-").removesuffix(".0")
    category = next((number for number, name in CATEGORIES.items() if text in (str(number), name)), None)
    if category is None:
        known = ", ".join(f"{number} ({name})" for number, name in CATEGORIES.items())
        notes.lose(place, f"expected a category among {known}, found {shortened(value)}")
    elif value != category:
        notes.mend(place, f"category {shortened(value)} read as {category}")
    return category


def _question(value: object, place: str, notes: Notes) -> str:
    if isinstance(value, str) and value.strip():
        return value
    notes.lose(place, f"expected the question as text, found {shortened(value)}")
    return ""


def _evidence(sample_id: str, value: object, turns: TurnIds, place: str, notes: Notes) -> tuple[str, ...] | None:
    """Document ids; None only where the file says nothing."""
    if value is None:
        notes.lose(place, "says nothing of evidence; only the expected answer can judge it")
        return None
    evidence = turns.read(value)
    for what in evidence.mended:
        notes.mend(place, what)
    for what in evidence.lost:
        notes.lose(place, what)
    if not evidence.found:
        notes.lose(
            place, f"{'none of its evidence can be used' if evidence.lost else 'its evidence is empty'}: nothing to find"
        )
    return tuple(f"{sample_id}/{turn}" for turn in evidence.found)


def _looks_like_it(probe: Probe) -> bool:
    """Turns in sessions, or questions with evidence."""
    outer = probe.outer_keys
    has_sessions = "conversation" in outer or any(SESSION.fullmatch(name) for name in outer)
    has_turns = has_sessions and "dia_id" in probe.keys
    return probe.suffix == ".json" and (has_turns or ("qa" in outer and (has_sessions or _has_evidence(probe))))


def _has_evidence(probe: Probe) -> bool:
    return {"question", "evidence"} <= probe.keys | probe.keys_under("qa")


def detect(probe: Probe) -> bool:
    """A JSON file with sessions of turns, or a folder with such files."""
    if not probe.names:
        return _looks_like_it(probe)
    files = (Probe(probe.path / name) for name in sorted(probe.names)[:MANY_FILES])
    return any(_looks_like_it(file) for file in files if file.suffix == ".json")


FORMAT = Format(
    "locomo", "long conversations with questions and evidence turns", read_locomo, detect, example=EXAMPLE, rank=20
)
