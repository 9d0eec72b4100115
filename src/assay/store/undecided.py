"""Undecided: pairs of query and document that a person looked at and could not grade. They are never grades.

They belong to the benchmark like judgments, and are part of exports. A grade by the same person replaces them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from assay.store.judgment import Judgment, checked_judgment
from assay.store.packing import digest_of, pack_json
from assay.store.rows import read_rows
from assay.store.schema import JUDGMENTS, UNDECIDED
from assay.text import printable

REPLACED = ("reason", "judged", "text_digest", "pool")
"""What a newer one by the same person replaces."""


class Undecided(NamedTuple):
    """A pair of a benchmark that a person could not grade."""

    benchmark: str
    query: str
    document: str
    judge: str
    reason: str = ""
    judged: str = ""
    """The time; empty: now."""
    text_digest: str = ""
    """`digest_of_text` of the text that the person saw; empty if no text was shown."""
    pool: str = ""
    """The pool that the document was drawn from, if any."""

    @property
    def key(self) -> str:
        """The key: a person has it once for each pair."""
        return undecided_key(*self[:4])

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return self._asdict()


def undecided_key(benchmark: str, query: str, document: str, judge: str) -> str:
    """The key of the pair that a person could not grade."""
    return digest_of(pack_json([benchmark, query, document, judge]))


def checked_undecided(undecided: Undecided) -> Undecided:
    """The same as it is stored; a BadParameter if it is not valid. The rules are those of a judgment."""
    benchmark, query, document, judge, reason, judged, digest, pool = undecided
    judgment = Judgment(benchmark, query, document, judge, 0, reason, judged, text_digest=digest, pool=pool)
    checked = checked_judgment(judgment)
    return Undecided(*checked[:4], checked.reason, checked.judged, checked.text_digest, checked.pool)


def put_undecided(connection: Connection, every: Iterable[Undecided]) -> int:
    """Store checked ones and return how many. They replace grades by the same person, but nothing that is later."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    n_kept = 0
    for undecided in every:
        graded = JUDGMENTS.c.key == Judgment(*undecided[:4], grade=0).key
        if connection.execute(select(JUDGMENTS.c.key).where(graded, JUDGMENTS.c.judged > undecided.judged)).first():
            continue
        connection.execute(delete(JUDGMENTS).where(graded))
        put = dialect.insert(UNDECIDED).values(key=undecided.key, **undecided._asdict())
        changed = {name: put.excluded[name] for name in REPLACED}
        put = put.on_conflict_do_update(index_elements=["key"], set_=changed, where=UNDECIDED.c.judged < put.excluded.judged)
        n_kept += max(connection.execute(put).rowcount, 0)
    return n_kept


def withdraw_undecided(connection: Connection, key: str, until: str = "") -> bool:
    """Delete one by its key, if it is not newer than a time; returns whether there was one."""
    statement = delete(UNDECIDED).where(UNDECIDED.c.key == key)
    if until:
        statement = statement.where(UNDECIDED.c.judged <= until)
    return connection.execute(statement).rowcount > 0


def list_undecided(
    connection: Connection,
    benchmarks: Sequence[str] | None = None,
    query: str | None = None,
    document: str | None = None,
    judge: str | None = None,
) -> list[Undecided]:
    """Undecided pairs, oldest first, filtered by benchmark, query, document and judge; None: all."""
    statement = select(*(UNDECIDED.c[name] for name in Undecided._fields))
    if benchmarks is not None:
        statement = statement.where(UNDECIDED.c.benchmark.in_([printable(name) for name in benchmarks]))
    for name, value in (("query", query), ("document", document), ("judge", judge)):
        if value is not None:
            statement = statement.where(UNDECIDED.c[name] == printable(value))
    return sorted(read_rows(connection, statement, Undecided), key=lambda pair: (pair.judged, *pair[:4]))
