"""Guards: the different candidates that a guard of a gate has checked, so that each counts once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from sqlalchemy import Connection, select
from sqlalchemy.dialects import postgresql, sqlite

from assay.schema import decode_json
from assay.store.database import Database
from assay.store.rows import Damage, read_rows
from assay.store.schema import GUARDS
from assay.store.timestamps import now

Night = tuple[list[float], float, int]
"""What an evaluation on fresh queries says about a rule: logarithms of bets, the sum of all gains, and their number."""


class GuardEntry(NamedTuple):
    """A candidate, and what it says about each rule; empty if evidence does not add up."""

    candidate: str
    evidence: Mapping[str, Night]


class GuardBook:
    """The candidates of guards: `store.guards.entries(key)`. A key stands for rules, their guard and a baseline."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def entries(self, key: str) -> Sequence[GuardEntry]:
        """The candidates of a guard, oldest first."""
        statement = select(GUARDS.c.candidate, GUARDS.c.evidence).where(GUARDS.c.guard == key).order_by(GUARDS.c.number)
        rows = self._database.read(lambda connection: read_rows(connection, statement, tuple[str, str]))
        return [GuardEntry(candidate, _decoded(evidence)) for candidate, evidence in rows]

    def add(self, key: str, candidate: str, evidence: Mapping[str, Night]) -> None:
        """Remember a candidate; nothing happens if it is known."""
        text = msgspec.json.encode(dict(evidence)).decode()

        def work(connection: Connection) -> None:
            dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
            row = {"guard": key, "candidate": candidate, "evidence": text, "checked": now()}
            connection.execute(dialect.insert(GUARDS).values(**row).on_conflict_do_nothing())

        self._database.write(work)


def _decoded(evidence: str) -> dict[str, Night]:
    return decode_json(evidence.encode(), dict[str, Night], "the evidence of a guard", Damage)
