"""Asking: one judge about many pairs, with the pool, the retries and the log of evaluations.

Every outcome is in a log before it is used. The log belongs to the identity of the judge, so it is also the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.execution import (
    DEFAULT_HOME,
    Response,
    ResponseLog,
    RetrieverClient,
    RetryPolicy,
    ask_concurrently,
    remove_stale_files,
    write_gitignore,
)
from assay.judges.chat import Refused
from assay.judges.definition import BoundJudge, Grader
from assay.judges.grades import PairGrade
from assay.judges.ledger import Ledger, LimitReached, Prices
from assay.judges.pairs import Pair, PairPool
from assay.model import Hit, Query
from assay.providers import ReportedHits, Unreachable, adapt
from assay.text import counted

FOLDER = "judges"
"""The folder for logs and ledgers, next to those of evaluations."""
PART = "grades"
GRADE = "grade"
"""The id of the only hit of a response, whose score is the grade."""
MAX_FIRST_FAILURES, MAX_FAILURES = 3, 20
"""Refusals, or failed connections, in a row after which nothing more is sent: before the first reply, and later."""


@dataclass(frozen=True)
class AskOptions:
    """How a judge is asked."""

    send: bool = False
    """Whether pairs are sent; without it, only grades of earlier runs are used."""
    resume: bool = False
    """Whether pairs that failed before are sent again."""
    is_fresh: bool = False
    """Whether pairs that have a grade are sent again, too."""
    concurrency: int = 4
    per_minute: float | None = None
    retries: int = 3
    backoff: float = 0.5
    prices: Prices | None = None
    most_cost: float | None = None
    home: Path = DEFAULT_HOME
    ledger: Ledger | None = None
    """One ledger for several pools, so that a limit on the cost is for all of them; None: each pool has its own."""
    watch: Callable[[int, int], None] = lambda _n_done, _n_all: None
    """Called with the number of pairs that are done, and of all."""
    say: Callable[[str], None] = lambda _: None


@dataclass(frozen=True)
class Outcomes:
    """What a judge said about the pairs of a pool."""

    grades: Mapping[str, PairGrade]
    """Key of a pair → its grade. A pair that was never sent is missing."""
    ledger: Ledger
    n_cached: int = 0
    """Pairs whose outcome is from an earlier run."""


def log_of(judge: BoundJudge, home: Path) -> ResponseLog:
    """The log of a judge: its cache."""
    return ResponseLog(home / FOLDER / f"{judge.identity}.log")


def ledger_of(judge: BoundJudge, pool: PairPool, options: AskOptions) -> Ledger:
    """The ledger of a judge for a pool."""
    path = options.home / FOLDER / f"{judge.identity}-{pool.digest}.ledger"
    return Ledger(options.prices, options.most_cost, path)


def known_grades(judge: BoundJudge, pool: PairPool, options: AskOptions) -> dict[str, PairGrade]:
    """Key → grade of an earlier run, for pairs that are not sent again."""
    if options.is_fresh:
        return {}
    logged = log_of(judge, options.home).read()[1].get(PART, {})
    known = {key: _to_grade(logged[key]) for key in pool.keys if key in logged}
    return {key: grade for key, grade in known.items() if not (grade.is_failure and options.resume)}


def ask_judge(judge: BoundJudge, pool: PairPool, options: AskOptions) -> Outcomes:
    """Ask one judge about all pairs that it has not graded yet. Without `send`, nothing is asked."""
    ledger = options.ledger or ledger_of(judge, pool, options)
    known = known_grades(judge, pool, options)
    pairs = {key: pair for key, pair in zip(pool.keys, pool.pairs, strict=True) if key not in known}
    if not options.send or not pairs:
        return Outcomes(known, ledger, len(known))
    judge.check()
    write_gitignore(options.home)
    remove_stale_files(options.home / FOLDER)
    log = log_of(judge, options.home)
    try:
        with log.lock():
            if not log.path.exists():
                log.begin({"judge": judge.settings})
            log.truncate_damage()
            grades = dict(_ask_and_log(judge, pairs, ledger, log, options))
    finally:
        ledger.finish()
    return Outcomes({**known, **grades}, ledger, len(known))


def _ask_and_log(
    judge: BoundJudge, pairs: Mapping[str, Pair], ledger: Ledger, log: ResponseLog, options: AskOptions
) -> Iterator[tuple[str, PairGrade]]:
    """Each outcome after it is in the log. Pairs that were not sent have none."""
    asker = PairRetriever(judge.make(), pairs, ledger)
    appender, n_done = log.appender(), 0
    try:
        for answers in _responses(judge, asker, pairs, options):
            some = asker.settled(answers)
            if some:
                appender.append(PART, some)
                n_done += len(some)
                options.watch(n_done, len(pairs))
            yield from ((answer.query, _to_grade(answer)) for answer in some)
    finally:
        appender.close()


def _responses(
    judge: BoundJudge, asker: PairRetriever, pairs: Mapping[str, Pair], options: AskOptions
) -> Iterator[list[Response]]:
    timeout = float(judge.params.get("timeout") or RetryPolicy.timeout)
    policy = RetryPolicy(
        timeout,
        options.retries,
        options.backoff,
        options.concurrency if judge.judge.is_concurrent else 1,
        per_minute=options.per_minute,
    )
    client = RetrieverClient(adapt(asker, batch=judge.judge.batch, indexes=False))
    queries = [Query(key) for key in pairs]
    return ask_concurrently(client, queries, 1, judge.judge.batch, policy)


@dataclass
class PairRetriever:
    """A judge as a retriever: the query is the key of a pair, and the score of its only hit is the grade."""

    grader: Grader
    pairs: Mapping[str, Pair]
    ledger: Ledger
    _unsent: set[str] = field(default_factory=set)
    """Pairs whose last try did not reach the service."""
    _refused: set[str] = field(default_factory=set)
    _n_refused: int = 0
    """Refusals since the last reply."""
    _n_unreached: int = 0
    """Failed connections since the last one that was made."""
    _has_reply: bool = False

    def search(self, queries: Sequence[Query], _: int) -> list[list[Hit] | Exception]:
        """A hit for each pair that has a grade."""
        keys = [query.query_id for query in queries]
        outcomes = self.grader.grade([self.pairs[key] for key in keys], self.ledger)
        return [self._hits(key, outcome) for key, outcome in zip(keys, outcomes, strict=True)]

    def _hits(self, key: str, outcome: PairGrade | Exception) -> list[Hit] | Exception:
        if isinstance(outcome, LimitReached | Unreachable):
            self._unsent.add(key)
            self._n_unreached += isinstance(outcome, Unreachable)
        else:
            self._unsent.discard(key)
            self._n_unreached = 0
        if isinstance(outcome, Refused):
            self._refused.add(key)
            self._n_refused += 1
        if isinstance(outcome, Refused | Unreachable):
            self._stop_if_useless(outcome)
        if isinstance(outcome, Exception):
            return outcome
        self._n_refused, self._has_reply = 0, True
        hits = [] if outcome.grade is None else [Hit(GRADE, outcome.grade)]
        return ReportedHits(hits, outcome.to_fields())

    def _stop_if_useless(self, error: Refused | Unreachable) -> None:
        """After several refusals or failed connections in a row, all further requests would fail."""
        most = MAX_FAILURES if self._has_reply else MAX_FIRST_FAILURES
        if self._n_refused >= most:
            self.ledger.close(f"the service refuses all requests: {error}")
        elif self._n_unreached >= most:
            self.ledger.close(f"{counted(self._n_unreached, 'connection')} in a row failed. {error}")

    def settled(self, answers: Iterable[Response]) -> list[Response]:
        """The responses that count: not those of pairs that did not reach the service, which the next run sends.

        Without any reply, refusals do not count: the key or the address is wrong, not the pair.
        """
        skipped = self._unsent | (set() if self._has_reply else self._refused)
        return [answer for answer in answers if answer.query not in skipped]


def _to_grade(response: Response) -> PairGrade:
    fields = response.said or {}
    if response.error is not None:
        return PairGrade(None, response.error, is_failure=True)
    grade = response.scores[0] if response.scores else None
    why, reason, model = (str(fields.get(name, "")) for name in ("why", "reason", "model"))
    return PairGrade(grade, why, reason, model)
