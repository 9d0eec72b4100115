"""The runner: send the queries of a benchmark to a provider, log every response, and score the rankings."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from typing import Any, Protocol

import numpy as np

from assay.datasets import BenchmarkDataset, TimeScope
from assay.errors import AssayError, NoGroundTruth, ProviderError
from assay.evaluation import (
    NO_RANKINGS,
    AnsweredQueries,
    CanonicalIds,
    Profile,
    Relevance,
    Result,
    Setting,
    defaults_of,
    describe_dataset,
    describe_machine,
    evaluate_dataset,
    evaluate_without_judgments,
    expected_answers,
    judged_setting,
    notes_on_unit,
    now,
    open_context,
    parse_reported_answers,
    reads_answers,
    subject_of,
    with_answers,
    with_left_out_queries,
    with_limited_provider,
)
from assay.execution.chunking import ChunkedDataset
from assay.execution.client import CallThread, CallTimeout, RetrieverClient, describe_error, failed_response
from assay.execution.pool import ask_concurrently
from assay.execution.progress import Progress
from assay.execution.responses import Response
from assay.execution.retry import RetryPolicy, RetryState
from assay.execution.short_answers import limit_of
from assay.execution.unknown_documents import notes_on_unknown_documents
from assay.metrics import BoundMetric
from assay.model import Document, Query, Rankings, Run
from assay.providers import Adapted, BoundProvider, CountedDocuments, RelevanceRule
from assay.repository import describe_repository
from assay.text import counted
from assay.views import Times

DOCUMENTS_LOOKED_AT = 100
"""Documents that are looked at to see whether they have texts."""
DEFAULT_DEPTH = 100
"""The number of documents to retrieve, unless a metric has a larger cutoff."""
RESPONSES_PER_LOG_LINE = 1000
"""The largest number of responses in one line of the log."""
CLOSE_TIMEOUT, CLOSE_TIMEOUT_ON_INTERRUPT = 5.0, 0.2
"""Seconds that a retriever has to close; the second number is for interrupts."""
INDEX_TIMEOUT = 600.0
"""The default number of seconds that the user's own code and services have to get ready."""


class ResponseSink(Protocol):
    """An object that accepts responses as they arrive, such as a log."""

    def append(self, part: str, answers: Sequence[Response], /) -> None:
        """Add responses of a part."""


@dataclass(frozen=True)
class Part:
    """One benchmark and one provider of a plan."""

    dataset: BenchmarkDataset
    provider: BoundProvider
    queries: Mapping[str, Query]
    k: int
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    batch: int | None = None
    """Queries per batch, for a provider that accepts several; None: the provider decides."""
    number: int = 0
    """Its position in the plan, because names need not be unique."""
    cache: str = ""
    """A folder to cache embeddings and indexes; empty: no cache."""
    relevance: Relevance = field(default_factory=Relevance)
    """How relevance is decided."""
    chunked: ChunkedDataset | None = None
    """How its documents were cut into chunks, if they were cut."""
    repeats: int = 1
    """How often each query is sent."""
    texts: tuple[str, ...] = ()
    """The options of later commands that name its queries and documents, for the hint on what to do next."""

    @cached_property
    def time_scope(self) -> TimeScope | None:
        """Which documents are younger than their query; None if documents of any time count."""
        return None if self.dataset.as_of is None else TimeScope(self.dataset)

    @property
    def system(self) -> str:
        """The provider, with the chunker if there is one: `syntax_tree + bm25`."""
        return self._system(self.provider)

    @property
    def name(self) -> str:
        """The name that users see."""
        return f"{self.dataset.name}/{self.system}"

    @property
    def key(self) -> str:
        """Its name in the log, which does not depend on labels."""
        return f"{self.number} {self.dataset.name}/{self._system(replace(self.provider, label=''))}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of its repeats in the log. The first one is `key`, so that a log without repeats has only this name."""
        return self.key, *(f"{self.key} repeat {number}" for number in range(2, self.repeats + 1))

    @property
    def index_timeout(self) -> float:
        """Seconds to get ready: the given number, else no limit for local computation and a limit for what may hang."""
        if self.retry_policy.index_timeout is not None:
            return self.retry_policy.index_timeout
        return math.inf if self.provider.provider.is_repeatable else INDEX_TIMEOUT

    def _system(self, provider: BoundProvider) -> str:
        chunker = self.chunked.chunker if self.chunked is not None else None
        return provider.name if chunker is None else f"{chunker.name} + {provider.name}"


