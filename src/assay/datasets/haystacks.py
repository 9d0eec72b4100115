"""Haystacks of LongMemEval: the chat sessions that a question searches, as documents of sessions or of turns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from assay.datasets.dataset import Notes
from assay.datasets.times.record_times import session_time
from assay.errors import DataError
from assay.model import Document, text_id
from assay.text import counted, shortened


@dataclass(frozen=True, slots=True)
class Units:
    """What a document is: a session or a turn, and whether only the turns of the user are indexed."""

    by_turn: bool = False
    user_only: bool = False

    @property
    def turn(self) -> str:
        """What a turn is called in notes."""
        return "user turn" if self.user_only else "turn"


LAYOUTS = ("%Y/%m/%d (%a) %H:%M", "%Y/%m/%d %H:%M", "%Y/%m/%d")
"""How the file writes times, as for strptime."""
USER = "user"
"""The role of the turns that the user wrote."""


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
    numbers: tuple[int, ...]
    """The numbers of the indexed turns. Turns that are not indexed are counted too, as in the paper's code."""
    n_turns: int
    marked: frozenset[int]

    def says_as_much_as(self, other: Session) -> bool:
        """Whether the text is the same, whatever is marked."""
        return self.n_turns == other.n_turns and self.texts == other.texts


class Sessions:
    """Decodes sessions. Questions share most sessions, so the same session is decoded and stored only once."""

    def __init__(self, units: Units) -> None:
        self.units = units
        self._decode = msgspec.json.Decoder(list[Turn] | None).decode
        self._known: dict[str, tuple[msgspec.Raw, Session]] = {}

    def read(self, session_id: str, raw: msgspec.Raw) -> Session:
        """The session. It is decoded again only if it differs from the last session with this id."""
        known = self._known.get(session_id)
        if known is not None and bytes(known[0]) == bytes(raw):
            return known[1]
        session = _session(self._decode(raw) or [], self.units)
        self._known[session_id] = raw, session
        return session


def _session(turns: list[Turn], units: Units) -> Session:
    """The indexed turns. Each starts with its role, unless all are the user's; the paper joins these with spaces."""
    indexed = {number: turn for number, turn in enumerate(turns, 1) if turn.role == USER or not units.user_only}
    texts = tuple(
        turn.content or "" if units.user_only or not turn.role else f"{turn.role}: {turn.content or ''}"
        for turn in indexed.values()
    )
    marked = frozenset(number for number, turn in indexed.items() if turn.has_answer)
    joined = texts if units.by_turn else ((" " if units.user_only else "\n").join(texts),)
    return Session(joined, tuple(indexed), len(turns), marked)


@dataclass
class Haystack:
    """What one question searches: sessions with unique names."""

    question_id: str
    units: Units = field(default_factory=Units)
    sessions: dict[str, Session] = field(default_factory=dict)
    dates: dict[str, str | None] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    """Session id → names: only one, unless different sessions have the same id."""
    marked: dict[str, set[int]] = field(default_factory=dict)
    """Name → turns that contain the answer, if there are any."""

    @classmethod
    def of(cls, question_id: str, item: Item, sessions: Sessions, notes: Notes) -> Haystack:
        """The haystack of a question. It is an error if a session cannot be decoded."""
        haystack = cls(question_id, sessions.units)
        place, empty, bad = haystack.place, [], []
        for number, (session_id, date, raw) in enumerate(_pair_sessions(item, place, notes), 1):
            try:
                session = sessions.read(session_id, raw)
            except ValueError as error:
                bad.append(f"session {number} ({session_id}): {error}")
                continue
            haystack.add(session_id, date, session, notes)
            if not session.n_turns:
                empty.append(session_id)
        if bad:
            raise DataError("; ".join(bad))
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

    def documents(self) -> Iterator[Document]:
        """The sessions or their turns; the turns of a session share their metadata."""
        group = self.question_id
        for name, session in self.sessions.items():
            date = self.dates[name]
            time = session_time(date, LAYOUTS)
            metadata = {"session_id": name} if date is None else {"date": date, "session_id": name}
            start = f"{group}/{name}"
            if not self.units.by_turn:
                yield Document(start, session.texts[0], metadata=metadata, group=group, time=time)
                continue
            for number, text in zip(session.numbers, session.texts, strict=True):
                yield Document(f"{start}/{number}", text, section=name, metadata=metadata, group=group, time=time)


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
