"""The runner: scopes, indexes, times, notes, and what is known already."""

import asyncio
import gc
import math
import sqlite3
import threading
from contextlib import nullcontext
from dataclasses import replace

import pytest

from assay import BenchmarkDataset, Document, ProviderError, Query
from assay.evaluation import OWN, settings_of
from assay.execution import Part, Progress, Response, RetryPolicy, collect_responses
from assay.execution.client import CallThread
from assay.execution.retrieve import wrap_retriever
from assay.execution.runner import CLOSE_TIMEOUT, CLOSE_TIMEOUT_ON_INTERRUPT, make_provenance, score_part
from assay.metrics import parse_metrics
from assay.providers import BoundProvider, Provider, RetryLater

from ._retrievers import LONG, Told, benchmark, failing, right

QUICK = RetryPolicy(timeout=5.0, retries=0, backoff=0.0)


def asked(provider, dataset=None, known=(), **how):
    dataset = dataset or benchmark()
    part = Part(dataset, provider, dataset.queries, 10, QUICK, **how)
    return collect_responses(part, dict(known), None, Progress(part.name, len(part.queries)))


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
    provider = BoundProvider(Provider("later", "", Later), {})
    assert not any(answer.error for answer in asked(provider).values())
    assert closed == [True]


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
    assert seen == [
        (["q0"], everything[:3]),
        (["q2"], everything[:3]),
        (["q1"], everything[3:6]),
        (["q3"], everything),
        (["q4"], []),
    ]
    assert len(made) == 4
    assert list(found) == ["q0", "q1", "q2", "q3", "q4"]
    assert found["q4"].docs == []


def test_one_retriever_for_all_where_nothing_is_indexed():
    told = Told(lambda query: [query.scope or "all"])
    told.indexes = False
    made = []
    provider = BoundProvider(Provider("own", "", lambda: made.append(1) or told), {})
    found = asked(provider, scoped())
    assert [answer.docs for answer in found.values()] == [["a"], ["b"], ["a"], ["all"], ["none"]]
    assert sorted(query for some in told.asked for query in some) == ["q0", "q1", "q2", "q3", "q4"]
    assert not hasattr(told, "documents")
    assert made == [1]


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


def test_batches_are_as_large_as_provider_or_plan_say():
    def batches(own, wanted):
        told = Told(batch=own)
        asked(wrap_retriever(told, ""), benchmark(9), batch=wanted)
        return [len(some) for some in told.asked]

    assert batches(1000, None) == [1, 2, 4, 2]
    assert batches(2, None) == [1, 2, 2, 2, 2]
    assert batches(1000, 4) == [4, 4, 1]
    assert batches(1, 3) == [1] * 9


def test_known_answers_are_not_asked_again_but_known_errors_are():
    told = Told()
    known = {"q1": Response("q1", ["old"], [1.0]), "q2": Response("q2", error="failed")}
    found = asked(wrap_retriever(told, ""), known=known)
    assert told.asked == [["q0"], ["q2", "q3"]]
    assert [answer.docs for answer in found.values()] == [["d0"], ["old"], ["d2"], ["d3"]]


def test_nothing_is_even_made_where_everything_is_known():
    provider = BoundProvider(Provider("never", "", lambda: 1 / 0), {})
    known = {f"q{n}": Response(f"q{n}") for n in range(4)}
    assert list(asked(provider, known=known)) == list(known)


def test_progress_is_told_after_each_batch():
    dataset = benchmark(5)
    part = Part(dataset, wrap_retriever(Told(batch=2), ""), dataset.queries, 10, QUICK)
    seen = []
    progress = Progress(part.name, 5, watch=lambda now: seen.append((now.n_done, now.n_cached, now.n_failed)))
    collect_responses(part, {"q0": Response("q0")}, None, progress)
    assert seen == [(1, 1, 0), (2, 1, 0), (4, 1, 0), (5, 1, 0)]


