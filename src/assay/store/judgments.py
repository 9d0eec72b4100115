"""Judgments: grades that people give to what was retrieved, with who gave them and when. They belong to a benchmark.

Each judge has one grade for a document and a query; giving another one replaces it. Results stay as they are.
`judge_agreements` says how far judges agree, `exportable` which grades TREC qrels can hold.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median_low
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from assay.errors import BadParameter, UnknownName, near_matches
from assay.files import why_not_trec
from assay.model import is_finite_number
from assay.serialize import to_json
from assay.stats import cohen_kappa
from assay.store.database import MAX_WAIT, Database
from assay.store.packing import digest_of, pack_json
from assay.store.rows import read_rows
from assay.store.schema import JUDGMENTS, RESULTS
from assay.store.timestamps import now, parse_timestamp
from assay.text import counted, printable, shortened

LONGEST_JUDGE = 80
LONGEST_NOTE = 2000


class Judgment(NamedTuple):
    """A grade that somebody gave to a document for a query of a benchmark."""

    benchmark: str
    query: str
    document: str
    judge: str
    grade: float
    note: str = ""
    judged: str = ""
    """When; now, where it is not said."""

    @property
    def key(self) -> str:
        """What it is known by: a judge has one grade for each pair."""
        return digest_of(pack_json([self.benchmark, self.query, self.document, self.judge]))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return self._asdict()


def judge_name(text: str) -> str:
    """A judge's name as it is kept: on one line, without characters that nobody sees, so that who looks alike is one."""
    seen = "".join(letter for letter in unicodedata.normalize("NFKC", text) if unicodedata.category(letter) != "Cf")
    return printable(" ".join(seen.split()))


def checked_judgment(judgment: Judgment) -> Judgment:
    """The judgment as the store keeps it: every text on one line, the time in UTC; or what is wrong with it."""
    for name in ("benchmark", "query", "document", "judge", "note"):
        if not isinstance(getattr(judgment, name), str):
            raise BadParameter(f"{name} is a text, not {shortened(getattr(judgment, name))}")
    judge, note = judge_name(judgment.judge), printable(" ".join(judgment.note.split()))
    if not judge or len(judge) > LONGEST_JUDGE:
        raise BadParameter(f"a judge has a name of up to {LONGEST_JUDGE} letters; found {shortened(judgment.judge)}")
    if len(note) > LONGEST_NOTE:
        raise BadParameter(f"a note has up to {LONGEST_NOTE:,} letters; found {len(note):,}")
    if not judgment.query or not judgment.document:
        raise BadParameter("a judgment names a query and a document")
    if not is_finite_number(judgment.grade):
        raise BadParameter(f"a grade is a finite number, not {shortened(judgment.grade)}")
    judged = parse_timestamp(judgment.judged) if judgment.judged else now()
    if judged is None:
        raise BadParameter(f"judged is a time such as 2026-11-15T09:30:00+00:00, not {shortened(judgment.judged)}")
    benchmark, query, document = (printable(text) for text in (judgment.benchmark, judgment.query, judgment.document))
    return Judgment(benchmark, query, document, judge, float(judgment.grade), note, judged)


def check_benchmark_known(connection: Connection, name: str) -> None:
    """Say so where no stored result is about a benchmark of that name."""
    if connection.execute(select(RESULTS.c.number).where(RESULTS.c.benchmark == name).limit(1)).first() is None:
        known = sorted(connection.execute(select(RESULTS.c.benchmark).distinct()).scalars())
        hint = f"stored results are about {', '.join(filter(None, known[:5]))}" if any(known) else "nothing is stored yet"
        raise UnknownName("benchmark of a stored result", name, near_matches(name, known), hint)


def put_judgments(connection: Connection, judgments: Iterable[Judgment]) -> int:
    """Keep judgments that were checked; says how many. One that the same judge gave later stays."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    n_kept = 0
    for judgment in judgments:
        put = dialect.insert(JUDGMENTS).values(key=judgment.key, **judgment._asdict())
        changed = {name: put.excluded[name] for name in ("grade", "note", "judged")}
        put = put.on_conflict_do_update(index_elements=["key"], set_=changed, where=JUDGMENTS.c.judged < put.excluded.judged)
        n_kept += max(connection.execute(put).rowcount, 0)
    return n_kept


def withdraw_judgment(connection: Connection, judgment: Judgment) -> bool:
    """Take a judge's grade of a pair back; says whether there was one."""
    return connection.execute(delete(JUDGMENTS).where(JUDGMENTS.c.key == judgment.key)).rowcount > 0


def list_judgments(
    connection: Connection,
    benchmarks: Sequence[str] | None = None,
    query: str | None = None,
    document: str | None = None,
    judge: str | None = None,
) -> list[Judgment]:
    """Judgments, the oldest first; of every benchmark, query, document and judge that is not named."""
    statement = select(*(JUDGMENTS.c[name] for name in Judgment._fields))
    if benchmarks is not None:
        statement = statement.where(JUDGMENTS.c.benchmark.in_([printable(name) for name in benchmarks]))
    for column, value in ((JUDGMENTS.c.query, query), (JUDGMENTS.c.document, document), (JUDGMENTS.c.judge, judge)):
        if value is not None:
            statement = statement.where(column == printable(value))
    return read_rows(connection, statement.order_by(JUDGMENTS.c.judged, JUDGMENTS.c.key), Judgment)


