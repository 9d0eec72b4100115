"""The runner: put a benchmark's queries to a provider, keep every answer as it comes, and score the ranking."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from assay.datasets._dataset import BenchmarkDataset
from assay.errors import AssayError, ProviderError
from assay.evaluation.answers import Answer, Appender
from assay.evaluation.asking import Line, Patience, ask, describe
from assay.evaluation.evaluate import evaluate_dataset
from assay.evaluation.judging import Relevance
from assay.evaluation.provenance import describe_dataset, describe_machine, describe_repository, now
from assay.evaluation.result import Result
from assay.evaluation.setting import Setting
from assay.evaluation.worker import Worker
from assay.model.ordering import Floats
from assay.model.profile import Profile
from assay.model.records import Document, Query
from assay.model.run import Rankings, Run
from assay.providers._provider import BoundProvider, Provider

DEFAULT_DEPTH = 100
"""Documents asked for, unless a metric looks deeper."""
KEEP_EVERY = 1000
"""Answers kept together in one line of the log, at most."""
CLOSING = 5.0
"""Seconds a retriever has to say goodbye."""


@dataclass
class Progress:
    """How far a part is; whoever watches is told after each batch."""

    name: str
    n_asked: int
    n_done: int = 0
    n_failed: int = 0
    n_cached: int = 0
    began: float = field(default_factory=time.perf_counter)
    watch: Callable[[Progress], None] = lambda _: None

    def add(self, answers: Sequence[Answer], *, cached: bool = False) -> None:
        """Count answers and tell the watcher."""
        self.n_done += len(answers)
        self.n_failed += sum(answer.error is not None for answer in answers)
        self.n_cached += len(answers) if cached else 0
        self.watch(self)


@dataclass(frozen=True)
class Part:
    """One benchmark and one provider of a plan."""

    dataset: BenchmarkDataset
    provider: BoundProvider
    queries: Mapping[str, Query]
    k: int
    patience: Patience = field(default_factory=Patience)
    batch: int | None = None
    """Queries asked at once, of a provider that takes several; None leaves it to the provider."""
    number: int = 0
    """Its place in the plan, for names need not be different."""
    cache: str = ""
    """A folder for embeddings; empty: none are kept."""

    @property
    def name(self) -> str:
        """What people know it by."""
        return f"{self.dataset.name}/{self.provider.name}"

    @property
    def key(self) -> str:
        """What it is called in the log."""
        return f"{self.number} {self.name}"


def gather(part: Part, known: Mapping[str, Answer], log: Appender | None, progress: Progress) -> dict[str, Answer]:
    """All answers of a part: those known already, and the rest asked now, each kept in the log before anything else."""
    answers = {query: known[query] for query in part.queries if query in known and known[query].error is None}
    if answers:
        progress.add(list(answers.values()), cached=True)
    left = [query for name, query in part.queries.items() if name not in answers]
    for some in _ask_by_scope(part, left):
        if log is not None:
            for start in range(0, len(some), KEEP_EVERY):
                log.append(part.key, some[start : start + KEEP_EVERY])
        answers |= {answer.query: answer for answer in some}
        progress.add(some)
    return {query: answers[query] for query in part.queries}


def _ask_by_scope(part: Part, queries: Sequence[Query]) -> Iterator[list[Answer]]:
    """A retriever that indexes is made and filled for each scope; one that does not is asked about all queries at once."""
    if not queries:
        return
    by_scope: dict[str | None, list[Query]] = {}
    for query in queries:
        by_scope.setdefault(query.scope, []).append(query)
    groups = part.dataset.groups if set(by_scope) != {None} else {}
    for scope, some in by_scope.items():
        try:
            with _retriever(part) as line:
                if not getattr(line.retriever, "indexes", part.provider.provider.indexes):
                    yield from _ask(part, line, queries)
                    return
                _start(part, line.worker, line.call, "index", _documents(part.dataset, scope, groups))
                yield from _ask(part, line, some)
        except ProviderError as error:
            if len(by_scope) == 1:
                raise
            yield [Answer(query.query_id, error=describe(error)) for query in some]


def _documents(dataset: BenchmarkDataset, scope: str | None, groups: Mapping[str, Sequence[str]]) -> Iterable[Document]:
    if scope is None:
        return dataset.documents.values()
    return [dataset.documents[doc] for doc in groups.get(scope, ())]


@contextmanager
def _retriever(part: Part) -> Iterator[Line]:
    """A retriever, told the judgments where it may know them, and closed in the end; what fails then has no consequence."""
    worker = Worker(is_here=math.isinf(part.patience.timeout))
    line = Line(_start(part, worker, part.provider.keeping_in(part.cache).make), worker)
    if hasattr(line.retriever, "know"):
        _start(part, worker, line.call, "know", part.dataset.qrels)
    try:
        yield line
    finally:
        if callable(getattr(line.retriever, "close", None)):
            with suppress(Exception):
                worker.do(line.call, "close", seconds=CLOSING)
        worker.close()


def _start(part: Part, worker: Worker, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return worker.do(function, *arguments)
    except AssayError:
        raise
    except (Exception, SystemExit) as error:
        raise ProviderError(f"{part.provider.name} could not be started: {describe(error)}") from error


def _ask(part: Part, line: Line, queries: Sequence[Query]) -> Iterator[list[Answer]]:
    own = int(getattr(line.retriever, "batch", part.provider.provider.batch))
    return ask(line, queries, part.k, part.batch or own if own > 1 else 1, part.patience)


def score_part(
    part: Part, answers: Mapping[str, Answer], settings: Sequence[Setting], profile: Profile, relevance: Relevance
) -> Result:
    """Score what was gathered. For a query that failed nothing was retrieved: it scores 0, whatever the policy."""
    rankings = {query: answer.ranking for query, answer in answers.items() if answer.error is None}
    failures = {query: answer.error for query, answer in answers.items() if answer.error is not None}
    asked = replace(
        part.dataset,
        queries=dict(part.queries),
        qrels={query: part.dataset.qrels[query] for query in part.queries if query in part.dataset.qrels},
    )
    times = {query: answer.ms for query, answer in answers.items() if answer.error is None}
    given = {query: rankings.get(query, {}) for query in part.queries} if failures else rankings
    run: Any = Run.borrow(Rankings(given, part.provider.name))
    if any(answer.extra for answer in answers.values()):
        run = {query: answers[query].hits for query in part.queries}
    result = evaluate_dataset(asked, run, settings, profile, part.provider.name, relevance, times)
    return replace(result, benchmark=part.dataset.name, failures=failures, run=rankings)


def provenance(
    part: Part, progress: Progress, answers: Mapping[str, Answer], began: str, seconds: Mapping[str, float]
) -> dict[str, Any]:
    """Everything needed to have the same result again."""
    times = np.array([answer.ms for answer in answers.values() if answer.error is None])
    latency = {} if not len(times) else {"mean": float(times.mean()), **_quantiles(times)}
    return {
        "dataset": describe_dataset(part.dataset),
        "provider": {"name": part.provider.name, "configuration": part.provider.configuration},
        "k": part.k,
        "counts": {
            "asked": progress.n_asked,
            "answered": progress.n_done - progress.n_failed,
            "failed": progress.n_failed,
            "cached": progress.n_cached,
        },
        "latency_ms": latency,
        "queries_per_second": _rate(progress, seconds),
        "started": began,
        "finished": now(),
        "seconds": {name: round(value, 3) for name, value in seconds.items()},
        "repository": describe_repository(),
        **describe_machine(),
    }


def _rate(progress: Progress, seconds: Mapping[str, float]) -> float | None:
    """Queries asked now per second; None where all were known."""
    fresh = progress.n_done - progress.n_cached
    return round(fresh / max(seconds.get("asking", seconds.get("total", 0.0)), 1e-9), 1) if fresh else None


def _quantiles(times: Floats) -> dict[str, float]:
    return {f"p{q}": float(np.quantile(times, q / 100)) for q in (50, 95, 99)}


def own_provider(retriever: Any, name: str) -> BoundProvider:
    """A retriever that somebody hands over, as a provider; it is made already."""
    has_index = callable(getattr(retriever, "index", None))
    if not callable(getattr(retriever, "search", None)):
        raise ProviderError(f"{type(retriever).__name__} has no method search(queries, k)")
    lend: Any = partial(Lent, retriever)
    record = Provider(name or type(retriever).__name__, "a retriever of your own", lend, indexes=has_index)
    return BoundProvider(replace(record, is_repeatable=False), {})


class Lent:
    """A retriever that somebody else goes on using: it is not closed."""

    def __init__(self, retriever: Any) -> None:
        for name in ("index", "search", "know", "batch"):
            if hasattr(retriever, name):
                setattr(self, name, getattr(retriever, name))