def scored(answers, metrics, dataset=None, provider=None):
    """The result of these answers."""
    dataset = dataset or benchmark(len(answers))
    part = Part(dataset, provider or wrap_retriever(Told(), "told"), dataset.queries, 10)
    return score_part(part, answers, settings_of(parse_metrics(metrics), OWN), OWN)


LATENCIES = ["latency", "latency_p50", "latency_p95", "latency_p99"]


def test_latencies_are_scored_over_the_queries_that_were_answered():
    answers = {
        "q0": Response("q0", ["d0"], [1.0], 10.0),
        "q1": Response("q1", ms=500.0, error="x"),
        "q2": Response("q2", ms=30.0),
    }
    result = scored(answers, [*LATENCIES, "mrr"])
    assert result["latency"] == result["latency_p50"] == 20.0
    assert math.isnan(result.scores("latency")["q1"])


def test_of_batches_only_the_mean_is_known():
    """A share of a batch says nothing about how long a single query takes."""
    answers = {f"q{n}": Response(f"q{n}", ms=10.0 * (n + 1), n_together=2 if n else 1) for n in range(3)}
    result = scored(answers, LATENCIES)
    assert result["latency"] == 20.0
    assert all(math.isnan(result[name]) for name in LATENCIES[1:])


@pytest.mark.parametrize(("n_together", "known"), [(1, {"mean", "p50", "p95", "p99"}), (4, {"mean"})])
def test_provenance_says_as_much_about_time_as_is_known(n_together, known):
    dataset = benchmark(2)
    part = Part(dataset, wrap_retriever(Told(), ""), dataset.queries, 10)
    answers = {f"q{n}": Response(f"q{n}", ms=5.0, n_together=n_together) for n in range(2)}
    found = make_provenance(part, Progress("p", 2), answers, "", {"asking": 1.0})["latency_ms"]
    assert found == dict.fromkeys(known, 5.0)


def test_times_that_nobody_knows_do_not_count():
    answers = {"q0": Response("q0", ms=float("nan")), "q1": Response("q1", ms=7.0)}
    assert scored(answers, ["latency"])["latency"] == 7.0


def test_it_is_noted_when_nothing_was_found_at_all():
    said = "told returned no document for any query"
    assert said in scored({"q0": Response("q0"), "q1": Response("q1")}, "mrr").notes
    assert said not in scored({"q0": Response("q0"), "q1": Response("q1", ["x"], [1.0])}, "mrr").notes
    assert said not in scored({"q0": Response("q0", error="x")}, "mrr").notes


def test_it_is_noted_when_a_provider_cannot_heed_scopes():
    said = "deaf is not told each query's scope, and may have searched beyond it"
    deaf = BoundProvider(Provider("deaf", "", Told, heeds_scope=False), {})
    answers = {query: Response(query, ["a1"], [1.0]) for query in scoped().queries}
    assert said in scored(answers, "mrr", scoped(), deaf).notes
    assert said not in scored({"q0": Response("q0", ["d0"], [1.0])}, "mrr", benchmark(1), deaf).notes
    assert not any("scope" in note for note in scored(answers, "mrr", scoped()).notes)


def test_queries_that_were_not_chosen_do_not_count():
    dataset = benchmark()
    part = Part(dataset, wrap_retriever(Told(), ""), {"q1": dataset.queries["q1"]}, 10)
    result = score_part(part, {"q1": Response("q1", ["d1"], [1.0])}, settings_of(parse_metrics("mrr"), OWN), OWN)
    assert result.scores("mrr") == {"q1": 1.0}


def test_parts_of_equal_names_are_told_apart():
    part = Part(benchmark(), wrap_retriever(Told(), "x"), {}, 10)
    assert part.name == replace(part, number=1).name == "small/x"
    assert part.key != replace(part, number=1).key


