"""Queue pools: the pools that people judge in the queue, with the texts of their pairs and the grades to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assay.errors import AssayError, UnknownName
from assay.judging import POOL_FOLDER, Pool, PoolPair, kept_pool, kept_pool_ids, kept_pool_path, pairs_of
from assay.reports import Piece, Terms, marked
from assay.store import judge_name
from assay.text import printable
from assay.web.grading import GRADES
from assay.web.shared.lru_cache import LruCache

if TYPE_CHECKING:
    from assay.evaluation import Result
    from assay.web.documents import LoadedDataset
    from assay.web.state import AppState

MAX_LETTERS = 20_000
"""Characters of a document that a judge sees."""
MAX_POOLS = 100
"""The newest pools that are listed."""
MAX_SEARCHED = 5
"""The newest results of a benchmark that are searched for texts."""
MAX_CACHED, MAX_ORDERS = 8, 64
SCALES: Mapping[float, Mapping[int, str]] = {
    1: {0: "not relevant", 1: "relevant"},
    2: {0: "not relevant", 1: "somewhat", 2: "relevant"},
    3: GRADES,
}
"""The highest grade of a benchmark → its grades and their names."""
MEANINGS = {
    "not relevant": "The document does not help with the query.",
    "somewhat": "The document is about the subject, but it answers little or nothing.",
    "relevant": "The document answers the query, at least in part.",
    "perfect": "The document answers the query completely. Nothing else is needed.",
}
"""What the names of grades mean, for judges of pools without guidelines."""

Line = tuple[Piece, ...]
"""A line of a document, with the words of the query marked."""


class ShownPair(NamedTuple):
    """A pair as a judge sees it."""

    query: str
    document: str
    query_text: str
    """The text of the query; its id if the text is unknown."""
    text: str
    """What is shown of the document; empty if it is unknown."""
    lines: tuple[Line, ...]
    is_cut: bool


@dataclass(frozen=True)
class QueuePool:
    """A pool, the newest results on its benchmark, and the data with the texts, if the server has them."""

    pool: Pool
    results: tuple[Result, ...]
    loaded: LoadedDataset | None
    orders: LruCache[tuple[PoolPair, ...]] = field(default_factory=lambda: LruCache(MAX_ORDERS), repr=False)
    """Judge → the pairs of the judge in order, for the judges of the last hours."""

    @property
    def benchmark(self) -> str:
        """The name of the benchmark as the store has it."""
        return printable(self.pool.benchmark)

    @cached_property
    def scale(self) -> Mapping[int, str]:
        """The grades to choose from: those of the benchmark, or 0 to 3 if it has no judgments or other grades."""
        grades = (grade for result in self.results for some in result.relevant.values() for grade in some.values())
        return SCALES.get(max(grades, default=max(GRADES)), GRADES)

    @property
    def meanings(self) -> list[tuple[int, str, str]]:
        """Each grade with its name and what it means."""
        return [(grade, name, MEANINGS[name]) for grade, name in self.scale.items()]

    def pairs(self, judge: str) -> tuple[PoolPair, ...]:
        """The pairs of a judge, in the judge's order."""
        return self.orders.get(judge, lambda: pairs_of(self.pool, judge))

    def show(self, pair: PoolPair) -> ShownPair:
        """The texts of a pair."""
        known = (result.queries[pair.query].text for result in self.results if pair.query in result.queries)
        query_text = next((text for text in known if text), "")
        whole = self.loaded.content(pair.document) if self.loaded else ""
        text = whole[:MAX_LETTERS]
        terms = Terms.of(query_text)
        lines = tuple(_line(line, terms) for line in text.splitlines())
        return ShownPair(pair.query, pair.document, query_text or pair.query, text, lines, len(whole) > len(text))


def _line(text: str, terms: Terms) -> Line:
    """A line with its indentation, which matters in code."""
    plain = text.expandtabs(4)
    indent = len(plain) - len(plain.lstrip(" "))
    return (*([Piece(" " * indent)] if indent else []), *marked(plain, terms, MAX_LETTERS))


class QueuePools:
    """The pools of the benchmarks in the store, from the folder with the copies of drawn pools."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = POOL_FOLDER if folder is None else folder
        self._known: LruCache[QueuePool] = LruCache(MAX_CACHED)

    def each(self, state: AppState) -> Iterator[QueuePool]:
        """The pools of the benchmarks in the store, the newest first. A file that is not a pool is left out."""
        for id_ in kept_pool_ids(self.folder)[:MAX_POOLS]:
            try:
                yield self.find(state, id_)
            except AssayError:
                continue

    def find(self, state: AppState, id_: str) -> QueuePool:
        """A pool by its id; an error if there is no copy of it, or no result on its benchmark."""
        path = kept_pool_path(id_, self.folder)
        try:
            stat = path.stat() if id_.isalnum() else None
        except OSError:
            stat = None
        if stat is None:
            hint = "assay pool draws one and keeps a copy. Start assay serve in the same folder"
            raise UnknownName("pool", id_[:80], (), hint)
        key = id_, stat.st_mtime_ns, stat.st_size, state.n_results, id(state.store)
        return self._known.get(key, lambda: self._read(state, id_))

    def _read(self, state: AppState, id_: str) -> QueuePool:
        pool = kept_pool(id_, self.folder)
        on_it = [listed for listed in state.index.results if pool and listed.entry.benchmark == printable(pool.benchmark)]
        if pool is None or not on_it:
            name = pool.benchmark if pool else ""
            hint = "grades belong to a benchmark, and the store has no result on it. To store one: assay eval"
            raise UnknownName("benchmark of a stored result", name, (), hint)
        results = tuple(state.result(listed.key) for listed in on_it[:MAX_SEARCHED])
        loaded = (state.datasets.find(result, "documents") for result in results)
        return QueuePool(pool, results, next(filter(None, loaded), None))


def judges_of(pool: Pool, graded: Sequence[str]) -> list[str]:
    """The named judges of a pool, or those who have graded some of it."""
    return list(pool.judges) or sorted(set(map(judge_name, graded)))
