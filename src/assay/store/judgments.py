"""Judgments: grades that people give to retrieved documents, with judge and time. They belong to a benchmark.

Each judge has one grade for a document and a query; a new grade replaces it. Results do not change. `exportable` says which
grades can be written as TREC qrels.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from assay.errors import BadParameter, UnknownName, near_matches
from assay.files import why_not_trec
from assay.model import is_finite_number
from assay.store.database import MAX_WAIT, Database
from assay.store.packing import digest_of, pack_json
from assay.store.rows import read_rows
from assay.store.schema import JUDGMENTS, RESULTS
from assay.store.timestamps import now, parse_timestamp
from assay.text import counted, printable, shortened

LONGEST_JUDGE = 80
LONGEST_NOTE = 2000


class Judgment(NamedTuple):
    """A grade that a judge gave to a document for a query of a benchmark."""

    benchmark: str
    query: str
    document: str
    judge: str
    grade: float
    note: str = ""
    judged: str = ""
    """The time; empty: now."""

    @property
    def key(self) -> str:
        """The key of the judgment: a judge has one grade for each pair of query and document."""
        return digest_of(pack_json([self.benchmark, self.query, self.document, self.judge]))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return self._asdict()


def judge_name(text: str) -> str:
    """The name of a judge as it is stored: on one line and without invisible characters, so that one judge has one name."""
    seen = "".join(letter for letter in unicodedata.normalize("NFKC", text) if unicodedata.category(letter) != "Cf")
    return printable(" ".join(seen.split()))


def checked_judgment(judgment: Judgment) -> Judgment:
    """The judgment as it is stored: every text on one line, the time in UTC; a BadParameter if it is not valid."""
    for name in ("benchmark", "query", "document", "judge", "note"):
        if not isinstance(getattr(judgment, name), str):
            raise BadParameter(f"{name} must be text, not {shortened(getattr(judgment, name))}")
    judge, note = judge_name(judgment.judge), printable(" ".join(judgment.note.split()))
    if not judge or len(judge) > LONGEST_JUDGE:
        raise BadParameter(
            f"the name of a judge must have 1 to {LONGEST_JUDGE} visible characters, not {shortened(judgment.judge)}"
        )
    if len(note) > LONGEST_NOTE:
        raise BadParameter(f"a note can have at most {LONGEST_NOTE:,} characters, found {len(note):,}")
    if not judgment.query or not judgment.document:
        raise BadParameter("a judgment needs a query and a document")
    if not is_finite_number(judgment.grade):
        raise BadParameter(f"a grade must be a finite number, not {shortened(judgment.grade)}")
    judged = parse_timestamp(judgment.judged) if judgment.judged else now()
    if judged is None:
        raise BadParameter(f"judged must be a time such as 2026-11-15T09:30:00+00:00, not {shortened(judgment.judged)}")
    benchmark, query, document = (printable(text) for text in (judgment.benchmark, judgment.query, judgment.document))
    return Judgment(benchmark, query, document, judge, float(judgment.grade), note, judged)


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
        changed = {name: put.excluded[name] for name in ("grade", "note", "judged")}
        put = put.on_conflict_do_update(index_elements=["key"], set_=changed, where=JUDGMENTS.c.judged < put.excluded.judged)
        n_kept += max(connection.execute(put).rowcount, 0)
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
) -> list[Judgment]:
    """Judgments, oldest first, filtered by benchmark, query, document and judge; None: all."""
    statement = select(*(JUDGMENTS.c[name] for name in Judgment._fields))
    if benchmarks is not None:
        statement = statement.where(JUDGMENTS.c.benchmark.in_([printable(name) for name in benchmarks]))
    for column, value in ((JUDGMENTS.c.query, query), (JUDGMENTS.c.document, document), (JUDGMENTS.c.judge, judge)):
        if value is not None:
            statement = statement.where(column == printable(value))
    return read_rows(connection, statement.order_by(JUDGMENTS.c.judged, JUDGMENTS.c.key), Judgment)


def combined(judgments: Iterable[Judgment]) -> dict[str, dict[str, float]]:
    """Query → document → one grade: the median over all judges, and the lower one of two in the middle.

    If two judges differ, this is the lower grade. It is always a grade that a judge gave.
    """
    every: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for judgment in judgments:
        every[judgment.query, judgment.document].append(judgment.grade)
    by_query: dict[str, dict[str, float]] = {}
    for (query, document), grades in every.items():
        by_query.setdefault(query, {})[document] = median_low(grades)
    return by_query


def restore_ids(
    grades: Mapping[str, Mapping[str, float]], known: Mapping[str, Iterable[str]]
) -> dict[str, dict[str, float]]:
    """The same grades by the ids in rankings: ids in the store have escaped control characters."""
    queries = {printable(query): query for query in known}
    by_own_id = {}
    for query, graded in grades.items():
        own = queries.get(query, query)
        documents = {printable(doc): doc for doc in known.get(own, ())}
        by_own_id[own] = {documents.get(doc, doc): grade for doc, grade in graded.items()}
    return by_own_id


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
    ) -> Sequence[Judgment]:
        """Judgments, oldest first, filtered by benchmark, query, document and judge; None: all."""
        among = None if benchmark is None else [benchmark]
        return self._database.read(lambda connection: list_judgments(connection, among, query, document, judge))


# Export: grades that can be written as TREC qrels, and the reasons why others cannot

MAX_NAMED = 5
"""The largest number of reasons to name."""
LONGEST_REASON = 200
"""The largest number of characters of a reason."""


@dataclass(frozen=True)
class Exportable:
    """Grades that can be written as qrels, one for each pair, and why others cannot."""

    grades: Mapping[str, Mapping[str, float]]
    left_out: tuple[str, ...] = ()
    """The reason, once for each grade."""

    @property
    def n_pairs(self) -> int:
        """How many pairs have a grade."""
        return sum(map(len, self.grades.values()))

    @property
    def explanation(self) -> str:
        """Which grades cannot be written to TREC files, on one line; empty if all can."""
        if not self.left_out:
            return ""
        reasons = [
            reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"
            for reason in dict.fromkeys(self.left_out)
        ]
        more = "; …" if len(reasons) > MAX_NAMED else ""
        which = "; ".join(reasons[:MAX_NAMED]) + more
        return printable(f"{counted(len(self.left_out), 'grade')} cannot be written to TREC files: {which}")


def exportable(judgments: Iterable[Judgment]) -> Exportable:
    """One grade for each pair, from `combined`. Grades that are not numbers, or have ids with blanks, are left out."""
    usable, left_out = [], []
    for judgment in judgments:
        why = why_not_trec(judgment.query, judgment.document)
        if not is_finite_number(judgment.grade):
            pair = f"document {judgment.document} and query {judgment.query}"
            why = f"the grade {judgment.grade!r} by {judgment.judge} for {pair} is not a finite number"
        if why:
            left_out.append(why)
        else:
            usable.append(judgment)
    return Exportable(combined(usable), tuple(left_out))