def test_who_hangs_while_getting_ready_has_a_limit():
    release = threading.Event()

    class Hangs(Told):
        def index(self, documents):
            release.wait(LONG)

    dataset = benchmark()
    part = Part(
        dataset, BoundProvider(Provider("own", "", Hangs), {}), dataset.queries, 10, replace(QUICK, index_timeout=0.05)
    )
    with pytest.raises(ProviderError, match=r"^own was not ready within 0.05 s; --index-timeout allows more$"):
        collect_responses(part, {}, None, Progress("own", 4))
    release.set()


@pytest.mark.parametrize(
    ("provider", "given", "seconds"),
    [
        (Provider("own", "", Told), None, 600.0),
        (Provider("own", "", Told, is_repeatable=True), None, math.inf),
        (Provider("own", "", Told, is_repeatable=True), 7.0, 7.0),
    ],
)
def test_what_computes_here_may_take_its_time(provider, given, seconds):
    part = Part(benchmark(), BoundProvider(provider, {}), {}, 10, RetryPolicy(index_timeout=given))
    assert part.index_timeout == seconds


@pytest.mark.parametrize(("interrupt", "seconds"), [(KeyboardInterrupt, CLOSE_TIMEOUT_ON_INTERRUPT), (None, CLOSE_TIMEOUT)])
def test_after_an_interrupt_nobody_waits_for_a_goodbye(interrupt, seconds, monkeypatch):
    waited = []

    class Noting(CallThread):
        def run(self, function, *arguments, seconds=math.inf):
            if [getattr(argument, "__name__", "") for argument in arguments] == ["close"]:
                waited.append(seconds)
            return super().run(function, *arguments, seconds=seconds)

    class Closing(Told):
        def close(self):
            pass

    def watch(progress):
        if interrupt and progress.n_done:
            raise interrupt

    monkeypatch.setattr("assay.execution.runner.CallThread", Noting)
    dataset = benchmark()
    part = Part(dataset, BoundProvider(Provider("own", "", Closing), {}), dataset.queries, 10, QUICK)
    with pytest.raises(interrupt) if interrupt else nullcontext():
        collect_responses(part, {}, None, Progress("own", 4, watch=watch))
    gc.collect()
    assert waited == [seconds]


def test_a_pause_that_a_service_asks_for_is_seen_by_who_watches():
    seen = []
    told = Told(failing({"q0": RetryLater(0.01, "HTTP 429", "http://x")}), batch=1)
    dataset = benchmark()
    part = Part(dataset, wrap_retriever(told), dataset.queries, 10, RetryPolicy(timeout=5.0, concurrency=1))
    collect_responses(part, {}, None, Progress("own", 4, watch=lambda now: seen.append(now.wait and now.wait[:2])))
    assert (0.01, "HTTP 429") in seen


def test_scopes_share_what_was_learnt():
    """A provider that fails in each of many scopes is not given all its tries in each of them."""
    made = []

    def make():
        made.append(Told(lambda query: 1 / 0))
        return made[-1]

    dataset = benchmark(20)
    queries = {name: replace(query, scope=f"s{name}") for name, query in dataset.queries.items()}
    dataset = replace(dataset, queries=queries)
    part = Part(dataset, BoundProvider(Provider("own", "", make), {}), queries, 10, RetryPolicy(timeout=5.0, backoff=0.0))
    assert all(answer.error for answer in collect_responses(part, {}, None, Progress("own", 20)).values())
    assert [len(told.asked) for told in made] == [3] * 3 + [1] * 17


def test_an_index_of_nothing_is_for_those_who_have_documents_of_their_own():
    bare = replace(benchmark(2), documents={})
    provider = BoundProvider(Provider("both", "", Told), {}, (wrap_retriever(lambda text, k: ["d0"]),))
    part = Part(bare, provider, bare.queries, 10, QUICK)
    assert not any(answer.error for answer in collect_responses(part, {}, None, Progress("both", 2)).values())
