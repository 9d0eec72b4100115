"""Haystacks: LongMemEval's questions, each with the sessions it searches; the documents are sessions or turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from assay.datasets._notes import Notes
from assay.model import Document, text_id
from assay.text import counted, shortened


class Turn(msgspec.Struct, gc=False):
    """What one side said."""

    role: str | None = None
    content: str | None = None
    has_answer: bool | None = None


class Item(msgspec.Struct):
    """A question as the file has it; its sessions are left as they are until they are needed."""

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
    """A session as documents: one text, or one for each turn; and the turns that hold the answer, from 1."""

    texts: tuple[str, ...]
    n_turns: int
    marked: frozenset[int]

    def says_as_much_as(self, other: Session) -> bool:
        """Whether the words are the same, whatever is marked."""
        return self.n_turns == other.n_turns and self.texts == other.texts


class Sessions:
    """Decodes sessions. Questions share most of theirs: the same session is decoded, and its text kept, only once."""

    def __init__(self, by_turn: bool) -> None:
        self._by_turn = by_turn
        self._decode = msgspec.json.Decoder(list[Turn] | None).decode
        self._known: dict[str, tuple[msgspec.Raw, Session]] = {}

    def read(self, session_id: str, raw: msgspec.Raw) -> Session:
        """The session; one of the same id is looked at again unless it is the same byte for byte."""
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
    """What one question searches: sessions under names that are theirs alone."""

    question_id: str
    sessions: dict[str, Session] = field(default_factory=dict)
    dates: dict[str, str | None] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    """Session id → names: one, unless different sessions have the same id."""
    marked: dict[str, set[int]] = field(default_factory=dict)
    """Name → turns that hold the answer, where there are any."""

    @classmethod
    def of(cls, question_id: str, item: Item, sessions: Sessions, notes: Notes) -> Haystack:
        """The haystack of a question. A session that cannot be decoded is a fault."""
        haystack = cls(question_id)
        place, empty = haystack.place, []
        for number, (session_id, date, raw) in enumerate(_paired(item, place, notes), 1):
            try:
                session = sessions.read(session_id, raw)
            except ValueError as error:
                notes.fault(place, f"session {number} ({session_id}): {error}")
                continue
            haystack.add(session_id, date, session, notes)
            if not session.n_turns:
                empty.append(session_id)
        if empty:
            notes.mend(place, f"{counted(len(empty), 'session')} without turns: {', '.join(empty)}")
        if not haystack.sessions:
            notes.lose(place, "has no sessions to search")
        return haystack

    @property
    def place(self) -> str:
        """How notes name it."""
        return f"question {self.question_id}"

    def add(self, session_id: str, date: str | None, session: Session, notes: Notes) -> None:
        """A session that is there already is not added again; a different one of the same id gets a name of its own."""
        name = next((name for name in self.names.get(session_id, ()) if self.sessions[name].says_as_much_as(session)), None)
        if name is not None:
            notes.mend(self.place, f"session {session_id} appears again, dated {date}; kept once, dated {self.dates[name]}")
        else:
            name = session_id
            while name in self.sessions:
                name += "~"
            if name != session_id:
                notes.lose(self.place, f"a different session is called {session_id} as well; it is called {name} here")
            self.sessions[name], self.dates[name] = session, date
            self.names.setdefault(session_id, []).append(name)
        if session.marked:
            self.marked.setdefault(name, set()).update(session.marked)

    def documents(self, by_turn: bool) -> Iterator[Document]:
        """The sessions, or their turns; turns of one session share their metadata."""
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


def _paired(item: Item, place: str, notes: Notes) -> Iterator[tuple[str, str | None, msgspec.Raw]]:
    """Id, date and content of every session; they are paired by position even where the lists differ in length."""
    sessions = item.haystack_sessions or []
    ids, dates = item.haystack_session_ids or [], item.haystack_dates or []
    for name, given in (("haystack_session_ids", ids), ("haystack_dates", dates)):
        if len(given) != len(sessions):
            unused = f"; unused: {shortened(given[len(sessions) :])}" if len(given) > len(sessions) else ""
            notes.lose(place, f"{len(given)} {name} for {counted(len(sessions), 'session')}; paired by position{unused}")
    for number, raw in enumerate(sessions, 1):
        session_id = ids[number - 1] if number <= len(ids) else None
        if session_id is None or session_id == "":
            session_id = f"session_{number}"
            notes.mend(place, f"session {number} has no id; called {session_id}")
        yield text_id(session_id), dates[number - 1] if number <= len(dates) else None, raw
