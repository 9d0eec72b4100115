"""Query scores: the scores of one metric in many results, without reading the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from assay.arrays import Floats
from assay.errors import StoreError
from assay.schema import SchemaError
from assay.store.packing import (
    CHECK_HINT,
    PackedScores,
    decompress,
    report_damage,
    unpack_json,
    unpack_parts,
    unpack_texts,
)
from assay.store.rows import read_rows, store_prefix
from assay.store.schema import EVALUATIONS, PAYLOADS, RESULTS
from assay.text import printable

AT_ONCE = 200
"""Results whose scores are read in one transaction, so that years of large results do not fill the memory."""


class QueryScores(NamedTuple):
    """The queries of a result in their order, and their scores; nan if a score is undefined."""

    query_ids: tuple[str, ...]
    scores: Floats


class ScoresRow(NamedTuple):
    """A result and the digest of its scores."""

    number: int
    scores: str
    evaluation: str
    benchmark: str
    provider: str


class ScoreColumn:
    """Reads the scores of one metric. Equal payloads and equal queries are unpacked once as long as they are consecutive."""

    def __init__(self, metric: str) -> None:
        self.metric = metric
        self._digest = ""
        self._scores: QueryScores | None = None
        self._packed_ids: Any = None
        self._ids: tuple[str, ...] = ()

    def read(self, connection: Connection, results: Sequence[int]) -> list[QueryScores | None]:
        """The scores of some results, in the given order; None if a result has no numbers for this metric."""
        columns = (RESULTS.c.number, RESULTS.c.scores, EVALUATIONS.c.id, RESULTS.c.benchmark, RESULTS.c.provider)
        statement = select(*columns).select_from(RESULTS).join(EVALUATIONS).where(RESULTS.c.number.in_(results))
        rows = {row.number: row for row in read_rows(connection, statement, ScoresRow)}
        wanted = sorted({row.scores for row in rows.values()})
        payloads = select(PAYLOADS.c.digest, PAYLOADS.c.data).where(PAYLOADS.c.digest.in_(wanted))
        data = dict(read_rows(connection, payloads, tuple[str, bytes]))
        store = store_prefix(connection)
        return [self._unpack(rows[number], data, store) if number in rows else None for number in results]

    def _unpack(self, row: ScoresRow, data: Mapping[str, bytes], store: str) -> QueryScores | None:
        if row.scores != self._digest:
            address = f"{row.evaluation}#{printable(row.benchmark)}/{printable(row.provider)}"
            what = f"{store}{address}: the stored part 'scores'"
            if row.scores not in data:
                raise StoreError(f"{what} is missing", hint=CHECK_HINT)
            payload = decompress(data[row.scores], what, row.scores)
            with report_damage(what):
                self._scores = self._column(unpack_parts(payload, PackedScores))
            self._digest = row.scores
        return self._scores

    def _column(self, packed: PackedScores) -> QueryScores | None:
        if packed.queries != self._packed_ids:
            self._packed_ids, self._ids = packed.queries, tuple(unpack_texts(packed.queries))
        column = next((column for column in packed.columns if column.name == self.metric), None)
        values = column.values() if column is not None else []
        if isinstance(values, list):
            return None
        if len(values) != len(self._ids):
            raise SchemaError(f"expected a score by {self.metric!r} for each of {len(self._ids):,} queries")
        return QueryScores(self._ids, values)


def read_records(connection: Connection, results: Sequence[int]) -> dict[int, Mapping[str, Any]]:
    """Result → its record as plain values: everything except scores, queries and rankings."""
    statement = select(RESULTS.c.number, RESULTS.c.record).where(RESULTS.c.number.in_(results))
    what = f"{store_prefix(connection)}the record of a result"
    records: dict[int, Mapping[str, Any]] = {}
    for number, record in read_rows(connection, statement, tuple[int, bytes]):
        content = decompress(record, what)
        with report_damage(what):
            plain = unpack_json(content)
        records[number] = plain if isinstance(plain, dict) else {}
    return records


def read_provenances(connection: Connection, results: Sequence[int]) -> dict[int, Mapping[str, Any]]:
    """Result → its provenance as plain values."""
    provenances = {number: record.get("provenance") for number, record in read_records(connection, results).items()}
    return {number: provenance if isinstance(provenance, dict) else {} for number, provenance in provenances.items()}


def in_parts(results: Sequence[int]) -> Iterator[Sequence[int]]:
    """The results, some at a time."""
    return (results[start : start + AT_ONCE] for start in range(0, len(results), AT_ONCE))
