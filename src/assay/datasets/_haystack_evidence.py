"""Evidence in a haystack: the sessions, or the turns, that hold the answer."""

from __future__ import annotations

from collections.abc import Sequence

from assay.datasets._haystack import Haystack
from assay.datasets._notes import Notes
from assay.model import text_id

NOTHING = "nothing to find"
UNKNOWN = "says nothing of where its answer is; only the expected answer can judge it"


def session_evidence(haystack: Haystack, given: Sequence[str | int] | None, notes: Notes) -> tuple[str, ...] | None:
    """Sessions that `answer_session_ids` names; where it names none, those with a turn that is marked `has_answer`."""
    place = haystack.place
    if not given and haystack.marked:
        notes.mend(place, "answer_session_ids names no session; those with turns marked has_answer are taken")
        return _documents(haystack, list(haystack.marked))
    if given is None:
        notes.lose(place, UNKNOWN)
        return None
    found = [_meant(haystack, session_id, notes) for session_id in _wanted(haystack, given, notes)]
    if unnamed := [name for name in haystack.marked if name not in found]:
        notes.lose(place, f"turns of {', '.join(unnamed)} are marked, but answer_session_ids does not name it; not counted")
    if not found:
        notes.lose(place, f"no session is known to hold the answer: {NOTHING}")
    return _documents(haystack, found)


def turn_evidence(haystack: Haystack, given: Sequence[str | int] | None, notes: Notes) -> tuple[str, ...] | None:
    """Turns that are marked `has_answer`. A session that is named and has no such turn is noted as lost."""
    place = haystack.place
    if given is None and not haystack.marked:
        notes.lose(place, UNKNOWN)
        return None
    wanted = _wanted(haystack, given or (), notes)
    for session_id in wanted:
        if not any(name in haystack.marked for name in haystack.names[session_id]):
            notes.lose(place, f"no turn of session {session_id} is marked has_answer")
    named = {name for session_id in wanted for name in haystack.names[session_id]}
    if unnamed := [name for name in haystack.marked if name not in named]:
        notes.mend(place, f"turns of {', '.join(unnamed)} are marked, but answer_session_ids does not name it; counted")
    if not haystack.marked:
        notes.lose(place, f"no turn is known to hold the answer: {NOTHING}")
    return _documents(haystack, [f"{name}/{number}" for name, turns in haystack.marked.items() for number in sorted(turns)])


def _documents(haystack: Haystack, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{haystack.question_id}/{name}" for name in names)


def _wanted(haystack: Haystack, given: Sequence[str | int], notes: Notes) -> list[str]:
    """The sessions that are named and are there, each once."""
    wanted: list[str] = []
    for session_id in map(text_id, given):
        if session_id not in haystack.names:
            notes.lose(haystack.place, f"answer session {session_id} is not in the haystack")
        elif session_id in wanted:
            notes.mend(haystack.place, f"answer session {session_id} is named twice")
        else:
            wanted.append(session_id)
    return wanted


def _meant(haystack: Haystack, session_id: str, notes: Notes) -> str:
    """The session of that id; among several, the only one with a marked turn, else the first."""
    names = haystack.names[session_id]
    marked = [name for name in names if name in haystack.marked]
    if len(names) > 1 and len(marked) == 1:
        notes.mend(
            haystack.place, f"of the sessions called {session_id}, the one with marked turns holds the answer: {marked[0]}"
        )
        return marked[0]
    if len(names) > 1:
        notes.lose(haystack.place, f"{len(names)} sessions are called {session_id}; the first is taken to hold the answer")
    return names[0]