def combined(judgments: Iterable[Judgment]) -> dict[str, dict[str, float]]:
    """Query → document → one grade, whoever judged: the median, and of two in the middle the lower one.

    So two judges who differ give the more careful of their grades, and it is always a grade that somebody gave.
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
    """The same grades by the ids that rankings have: those of the store have control characters written out."""
    queries = {printable(query): query for query in known}
    by_own_id = {}
    for query, graded in grades.items():
        own = queries.get(query, query)
        documents = {printable(doc): doc for doc in known.get(own, ())}
        by_own_id[own] = {documents.get(doc, doc): grade for doc, grade in graded.items()}
    return by_own_id


# Agreement: how often two judges gave the same grade to the same pair, and how far beyond chance


class JudgeAgreement(NamedTuple):
    """Two judges, over the pairs that both have graded."""

    a: str
    b: str
    n_pairs: int
    n_same: int
    kappa: float
    """Cohen's κ; nan where both gave one and the same grade throughout."""
    weighted_kappa: float
    """The same with quadratic weights: the nearer two grades are, the less it matters that they differ."""

    @property
    def same(self) -> float:
        """Share of pairs with equal grades."""
        return self.n_same / self.n_pairs

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, None for nan."""
        return to_json({**self._asdict(), "same": self.same})


def judge_agreements(judgments: Iterable[Judgment]) -> list[JudgeAgreement]:
    """Every two judges who share a pair, those with the most pairs first."""
    by_judge: defaultdict[str, dict[tuple[str, str, str], float]] = defaultdict(dict)
    for judgment in judgments:
        by_judge[judgment.judge][judgment.benchmark, judgment.query, judgment.document] = judgment.grade
    agreements = []
    for a, b in combinations(sorted(by_judge), 2):
        shared = [pair for pair in by_judge[a] if pair in by_judge[b]]
        if not shared:
            continue
        grades = [by_judge[a][pair] for pair in shared], [by_judge[b][pair] for pair in shared]
        n_same = sum(grade == other for grade, other in zip(*grades, strict=True))
        kappas = cohen_kappa(*grades), cohen_kappa(*grades, weights="quadratic")
        agreements.append(JudgeAgreement(a, b, len(shared), n_same, *kappas))
    return sorted(agreements, key=lambda agreement: (-agreement.n_pairs, agreement.a, agreement.b))


# The judgments of a store


class JudgmentBook:
    """`store.judgments.give(Judgment(…))`, `store.judgments.find(benchmark="faq")`. Each call is one transaction."""

    def __init__(self, database: Database, max_wait: float = MAX_WAIT) -> None:
        self._database, self._max_wait = database, max_wait

    def within(self, seconds: float) -> JudgmentBook:
        """The same book for somebody who waits for the answer: a store that others keep locked is told after that time."""
        return JudgmentBook(self._database, seconds)

    def give(self, judgment: Judgment) -> Judgment:
        """Keep somebody's grade of a pair, in place of the one they gave before; returns it as it is kept."""
        judgment = checked_judgment(judgment)

        def work(connection: Connection) -> None:
            check_benchmark_known(connection, judgment.benchmark)
            put_judgments(connection, [judgment])

        self._database.write(work, self._max_wait)
        return judgment

    def withdraw(self, judgment: Judgment) -> bool:
        """Take back the grade that a judge gave to a pair; says whether there was one."""
        judgment = checked_judgment(judgment)
        return self._database.write(lambda connection: withdraw_judgment(connection, judgment), self._max_wait)

    def give_all(self, judgments: Iterable[Judgment], withdrawn: Iterable[Judgment] = ()) -> int:
        """Keep several grades and take others back, all of it or nothing; says how many there were to take back."""
        checked, gone = ([checked_judgment(judgment) for judgment in some] for some in (judgments, withdrawn))

        def work(connection: Connection) -> int:
            for name in dict.fromkeys(judgment.benchmark for judgment in checked):
                check_benchmark_known(connection, name)
            put_judgments(connection, checked)
            return sum(withdraw_judgment(connection, judgment) for judgment in gone)

        return self._database.write(work, self._max_wait)

    def take_over(self, judgments: Iterable[Judgment]) -> int:
        """Keep judgments of another store; says how many are new here, or newer than those that were."""
        every = list(judgments)
        return self._database.write(lambda connection: put_judgments(connection, every), self._max_wait)

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


# Export: what of the grades TREC qrels can hold, and what they cannot, each with the reason

MAX_NAMED = 5
"""Reasons that are named."""
LONGEST_REASON = 200
"""Letters of a reason."""


@dataclass(frozen=True)
class Exportable:
    """Grades that can be written as qrels, one for each pair, and why others cannot."""

    grades: Mapping[str, Mapping[str, float]]
    left_out: tuple[str, ...] = ()
    """Why, once for each grade."""

    @property
    def n_pairs(self) -> int:
        """How many pairs have a grade."""
        return sum(map(len, self.grades.values()))

    @property
    def explanation(self) -> str:
        """What TREC files cannot hold, on one line; empty where they hold everything."""
        if not self.left_out:
            return ""
        reasons = [
            reason if len(reason) <= LONGEST_REASON else reason[: LONGEST_REASON - 1] + "…"
            for reason in dict.fromkeys(self.left_out)
        ]
        more = "; …" if len(reasons) > MAX_NAMED else ""
        which = "; ".join(reasons[:MAX_NAMED]) + more
        return printable(f"TREC files cannot hold {counted(len(self.left_out), 'grade')}: {which}")


def exportable(judgments: Iterable[Judgment]) -> Exportable:
    """One grade for each pair, as `combined` has it; what is no number, or has an id with a blank, is left out and named."""
    usable, left_out = [], []
    for judgment in judgments:
        why = why_not_trec(judgment.query, judgment.document)
        if not is_finite_number(judgment.grade):
            pair = f"{judgment.document} for {judgment.query}"
            why = f"{judgment.judge} gave {pair} the grade {judgment.grade!r}, which is no finite number"
        if why:
            left_out.append(why)
        else:
            usable.append(judgment)
    return Exportable(combined(usable), tuple(left_out))