def collect_responses(
    part: Part, known: Mapping[str, Response], log: ResponseSink | None, progress: Progress
) -> dict[str, Response]:
    """All responses of a part, if every query is sent once: the known ones, and new ones for all other queries."""
    (answers,) = collect_repeats(replace(part, repeats=1), [known], log, progress)
    return answers


def collect_repeats(
    part: Part, known: Sequence[Mapping[str, Response]], log: ResponseSink | None, progress: Progress
) -> list[dict[str, Response]]:
    """All responses of a part, one mapping for each repeat. `known` has the known responses of each repeat.

    New responses are logged immediately. A repeat starts after all queries of the repeat before it.
    """
    every = [{query: some[query] for query in part.queries if query in some and some[query].error is None} for some in known]
    progress.add([answer for answers in every for answer in answers.values()], cached=True)
    left = [[query for name, query in part.queries.items() if name not in answers] for answers in every]
    for repeat, some in _ask_by_scope(part, left, progress):
        if log is not None:
            for start in range(0, len(some), RESPONSES_PER_LOG_LINE):
                log.append(part.keys[repeat], some[start : start + RESPONSES_PER_LOG_LINE])
        every[repeat] |= {answer.query: answer for answer in some}
        progress.add(some)
    return [{query: answers[query] for query in part.queries} for answers in every]


Repeats = Sequence[Sequence[Query]]
"""The queries to send on each repeat."""


def _ask_by_scope(part: Part, left: Repeats, progress: Progress) -> Iterator[tuple[int, list[Response]]]:
    """Create and fill an indexing retriever once for each scope; send all queries at once to any other retriever."""
    by_scope: dict[str | None, list[list[Query]]] = {}
    for repeat, queries in enumerate(left):
        for query in queries:
            by_scope.setdefault(query.scope, [[] for _ in left])[repeat].append(query)
    groups = part.dataset.groups if by_scope.keys() - {None} else {}
    state = RetryState(part.retry_policy, progress.note_wait)
    for scope, inside in by_scope.items():
        try:
            with _open_retriever(part, progress) as client:
                if not client.retriever.indexes:
                    yield from _ask(part, client, left, state, progress)
                    return
                began = time.perf_counter()
                _call_in_time(part, client.thread, client.call, client.retriever.index, _documents(part, scope, groups))
                progress.indexing += time.perf_counter() - began
                progress.documents = None
                yield from _ask(part, client, inside, state, progress)
        except ProviderError as error:
            if len(by_scope) == 1:
                raise
            for repeat, queries in enumerate(inside):
                yield repeat, [failed_response(query.query_id, error) for query in queries]


def _documents(part: Part, scope: str | None, groups: Mapping[str, Sequence[str]]) -> Iterable[Document]:
    documents = part.dataset.documents
    if not documents and part.provider.indexes:
        raise ProviderError(
            f"{part.dataset.name} has no documents, but {part.provider.name} needs documents to search. "
            "Add documents to the benchmark, or choose a provider with its own documents"
        )
    if part.dataset.as_of is not None and part.dataset.as_of.fixed is not None:
        return [documents[doc] for doc in part.dataset.in_scope(Query("", scope=scope))]
    if scope is not None:
        return [documents[doc] for doc in groups.get(scope, ())]
    return CountedDocuments(documents.values(), partial(part.dataset.fingerprint, "documents"))


@contextmanager
def _open_retriever(part: Part, progress: Progress) -> Iterator[RetrieverClient]:
    """A retriever with judgments and order if it needs them. It is closed at the end; errors of closing are ignored."""
    thread = CallThread(in_caller=math.isinf(part.retry_policy.timeout) and part.retry_policy.index_timeout is None)
    make = part.provider.filled(cache=part.cache, timeout=part.retry_policy.timeout).make
    retriever: Adapted = _call_in_time(part, thread, copy_context().run, make)  # a thread has no settings for reading
    client = RetrieverClient(retriever, thread, progress, part.time_scope)
    if retriever.needs_judgments:
        qrels, by = part.chunked.judgments if part.chunked is not None else (part.dataset.qrels, part.relevance.by)
        rule = RelevanceRule(part.dataset.owner_of_relevance, by, defaults_of(part.relevance, part.dataset))
        _call_in_time(part, thread, client.call, retriever.set_judgments, qrels, rule)
    if retriever.needs_order:
        order = part.dataset.queries.keys(), part.dataset.documents.keys()
        _call_in_time(part, thread, client.call, retriever.set_order, *order)
    if retriever.needs_features and part.dataset.features is not None:
        _call_in_time(part, thread, client.call, retriever.set_features, part.dataset.features)
    closing = CLOSE_TIMEOUT
    try:
        yield client
    except (KeyboardInterrupt, GeneratorExit):
        closing = CLOSE_TIMEOUT_ON_INTERRUPT
        raise
    finally:
        if retriever.closes:
            with suppress(Exception):
                thread.run(client.call, retriever.close, seconds=closing)
        thread.close()


