"""Query logs: a sample of the queries that people typed, stratified, without duplicates and without private data.

Only the text of a query, the column of the strata and the number of times are kept. The sample depends on the queries and
the seed, not on the order of lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from assay.datasets.fields import roles_of
from assay.errors import BadParameter, DataError, UnknownName, UsageError, near_matches
from assay.files import each_record, first_records, fold
from assay.text import counted, some_of

ALLOCATIONS = ("proportional", "equal")
"""How many queries each stratum gets: in proportion to its different queries, or the same number."""
TEXT_NAMES = ("query", "search_query", "search_term", "search_terms", "keywords", "question", "q", "text", "term")
COUNT_NAMES = ("count", "frequency", "freq", "n", "hits", "searches", "times")
PRIVATE = {
    "e-mail address": re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+"),
    "long number": re.compile(r"\d{6,}"),
    "phone number": re.compile(r"(?<![\w.])(\+|00)?\(?\d{1,5}\)?([ ./-]?\(?\d{2,5}\)?){2,5}(?![\w])"),
}
"""What makes a query private → what it looks like."""
RECORDS_CHECKED = 1000
"""How many records are looked at to find out whether a column exists."""
NO_TEXT_COLUMN = "found no column with queries among {}. Name it with --text COLUMN"
MIN_PHONE_DIGITS = 7
ID_DIGITS = 12


@dataclass(frozen=True)
class SampledQuery:
    """A query of a sample."""

    query_id: str
    """Depends on the text alone, so that a query has one id in all samples."""
    text: str
    """The most frequent spelling."""
    stratum: str
    frequency: int
    probability: float
    """The probability with which it was drawn."""

    def to_record(self, by: str) -> dict[str, Any]:
        """A record of a file of queries."""
        tag = {by: self.stratum} if by else {}
        more = {"frequency": self.frequency, "probability": round(self.probability, 9)}
        return {"query_id": self.query_id, "query": self.text, **tag, **more}


@dataclass(frozen=True)
class QuerySample:
    """The queries of a sample, sorted by id, and what is known about the log."""

    queries: tuple[SampledQuery, ...]
    by: str
    n_lines: int
    n_distinct: int
    left_out: Mapping[str, int]
    """Why lines were left out → how many."""
    strata: Mapping[str, tuple[int, int]]
    """Stratum → the number of its different queries in the log, and in the sample."""


@dataclass
class _Group:
    """The spellings of one query, with the strata that they were typed in."""

    spellings: Counter[str] = field(default_factory=Counter)
    strata: Counter[str] = field(default_factory=Counter)

    @property
    def n(self) -> int:
        return self.spellings.total()


def sample_queries(
    path: str | Path,
    n: int,
    by: str = "",
    seed: int = 1,
    *,
    allocation: str = "proportional",
    text: str = "",
    count: str = "",
) -> QuerySample:
    """Draw queries from a log: CSV, TSV, JSON lines, JSON or Parquet with a query in each record.

    `by` is a column: each of its values is a stratum that gets at least one query. `text` and `count` name the columns with
    the query and with the number of times, if they are not recognised. Queries that differ only in case, accents or spaces
    are one query. Queries that look private are left out.
    """
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise BadParameter(f"n must be a number of queries of at least 1, not {n!r}")
    if allocation not in ALLOCATIONS:
        raise BadParameter(f"allocation must be one of {', '.join(ALLOCATIONS)}, not {allocation!r}")
    log = _LogQueries(by, text, count)
    _check_columns(Path(path), log)
    each_record(Path(path), log.take)
    if not log.groups:
        why = "".join(f", {counted(times, 'line')}: {reason}" for reason, times in sorted(log.left_out.items()))
        raise DataError(f"found no query to sample{why}", source=str(path))
    return _drawn(log, n, seed, allocation)


def _check_columns(path: Path, log: _LogQueries) -> None:
    """Raise if none of the first records has a column: one error instead of one for each line."""
    records = first_records(path, RECORDS_CHECKED)
    known = list(dict.fromkeys(name for record in records for name in record))
    for column in filter(None, (log.by, log.text, log.count)) if known else ():
        if column not in known:
            raise UnknownName("column", column, near_matches(column, known), f"it has {some_of(known, 10)}", owner=str(path))
    if known and not log.text and not any(map(_text_column, records)):
        raise DataError(NO_TEXT_COLUMN.format(some_of(known, 10)), source=str(path))


def _text_column(record: Mapping[str, Any]) -> str:
    """The column with the query; empty if it is not recognised."""
    by_name = {fold(name): name for name in reversed(list(record))}
    return next((by_name[name] for name in TEXT_NAMES if name in by_name), "") or roles_of("queries", record).get(
        "query", ""
    )


@dataclass
class _LogQueries:
    """Takes the records of a log."""

    by: str
    text: str
    count: str
    groups: defaultdict[str, _Group] = field(default_factory=lambda: defaultdict(_Group))
    left_out: Counter[str] = field(default_factory=Counter)
    n_lines: int = 0

    def take(self, place: str, record: Mapping[str, Any]) -> None:  # noqa: ARG002 (as readers call it)
        """Take one record: its query, its stratum and its count, and nothing else."""
        self.n_lines += 1
        text = " ".join(str(self._value(record, self.text, TEXT_NAMES) or "").split())
        key = folded(text)
        if why := "no text" if not key else private_kind(text):
            self.left_out[why] += 1
            return
        times = self._times(record)
        stratum = self._stratum(record)
        self.groups[key].spellings[text] += times
        self.groups[key].strata[stratum] += times

    def _value(self, record: Mapping[str, Any], column: str, names: tuple[str, ...]) -> Any:
        if column:
            if column not in record:
                raise DataError(f"no column is called {column!r}. It has {some_of(list(record), 10)}")
            return record[column]
        if names is TEXT_NAMES:
            match = _text_column(record)
            if not match:
                raise DataError(NO_TEXT_COLUMN.format(some_of(list(record), 10)))
            return record[match]
        by_name = {fold(name): name for name in reversed(list(record))}
        named = next((by_name[name] for name in names if name in by_name), None)
        return None if named is None else record[named]

    def _stratum(self, record: Mapping[str, Any]) -> str:
        if not self.by:
            return ""
        if self.by not in record:
            raise DataError(f"no column is called {self.by!r}. It has {some_of(list(record), 10)}")
        return " ".join(str(record[self.by] if record[self.by] is not None else "").split()) or "(none)"

    def _times(self, record: Mapping[str, Any]) -> int:
        value = self._value(record, self.count, COUNT_NAMES)
        if value is None:
            return 1
        try:
            times = float(value)
        except (TypeError, ValueError):
            times = 0.0
        if not 1 <= times < 2**53 or times != int(times):
            raise DataError(f"the number of times must be a whole number of at least 1, not {value!r}")
        return int(times)


def folded(text: str) -> str:
    """A query without differences of case, accents, width and spaces."""
    plain = unicodedata.normalize("NFKD", text)
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return " ".join(letters.casefold().split())


def private_kind(text: str) -> str:
    """What a query looks like that may identify a person; empty if it looks harmless."""
    for kind, shape in PRIVATE.items():
        for match in shape.finditer(unicodedata.normalize("NFKC", text)):
            if kind != "phone number" or sum(letter.isdigit() for letter in match[0]) >= MIN_PHONE_DIGITS:
                return kind
    return ""


def _most(counts: Counter[str]) -> str:
    """The most frequent text; of several, the first in order."""
    return min(counts, key=lambda text: (-counts[text], text))


def _drawn(log: _LogQueries, n: int, seed: int, allocation: str) -> QuerySample:
    strata: defaultdict[str, list[str]] = defaultdict(list)
    for key, group in log.groups.items():
        strata[_most(group.strata)].append(key)
    sizes = {stratum: len(strata[stratum]) for stratum in sorted(strata)}
    shares = allocate(sizes, n, allocation)
    queries = [
        SampledQuery(
            f"q-{sha256(key.encode()).hexdigest()[:ID_DIGITS]}",
            _most(log.groups[key].spellings),
            stratum,
            log.groups[key].n,
            shares[stratum] / sizes[stratum],
        )
        for stratum in sizes
        for key in _chosen(strata[stratum], shares[stratum], seed)
    ]
    queries.sort(key=lambda query: query.query_id)
    counts = {stratum: (sizes[stratum], shares[stratum]) for stratum in sizes}
    return QuerySample(tuple(queries), log.by, log.n_lines, len(log.groups), dict(sorted(log.left_out.items())), counts)


def _chosen(keys: list[str], n: int, seed: int) -> Iterator[str]:
    """A simple random sample: the first n in the order of a hash with the seed."""
    yield from sorted(keys, key=lambda key: sha256(f"{seed}\0{key}".encode()).digest())[:n]


def allocate(sizes: Mapping[str, int], n: int, allocation: str = "proportional") -> dict[str, int]:
    """Stratum → how many of n queries it gets: at least one, and not more than it has. Rounded by largest remainders."""
    if n < len(sizes):
        raise UsageError(f"{len(sizes):,} strata need at least one query each, so n must be at least {len(sizes)}, not {n}")
    left, shares = min(n, sum(sizes.values())), dict.fromkeys(sizes, 0)
    open_, fixed = set(sizes), 0
    while open_:  # a stratum that gets less than one or more than it has is fixed, and the others share the rest
        weights = {stratum: sizes[stratum] if allocation == "proportional" else 1 for stratum in open_}
        exact = {stratum: (left - fixed) * weight / sum(weights.values()) for stratum, weight in weights.items()}
        full = {stratum for stratum in open_ if exact[stratum] >= sizes[stratum]}
        small = {stratum for stratum in open_ - full if exact[stratum] < 1}
        for stratum in full or small:
            shares[stratum] = sizes[stratum] if stratum in full else 1
        if full or small:
            open_ -= full or small
            fixed = sum(shares.values())
            continue
        shares |= {stratum: int(exact[stratum]) for stratum in open_}
        rest = left - sum(shares.values())
        for stratum in sorted(open_, key=lambda name: (int(exact[name]) - exact[name], name))[:rest]:
            shares[stratum] += 1
        break
    return shares
