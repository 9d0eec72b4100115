"""The runner: scopes, indexes, failures, and retrievers of one's own."""

import asyncio
import math
import sqlite3
import threading
from dataclasses import replace

import pytest

import assay
from assay import ProviderError
from assay.datasets._dataset import BenchmarkDataset
from assay.evaluation.answers import Answer
from assay.evaluation.asking import Patience
from assay.evaluation.judging import Relevance
from assay.evaluation.runner import Part, Progress, gather, own_provider, score_part
from assay.evaluation.setting import settings_of
from assay.metrics._parse import parse_metrics
from assay.model.profile import OWN
from assay.model.records import Document, Hit, Query
from assay.providers._provider import BoundProvider, Provider

from ._retrievers import Told, benchmark, right

QUICK = Patience(timeout=5.0, retries=0, backoff=0.0)


def asked(provider, dataset=None, known=(), **how):
    dataset = dataset or benchmark()
    part = Part(dataset, provider, dataset.queries, 10, QUICK, **how)
    return gather(part, dict(known), None, Progress(part.name, len(part.queries)))


def test_the_five_lines_of_the_issue():
    class MyRetriever:
        def index(self, documents):
            self.ids = [document.doc_id for document in documents]

        def search(self, queries, k):
            return [[Hit(doc, float(doc[1:] == query.query_id[1:])) for doc in self.ids][:k] for query in queries]

    result = assay.run(benchmark(), MyRetriever(), metrics=["ndcg@10"], k=100)
    assert result["ndcg@10"] == 1.0
    assert (result.name, result.benchmark) == ("MyRetriever", "small")
    assert list(result.run) == ["q0", "q1", "q2", "q3"]


def test_coroutines_of_one_retriever_share_one_event_loop():
    """A client that is made while indexing belongs to the loop it was made on."""

    class Later:
        async def index(self, documents):
            self.loop = asyncio.get_running_loop()

        async def search(self, queries, k):
            assert asyncio.get_running_loop() is self.loop
            return [right(query) for query in queries]

        async def close(self):
            closed.append(asyncio.get_running_loop() is self.loop)

    closed = []
    assert assay.run(benchmark(), Later(), "mrr")["mrr"] == 1.0
    assert closed == []
    provider = BoundProvider(Provider("later", "", Later), {})
    assert not any(answer.error for answer in asked(provider).values())
    assert closed == [True]


def test_a_retriever_of_one_s_own_is_called_in_one_s_own_thread():
    """So that what may not change hands, such as a database, does not."""
    told = Told(lambda query: threads.append(threading.get_ident()) or right(query))
    threads = []
    assay.run(benchmark(), told, "mrr")
    assert set(threads) == {threading.get_ident()}


def test_a_provider_is_made_filled_and_asked_by_one_thread():
    class Database:
        def __init__(self):
            self.database = sqlite3.connect(":memory:")
            self.database.execute("CREATE TABLE docs (id TEXT)")

        def index(self, documents):
            self.database.executemany("INSERT INTO docs VALUES (?)", [(document.doc_id,) for document in documents])

        def search(self, queries, k):
            return [[doc for (doc,) in self.database.execute("SELECT id FROM docs")] for _ in queries]

        def close(self):
            self.database.close()

    found = asked(BoundProvider(Provider("database", "", Database), {}))
    assert found["q2"].docs == ["d0", "d1", "d2", "d3"]


def scoped():
    """Three scopes and a query that may search everything."""
    queries = [
        Query("q0", scope="a"),
        Query("q1", scope="b"),
        Query("q2", scope="a"),
        Query("q3"),
        Query("q4", scope="none"),
    ]
    documents = [Document(f"{group}{n}", group=group) for group in "abc" for n in range(3)]
    return BenchmarkDataset(
        "scoped",
        queries={query.query_id: query for query in queries},
        documents={document.doc_id: document for document in documents},
        qrels={query.query_id: {"a1": 1.0} for query in queries},
    )


