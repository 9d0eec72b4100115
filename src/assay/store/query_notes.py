"""Notes and tags of queries: what people say about a query of a benchmark, with author and time.

They belong to the benchmark like judgments: every result on it shows them, and deleting results does not delete them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from assay.errors import BadParameter
from assay.masking import mask
from assay.store.annotation import check_tag
from assay.store.database import MAX_WAIT, Database
from assay.store.judgment import LONGEST_JUDGE, judge_name
from assay.store.judgments import check_benchmark_known
from assay.store.packing import digest_of, pack_json
from assay.store.rows import read_rows
from assay.store.schema import QUERY_NOTES
from assay.store.timestamps import now, parse_timestamp
from assay.text import printable, shortened

LONGEST_NOTE = 2000
NOTE, TAG = "note", "tag"


class QueryNote(NamedTuple):
    """A note on a query of a benchmark, or a tag of it."""

    benchmark: str
    query: str
    text: str
    author: str = ""
    kind: str = NOTE
    """`note` or `tag`."""
    written: str = ""
    """The time; empty: now."""

    @property
    def key(self) -> str:
        """The key: a query has the same note or tag once, whoever wrote it."""
        return digest_of(pack_json([self.benchmark, self.query, self.kind, self.text]))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return self._asdict()


def checked_note(note: QueryNote) -> QueryNote:
    """The note as it is stored; a BadParameter if it is not valid. A tag is one word."""
    for name in ("benchmark", "query", "text", "author", "kind"):
        if not isinstance(getattr(note, name), str):
            raise BadParameter(f"{name} must be text, not {shortened(getattr(note, name))}")
    if note.kind not in (NOTE, TAG):
        raise BadParameter(f"the kind must be {NOTE} or {TAG}, not {shortened(note.kind)}")
    if not note.query:
        raise BadParameter(f"a {note.kind} needs a query")
    text = printable(mask(" ".join(note.text.split())))
    if note.kind == TAG:
        check_tag(text)
    if not text or len(text) > LONGEST_NOTE:
        raise BadParameter(f"a note must have 1 to {LONGEST_NOTE:,} characters, found {len(text):,}")
    author = judge_name(note.author)
    if len(author) > LONGEST_JUDGE:
        raise BadParameter(f"the name of an author can have at most {LONGEST_JUDGE} characters, found {len(author)}")
    written = parse_timestamp(note.written) if note.written else now()
    if written is None:
        raise BadParameter(f"written must be a time such as 2026-11-15T09:30:00+00:00, not {shortened(note.written)}")
    return QueryNote(printable(note.benchmark), printable(note.query), text, author, note.kind, written)


def put_notes(connection: Connection, notes: Iterable[QueryNote]) -> int:
    """Store checked notes and return how many are new."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    n_new = 0
    for note in notes:
        put = dialect.insert(QUERY_NOTES).values(key=note.key, **note._asdict())
        n_new += max(connection.execute(put.on_conflict_do_nothing(index_elements=["key"])).rowcount, 0)
    return n_new


def list_notes(
    connection: Connection,
    benchmarks: Sequence[str] | None = None,
    query: str | None = None,
    kind: str | None = None,
) -> list[QueryNote]:
    """Notes and tags, oldest first, filtered by benchmark, query and kind; None: all."""
    statement = select(*(QUERY_NOTES.c[name] for name in QueryNote._fields))
    if benchmarks is not None:
        statement = statement.where(QUERY_NOTES.c.benchmark.in_([printable(name) for name in benchmarks]))
    for name, value in (("query", query), ("kind", kind)):
        if value is not None:
            statement = statement.where(QUERY_NOTES.c[name] == printable(value))
    return sorted(read_rows(connection, statement, QueryNote), key=lambda note: (note.written, *note[:5]))


class QueryNoteBook:
    """The notes and tags of queries in a store: `store.query_notes.add(QueryNote("faq", "q1", "two meanings", "Ana"))`."""

    def __init__(self, database: Database, max_wait: float = MAX_WAIT) -> None:
        self._database, self._max_wait = database, max_wait

    def within(self, seconds: float) -> QueryNoteBook:
        """The same book with a shorter wait: if the store stays locked for this time, it is an error."""
        return QueryNoteBook(self._database, seconds)

    def add(self, note: QueryNote) -> QueryNote:
        """Store a note or tag of a query; one that exists stays as it is. Returns it as it is stored."""
        note = checked_note(note)

        def work(connection: Connection) -> None:
            check_benchmark_known(connection, note.benchmark)
            put_notes(connection, [note])

        self._database.write(work, self._max_wait)
        return note

    def remove(self, note: QueryNote) -> bool:
        """Delete a note or tag; returns whether there was one."""
        key = checked_note(note).key
        statement = delete(QUERY_NOTES).where(QUERY_NOTES.c.key == key)
        return self._database.write(lambda connection: connection.execute(statement).rowcount > 0, self._max_wait)

    def take_over(self, notes: Iterable[QueryNote]) -> int:
        """Store notes of another store; returns how many are new."""
        every = list(notes)
        return self._database.write(lambda connection: put_notes(connection, every), self._max_wait)

    def find(self, benchmark: str | None = None, query: str | None = None, kind: str | None = None) -> Sequence[QueryNote]:
        """Notes and tags, oldest first, filtered by benchmark, query and kind; None: all."""
        among = None if benchmark is None else [benchmark]
        return self._database.read(lambda connection: list_notes(connection, among, query, kind))
