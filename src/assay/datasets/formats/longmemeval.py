"""longmemeval: questions, each with the chat sessions that it searches; documents are sessions or turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from assay.datasets.dataset import BenchmarkDataset, Notes, require_queries
from assay.datasets.evidence import evidence_pack
from assay.datasets.fields import answer_text
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.files import FileSource, decode_file
from assay.model import Document, Query, text_id
from assay.text import counted, shortened


class Turn(msgspec.Struct, gc=False):
    """One message of a session."""

    role: str | None = None
    content: str | None = None
    has_answer: bool | None = None


class Item(msgspec.Struct):
    """A question as in the file; its sessions are decoded later."""

    question_id: str | int | None = None
    question_type: str | None = None
    question: str | None = None
    answer: Any = None
    question_date: str | None = None
    haystack_dates: list[str | None] | None = None
    haystack_session_ids: list[str | int | None] | None = None
    haystack_sessions: list[msgspec.Raw] | None = None
    answer_session_ids: list[str | int] | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A session as documents: one text, or one text per turn; and the turns that contain the answer, counted from 1."""

    texts: tuple[str, ...]
    n_turns: int
    marked: frozenset[int]

    def says_as_much_as(self, other: Session) -> bool:
        """Whether the text is the same, whatever is marked."""
        return self.n_turns == other.n_turns and self.texts == other.texts


class Sessions:
    """Decodes sessions. Questions share most sessions, so the same session is decoded and stored only once."""

    def __init__(self, by_turn: bool) -> None:
        self._by_turn = by_turn
        self._decode = msgspec.json.Decoder(list[Turn] | None).decode
        self._known: dict[str, tuple[msgspec.Raw, Session]] = {}

    def read(self, session_id: str, raw: msgspec.Raw) -> Session:
        """The session. It is decoded again only if it differs from the last session with this id."""
        known = self._known.get(session_id)
        if known is not None and bytes(known[0]) == bytes(raw):
            return known[1]
        turns = self._decode(raw) or []
        lines = tuple(f"{turn.role}: {turn.content or ''}" if turn.role else turn.content or "" for turn in turns)
        marked = frozenset(number for number, turn in enumerate(turns, 1) if turn.has_answer)
        session = Session(lines if self._by_turn else ("\n".join(lines),), len(turns), marked)
        self._known[session_id] = raw, session
        return session


@dataclass
class Haystack:
    """What one question searches: sessions with unique names."""

    question_id: str
    sessions: dict[str, Session] = field(default_factory=dict)
    dates: dict[str, str | None] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    """Session id → names: only one, unless different sessions have the same id."""
    marked: dict[str, set[int]] = field(default_factory=dict)
    """Name → turns that contain the answer, if there are any."""

    @classmethod
    def of(cls, question_id: str, item: Item, sessions: Sessions, notes: Notes) -> Haystack:
        """The haystack of a question. A session that cannot be decoded is a fault."""
        haystack = cls(question_id)
        place, empty = haystack.place, []
        for number, (session_id, date, raw) in enumerate(_pair_sessions(item, place, notes), 1):
            try:
                session = sessions.read(session_id, raw)
            except ValueError as error:
                notes.fault(place, f"session {number} ({session_id}): {error}")
                continue
            haystack.add(session_id, date, session, notes)
            if not session.n_turns:
                empty.append(session_id)
        if empty:
            verb = "has" if len(empty) == 1 else "have"
            notes.mend(place, f"{counted(len(empty), 'session')} {verb} no turns: {', '.join(empty)}")
        if not haystack.sessions:
            notes.lose(place, "has no sessions to search")
        return haystack

    @property
    def place(self) -> str:
        """The place that notes about this question name."""
        return f"question {self.question_id}"

    def add(self, session_id: str, date: str | None, session: Session, notes: Notes) -> None:
        """Add a session once. A different session with the same id gets another name."""
        name = next((name for name in self.names.get(session_id, ()) if self.sessions[name].says_as_much_as(session)), None)
        if name is not None:
            kept = f"it is used once, with the date {self.dates[name]}"
            notes.mend(self.place, f"session {session_id} is repeated with the date {date}; {kept}")
        else:
            name = session_id
            while name in self.sessions:
                name += "~"
            if name != session_id:
                notes.lose(self.place, f"another session with the id {session_id} has different text; it gets the id {name}")
            self.sessions[name], self.dates[name] = session, date
            self.names.setdefault(session_id, []).append(name)
        if session.marked:
            self.marked.setdefault(name, set()).update(session.marked)

    def documents(self, by_turn: bool) -> Iterator[Document]:
        """The sessions or their turns; the turns of a session share their metadata."""
        group = self.question_id
        for name, session in self.sessions.items():
            date = self.dates[name]
            metadata = {"session_id": name} if date is None else {"date": date, "session_id": name}
            start = f"{group}/{name}"
            if not by_turn:
                yield Document(start, session.texts[0], metadata=metadata, group=group)
                continue
            for number, text in enumerate(session.texts, 1):
                yield Document(f"{start}/{number}", text, section=name, metadata=metadata, group=group)


