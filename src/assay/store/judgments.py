"""Judgments of a store: grades that people, models and rules give to retrieved documents. They belong to a benchmark.

Each judge has one grade for a document and a query; a new grade replaces it. Results do not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from assay.errors import UnknownName, near_matches
from assay.store.database import MAX_WAIT, Database
from assay.store.judgment import PEOPLE, Judgment, checked_judgment
from assay.store.rows import read_rows
from assay.store.schema import JUDGMENTS, RESULTS
from assay.store.undecided import (
    Undecided,
    checked_undecided,
    list_undecided,
    put_undecided,
    undecided_key,
    withdraw_undecided,
)
from assay.text import counted, printable

REPLACED = ("judge", "grade", "reason", "judged", "text_digest", "pool", "probability")
"""What a new grade by the same judge, or a newly settled grade, replaces."""


class StoredJudgment(NamedTuple):
    """The columns of a judgment as the database returns them: SQLite has no type for true and false."""

    benchmark: str
    query: str
    document: str
    judge: str
    grade: float
    reason: str
    judged: str
    kind: str
    text_digest: str
    pool: str
    probability: float | None
    is_settled: bool | int


MAX_NAMED = 3
"""Judges that a sentence names."""


class JudgmentState(NamedTuple):
    """How many grades people gave on a benchmark, by whom, and when the newest was given."""

    n_grades: int
    judges: tuple[str, ...]
    newest: str
    """The time of the newest grade; empty if there is none."""

    def __bool__(self) -> bool:
        return self.n_grades > 0

    @property
    def sentence(self) -> str:
        """`3 grades by Ana and Ben, the newest of 2026-11-15 09:30 UTC.`"""
        names = self.judges[:MAX_NAMED]
        more = f" and {len(self.judges) - MAX_NAMED} more" if len(self.judges) > MAX_NAMED else ""
        who = f"{', '.join(names)}{more}" if more or len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"
        when = self.newest[:16].replace("T", " ")
        return f"{counted(self.n_grades, 'grade')} by {who}, the newest of {when} UTC."


def judgment_state(connection: Connection, benchmark: str) -> JudgmentState:
    """The state of the grades by people on a benchmark, with one query."""
    table = JUDGMENTS.c
    where = (table.benchmark == printable(benchmark), table.kind == PEOPLE)
    statement = select(table.judge, func.count(), func.max(table.judged)).where(*where).group_by(table.judge)
    rows = sorted(read_rows(connection, statement, tuple[str, int, str]))
    n_grades, newest = sum(n for _, n, _ in rows), max((time for *_, time in rows), default="")
    return JudgmentState(n_grades, tuple(judge for judge, _, _ in rows), newest)


def check_benchmark_known(connection: Connection, name: str) -> None:
    """Raise UnknownName if no stored result is on a benchmark of that name."""
    if connection.execute(select(RESULTS.c.number).where(RESULTS.c.benchmark == name).limit(1)).first() is None:
        known = sorted(connection.execute(select(RESULTS.c.benchmark).distinct()).scalars())
        hint = f"stored results are on {', '.join(filter(None, known[:5]))}" if any(known) else "nothing is stored yet"
        raise UnknownName("benchmark of a stored result", name, near_matches(name, known), hint)


def put_judgments(connection: Connection, judgments: Iterable[Judgment]) -> int:
    """Store checked judgments and return how many. A later judgment by the same judge is not replaced."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    n_kept = 0
    for judgment in judgments:
        put = dialect.insert(JUDGMENTS).values(key=judgment.key, **judgment._asdict())
        changed = {name: put.excluded[name] for name in REPLACED}
        put = put.on_conflict_do_update(index_elements=["key"], set_=changed, where=JUDGMENTS.c.judged < put.excluded.judged)
        n_kept += max(connection.execute(put).rowcount, 0)
        if judgment.kind == PEOPLE and not judgment.is_settled:
            withdraw_undecided(connection, undecided_key(*judgment[:4]), judgment.judged)
    return n_kept


def withdraw_judgment(connection: Connection, judgment: Judgment) -> bool:
    """Delete the grade of a judge for a pair; returns whether there was one."""
    return connection.execute(delete(JUDGMENTS).where(JUDGMENTS.c.key == judgment.key)).rowcount > 0


def list_judgments(
    connection: Connection,
    benchmarks: Sequence[str] | None = None,
    query: str | None = None,
    document: str | None = None,
    judge: str | None = None,
    kind: str | None = None,
) -> list[Judgment]:
    """Judgments, oldest first, filtered by benchmark, query, document, judge and kind; None: all."""
    statement = select(*(JUDGMENTS.c[name] for name in Judgment._fields))
    if benchmarks is not None:
        statement = statement.where(JUDGMENTS.c.benchmark.in_([printable(name) for name in benchmarks]))
    for name, value in (("query", query), ("document", document), ("judge", judge), ("kind", kind)):
        if value is not None:
            statement = statement.where(JUDGMENTS.c[name] == printable(value))
    rows = read_rows(connection, statement, StoredJudgment)
    return sorted((Judgment(*row[:-1], bool(row.is_settled)) for row in rows), key=_order)