def test_a_retriever_never_sees_documents_of_another_scope():
    seen = []

    class Indexed(Told):
        def index(self, documents):
            super().index(documents)
            self.documents.sort()

        def search(self, queries, k):
            seen.append(([query.query_id for query in queries], self.documents))
            return [self.documents for _ in queries]

    made = []
    provider = BoundProvider(Provider("indexed", "", lambda: made.append(1) or Indexed()), {})
    found = asked(provider, scoped())
    everything = [f"{group}{n}" for group in "abc" for n in range(3)]
    assert seen == [(["q0", "q2"], everything[:3]), (["q1"], everything[3:6]), (["q3"], everything), (["q4"], [])]
    assert len(made) == 4
    assert list(found) == ["q0", "q1", "q2", "q3", "q4"]
    assert found["q4"].docs == []


def test_one_retriever_for_all_where_nothing_is_indexed():
    told = Told(lambda query: [query.scope or "all"])
    told.indexes = False
    provider = BoundProvider(Provider("own", "", lambda: told), {})
    found = asked(provider, scoped())
    assert [answer.docs for answer in found.values()] == [["a"], ["b"], ["a"], ["all"], ["none"]]
    assert len(told.asked) == 1
    assert not hasattr(told, "documents")


def test_a_scope_that_cannot_be_indexed_fails_alone():
    class Picky(Told):
        def index(self, documents):
            if not list(documents):
                raise ValueError("no documents")

    found = asked(BoundProvider(Provider("picky", "", lambda: Picky(lambda query: ["a1"])), {}), scoped())
    assert {query: answer.error for query, answer in found.items() if answer.error} == {
        "q4": "picky could not be started: ValueError: no documents"
    }


@pytest.mark.parametrize("where", ["made", "index", "exit"])
def test_a_provider_that_cannot_be_started_is_told(where):
    class Broken(Told):
        def __init__(self):
            if where == "made":
                raise OSError("no such model")

        def index(self, documents):
            raise SystemExit(3) if where == "exit" else OSError("no such model")

    with pytest.raises(ProviderError, match=r"broken could not be started: (OSError: no such model|SystemExit: 3)"):
        asked(BoundProvider(Provider("broken", "", Broken), {}))


def test_what_fails_in_closing_has_no_consequence():
    class Sulky(Told):
        def close(self):
            raise RuntimeError("no")

    assert not any(answer.error for answer in asked(BoundProvider(Provider("sulky", "", Sulky), {})).values())


def test_what_is_lent_is_not_closed():
    class Lent(Told):
        def close(self):
            raise AssertionError("it is still needed")

    told = Lent(lambda query: ["a1"])
    assay.run(scoped(), told, "mrr")
    assert len(told.asked) == 4


def test_batches_are_as_large_as_provider_or_plan_say():
    def batches(own, wanted):
        told = Told(batch=own)
        asked(own_provider(told, ""), benchmark(5), batch=wanted)
        return sorted(map(len, told.asked))

    assert batches(1000, None) == [5]
    assert batches(2, None) == [1, 2, 2]
    assert batches(1000, 3) == [2, 3]
    assert batches(1, 3) == [1, 1, 1, 1, 1]


def test_known_answers_are_not_asked_again_but_known_errors_are():
    told = Told()
    known = {"q1": Answer("q1", ["old"], [1.0]), "q2": Answer("q2", error="failed")}
    found = asked(own_provider(told, ""), known=known)
    assert told.asked == [["q0", "q2", "q3"]]
    assert [answer.docs for answer in found.values()] == [["d0"], ["old"], ["d2"], ["d3"]]


def test_nothing_is_even_made_where_everything_is_known():
    provider = BoundProvider(Provider("never", "", lambda: 1 / 0), {})
    known = {f"q{n}": Answer(f"q{n}") for n in range(4)}
    assert list(asked(provider, known=known)) == list(known)


def test_progress_is_told_after_each_batch():
    dataset = benchmark(5)
    part = Part(dataset, own_provider(Told(batch=2), ""), dataset.queries, 10, QUICK)
    seen = []
    progress = Progress(part.name, 5, watch=lambda now: seen.append((now.n_done, now.n_cached, now.n_failed)))
    gather(part, {"q0": Answer("q0")}, None, progress)
    assert seen == [(1, 1, 0), (3, 1, 0), (5, 1, 0)]


