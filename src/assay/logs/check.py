"""Check: what is unusual about a log, before anyone relies on its metrics. No id of a user is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from assay.errors import BadParameter
from assay.logs.impressions import ROWS, create_impressions
from assay.logs.log_table import OpenLog, named_columns, open_log
from assay.logs.row_columns import Shape
from assay.logs.searches import ODD, SEEN_RANKS, TABLE, LogTotals, bots_sql, create_searches
from assay.logs.values import how_many, text_of
from assay.text import counted, printable, shortened
from assay.views import Count

MOST_SEARCHES_PER_HOUR = 100
"""A user with more searches in one hour is probably a program."""
MOST_CASES = 3
NEAR = f"ranks < {1 << SEEN_RANKS}"
ADVICE = {
    "unseen-click": "Log every shown document, or check the join of clicks with searches. These clicks are left out",
    "orphan-click": "Check the join of clicks with searches, and that both are of the same time. These clicks are left out",
    "missing-rank": "If the log has only some of the shown documents, ctr and judgments are about these documents only",
    "repeated-rank": "Write one row for each shown document: join clicks before you export, and remove repeated rows",
    "mixed-search": "Give each search its own id. A search with rows of several variants counts for no variant",
    "repeated-document": "Write one row for each shown document, with clicked = 1 if it was clicked at all",
    "early-click": "Check the clocks of the servers that log searches and clicks, and their time zones",
    "negative-dwell": "These dwell times count as unknown",
    "mixed-time-zones": "Times without a zone are read as UTC. Write all times with a zone, such as 2026-01-31T09:30:00Z",
    "bot": "Leave out such users with --most-per-hour, or find them with --hash-ids",
    "no-user": "Without users, intervals are too narrow, because searches of one person are not independent",
    "one-user": "Intervals need at least two users",
    "several-variants": "In an experiment, a user must see one variant only",
    "no-clicks": "Check the column with clicks: --columns clicked=NAME",
    "single-results": "If a search has several shown documents, name the column that its rows share: --columns search=NAME",
    "no-zero-results": "If searches without results are not logged, zero_results is 0 whatever happens",
}
ERRORS = ("no-clicks", "single-results")
"""Findings that make most metrics meaningless."""


@dataclass(frozen=True)
class LogFinding:
    """One thing that is unusual, how often, the first cases, and what to do."""

    code: str
    message: str
    count: int
    cases: tuple[str, ...] = ()

    @property
    def severity(self) -> str:
        """`error` if most metrics are meaningless, else `warning`."""
        return "error" if self.code in ERRORS else "warning"

    @property
    def advice(self) -> str:
        """What to do."""
        return ADVICE[self.code]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        about = {"code": self.code, "severity": self.severity, "message": self.message, "count": self.count}
        return {**about, "cases": list(self.cases), "advice": self.advice}


@dataclass(frozen=True)
class LogCheck:
    """The findings about a log, errors first, and its sizes."""

    name: str
    totals: LogTotals
    findings: tuple[LogFinding, ...]

    @property
    def has_errors(self) -> bool:
        """Whether any finding is an error."""
        return any(finding.severity == "error" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        sizes = {name: getattr(self.totals, name) for name in ("searches", "shown", "clicked", "users")}
        return {"log": self.name, **sizes, "findings": [finding.to_dict() for finding in self.findings]}


def check_log(
    log: Any,
    *,
    most_per_hour: int = MOST_SEARCHES_PER_HOUR,
    hash_key: bytes = b"",
    columns: Mapping[str, str] | str | None = None,
    first_rank: int = 1,
) -> LogCheck:
    """Check a log. A value that cannot be read is an error with its line.

    With `hash_key`, users with too many searches are named by a keyed hash of their ids, so that whoever has the key and the
    ids can find them.
    """
    if isinstance(most_per_hour, bool) or not isinstance(most_per_hour, int) or most_per_hour < 1:
        raise BadParameter(f"most_per_hour must be a whole number of at least 1, not {most_per_hour!r}")
    with named_columns(columns), open_log(log) as opened:
        has_variant = any(table.field("variant") is not None for table in opened.tables)
        shape = create_impressions(opened, ("variant",) if has_variant else (), first_rank)
        totals = create_searches(opened, shape, (Count("reformulated", None, 1.0),), int(has_variant))
        findings = [
            *_about_rows(opened, totals),
            *_about_documents(opened),
            *_about_times(opened, shape),
            *_about_users(opened, shape, totals, has_variant=has_variant),
            *_bots(opened, shape, most_per_hour, hash_key),
            *_about_all(opened, totals),
        ]
    findings.sort(key=lambda finding: finding.severity != "error")
    return LogCheck(opened.name, totals, tuple(findings))


def _about_rows(log: OpenLog, totals: LogTotals) -> list[LogFinding]:
    """What the totals counted, with the first searches that have it."""
    kinds = (
        ("unseen-click", totals.unseen_clicks, "a click on a document that was not shown", f"odd & {ODD['unseen']} <> 0"),
        ("missing-rank", totals.holes, "a missing rank", f"{NEAR} AND ranks & (ranks + 1) <> 0"),
        ("repeated-rank", totals.repeated_ranks, "a rank that occurs twice", f"{NEAR} AND n > bit_count(ranks)"),
        ("mixed-search", totals.mixed, "rows of several queries or variants", "mixed"),
        ("early-click", totals.early_clicks, "a click before the search", f"odd & {ODD['early']} <> 0"),
        ("negative-dwell", totals.negative_dwell, "a negative dwell time", f"odd & {ODD['negative']} <> 0"),
    )
    orphans = totals.orphan_clicks
    message = f"{counted(orphans, 'click')} {'belongs' if orphans == 1 else 'belong'} to searches that the log does not have"
    without = [LogFinding("orphan-click", message, orphans)] if orphans else []
    return without + [
        LogFinding(code, f"{counted(n, 'search')} {'has' if n == 1 else 'have'} {what}", n, _searches(log, condition))
        for code, n, what, condition in kinds
        if n
    ]


def _searches(log: OpenLog, condition: str) -> tuple[str, ...]:
    """The first searches that meet a condition: their query and time."""
    sql = (
        f"SELECT DISTINCT q, t FROM {ROWS} WHERE h IN "
        f"(SELECT h FROM {TABLE} WHERE {condition} ORDER BY t, h LIMIT {MOST_CASES}) ORDER BY t, q"
    )
    return tuple(_place(query, time) for query, time in log.connection.execute(sql).fetchall())


def _place(query: str | None, time: int | None) -> str:
    when = "" if time is None else f" at {_clock(time)}"
    return f"query {printable(shortened(query or ''))}{when}"


def _clock(microseconds: int) -> str:
    return datetime.fromtimestamp(microseconds / 1e6, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _about_documents(log: OpenLog) -> list[LogFinding]:
    """Documents that occur twice in one search."""
    twice = f"SELECT h FROM {ROWS} WHERE r IS NOT NULL GROUP BY h, d HAVING count(*) > 1"
    (n,) = log.connection.execute(f"SELECT count(DISTINCT h) FROM ({twice})").fetchone()
    message = f"{counted(n, 'search')} {'has' if n == 1 else 'have'} a document that occurs twice"
    return [LogFinding("repeated-document", message, n, _searches(log, f"h IN ({twice})"))] if n else []


def _about_times(log: OpenLog, shape: Shape) -> list[LogFinding]:
    """Times with and without a zone in one column of text."""
    known = [(table, table.field("time")) for table in log.tables]
    zoned = "regexp_matches({0}, '(Z|[+-][0-9]{{2}}:?([0-9]{{2}})?)$') AND contains({0}, ':')"
    n_with = n_without = 0
    for table, field in known:
        if not shape.has("time") or field is None or not field.is_text:
            continue
        has_zone = zoned.format(field.name)
        has_none = f"NOT ({has_zone}) AND contains({field.name}, ':')"
        sql = f"SELECT {how_many(has_zone)}, {how_many(has_none)} FROM {table.reader}"
        n_zoned, n_plain = log.connection.execute(sql).fetchone()
        n_with, n_without = n_with + n_zoned, n_without + n_plain
    if not (n_with and n_without):
        return []
    message = f"{n_with:,} times have a time zone and {n_without:,} have none"
    return [LogFinding("mixed-time-zones", message, n_without)]


def _about_users(log: OpenLog, shape: Shape, totals: LogTotals, *, has_variant: bool) -> list[LogFinding]:
    findings = []
    n = totals.searches if not shape.has("user") else totals.without_user
    if n:
        of = f"{n:,} of {counted(totals.searches, 'search')}"
        instead = "their sessions count as users" if shape.has("session") else "each counts as a user of its own"
        findings.append(LogFinding("no-user", f"{of} {'has' if n == 1 else 'have'} no user; {instead}", n))
    if totals.users == 1:
        findings.append(LogFinding("one-user", "all searches are by one user", 1))
    if has_variant:
        has_several = "count(DISTINCT tag_0) > 1 OR bool_or(several_tags)"
        sql = f"SELECT count(*) FROM (SELECT c FROM {TABLE} GROUP BY c HAVING {has_several})"
        (several,) = log.connection.execute(sql).fetchone()
        if several:
            message = f"{counted(several, 'user')} {'has' if several == 1 else 'have'} searches in several variants"
            findings.append(LogFinding("several-variants", message, several))
    return findings


def _bots(log: OpenLog, shape: Shape, most_per_hour: int, key: bytes) -> list[LogFinding]:
    if not shape.has("time") or not shape.has("user", "session"):
        return []
    rows = log.connection.execute(f"{bots_sql(most_per_hour)} ORDER BY n DESC, c").fetchall()
    if not rows:
        return []
    names = _hashed_names(log, [row[0] for row in rows[:MOST_CASES]], key) if key else {}
    cases = tuple(
        f"{names.get(cluster, 'a user')}: {counted(n, 'search')} in the hour from {_clock(hour * 3_600_000_000)}"
        for cluster, n, hour in rows[:MOST_CASES]
    )
    verb = "has" if len(rows) == 1 else "have"
    message = f"{counted(len(rows), 'user')} {verb} more than {most_per_hour:,} searches in an hour"
    return [LogFinding("bot", message, len(rows), cases)]


def _hashed_names(log: OpenLog, clusters: Sequence[int], key: bytes) -> dict[int, str]:
    """Cluster → the keyed hash of the id of its user or session."""
    names: dict[int, str] = {}
    for table in log.tables:
        for role in ("session", "user"):
            if (field := table.field(role)) is None:
                continue
            value = text_of(field)
            listed = ", ".join(map(str, clusters))
            sql = f"SELECT DISTINCT hash({value}), {value} FROM {table.reader} WHERE hash({value}) IN ({listed})"
            names |= {cluster: hashed_id(name, key) for cluster, name in log.connection.execute(sql).fetchall()}
    return names


def hashed_id(name: str, key: bytes) -> str:
    """A keyed hash of an id: nobody can compute it, or test a guess, without the key."""
    return blake2b(name.encode("utf-8", "surrogatepass"), key=blake2b(key).digest(), digest_size=8).hexdigest()


def _about_all(log: OpenLog, totals: LogTotals) -> list[LogFinding]:
    findings = []
    if not totals.clicked:
        findings.append(LogFinding("no-clicks", "nothing was clicked", 1))
    (n_single, n_empty) = log.connection.execute(
        f"SELECT count(*) FILTER (WHERE n = 1 AND ranks <> 1), count(*) FILTER (WHERE n = 0) FROM {TABLE}"
    ).fetchone()
    if n_single > totals.searches / 2:
        message = f"{n_single:,} of {counted(totals.searches, 'search')} have one shown document, and not at rank 1"
        findings.append(LogFinding("single-results", message, n_single))
    if not n_empty:
        findings.append(LogFinding("no-zero-results", "every search has results", 1))
    return findings
