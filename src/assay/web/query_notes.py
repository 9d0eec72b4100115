"""Notes and tags of queries on pages: those of one query with the form for more, and the queries with a tag."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.reports import readable_time
from assay.store import QueryNote
from assay.text import printable

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.web.state import AppState

PATH = "/query-note"
ANCHOR = "notes"
"""The id of the list in its page, unless a page has several lists."""


@dataclass(frozen=True)
class ShownNote:
    """A note or tag as a page shows it."""

    text: str
    author: str
    when: str
    kind: str


@dataclass(frozen=True)
class NoteList:
    """The notes and tags of a query, for the macro `query_notes` of grading.html.j2."""

    key: str
    """The key of the result."""
    query: str
    author: str
    """The name of the current person, if it is known."""
    notes: tuple[ShownNote, ...]
    anchor: str = ANCHOR

    @property
    def tags(self) -> tuple[ShownNote, ...]:
        """Only the tags."""
        return tuple(note for note in self.notes if note.kind == "tag")


def notes_of(state: AppState, key: str, query: str, author: str = "", anchor: str = ANCHOR) -> NoteList:
    """The notes and tags of a query of a result; a page with several lists gives each its own anchor."""
    result = state.result(key)
    notes = _notes(state, result.benchmark)
    shown = [
        ShownNote(note.text, note.author, readable_time(note.written), note.kind)
        for note in notes
        if note.query == printable(query)
    ]
    return NoteList(key, query, author, tuple(shown), anchor)


def tagged_queries(state: AppState, result: Result) -> dict[str, frozenset[str]]:
    """Tag → the queries of a result that people gave this tag, to filter by it."""
    own = {printable(query): query for query in (*result.query_ids, *result.failures)}
    queries: dict[str, set[str]] = {}
    for note in _notes(state, result.benchmark):
        if note.kind == "tag" and note.query in own:
            queries.setdefault(note.text, set()).add(own[note.query])
    return {tag: frozenset(tagged) for tag, tagged in sorted(queries.items())}


def _notes(state: AppState, benchmark: str) -> tuple[QueryNote, ...]:
    key = ("notes", state.store_version(), benchmark)
    notes: tuple[QueryNote, ...] = state.judgment_cache.get(key, lambda: tuple(state.query_notes.find(benchmark)))
    return notes
