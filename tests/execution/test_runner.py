"""The runner: what a retriever is given and when, who waits for whom, and what is known already."""

import asyncio
import math
import sqlite3
import threading
from dataclasses import replace

import pytest

import assay
from assay import BenchmarkDataset, Document, Query
from assay.execution import Part, Progress, Response, RetryPolicy, collect_responses
from assay.providers import BoundProvider, Provider, parse_provider

from ._retrievers import AT_ONCE, LONG, QUICK, Told, benchmark, collected, errors, own, queries, right


def test_a_provider_is_made_filled_and_asked_by_one_thread_or_on_one_event_loop():
    """A database refuses other threads; a client that is made while indexing belongs to the loop it was made on."""

    class Database:
        def __init__(self):
            self.database = sqlite3.connect(":memory:")

        def index(self, documents):
            self.database.execute("CREATE TABLE docs (id TEXT)")
            self.database.executemany("INSERT INTO docs VALUES (?)", [(document.doc_id,) for document in documents])

        def search(self, queries, k):
            return [[doc for (doc,) in self.database.execute("SELECT id FROM docs")] for _ in queries]

        def close(self):
            self.database.close()

    class Later:
        async def index(self, documents):
            self.loop = asyncio.get_running_loop()

        async def search(self, queries, k):
            assert asyncio.get_running_loop() is self.loop
            return [right(query) for query in queries]

        async def close(self):
            closed.append(asyncio.get_running_loop() is self.loop)

    closed = []
    found = collected(BoundProvider(Provider("database", "", Database), {}))
    assert found["q2"].docs == ["d0", "d1", "d2", "d3"]
    assert errors(collected(Later())) == {}
    assert closed == [True]


def scoped():
    """Three scopes, a query that may search everything, and one of a scope without documents."""
    asked = [Query(f"q{n}", scope=scope) for n, scope in enumerate(("a", "b", "a", None, "none"))]
    documents = [Document(f"{group}{n}", group=group) for group in "abc" for n in range(3)]
    return BenchmarkDataset(
        "scoped",
        queries={query.query_id: query for query in asked},
        documents={document.doc_id: document for document in documents},
        qrels={query.query_id: {"a1": 1.0} for query in asked},
    )


def test_a_retriever_never_sees_documents_of_another_scope():
    made = []

    class Indexed(Told):
        def __init__(self):
            super().__init__(lambda query: sorted(self.documents))
            made.append(self)

    found = collected(BoundProvider(Provider("indexed", "", Indexed), {}), dataset=scoped())
    groups = {group: [f"{group}{n}" for n in range(3)] for group in "abc"}
    everything = [doc for group in groups.values() for doc in group]
    expected = {"q0": groups["a"], "q1": groups["b"], "q2": groups["a"], "q3": everything, "q4": []}
    assert {query: answer.docs for query, answer in found.items()} == expected
    assert [told.asked for told in made] == [[["q0"], ["q2"]], [["q1"]], [["q3"]], [["q4"]]]


def test_one_retriever_for_all_where_nothing_is_indexed():
    told, made = Told(lambda query: [query.scope or "all"]), []
    told.indexes = False
    found = collected(BoundProvider(Provider("own", "", lambda: made.append(1) or told), {}), dataset=scoped())
    assert [answer.docs for answer in found.values()] == [["a"], ["b"], ["a"], ["all"], ["none"]]
    assert not hasattr(told, "documents")
    assert made == [1]


def test_scopes_share_what_was_learnt():
    """A provider that fails in each of many scopes is not given all its tries in each of them."""
    made = []

    def make():
        made.append(Told(lambda query: 1 / 0))
        return made[-1]

    asked = {query.query_id: replace(query, scope=f"s{query.query_id}") for query in queries(20)}
    dataset = replace(benchmark(20), queries=asked)
    assert len(errors(collected(BoundProvider(Provider("own", "", make), {}), dataset=dataset))) == 20
    assert [len(told.asked) for told in made] == [3] * 3 + [1] * 17