def _call_in_time(part: Part, thread: CallThread, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return thread.run(function, *arguments, seconds=part.index_timeout)
    except AssayError:
        raise
    except CallTimeout:
        advice = "Increase --index-timeout to allow more time"
        raise ProviderError(f"{part.provider.name} was not ready within {part.index_timeout:g} s. {advice}") from None
    except (Exception, SystemExit) as error:
        raise ProviderError(f"{part.provider.name} could not be started: {describe_error(error)}") from error


def _ask(
    part: Part, client: RetrieverClient, left: Repeats, state: RetryState, progress: Progress
) -> Iterator[tuple[int, list[Response]]]:
    """The responses as they arrive, each with the number of its repeat; at the end the notes of the retriever."""
    own = client.retriever.batch
    size = (part.batch or own) if own > 1 else 1
    for repeat, queries in enumerate(left):
        for some in ask_concurrently(client, queries, part.k, size, state, grows=part.batch is None):
            yield repeat, some
    if client.retriever.reports_notes:
        with suppress(Exception):  # notes must not cost any response
            progress.add_notes(client.thread.run(client.call, client.retriever.result_notes, seconds=CLOSE_TIMEOUT))


def score_part(part: Part, answers: Mapping[str, Response], settings: Sequence[Setting], profile: Profile) -> Result:
    """Score the responses of a part. A failed query counts as an empty ranking and scores 0, whatever the policy."""
    rankings = _with_canonical_ids(
        part, {query: answer.ranking for query, answer in answers.items() if answer.error is None}
    )
    failures = {query: answer.error for query, answer in answers.items() if answer.error is not None}
    asked = replace(
        part.dataset,
        queries=dict(part.queries),
        qrels={query: part.dataset.qrels[query] for query in part.queries if query in part.dataset.qrels},
    )
    complete = {query: rankings.get(query, {}) for query in part.queries} if failures else rankings
    run: Any = (ranked_run := Run.borrow(Rankings(complete, part.system)))
    if any(answer.extra for answer in answers.values()):
        run = {query: answers[query].hits for query in part.queries}
    ranked = [setting for setting in settings if not reads_answers(setting.metric)] or [judged_setting(profile)]
    max_documents = part.chunked.max_documents(part.k) if part.chunked is not None else None
    times = _times(answers)
    try:
        result = evaluate_dataset(asked, run, ranked, profile, part.system, part.relevance, times, max_documents)
    except NoGroundTruth:
        if part.relevance.by.strip() != "auto":
            raise
        result = evaluate_without_judgments(asked, ranked, profile, part.system, times, ranked_run, part.texts)
    if any(reads_answers(setting.metric) for setting in settings):
        result = _with_answers(part, result, answers, settings, profile)
    own_notes = _notes(part, rankings, [setting.metric for setting in settings])
    notes = (*(note for note in result.notes if note != NO_RANKINGS or not rankings), *own_notes)
    complete_result = result.with_fields(benchmark=part.dataset.name, failures=failures, run=rankings, notes=notes)
    return with_left_out_queries(with_limited_provider(complete_result, limit_of(part, rankings)), part.dataset)


def _with_canonical_ids(part: Part, rankings: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The rankings with canonical ids, if a domain knows several ids for a document; else unchanged."""
    context = open_context(subject_of(part.relevance, part.dataset))
    if not context.has_canonical_ids:
        return rankings
    canonical = CanonicalIds(context.canonical).of_rankings(rankings)
    if canonical is rankings:
        return rankings
    return {query: dict(ranking) for query, ranking in canonical.items()}


def _with_answers(
    part: Part, result: Result, answers: Mapping[str, Response], settings: Sequence[Setting], profile: Profile
) -> Result:
    """The result with the scores of reported answers; a failed query scores 0, whatever the policy."""
    replies, notes = parse_reported_answers(
        {query: answer.said for query, answer in answers.items() if answer.error is None}
    )
    expected = expected_answers(part.queries) if replies else {}
    if not replies:
        notes.append(f"{part.provider.name} reported no answers, so there are no answers to score.")
    lenient = replace(profile, policy=replace(profile.policy, missing="zero"))
    answered = with_answers(result, AnsweredQueries(replies, expected), settings, lenient)
    return answered.with_fields(notes=(*answered.notes, *notes))


def _times(answers: Mapping[str, Response]) -> Times:
    """The times of queries with a response."""
    timed = {query: answer for query, answer in answers.items() if answer.error is None and not math.isnan(answer.ms)}
    are_shares = any(answer.n_together > 1 for answer in timed.values())
    return Times({query: answer.ms for query, answer in timed.items()}, are_shares)


def _notes(part: Part, rankings: Mapping[str, Mapping[str, float]], metrics: Sequence[BoundMetric]) -> list[str]:
    """Notes on how a provider was queried."""
    notes = list(part.provider.notes_on(list(part.queries.values()))) if rankings else []
    if rankings and not any(rankings.values()):
        notes.append("the provider returned no documents for any query.")
        if part.provider.needs_text and _are_only_media(part.dataset):
            what = "the documents are images or other files without texts"
            notes.append(f"{what}, and {part.provider.name} searches by text.")
    if not part.provider.heeds_scope and any(query.scope is not None for query in part.queries.values()):
        notes.append(
            f"{part.provider.name} does not receive the scope of a query, so it may have searched outside the scope."
        )
    notes += _notes_on_texts(part)
    notes += notes_on_unknown_documents(part, rankings)
    notes += notes_on_unit(part.provider.params.get("unit"))
    return [*notes, *(part.chunked.notes(part.k, rankings, metrics) if part.chunked is not None else ())]


def _are_only_media(dataset: BenchmarkDataset) -> bool:
    """Whether the first documents have an image or another file and no text."""
    first = list(islice(dataset.documents.values(), DOCUMENTS_LOOKED_AT))
    return bool(first) and all(document.media is not None and not document.content.strip() for document in first)


def _notes_on_texts(part: Part) -> list[str]:
    """A note if the provider searches by texts, but queries have only an image or another file, or none has a text."""
    without = [query for query in part.queries.values() if not query.text.strip()]
    n, n_all = len(without), len(part.queries)
    if not part.provider.needs_text or not without:
        return []
    n_media = sum(query.media is not None for query in without)
    if n_media:
        is_one = n_media == 1
        have = f"{n_media:,} of {counted(n_all, 'query')} {'has' if is_one else 'have'} an image or another file and no text"
        sent = f"{part.provider.name} searches by text, so it was sent {'an empty text' if is_one else 'empty texts'}"
        return [f"{have}. {sent}. To search by images, use vectors:FILE with embeddings."]
    if n < n_all:
        return []
    of_queries = "the only query has" if n == 1 else f"none of the {n:,} queries has"
    return [f"{of_queries} a text, so {part.provider.name} was sent empty texts."]


def make_provenance(
    part: Part, progress: Progress, every: Sequence[Mapping[str, Response]], began: str, seconds: Mapping[str, float]
) -> dict[str, Any]:
    """Everything that is needed to reproduce the result; `every` has the responses of each repeat."""
    final = dict.fromkeys(answer.query for answers in every for answer in answers.values() if answer.is_final)
    return {
        "dataset": describe_dataset(part.dataset),
        "provider": {"name": part.provider.name, "configuration": part.provider.configuration},
        "files": part.provider.sources(),
        "k": part.k,
        "counts": {
            "asked": progress.n_asked,
            "answered": progress.n_done - progress.n_failed,
            "failed": progress.n_failed,
            "cached": progress.n_cached,
        },
        **({"final": list(final)} if final else {}),
        **({"repeats": part.repeats} if part.repeats > 1 else {}),
        "latency_ms": _latency(list(map(_times, every))),
        "queries_per_second": _rate(progress, seconds),
        "started": began,
        "finished": now(),
        "seconds": {name: round(value, 3) for name, value in {"indexing": progress.indexing, **seconds}.items()},
        **({"chunks": dict(part.chunked.about)} if part.chunked is not None and part.chunked.chunker is not None else {}),
        "repository": describe_repository(),
        **describe_machine(),
    }


def _rate(progress: Progress, seconds: Mapping[str, float]) -> float | None:
    """New queries per second; None if all responses were known."""
    fresh = progress.n_done - progress.n_cached
    return round(fresh / max(seconds.get("asking", seconds.get("total", 0.0)), 1e-9), 1) if fresh else None


def _latency(repeats: Sequence[Times]) -> dict[str, float]:
    """The mean over all repeats, and quantiles if queries were timed individually."""
    ms = np.array([value for times in repeats for value in times.ms.values()])
    if not len(ms):
        return {}
    are_shares = any(times.are_shares for times in repeats)
    quantiles = {} if are_shares else {f"p{q}": float(np.quantile(ms, q / 100)) for q in (50, 95, 99)}
    return {"mean": float(ms.mean()), **quantiles}