def _pair_sessions(item: Item, place: str, notes: Notes) -> Iterator[tuple[str, str | None, msgspec.Raw]]:
    """Id, date and content of every session. The lists are matched by position, even if their lengths differ."""
    sessions = item.haystack_sessions or []
    ids, dates = item.haystack_session_ids or [], item.haystack_dates or []
    for name, values in (("haystack_session_ids", ids), ("haystack_dates", dates)):
        if len(values) != len(sessions):
            unused = f"; not used: {shortened(values[len(sessions) :])}" if len(values) > len(sessions) else ""
            difference = f"expected {len(sessions)} {name}, one per session, found {len(values)}"
            notes.lose(place, f"{difference}; they are matched by position{unused}")
    for number, raw in enumerate(sessions, 1):
        session_id = ids[number - 1] if number <= len(ids) else None
        if session_id is None or session_id == "":
            session_id = f"session_{number}"
            notes.mend(place, f"session {number} has no id; it gets the id {session_id}")
        yield text_id(session_id), dates[number - 1] if number <= len(dates) else None, raw


NOTHING_TO_FIND = "so there is nothing to find"
UNKNOWN_EVIDENCE = "does not say where its answer is; only its expected answer can decide what is relevant"


def session_evidence(haystack: Haystack, session_ids: Sequence[str | int] | None, notes: Notes) -> tuple[str, ...] | None:
    """Sessions in `answer_session_ids`; if it is empty, sessions with a turn that is marked `has_answer`."""
    place = haystack.place
    if not session_ids and haystack.marked:
        notes.mend(place, "answer_session_ids is empty; sessions with turns marked has_answer are used")
        return _documents(haystack, list(haystack.marked))
    if session_ids is None:
        notes.lose(place, UNKNOWN_EVIDENCE)
        return None
    names = [_session_name(haystack, session_id, notes) for session_id in _expected_sessions(haystack, session_ids, notes)]
    if unnamed := [name for name in haystack.marked if name not in names]:
        notes.lose(place, f"turns marked has_answer do not count, because {_unlisted(unnamed)}")
    if not names:
        notes.lose(place, f"no session is known to contain the answer, {NOTHING_TO_FIND}")
    return _documents(haystack, names)


def turn_evidence(haystack: Haystack, session_ids: Sequence[str | int] | None, notes: Notes) -> tuple[str, ...] | None:
    """Turns that are marked `has_answer`. An answer session without such a turn is noted as lost."""
    place = haystack.place
    if session_ids is None and not haystack.marked:
        notes.lose(place, UNKNOWN_EVIDENCE)
        return None
    expected = _expected_sessions(haystack, session_ids or (), notes)
    for session_id in expected:
        if not any(name in haystack.marked for name in haystack.names[session_id]):
            notes.lose(place, f"no turn of session {session_id} is marked has_answer")
    named = {name for session_id in expected for name in haystack.names[session_id]}
    if unnamed := [name for name in haystack.marked if name not in named]:
        notes.mend(place, f"turns marked has_answer count, although {_unlisted(unnamed)}")
    if not haystack.marked:
        notes.lose(place, f"no turn is known to contain the answer, {NOTHING_TO_FIND}")
    return _documents(haystack, [f"{name}/{number}" for name, turns in haystack.marked.items() for number in sorted(turns)])


