"""The judgment book of a store: who graded what, and when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from assay.store.database import PATIENCE, Database
from assay.store.judgments import (
    Judgment,
    checked_judgment,
    list_judgments,
    put_judgments,
    refuse_unknown_benchmark,
    withdraw_judgment,
)


class JudgmentBook:
    """`store.judgments.give(Judgment(…))`, `store.judgments.find(benchmark="hpo-en")`. Each call is one transaction."""

    def __init__(self, database: Database, patience: float = PATIENCE) -> None:
        self._database, self._patience = database, patience

    def within(self, seconds: float) -> JudgmentBook:
        """The same book for somebody who waits for the answer: a store that others keep locked is told after that time."""
        return JudgmentBook(self._database, seconds)

    def give(self, given: Judgment) -> Judgment:
        """Keep somebody's grade of a pair, in place of the one they gave before; returns it as it is kept."""
        judgment = checked_judgment(given)

        def work(connection: Connection) -> None:
            refuse_unknown_benchmark(connection, judgment.benchmark)
            put_judgments(connection, [judgment])

        self._database.write(work, self._patience)
        return judgment

    def withdraw(self, given: Judgment) -> bool:
        """Take back the grade that a judge gave to a pair; says whether there was one."""
        judgment = checked_judgment(given)
        return self._database.write(lambda connection: withdraw_judgment(connection, judgment), self._patience)

    def give_all(self, given: Iterable[Judgment], withdrawn: Iterable[Judgment] = ()) -> int:
        """Keep several grades and take others back, all of it or nothing; says how many there were to take back."""
        kept, gone = ([checked_judgment(one) for one in some] for some in (given, withdrawn))

        def work(connection: Connection) -> int:
            for name in dict.fromkeys(one.benchmark for one in kept):
                refuse_unknown_benchmark(connection, name)
            put_judgments(connection, kept)
            return sum(withdraw_judgment(connection, one) for one in gone)

        return self._database.write(work, self._patience)

    def take_over(self, judgments: Iterable[Judgment]) -> int:
        """Keep judgments of another store; says how many are new here, or newer than those that were."""
        every = list(judgments)
        return self._database.write(lambda connection: put_judgments(connection, every), self._patience)

    def find(
        self,
        benchmark: str | None = None,
        query: str | None = None,
        document: str | None = None,
        judge: str | None = None,
    ) -> Sequence[Judgment]:
        """Grades that people gave, the oldest first; of every benchmark, query, document and judge that is not named."""
        among = None if benchmark is None else [benchmark]
        return self._database.read(lambda connection: list_judgments(connection, among, query, document, judge))
