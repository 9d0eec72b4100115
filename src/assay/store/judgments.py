"""Judgments: grades that people give to what was retrieved, with who gave them and when. They belong to a benchmark.

Each judge has one grade for a document and a query; giving another one replaces it. Results stay as they are.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median_low
from typing import Any, NamedTuple

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects import postgresql, sqlite

from assay.errors import BadParameter, UnknownName, near_matches
from assay.model import is_finite_number
from assay.store.moments import now, parse_timestamp
from assay.store.payload import digest_of, pack_json
from assay.store.rows import read_rows
from assay.store.tables import JUDGMENTS, RESULTS
from assay.text import printable, shortened

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


def checked_judgment(given: Judgment) -> Judgment:
    """The judgment as the store keeps it: every text on one line, the time in UTC; or what is wrong with it."""
    for name in ("benchmark", "query", "document", "judge", "note"):
        if not isinstance(getattr(given, name), str):
            raise BadParameter(f"{name} is a text, not {shortened(getattr(given, name))}")
    judge, note = judge_name(given.judge), printable(" ".join(given.note.split()))
    if not judge or len(judge) > LONGEST_JUDGE:
        raise BadParameter(f"a judge has a name of up to {LONGEST_JUDGE} letters; found {shortened(given.judge)}")
    if len(note) > LONGEST_NOTE:
        raise BadParameter(f"a note has up to {LONGEST_NOTE:,} letters; found {len(note):,}")
    if not given.query or not given.document:
        raise BadParameter("a judgment names a query and a document")
    if not is_finite_number(given.grade):
        raise BadParameter(f"a grade is a finite number, not {shortened(given.grade)}")
    judged = parse_timestamp(given.judged) if given.judged else now()
    if judged is None:
        raise BadParameter(f"judged is a time such as 2026-11-15T09:30:00+00:00, not {shortened(given.judged)}")
    benchmark, query, document = (printable(text) for text in (given.benchmark, given.query, given.document))
    return Judgment(benchmark, query, document, judge, float(given.grade), note, judged)


def refuse_unknown_benchmark(connection: Connection, name: str) -> None:
    """Say so where no stored result is about a benchmark of that name."""
    if connection.execute(select(RESULTS.c.number).where(RESULTS.c.benchmark == name).limit(1)).first() is None:
        known = sorted(connection.execute(select(RESULTS.c.benchmark).distinct()).scalars())
        hint = f"stored results are about {', '.join(filter(None, known[:5]))}" if any(known) else "nothing is stored yet"
        raise UnknownName("benchmark of a stored result", name, near_matches(name, known), hint)


def put_judgments(connection: Connection, judgments: Iterable[Judgment]) -> int:
    """Keep judgments that were checked; says how many. One that the same judge gave later stays."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    n_kept = 0
    for one in judgments:
        put = dialect.insert(JUDGMENTS).values(key=one.key, **one._asdict())
        changed = {name: put.excluded[name] for name in ("grade", "note", "judged")}
        put = put.on_conflict_do_update(index_elements=["key"], set_=changed, where=JUDGMENTS.c.judged < put.excluded.judged)
        n_kept += max(connection.execute(put).rowcount, 0)
    return n_kept


def withdraw_judgment(connection: Connection, one: Judgment) -> bool:
    """Take a judge's grade of a pair back; says whether there was one."""
    return connection.execute(delete(JUDGMENTS).where(JUDGMENTS.c.key == one.key)).rowcount > 0


def list_judgments(
    connection: Connection,
    benchmarks: Sequence[str] | None = None,
    query: str | None = None,
    document: str | None = None,
    judge: str | None = None,
) -> list[Judgment]:
    """Judgments, the oldest first; of every benchmark, query, document and judge that is not named."""
    wanted = select(*(JUDGMENTS.c[name] for name in Judgment._fields))
    if benchmarks is not None:
        wanted = wanted.where(JUDGMENTS.c.benchmark.in_([printable(name) for name in benchmarks]))
    for column, value in ((JUDGMENTS.c.query, query), (JUDGMENTS.c.document, document), (JUDGMENTS.c.judge, judge)):
        if value is not None:
            wanted = wanted.where(column == printable(value))
    return read_rows(connection, wanted.order_by(JUDGMENTS.c.judged, JUDGMENTS.c.key), Judgment)


def combined(judgments: Iterable[Judgment]) -> dict[str, dict[str, float]]:
    """Query → document → one grade, whoever judged: the median, and of two in the middle the lower one.

    So two judges who differ give the more careful of their grades, and it is always a grade that somebody gave.
    """
    every: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in judgments:
        every[one.query, one.document].append(one.grade)
    found: dict[str, dict[str, float]] = {}
    for (query, document), grades in every.items():
        found.setdefault(query, {})[document] = median_low(grades)
    return found


def with_own_ids(
    grades: Mapping[str, Mapping[str, float]], known: Mapping[str, Iterable[str]]
) -> dict[str, dict[str, float]]:
    """The same grades by the ids that rankings have: those of the store have control characters written out."""
    queries = {printable(query): query for query in known}
    found = {}
    for query, graded in grades.items():
        own = queries.get(query, query)
        documents = {printable(doc): doc for doc in known.get(own, ())}
        found[own] = {documents.get(doc, doc): grade for doc, grade in graded.items()}
    return found