def _unlisted(names: Sequence[str]) -> str:
    return f"answer_session_ids does not contain {', '.join(names)}"


def _documents(haystack: Haystack, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{haystack.question_id}/{name}" for name in names)


def _expected_sessions(haystack: Haystack, session_ids: Sequence[str | int], notes: Notes) -> list[str]:
    """The answer sessions that exist, each once."""
    expected: list[str] = []
    for session_id in map(text_id, session_ids):
        if session_id not in haystack.names:
            notes.lose(haystack.place, f"answer session {session_id} is not in the haystack")
        elif session_id in expected:
            notes.mend(haystack.place, f"answer session {session_id} is listed twice")
        else:
            expected.append(session_id)
    return expected


def _session_name(haystack: Haystack, session_id: str, notes: Notes) -> str:
    """The session with this id; if there are several, the only one with a marked turn, otherwise the first."""
    names = haystack.names[session_id]
    marked = [name for name in names if name in haystack.marked]
    if len(names) > 1 and len(marked) == 1:
        reason = f"because only it has turns marked has_answer: {marked[0]}"
        notes.mend(haystack.place, f"one of {len(names)} sessions with the id {session_id} is the evidence, {reason}")
        return marked[0]
    if len(names) > 1:
        notes.lose(haystack.place, f"{len(names)} sessions have the id {session_id}; the first is used as the evidence")
    return names[0]


ABSTENTION = "_abs"
"""The end of the ids of questions that the haystack does not answer."""


def read_haystacks(path: Path, by_turn: bool) -> BenchmarkDataset:
    """Read questions one after the other; text that several haystacks share is stored once."""
    notes = Notes(str(path))
    reader = _Reader(BenchmarkDataset(FileSource(path.resolve()).name), by_turn, notes)
    for number, raw in enumerate(decode_file(path, list[msgspec.Raw]), 1):
        reader.add(number, raw)
        if notes.full:
            break
    notes.raise_if_any(len(reader.dataset.queries) + notes.n_faults)
    reader.dataset.repairs = notes.repairs
    return require_queries(reader.dataset, str(path))


class _Reader:
    """Adds questions and their haystacks to a dataset."""

    def __init__(self, dataset: BenchmarkDataset, by_turn: bool, notes: Notes) -> None:
        self.dataset, self._by_turn, self._notes = dataset, by_turn, notes
        self._sessions = Sessions(by_turn)
        self._item = msgspec.json.Decoder(Item).decode
        self._fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode

    def add(self, number: int, raw: msgspec.Raw) -> None:
        """Add one question with its haystack. Unknown fields become its metadata."""
        try:
            item, fields = self._item(raw), self._fields(raw)
            others = {name: msgspec.json.decode(value) for name, value in fields.items() if name not in KNOWN_FIELDS}
        except ValueError as error:
            self._notes.fault(f"question {number}", str(error))
            return
        question_id = self._question_id(item, number)
        if question_id in self.dataset.queries:
            self._notes.fault(f"question {number}", f"the question_id {question_id} appears twice")
            return
        haystack = Haystack.of(question_id, item, self._sessions, self._notes)
        n_before, documents = (
            len(self.dataset.documents),
            {document.doc_id: document for document in haystack.documents(self._by_turn)},
        )
        self.dataset.documents.update(documents)
        if len(self.dataset.documents) != n_before + len(documents):
            self._notes.fault(haystack.place, "a document of another question has the same id; do not use / in ids")
        self.dataset.queries[question_id] = self._query(item, haystack, others)

    def _question_id(self, item: Item, number: int) -> str:
        if item.question_id is None or item.question_id == "":
            self._notes.mend(f"question {number}", f"has no question_id; it gets the id question_{number}")
            return f"question_{number}"
        return text_id(item.question_id)

    def _query(self, item: Item, haystack: Haystack, others: dict[str, Any]) -> Query:
        place, notes = haystack.place, self._notes
        for name in ("question", "question_type"):
            if not getattr(item, name):
                notes.lose(place, f"has no {name}")
        is_abstention = haystack.question_id.endswith(ABSTENTION)
        named = {"answer_session_ids": item.answer_session_ids} if is_abstention and item.answer_session_ids else {}
        dated = {"question_date": item.question_date} if item.question_date else {}
        evidence_of = turn_evidence if self._by_turn else session_evidence
        return Query(
            haystack.question_id,
            item.question or "",
            query_type=item.question_type,
            metadata={**others, **dated, **named, "answerable": not is_abstention},
            expected=answer_text(item.answer, place, notes),
            evidence=() if is_abstention else evidence_of(haystack, item.answer_session_ids, notes),
            scope=haystack.question_id,
        )


KNOWN_FIELDS = frozenset(Item.__struct_fields__)


EXAMPLE = """\
[{"question_id": "c0ffee01",
  "question_type": "single-session-user",
  "question": "What did I call my cat?",
  "answer": "Miso",
  "question_date": "2023/05/30 (Tue) 23:40",
  "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:05"],
  "haystack_session_ids": ["answer_01", "filler_77"],
  "haystack_sessions": [
    [{"role": "user", "content": "My cat Miso will not eat.", "has_answer": true},
     {"role": "assistant", "content": "Try warming the food."}],
    [{"role": "user", "content": "How do I prune roses?"}]],
  "answer_session_ids": ["answer_01"]}]"""


def read_longmemeval(path: Path) -> BenchmarkDataset:
    """A session is a document with the id `question/session`. The scope of a question is its own sessions, and
    `answer_session_ids` are the evidence.

    A question whose id ends in `_abs` has no answer: its evidence is empty, and `answerable` is False. A session that
    appears twice in a haystack is used once. Answer sessions that are not in the haystack are noted as lost.
    """
    dataset = read_haystacks(path, by_turn=False)
    dataset.pack = evidence_pack("longmemeval", dataset.documents)
    return dataset


def detect(probe: Probe) -> bool:
    """A JSON list of questions with haystacks; the published files have no extension."""
    return probe.is_list and "question_id" in probe.keys and any(name.startswith("haystack_") for name in probe.keys)


LONGMEMEVAL = Format(
    "longmemeval",
    "questions, each with a haystack of chat sessions; documents are sessions",
    read_longmemeval,
    detect,
    example=EXAMPLE,
    needs="a JSON list of records with question_id and haystack_sessions",
    rank=20,
)


TURNS_EXAMPLE = """\
[{"question_id": "c0ffee01", "question_type": "single-session-user", "question": "What did I call my cat?", "answer": "Miso",
  "haystack_session_ids": ["answer_01"], "answer_session_ids": ["answer_01"],
  "haystack_sessions": [[{"role": "user", "content": "My cat Miso will not eat.", "has_answer": true},
                         {"role": "assistant", "content": "Try warming the food."}]]}]"""


def read_longmemeval_turns(path: Path) -> BenchmarkDataset:
    """A turn is a document with the id `question/session/number`. Numbers start at 1. Turns marked `has_answer` are the
    evidence.

    A question without a marked turn has nothing to find, which is noted as a loss. `_abs` questions are read as in
    longmemeval.
    """
    dataset = read_haystacks(path, by_turn=True)
    dataset.pack = evidence_pack("longmemeval_turns", dataset.documents)
    return dataset


def detect_turns(probe: Probe) -> bool:  # noqa: ARG001 (every format has the same signature)
    """Never: the same file is read as `longmemeval` unless this format is requested."""
    return False


LONGMEMEVAL_TURNS = Format(
    "longmemeval_turns",
    "a LongMemEval file; documents are turns",
    read_longmemeval_turns,
    detect_turns,
    example=TURNS_EXAMPLE,
    needs="to be chosen by name, because its files look like longmemeval",
)