def half(query):
    """Fails on odd queries."""
    if int(query.query_id[1:]) % 2:
        raise ValueError("odd")
    return right(query)


@pytest.mark.parametrize("missing", ["zero", "skip", "error"])
def test_failed_queries_score_0_whatever_the_policy_says_of_missing_ones(missing, monkeypatch):
    monkeypatch.setattr("assay.evaluation.asking.time.sleep", lambda _: None)
    result = assay.run(benchmark(), Told(half), "mrr", policy=assay.Policy(missing=missing))
    assert result.scores("mrr") == {"q0": 1.0, "q1": 0.0, "q2": 1.0, "q3": 0.0}
    assert result.failures == {"q1": "ValueError: odd", "q3": "ValueError: odd"}
    assert list(result.run) == ["q0", "q2"]
    assert result.provenance["counts"] == {"asked": 4, "answered": 2, "failed": 2, "cached": 0}


def test_when_all_fail_it_is_an_error(monkeypatch):
    monkeypatch.setattr("assay.evaluation.asking.time.sleep", lambda _: None)
    told = Told(lambda query: 1 / 0)
    with pytest.raises(ProviderError, match="small/Told: every query failed; q0: ZeroDivisionError: division by zero"):
        assay.run(benchmark(), told, "mrr")


def test_a_retriever_without_search_is_refused():
    with pytest.raises(ProviderError, match=r"object has no method search\(queries, k\)"):
        assay.run(benchmark(), object(), "mrr")


def test_one_without_index_is_not_given_documents():
    class Bare:
        def search(self, queries, k):
            return [right(query) for query in queries]

    assert assay.run(benchmark(), Bare(), "mrr")["mrr"] == 1.0


def test_documents_are_asked_for_as_deep_as_metrics_look():
    depths = []

    class Deep:
        def search(self, queries, k):
            depths.append(k)
            return [right(query) for query in queries]

    assay.run(benchmark(), Deep(), ["mrr", "ndcg@10"])
    assay.run(benchmark(), Deep(), ["recall@500"])
    assay.run(benchmark(), Deep(), ["recall@500"], k=7)
    assert depths == [100, 500, 7]


def test_texts_that_hits_bring_along_decide_where_relevance_is_by_text():
    dataset = BenchmarkDataset("answers", queries={"q": Query("q", "who", expected="the quick brown fox")})

    class Chunks:
        def search(self, queries, k):
            return [[Hit("chunk 1", 2.0, "nothing of it"), Hit("chunk 2", 1.0, "see the quick brown fox run")]]

    result = assay.run(dataset, Chunks(), ["mrr"])
    assert result["mrr"] == 0.5


def test_latencies_are_scored_over_the_queries_that_were_answered():
    dataset = benchmark(3)
    part = Part(dataset, own_provider(Told(), ""), dataset.queries, 10)
    answers = {"q0": Answer("q0", ["d0"], [1.0], 10.0), "q1": Answer("q1", ms=500.0, error="x"), "q2": Answer("q2", ms=30.0)}
    settings = settings_of(parse_metrics(["latency", "latency_p50", "mrr"]), OWN)
    result = score_part(part, answers, settings, OWN, Relevance())
    assert result["latency"] == result["latency_p50"] == 20.0
    assert math.isnan(result.scores("latency")["q1"])


def test_queries_that_were_not_chosen_do_not_count():
    dataset = benchmark()
    part = Part(dataset, own_provider(Told(), ""), {"q1": dataset.queries["q1"]}, 10)
    result = score_part(part, {"q1": Answer("q1", ["d1"], [1.0])}, settings_of(parse_metrics("mrr"), OWN), OWN, Relevance())
    assert result.scores("mrr") == {"q1": 1.0}


def test_parts_of_equal_names_are_told_apart():
    part = Part(benchmark(), own_provider(Told(), "x"), {}, 10)
    assert part.name == replace(part, number=1).name == "small/x"
    assert part.key != replace(part, number=1).key
