"""locomo: long conversations with questions, as in locomo10.json; one file, or a folder with a file per conversation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.evidence import evidence_pack
from assay.datasets.fields import answer_text
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.datasets.times.record_times import session_time
from assay.errors import DataError
from assay.files import FileSource, decode_file
from assay.model import Document, Query, text_id
from assay.text import shortened

SESSION = re.compile(r"session_([0-9]{1,9})")
LAYOUTS = ("%I:%M %p on %d %B, %Y",)
"""How the file writes times, as for strptime: 1:56 pm on 8 May, 2023."""
DATE = re.compile(r"session_([0-9]{1,9})_date_time")


@dataclass(frozen=True)
class Session:
    """One session of a conversation."""

    number: int
    date: str | None
    turns: list[Any]


def read_turns(sample_id: str, conversation: Mapping[str, Any], notes: Notes) -> dict[str, Document] | None:
    """Turn id as in the evidence → document; None without sessions.

    A turn without an id gets one. Evidence means the first turn of its id. A bad turn is a fault and no document.
    """
    sessions = _sessions(sample_id, conversation, notes)
    if not sessions:
        return None
    taken = {turn["dia_id"] for session in sessions for turn in session.turns if _has_id(turn) and not _fault_of(turn)}
    documents: dict[str, Document] = {}
    for session in sessions:
        for position, turn in enumerate(session.turns, 1):
            place = f"{sample_id}, session {session.number}, turn {position}"
            if fault := _fault_of(turn):
                notes.fault(place, fault)
                continue
            named = _name(turn, f"D{session.number}:{position}", taken, place, notes)
            document = _document(f"{sample_id}/{named}", {**turn, "dia_id": named}, session, place, notes)
            document = replace(document, group=sample_id)
            if named not in documents:
                documents[named] = document
            elif documents[named].text == document.text:
                notes.mend(place, f"repeats {named}; the turn is used once")
            else:
                other = _free(named, taken)
                documents[other] = replace(document, doc_id=f"{sample_id}/{other}")
                says = f"has the id {named} of an earlier turn, so it gets {other}; evidence {named} means the earlier turn"
                notes.lose(place, says)
    return documents


def _fault_of(turn: Any) -> str:
    """What is wrong with a turn; empty if it can be a document."""
    if not isinstance(turn, dict):
        return f"expected an object with speaker, dia_id and text, found {shortened(turn)}"
    text = turn.get("text")
    return "" if isinstance(text, str | None) else f"expected text, found {shortened(text)}"


def _sessions(sample_id: str, conversation: Mapping[str, Any], notes: Notes) -> list[Session]:
    """The sessions in the order of their numbers; anything unusual is noted."""
    numbers = {name: int(match[1]) for name in conversation if (match := SESSION.fullmatch(name))}
    dated = {int(match[1]) for name, date in conversation.items() if date and (match := DATE.fullmatch(name))}
    sessions: list[Session] = []
    for name, number in sorted(numbers.items(), key=lambda pair: pair[1]):
        turns, date = conversation[name], conversation.get(f"{name}_date_time")
        if not isinstance(turns, list | None):
            notes.fault(f"{sample_id}, session {number}", f"expected a list of turns, found {shortened(turns)}")
            continue
        sessions.append(Session(number, date if isinstance(date, str) and date else None, turns or []))
    _note(sample_id, [session.number for session in sessions if not session.turns], "no turns", notes)
    _note(sample_id, [session.number for session in sessions if session.date is None], "no date", notes)
    _note(sample_id, sorted(dated - set(numbers.values())), "only a date", notes)
    for last, following in pairwise(sorted({0, *numbers.values(), *dated})):
        if following > last + 1:
            missing = f"session {last + 1} is" if following == last + 2 else f"sessions {last + 1} to {following - 1} are"
            notes.mend(sample_id, f"{missing} missing")
    return sessions


def _note(sample_id: str, numbers: list[int], what: str, notes: Notes) -> None:
    """Add one note for all sessions with the same problem."""
    if numbers:
        which = f"session {numbers[0]} has" if len(numbers) == 1 else f"sessions {', '.join(map(str, numbers))} have"
        notes.mend(sample_id, f"{which} {what}")


def _has_id(turn: object) -> bool:
    return isinstance(turn, dict) and isinstance(turn.get("dia_id"), str) and bool(turn["dia_id"].strip())


def _name(turn: Mapping[str, Any], numbered: str, taken: set[str], place: str, notes: Notes) -> str:
    """The id of a turn, or a new one from its session and position."""
    if _has_id(turn):
        return str(turn["dia_id"])
    named = _free(numbered, taken)
    notes.mend(place, f"has no dia_id; it gets the id {named}")
    return named


def _free(name: str, taken: set[str]) -> str:
    """The name, or a variant that no other turn has. The result is added to `taken`."""
    variant, number = name, 1
    while variant in taken:
        number += 1
        variant = f"{name}~{number}"
    taken.add(variant)
    return variant


def _document(doc_id: str, turn: Mapping[str, Any], session: Session, place: str, notes: Notes) -> Document:
    """The document `Speaker: text [image caption]`; all other fields become metadata."""
    speaker, text, caption = (turn.get(name) for name in ("speaker", "text", "blip_caption"))
    if not text and not caption:
        notes.lose(place, "has no text")
    if not speaker:
        notes.mend(place, "has no speaker")
    content = " ".join(
        part for part in (f"{speaker}:" if speaker else "", text or "", f"[{caption}]" if caption else "") if part
    )
    metadata = {name: value for name, value in turn.items() if name != "text" and value is not None}
    metadata |= {"session": session.number} | ({"date_time": session.date} if session.date else {})
    time = session_time(session.date, LAYOUTS)
    return Document(doc_id, content, section=f"session_{session.number}", metadata=metadata, time=time)


NUMBERED = re.compile(r"[Dd]?:?([0-9]{1,9}):([0-9]{1,9})")
"""`D8:6`, and near misses: `D:8:6`, `d8:6`, `8:6`, `D08:06`."""
SEPARATORS = re.compile(r"[;,&\s]+")
SURROUNDING_LETTERS = "()[]{}<>'\"`.:"
"""Characters around an id that are ignored."""


@dataclass
class Evidence:
    """The evidence of a question as it was understood."""

    turns: list[str] = field(default_factory=list)
    mended: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


class TurnIds:
    """Finds the turns of a conversation by id, or by session and turn number if only one turn has these numbers."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = frozenset(ids)
        self._by_numbers: dict[tuple[int, int], set[str]] = {}
        for turn_id in self._ids:
            if (numbers := _numbers(turn_id)) is not None:
                self._by_numbers.setdefault(numbers, set()).add(turn_id)

    def find(self, reference: str) -> str | None:
        """The turn that an id means, if there is exactly one."""
        if reference in self._ids:
            return reference
        bare = reference.strip(SURROUNDING_LETTERS)
        if bare in self._ids:
            return bare
        numbers = _numbers(bare)
        meant = self._by_numbers.get(numbers, set()) if numbers else set()
        return next(iter(meant)) if len(meant) == 1 else None

    def read(self, value: object) -> Evidence:
        """Evidence from a list of ids, from text with several ids, or from nested lists. Each turn counts once."""
        evidence = Evidence()
        if isinstance(value, str):
            evidence.mended.append("evidence is text, not a list")
        elif isinstance(value, list) and any(isinstance(item, list) for item in value):
            evidence.mended.append("evidence is nested in lists")
        for item in _flatten(value):
            self._read_item(item, evidence)
        return evidence

    def _read_item(self, item: object, evidence: Evidence) -> None:
        if not isinstance(item, str):
            evidence.lost.append(f"{shortened(item)} in the evidence is not an id")
            return
        parts = (
            [item]
            if item in self._ids
            else [reference for part in SEPARATORS.split(_joined(item)) for reference in self._apart(part)]
        )
        turns = [turn for part in parts if (turn := self.find(part)) is not None]
        lost = [part for part in parts if self.find(part) is None]
        if turns and turns != [item]:
            evidence.mended.append(f"{shortened(item)} was read as {', '.join(turns)}")
        for part in lost if parts else [item]:
            evidence.lost.append(f"evidence {shortened(part)} is not a turn of the conversation")
        for turn in turns:
            if turn in evidence.turns:
                evidence.mended.append(f"evidence {turn} is listed twice")
            else:
                evidence.turns.append(turn)

    def _apart(self, part: str) -> list[str]:
        """`D1:1/D1:2` is two ids if both are known, `D1:1-D1:2` if no turn is between them."""
        if not part or self.find(part) is not None:
            return [part] if part else []
        if all(self.find(reference) for reference in part.split("/")):
            return part.split("/")
        first, _, last = part.partition("-")
        (session, turn), follower = _numbers(first) or (0, 0), _numbers(last)
        is_pair = follower == (session, turn + 1) and self.find(first) and self.find(last)
        return [first, last] if is_pair else [part]


