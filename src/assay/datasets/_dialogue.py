"""Dialogue: the turns of a LoCoMo conversation as documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from assay.datasets._notes import Notes
from assay.model import Document
from assay.text import shortened

SESSION = re.compile(r"session_([0-9]{1,9})")
DATE = re.compile(r"session_([0-9]{1,9})_date_time")


@dataclass(frozen=True)
class Session:
    """One sitting of a conversation."""

    number: int
    date: str | None
    turns: list[Any]


def read_turns(sample_id: str, conversation: Mapping[str, Any], notes: Notes) -> dict[str, Document]:
    """Id as evidence has it → the turn. A turn without id is numbered; of two with one id, the first is meant."""
    sessions = _sessions(sample_id, conversation, notes)
    taken = {turn["dia_id"] for session in sessions for turn in session.turns if _has_id(turn)}
    found: dict[str, Document] = {}
    for session in sessions:
        for position, turn in enumerate(session.turns, 1):
            place = f"{sample_id}, session {session.number}, turn {position}"
            if not isinstance(turn, dict):
                notes.fault(place, f"expected an object with speaker, dia_id and text, found {shortened(turn)}")
                continue
            named = _name(turn, f"D{session.number}:{position}", taken, place, notes)
            document = _document(f"{sample_id}/{named}", {**turn, "dia_id": named}, session, place, notes)
            document = replace(document, group=sample_id)
            if named not in found:
                found[named] = document
            elif found[named].text == document.text:
                notes.mend(place, f"repeats {named}; kept once")
            else:
                other = _free(named, taken)
                found[other] = replace(document, doc_id=f"{sample_id}/{other}")
                notes.lose(place, f"is a second {named}, called {other}; evidence that names {named} means the first")
    return found


def _sessions(sample_id: str, conversation: Mapping[str, Any], notes: Notes) -> list[Session]:
    """The sessions in order of their numbers; what is odd about them is noted."""
    numbers = {name: int(match[1]) for name in conversation if (match := SESSION.fullmatch(name))}
    dated = {int(match[1]) for name, date in conversation.items() if date and (match := DATE.fullmatch(name))}
    sessions: list[Session] = []
    for name, number in sorted(numbers.items(), key=lambda pair: pair[1]):
        turns, date = conversation[name], conversation.get(f"{name}_date_time")
        if not isinstance(turns, list | None):
            notes.fault(f"{sample_id}, session {number}", f"expected a list of turns, found {shortened(turns)}")
            continue
        sessions.append(Session(number, date if isinstance(date, str) and date else None, turns or []))
    _note(sample_id, [one.number for one in sessions if not one.turns], "no turns", notes)
    _note(sample_id, [one.number for one in sessions if one.date is None], "no date", notes)
    _note(sample_id, sorted(dated - set(numbers.values())), "a date and nothing else", notes)
    for last, following in pairwise(sorted({0, *numbers.values(), *dated})):
        if following > last + 1:
            missing = f"session {last + 1} is" if following == last + 2 else f"sessions {last + 1} to {following - 1} are"
            notes.mend(sample_id, f"{missing} missing")
    if not sessions:
        notes.fault(sample_id, "expected sessions (session_1, …) in the conversation, found none")
    return sessions


def _note(sample_id: str, numbers: list[int], what: str, notes: Notes) -> None:
    """One note about all the sessions that have the same trouble."""
    if numbers:
        which = f"session {numbers[0]} has" if len(numbers) == 1 else f"sessions {', '.join(map(str, numbers))} have"
        notes.mend(sample_id, f"{which} {what}")


def _has_id(turn: object) -> bool:
    return isinstance(turn, dict) and isinstance(turn.get("dia_id"), str) and bool(turn["dia_id"].strip())


def _name(turn: Mapping[str, Any], numbered: str, taken: set[str], place: str, notes: Notes) -> str:
    """Its own id, or one made of its session and position."""
    if _has_id(turn):
        return str(turn["dia_id"])
    named = _free(numbered, taken)
    notes.mend(place, f"has no dia_id; called {named}")
    return named


def _free(name: str, taken: set[str]) -> str:
    """The name, or a variant that no other turn has; it is taken from now on."""
    variant, number = name, 1
    while variant in taken:
        number += 1
        variant = f"{name}~{number}"
    taken.add(variant)
    return variant


def _document(doc_id: str, turn: Mapping[str, Any], session: Session, place: str, notes: Notes) -> Document:
    """`Speaker: text [what the picture shows]`; everything else the file says goes to the metadata."""
    speaker, text, caption = (turn.get(name) for name in ("speaker", "text", "blip_caption"))
    if not isinstance(text, str | None):
        notes.fault(place, f"expected text, found {shortened(text)}")
        text = None
    elif not text and not caption:
        notes.lose(place, "has no text")
    if not speaker:
        notes.mend(place, "has no speaker")
    said = " ".join(
        part for part in (f"{speaker}:" if speaker else "", text or "", f"[{caption}]" if caption else "") if part
    )
    metadata = {name: value for name, value in turn.items() if name != "text" and value is not None}
    metadata |= {"session": session.number} | ({"date_time": session.date} if session.date else {})
    return Document(doc_id, said, section=f"session_{session.number}", metadata=metadata)