def _order(judgment: Judgment) -> tuple[str | bool, ...]:
    """The oldest first, then by name; databases sort names in different ways."""
    ids = judgment.benchmark, judgment.query, judgment.document
    return judgment.judged, *ids, judgment.judge, judgment.kind, judgment.is_settled


# The judgments of a store


class JudgmentBook:
    """The judgments of a store: `store.judgments.give(Judgment(…))`, `store.judgments.find(benchmark="faq")`.

    Each call is one transaction.
    """

    def __init__(self, database: Database, max_wait: float = MAX_WAIT) -> None:
        self._database, self._max_wait = database, max_wait

    def within(self, seconds: float) -> JudgmentBook:
        """The same book with a shorter wait: if the store stays locked for this time, it is an error."""
        return JudgmentBook(self._database, seconds)

    def give(self, judgment: Judgment) -> Judgment:
        """Store a grade of a judge for a pair; it replaces an earlier one. Returns the judgment as it is stored."""
        judgment = checked_judgment(judgment)

        def work(connection: Connection) -> None:
            check_benchmark_known(connection, judgment.benchmark)
            put_judgments(connection, [judgment])

        self._database.write(work, self._max_wait)
        return judgment

    def withdraw(self, judgment: Judgment) -> bool:
        """Delete the grade of a judge for a pair; returns whether there was one."""
        judgment = checked_judgment(judgment)
        return self._database.write(lambda connection: withdraw_judgment(connection, judgment), self._max_wait)

    def give_all(self, judgments: Iterable[Judgment], withdrawn: Iterable[Judgment] = ()) -> int:
        """Store several grades and delete others in one transaction; returns how many were deleted."""
        checked, gone = ([checked_judgment(judgment) for judgment in some] for some in (judgments, withdrawn))

        def work(connection: Connection) -> int:
            for name in dict.fromkeys(judgment.benchmark for judgment in checked):
                check_benchmark_known(connection, name)
            put_judgments(connection, checked)
            return sum(withdraw_judgment(connection, judgment) for judgment in gone)

        return self._database.write(work, self._max_wait)

    def leave_undecided(self, undecided: Undecided) -> Undecided:
        """Store that a person cannot grade a pair; it replaces the person's grade. Returns it as it is stored."""
        undecided = checked_undecided(undecided)

        def work(connection: Connection) -> None:
            check_benchmark_known(connection, undecided.benchmark)
            put_undecided(connection, [undecided])

        self._database.write(work, self._max_wait)
        return undecided

    def withdraw_undecided(self, undecided: Undecided) -> bool:
        """Delete that a person cannot grade a pair; returns whether it was stored."""
        key = checked_undecided(undecided).key
        return self._database.write(lambda connection: withdraw_undecided(connection, key), self._max_wait)

    def undecided(
        self, benchmark: str | None = None, query: str | None = None, document: str | None = None, judge: str | None = None
    ) -> Sequence[Undecided]:
        """Pairs that people could not grade, oldest first, filtered by benchmark, query, document and judge; None: all."""
        among = None if benchmark is None else [benchmark]
        return self._database.read(lambda connection: list_undecided(connection, among, query, document, judge))

    def take_over_undecided(self, undecided: Iterable[Undecided]) -> int:
        """Store the undecided pairs of another store; returns how many are new or newer."""
        every = list(undecided)
        return self._database.write(lambda connection: put_undecided(connection, every), self._max_wait)

    def take_over(self, judgments: Iterable[Judgment]) -> int:
        """Store judgments of another store; returns how many are new, or newer than the existing ones."""
        every = list(judgments)
        return self._database.write(lambda connection: put_judgments(connection, every), self._max_wait)

    def find(
        self,
        benchmark: str | None = None,
        query: str | None = None,
        document: str | None = None,
        judge: str | None = None,
        kind: str | None = None,
    ) -> Sequence[Judgment]:
        """Judgments, oldest first, filtered by benchmark, query, document, judge and kind; None: all."""
        among = None if benchmark is None else [benchmark]
        return self._database.read(lambda connection: list_judgments(connection, among, query, document, judge, kind))

    def newer_notes(self, benchmarks: Iterable[str]) -> list[str]:
        """A note for each benchmark with grades by people, which stored results do not use."""
        states = {benchmark: self.state(benchmark) for benchmark in dict.fromkeys(benchmarks)}
        return [
            f"newer judgments on {benchmark}: {state.sentence} These figures do not use them. See them: assay judgments"
            for benchmark, state in states.items()
            if state
        ]

    def check_benchmark(self, name: str) -> None:
        """Raise UnknownName if no stored result is on a benchmark of that name, so that no grade could be stored."""
        self._database.read(lambda connection: check_benchmark_known(connection, name))

    def state(self, benchmark: str) -> JudgmentState:
        """How many grades people gave on a benchmark, by whom, and when the newest was given."""
        return self._database.read(lambda connection: judgment_state(connection, benchmark))