def _numbers(turn_id: str) -> tuple[int, int] | None:
    """Session and turn."""
    match = NUMBERED.fullmatch(turn_id)
    return (int(match[1]), int(match[2])) if match else None


def _joined(item: str) -> str:
    """`D1 : 3` without spaces."""
    return ":".join(part.strip() for part in item.split(":"))


def _flatten(value: object) -> Iterator[object]:
    """The items of nested lists, in order. This is not recursive, because files may be malicious."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting.extend(reversed(item))
        else:
            yield item


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
MAX_FILES_PROBED = 20
"""How many files of a folder are examined to recognise it."""


def read_locomo(path: Path) -> BenchmarkDataset:
    """A turn is a document with an id such as `conv-26/D1:3`. A question has an id such as `conv-26/q1`, and its
    conversation is its scope. A turn has the time of its session, read as UTC.

    Misspelt evidence is fixed if only one turn can be meant; otherwise it is noted as lost. A question that loses all its
    evidence has nothing to find: `evidence` is empty, not None. Observations and summaries are not read.
    """
    notes = Notes(str(path))
    dataset = BenchmarkDataset(FileSource(path.resolve()).name)
    for named, sample in _samples(path, notes):
        if (sample_id := _sample_id(sample, named, notes)) is not None:
            _add_sample(dataset, sample_id, sample, notes)
        if notes.full:
            break
    notes.raise_if_any(len(dataset.queries) + len(dataset.documents) + notes.n_faults)
    dataset.repairs = notes.repairs
    dataset.pack = evidence_pack("locomo", dataset.documents)
    return require_queries(dataset, str(path))


def _samples(path: Path, notes: Notes) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every conversation, with a name to use if it has no sample_id."""
    for file in _files(path):
        if file != path and not _looks_like_locomo(Probe(file)):
            notes.lose(file.name, "contains no conversation and is skipped")
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
    """The file itself, or the JSON files of the folder, with conv-9 before conv-10."""
    if not path.is_dir():
        return [path]
    files = [file for file in path.iterdir() if Probe(file).suffix == ".json" and file.is_file()]
    if not files:
        raise DataError("expected .json files in this folder, found none", source=path)
    return sorted(
        files, key=lambda file: [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", file.name)]
    )


def _sample_id(sample: Mapping[str, Any], named: str, notes: Notes) -> str | None:
    """The id of a conversation; None if it has a bad one, which is a fault."""
    sample_id = sample.get("sample_id")
    if sample_id is None or sample_id == "":
        notes.mend(named, "has no sample_id; it gets its name from the file")
        return named
    try:
        return text_id(sample_id)
    except DataError as error:
        notes.fault(named, f"sample_id: {error}")
        return None


def _add_sample(dataset: BenchmarkDataset, sample_id: str, sample: Mapping[str, Any], notes: Notes) -> None:
    """One conversation and its questions."""
    conversations = dataset.metadata.setdefault("conversations", {})
    if sample_id in conversations:
        notes.fault(sample_id, "two conversations have this sample_id; give each its own, or remove one")
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
    documents = read_turns(sample_id, conversation, notes)
    if documents is None:
        notes.fault(sample_id, "expected sessions (session_1, …) in the conversation, found none")
        return
    if taken := [document.doc_id for document in documents.values() if document.doc_id in dataset.documents]:
        notes.fault(sample_id, f"{taken[0]} is also a turn of another conversation; do not use / in ids")
        return
    conversations[sample_id] = {"speakers": speakers}
    dataset.documents.update({document.doc_id: document for document in documents.values()})
    turns = TurnIds(documents)
    for number, fields in enumerate(questions or (), 1):
        if isinstance(fields, dict):
            query = _query(sample_id, number, fields, turns, notes)
            dataset.queries[query.query_id] = query
        else:
            place = f"{sample_id}, question {number}"
            notes.fault(place, f"expected an object with question, answer and evidence, found {shortened(fields)}")
    if not questions:
        notes.mend(sample_id, "has no questions")


def _query(sample_id: str, number: int, fields: Mapping[str, Any], turns: TurnIds, notes: Notes) -> Query:
    """One question. Unknown fields become its metadata."""
    place = f"{sample_id}, question {number}"
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
    """The number of a category, given as a number or as a name."""
    text = str(value).strip().lower().replace("_", "-").replace(" ", "-").removesuffix(".0")
    category = next((number for number, name in CATEGORIES.items() if text in (str(number), name)), None)
    if category is None:
        known = ", ".join(f"{number} ({name})" for number, name in CATEGORIES.items())
        notes.lose(place, f"category must be one of {known}, not {shortened(value)}")
    elif value != category:
        notes.mend(place, f"category {shortened(value)} was read as {category}")
    return category


def _question(value: object, place: str, notes: Notes) -> str:
    if isinstance(value, str) and value.strip():
        return value
    notes.lose(place, f"expected the question as text, found {shortened(value)}")
    return ""


def _evidence(sample_id: str, value: object, turns: TurnIds, place: str, notes: Notes) -> tuple[str, ...] | None:
    """The document ids of the evidence; None only if the file has no evidence field."""
    if value is None:
        notes.lose(place, "has no evidence; only its expected answer can decide what is relevant")
        return None
    evidence = turns.read(value)
    for what in evidence.mended:
        notes.mend(place, what)
    for what in evidence.lost:
        notes.lose(place, what)
    if not evidence.turns:
        reason = "none of its evidence can be used" if evidence.lost else "its evidence is empty"
        notes.lose(place, f"{reason}, so there is nothing to find")
    return tuple(f"{sample_id}/{turn}" for turn in evidence.turns)


def _looks_like_locomo(probe: Probe) -> bool:
    """Whether a file has sessions of turns, or questions with evidence."""
    outer = probe.outer_keys
    has_sessions = "conversation" in outer or any(SESSION.fullmatch(name) for name in outer)
    has_turns = has_sessions and "dia_id" in probe.keys
    return probe.suffix == ".json" and (has_turns or ("qa" in outer and (has_sessions or _has_evidence(probe))))


def _has_evidence(probe: Probe) -> bool:
    return {"question", "evidence"} <= probe.keys | probe.keys_under("qa")


def detect(probe: Probe) -> bool:
    """A JSON file with sessions of turns, or a folder with such files."""
    if not probe.names:
        return _looks_like_locomo(probe)
    files = (Probe(probe.path / name) for name in sorted(probe.names)[:MAX_FILES_PROBED])
    return any(_looks_like_locomo(file) for file in files if file.suffix == ".json")


FORMAT = Format(
    "locomo",
    "long conversations with questions and evidence turns",
    read_locomo,
    detect,
    example=EXAMPLE,
    needs="JSON with sample_id, conversation and qa, or a folder with such files",
    rank=20,
)
