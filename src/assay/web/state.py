"""AppState: what all pages share: the open store, what was read from it, and caches of long computations."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from assay.errors import UnknownName
from assay.evaluation import QUERY
from assay.store import Store
from assay.text import short_names
from assay.web.documents import ServedDatasets
from assay.web.queue.sessions import QueueSessions
from assay.web.shared.lru_cache import LruCache
from assay.web.shared.open_store import OpenStore
from assay.web.workers import Streams, Workers, cancel_when_gone

if TYPE_CHECKING:
    from anyio import CapacityLimiter
    from starlette.requests import Request

    from assay.comparison import Comparison
    from assay.evaluation import Result
    from assay.metrics import BoundMetric
    from assay.monitoring import Overview, OverviewReader, Series
    from assay.store import Entry, JudgmentBook, JudgmentState, QueryNoteBook, StoredEvaluation
    from assay.web.queue.pools import QueuePools


T = TypeVar("T")
MAX_ROWS = 1_000_000
"""Cached rows of rankings and scores: in open evaluations, and the same number in what was computed from them."""
MIN_ROWS_COUNTED = 20_000
"""Every cached value counts at least this many rows, because it has other parts too."""
MAX_ORDERS = 24
LOCK_TIMEOUT = 5.0
"""Seconds that a request waits while others write to the store."""
LIGHT_THREADS = 4
MAX_ERRORS = 2_000
"""Cached errors of results."""
MAX_PAGES = 64_000_000
"""Bytes of cached pages."""


@dataclass(frozen=True)
class ListedResult:
    """A stored result with its place in its evaluation; together they are its key."""

    entry: Entry
    place: int

    @property
    def key(self) -> str:
        """`2026-11-15-rag-template-7f3a/0`."""
        return f"{self.entry.evaluation}/{self.place}"

    @property
    def url(self) -> str:
        """The address of its page."""
        return f"/result/{self.key}"

    @property
    def series(self) -> tuple[str, str, str]:
        """Equal for results of one series: same benchmark, provider and data."""
        return self.entry.benchmark, self.entry.provider, self.entry.dataset

    @property
    def words(self) -> str:
        """The text that a search looks through."""
        entry = self.entry
        return " ".join((entry.evaluation, entry.benchmark, entry.provider, *entry.tags, *entry.baselines)).casefold()


class ResultIndex:
    """All stored results at one point in time, the newest first."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        places: dict[str, int] = {}
        listed = []
        for entry in entries:
            place = places.get(entry.evaluation, 0)
            places[entry.evaluation] = place + 1
            listed.append(ListedResult(entry, place))
        self.results: tuple[ListedResult, ...] = tuple(listed)
        self.orders: LruCache[Any] = LruCache(MAX_ORDERS)
        """Tables that are already filtered and sorted, by request."""

    @cached_property
    def by_key(self) -> dict[str, ListedResult]:
        """Key → result."""
        return {result.key: result for result in self.results}

    @cached_property
    def by_benchmark(self) -> dict[str, list[ListedResult]]:
        """Benchmark → its results, the newest first."""
        groups: dict[str, list[ListedResult]] = {}
        for result in self.results:
            groups.setdefault(result.entry.benchmark, []).append(result)
        return groups

    @cached_property
    def baselines(self) -> tuple[str, ...]:
        """The names of baselines, sorted."""
        return tuple(sorted({name for result in self.results for name in result.entry.baselines}))

    @cached_property
    def evaluated(self) -> tuple[ListedResult, ...]:
        """The results of providers on queries, without those of search logs and experiments."""
        return tuple(result for result in self.results if result.entry.rows_are == QUERY)

    @cached_property
    def benchmarks(self) -> tuple[str, ...]:
        """The benchmarks, sorted by name."""
        return tuple(sorted({result.entry.benchmark for result in self.results}))

    @cached_property
    def providers(self) -> tuple[str, ...]:
        """The providers, sorted by name."""
        return tuple(sorted({result.entry.provider for result in self.results}))

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags of evaluations, and the names of baselines."""
        return tuple(sorted({tag for result in self.results for tag in (*result.entry.tags, *result.entry.baselines)}))

    @cached_property
    def headlines(self) -> dict[str, str]:
        """Benchmark → its headline metric: the first metric of its newest result that has a value."""
        headlines: dict[str, str] = {}
        for result in self.results:
            known = [] if result.entry.is_failed else known_figures(result.entry)
            if known:
                headlines.setdefault(result.entry.benchmark, known[0])
        return headlines

    def headline(self, result: ListedResult) -> str:
        """The headline metric of a result: that of its benchmark, or its own first metric if it does not have this one."""
        usual = self.headlines.get(result.entry.benchmark, "")
        return usual if usual in result.entry.figures else next(iter(result.entry.figures), "")

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """The metrics with values in the newest thousand results, the metrics of the newest result first."""
        return tuple(dict.fromkeys(name for result in self.results[:1000] for name in known_figures(result.entry)))


class AppState:
    """`state.index` lists what is stored; `state.result(key)` and `state.comparison(keys)` read it. Thread-safe."""

    def __init__(
        self,
        store: Store,
        *,
        datasets: ServedDatasets | None = None,
        needs_token: bool = False,
        pools: Path | None = None,
    ) -> None:
        self._opened = OpenStore(store)
        self.datasets = datasets or ServedDatasets()
        """Where the texts of documents are read."""
        self.needs_token = needs_token
        self.is_ending = False
        """Set when the server shuts down, so that event streams end."""
        self.streams = Streams()
        self.workers = Workers()
        """The threads for long computations."""
        self.overview_worker = Workers(1)
        """The thread of the home page, which never waits for comparisons."""
        self.pages: LruCache[Any] = LruCache(MAX_PAGES, lambda answer: float(len(answer.body)) + 500)
        self._indexes: LruCache[ResultIndex] = LruCache(2)
        self._evaluations: LruCache[StoredEvaluation] = LruCache(MAX_ROWS, n_rows_of)
        self._counts: LruCache[int] = LruCache(2)
        self._errors: LruCache[str] = LruCache(MAX_ERRORS)
        self._overviews: LruCache[Overview] = LruCache(2)
        self._reader: tuple[Store, OverviewReader] | None = None
        self.cache: LruCache[Any] = LruCache(MAX_ROWS, n_rows_of)
        """Comparisons and similar objects, by their inputs."""
        self.judgment_cache: LruCache[Any] = LruCache(MAX_ORDERS)
        """The grades by people on each benchmark, by the state of the store."""
        self.queue_sessions = QueueSessions()
        """What judges did in the queues of pools."""
        self._pool_folder = pools

    @property
    def store(self) -> Store:
        """The store as it is now; a StoreError if its file no longer exists."""
        return self._opened.now()

    @property
    def judgments(self) -> JudgmentBook:
        """The grades by people. A judge waits for the response, so a locked store is reported after a short time."""
        return self.store.judgments.within(LOCK_TIMEOUT)

    @property
    def query_notes(self) -> QueryNoteBook:
        """The notes and tags of queries, with the same short wait."""
        return self.store.query_notes.within(LOCK_TIMEOUT)

    @cached_property
    def threads(self) -> CapacityLimiter:
        """Limits how many light pages are created at once; more would only wait for each other."""
        from anyio import CapacityLimiter

        return CapacityLimiter(LIGHT_THREADS)

    @cached_property
    def queue_pools(self) -> QueuePools:
        """The pools that people can judge."""
        from assay.web.queue.pools import QueuePools

        return QueuePools(self._pool_folder)

    async def run_in_thread(
        self, request: Request, key: Hashable, make: Callable[[], T], *, is_heavy: bool, workers: Workers | None = None
    ) -> T:
        """Call a function in a thread: one of the few for long computations, or one of those for everything else."""
        from anyio import to_thread

        if is_heavy:
            is_file = self.store.place.path is not None  # the work itself queries a database server
            version = self.store_version() if is_file else None
            return await cancel_when_gone(request, (workers or self.workers).run((version, key), make))
        return await to_thread.run_sync(make, limiter=self.threads)

    def store_version(self) -> Hashable:
        """A value that changes whenever the store does; it is cheap, because every request reads it."""
        return self.store.state()

    @property
    def n_results(self) -> int:
        """The number of stored results."""
        return self._counts.get(self.store_version(), lambda: self.store.count())

    @property
    def index(self) -> ResultIndex:
        """What is stored now."""
        return self._indexes.get(self.store_version(), lambda: ResultIndex(self.store.list()))

    @property
    def overview(self) -> Overview:
        """Every series of the store, what got worse first. Decisions are cached, because results never change."""
        return self._overviews.get(self.store_version(), self._read_overview)

    def read_ahead(self) -> None:
        """Start to read the overview, because the home page is the first that is requested."""
        self.overview_worker.begin(lambda: self.overview)

    def _read_overview(self) -> Overview:
        from assay.monitoring import OverviewReader

        store = self.store
        if self._reader is None or self._reader[0] is not store:  # another store numbers its results in its own way
            self._reader = store, OverviewReader()
        return self._reader[1].read(store)

    def listed_result(self, key: str) -> ListedResult:
        """A stored result by its key."""
        result = self.index.by_key.get(key)
        if result is None:
            raise UnknownName("stored result", key[:200], hint="the page Results lists them")
        return result

    def error_of(self, listed: ListedResult) -> str:
        """The most frequent error of a result whose provider failed."""
        where = (listed.entry.evaluation, listed.place)
        return self._errors.get(where, lambda: self.store.newest.error(*where) or "no error is recorded")

    def evaluation(self, name: str) -> StoredEvaluation:
        """An evaluation by its id, with its results and its current tags and notes."""
        return self._evaluations.get((self.store_version(), name), lambda: self.store.find(name))

    def result(self, key: str) -> Result:
        """One result by its key."""
        listed = self.listed_result(key)
        return self.evaluation(listed.entry.evaluation).results[listed.place]

    def results(self, keys: Sequence[str], judgments: str = "") -> tuple[Result, ...]:
        """Several results, with distinct names; with `judgments="people"` as they are with the grades by people."""
        from assay.web.people_grades import rejudged

        some = [rejudged(self, key).result if judgments else self.result(key) for key in keys]
        return with_distinct_names(some, keys)

    def newer_judgments(self, benchmark: str) -> JudgmentState:
        """How many grades people gave on a benchmark after its results were stored, by whom, and the newest time."""
        from assay.web.people_grades import judgment_state

        return judgment_state(self, benchmark)

    def before(self, listed: ListedResult) -> ListedResult | None:
        """The previous result of the same benchmark, data and provider, by start time; None if there is none.

        As on the home page, a result without values is not compared with.
        """

        def moment(other: ListedResult) -> tuple[str, str]:
            return other.entry.started, other.entry.saved

        others = self.index.by_benchmark.get(listed.entry.benchmark, ())
        same = (other for other in others if other.series == listed.series and not other.entry.is_failed)
        return max((other for other in same if moment(other) < moment(listed)), key=moment, default=None)

    def comparison(
        self, keys: Sequence[str], baseline: str = "", *, shared: bool = False, judgments: str = ""
    ) -> Comparison:
        """A comparison of results; `shared` leaves out queries that not all of them have.

        With `judgments="people"` it compares the results with the grades by people. It is cached, because results never
        change; grades may, so their version is part of its key.
        """
        from assay.comparison import ComparisonOptions, compare_results

        def work() -> Comparison:
            results = self.results(keys, judgments)
            name = results[list(keys).index(baseline)].name if baseline in keys else None
            return compare_results(results, ComparisonOptions(baseline=name), intersect=shared)

        key = ("comparison", tuple(keys), baseline, shared, self.judgment_version(keys, judgments))
        comparison: Comparison = self.cache.get(key, work)
        return comparison

    def judgment_version(self, keys: Sequence[str], judgments: str = "people") -> Hashable:
        """A value that changes whenever the grades by people on the benchmarks of these results do; None without a layer."""
        from assay.web.people_grades import people_grades

        if not judgments:
            return None
        benchmarks = dict.fromkeys(self.listed_result(key).entry.benchmark for key in keys)
        return tuple(people_grades(self, benchmark).version for benchmark in benchmarks)

    def series(self, metric: BoundMetric, benchmark: str | None, provider: str | None, since: str | None) -> list[Series]:
        """The series of a metric with their marks. They are cached, because marks need the scores of all queries."""
        from assay.monitoring import read_series, series_from

        asked = (metric.name, benchmark, provider)
        key = ("series", self.store_version(), *asked)
        lines: list[Series] = self.cache.get(key, lambda: read_series(self.store, metric, benchmark, provider))
        return lines if since is None else series_from(lines, self.store.history(*asked, since))


def n_rows_of(value: Any) -> float:
    """How much memory an evaluation, or a value computed from results, needs: its rows of rankings and scores.

    A value that exceeds the limit alone is cached as the only value, because its pages are usually read one after the other.
    """
    about = value[0] if isinstance(value, tuple) and value else value
    alone = getattr(about, "result", None)
    n_rows = sum(_n_rows(result) for result in getattr(about, "results", () if alone is None else (alone,)))
    return float(min(MIN_ROWS_COUNTED + n_rows, MAX_ROWS))


def _n_rows(result: Result) -> int:
    n_ranked = sum(map(len, result.run.values()))
    return n_ranked + len(result.query_ids) * (1 + len(result.table.columns))


def known_figures(entry: Entry) -> list[str]:
    """The metrics of a stored result that have a value; a metric that was requested but never measured has none."""
    return [name for name, figure in entry.figures.items() if figure.value is not None]


def with_distinct_names(results: Sequence[Result], keys: Sequence[str]) -> tuple[Result, ...]:
    """The results with distinct names: equal names get the day of their evaluation, the end of its id, or their key.

    Very long names are shortened in the middle, because a page repeats them.
    """
    short = short_names([result.name or "run" for result in results], MAX_NAME_WIDTH)
    names = short
    ways: tuple[Callable[[str], str], ...] = (_day_of, lambda key: key.split("/")[0].rpartition("-")[2], str)
    for suffix_of in ways:
        names = [
            f"{own} ({suffix_of(key)})" if names.count(name) > 1 else name
            for name, own, key in zip(names, short, keys, strict=True)
        ]
    return tuple(result.distinguished(name) for name, result in zip(names, results, strict=True))


MAX_NAME_WIDTH = 160
"""Characters of a name in a comparison."""


def _day_of(key: str) -> str:
    """The day that an evaluation's id begins with."""
    return key[: len("2026-11-16")]