def test_a_provider_that_cannot_be_started_is_told(snapshots):
    release = threading.Event()

    class Unready(Told):
        def index(self, documents):
            release.wait(LONG)

    class Broken(Told):
        def index(self, documents):
            raise OSError("no such model")

    short = replace(QUICK, index_timeout=0.05)
    cases = {
        "made": lambda: collected(BoundProvider(Provider("broken", "", lambda: 1 / 0), {})),
        "index": lambda: collected(own(Broken(), "broken")),
        "hangs": lambda: collected(own(Unready(), "slow"), policy=short),
        "no documents": lambda: collected(Told(), dataset=replace(benchmark(2), documents={})),
    }
    snapshots.check_errors("execution/starting", cases)
    release.set()


def test_what_computes_here_may_take_its_time():
    for is_repeatable, given, seconds in ((False, None, 600.0), (True, None, math.inf), (True, 7.0, 7.0)):
        provider = own(Told(), is_repeatable=is_repeatable)
        assert Part(benchmark(), provider, {}, 10, RetryPolicy(index_timeout=given)).index_timeout == seconds


def test_a_retriever_is_closed_whatever_happens_and_its_errors_have_no_consequence():
    closed = threading.Semaphore(0)

    class Sulky(Told):
        def close(self):
            closed.release()
            raise RuntimeError("no")

    def interrupt(progress):
        if progress.n_done:
            raise KeyboardInterrupt

    assert errors(collected(Sulky())) == {}
    with pytest.raises(KeyboardInterrupt):
        collected(Sulky(), watch=interrupt)
    assert all(closed.acquire(timeout=LONG) for _ in range(2))


def test_known_answers_are_not_asked_again_but_known_errors_are():
    told, seen = Told(), []
    known = {"q1": Response("q1", ["old"], [1.0]), "q2": Response("q2", error="failed")}
    watch = lambda now: seen.append((now.n_done, now.n_cached, now.n_failed))  # noqa: E731
    found = collected(told, known=known, batch=2, watch=watch)
    assert told.asked == [["q0", "q2"], ["q3"]]
    assert [answer.docs for answer in found.values()] == [["d0"], ["old"], ["d2"], ["d3"]]
    assert seen == [(1, 1, 0), (3, 1, 0), (4, 1, 0)]
    every = {f"q{n}": Response(f"q{n}") for n in range(4)}
    assert collected(BoundProvider(Provider("never", "", lambda: 1 / 0), {}), known=every) == every  # it is not even made


def counts_of(provider, n):
    """What is known of the documents, while a provider indexes, and after it: (done, all, what it does with them)."""
    running, counts = [], []

    class Listening(Progress):
        def count_documents(self, *count):
            super().count_documents(*count)
            running[:] = [self]
            counts.append(self.documents[:3])

    dataset = benchmark(n)
    part = Part(dataset, provider, dict(list(dataset.queries.items())[:1]), 10, AT_ONCE)
    collect_responses(part, {}, None, Listening(part.name, 1))
    assert running[0].documents is None, "nothing is indexed any more"
    return list(dict.fromkeys(counts))


def test_documents_are_counted_while_they_are_indexed():
    """First as the provider reads all of them, unless it needs one pass; a retriever of the user's own as it iterates."""
    steps = [0, 256, 512, 600]
    reading, indexing = ([(n, 600, work) for n in steps] for work in ("reading", "indexing"))
    assert counts_of(own(Told()), 600) == indexing
    assert counts_of(parse_provider("bm25"), 600) == indexing
    assert counts_of(parse_provider("tfidf_chars"), 600) == reading + indexing
    assert counts_of(parse_provider("dense"), 1100)[-3:] == [(n, 1100, "indexing") for n in (0, 1024, 1100)]
    assert counts_of(parse_provider("hybrid(bm25, tfidf_chars)"), 600) == indexing + reading, "each part from 0 again"


def test_the_documents_that_a_retriever_gets_have_a_length():
    seen = []

    class Counts(Told):
        def index(self, documents):
            some = next(iter(documents))
            seen.append((len(documents), len(list(documents)), some in documents))

    collected(Counts(), 4)
    assert seen == [(4, 4, True)]


class Noting(Told):
    """Says what is to be said at the end."""

    said = ("three queries were too long.", "three queries were too long.", 7)

    def result_notes(self):
        if self.said is None:
            raise RuntimeError("no")
        return self.said


def test_a_retriever_adds_notes_to_the_result():
    assert assay.run(benchmark(), Noting(), "mrr").notes[-1] == "three queries were too long."
    for said in (None, 7):
        retriever = Noting()
        retriever.said = said
        assert assay.run(benchmark(), retriever, "mrr").summary["mrr"] == 1.0
