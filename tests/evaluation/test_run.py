"""run: retrievers of one's own, from Python."""

import asyncio
import threading

import pytest

import assay
from assay import BenchmarkDataset, Hit, NothingSelected, ProviderError, Query, UnknownName, UsageError
from assay.providers import parse_provider

from ._retrievers import Told, benchmark, right


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


def test_a_retriever_of_one_s_own_is_called_in_one_s_own_thread():
    """So that what may not change hands, such as a database, does not."""
    told = Told(lambda query: threads.append(threading.get_ident()) or right(query))
    threads = []
    assay.run(benchmark(), told, "mrr")
    assert set(threads) == {threading.get_ident()}


def test_what_is_lent_is_not_closed():
    class Lent(Told):
        def close(self):
            raise AssertionError("it is still needed")

    told = Lent(lambda query: ["a1"])
    assay.run(benchmark(5), told, "mrr")
    assert sorted(query for some in told.asked for query in some) == [f"q{n}" for n in range(5)]


def half(query):
    """Fails on odd queries."""
    if int(query.query_id[1:]) % 2:
        raise ValueError("odd")
    return right(query)


@pytest.mark.parametrize("missing", ["zero", "skip", "error"])
def test_failed_queries_score_0_whatever_the_policy_says_of_missing_ones(missing, monkeypatch):
    monkeypatch.setattr("assay.execution.pool.time.sleep", lambda _: None)
    result = assay.run(benchmark(), Told(half), "mrr", policy=assay.Policy(missing=missing))
    assert result.scores("mrr") == {"q0": 1.0, "q1": 0.0, "q2": 1.0, "q3": 0.0}
    line = half.__code__.co_firstlineno + 3
    assert result.failures == dict.fromkeys(("q1", "q3"), f"Told.search raised ValueError: odd (test_run.py:{line})")
    assert list(result.run) == ["q0", "q2"]
    assert result.provenance["counts"] == {"asked": 4, "answered": 2, "failed": 2, "cached": 0}


def test_when_all_fail_it_is_an_error(monkeypatch):
    monkeypatch.setattr("assay.execution.pool.time.sleep", lambda _: None)
    told = Told(lambda query: 1 / 0)
    with pytest.raises(
        ProviderError,
        match=r"every query failed; q0: Told.search raised ZeroDivisionError: division by zero \(test_run.py:\d+\)$",
    ):
        assay.run(benchmark(), told, "mrr")


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

    assay.run(benchmark(1), Deep(), ["mrr", "ndcg@10"])
    assay.run(benchmark(1), Deep(), ["recall@500"])
    assay.run(benchmark(1), Deep(), ["recall@500"], k=7)
    assert depths == [100, 500, 7]


def test_texts_that_hits_bring_along_decide_where_relevance_is_by_text():
    dataset = BenchmarkDataset("answers", queries={"q": Query("q", "who", expected="the quick brown fox")})

    class Chunks:
        def search(self, queries, k):
            return [[Hit("chunk 1", 2.0, "nothing of it"), Hit("chunk 2", 1.0, "see the quick brown fox run")]]

    result = assay.run(dataset, Chunks(), ["mrr"])
    assert result["mrr"] == 0.5


def search(text: str, k: int) -> list[str]:
    """A function of one's own: the document with the number of the query."""
    return [f"d{text.split()[1]}"][:k]


async def search_later(text: str, k: int) -> list[str]:
    """The same, later."""
    await asyncio.sleep(0.001)
    return search(text, k)


def test_a_function_will_do():
    result = assay.run(benchmark(), search, "mrr")
    assert (result["mrr"], result.name) == (1.0, "search")
    assert assay.run(benchmark(), search_later, "mrr")["mrr"] == 1.0
    assert assay.run(benchmark(), lambda text, k: search(text, k), "mrr", name="mine").name == "mine"


@pytest.mark.parametrize("retriever", ["bm25(k1=0.9)", parse_provider("bm25(k1=0.9)")], ids=["name", "provider"])
def test_so_will_a_provider(retriever):
    result = assay.run(benchmark(), retriever, "mrr")
    assert (result["mrr"], result.name) == (1.0, "bm25(k1=0.9)")
    assert assay.run(benchmark(), retriever, "mrr", name="tuned").name == "tuned"


def test_and_a_benchmark_by_name():
    assert assay.run("rag-template", "bm25", "mrr").benchmark == "rag-template"


def test_a_class_is_told_apart_from_an_object_of_it():
    with pytest.raises(UsageError, match=r"Told is a class; hand over an object of it: Told\(\)"):
        assay.run(benchmark(), Told, "mrr")


@pytest.mark.parametrize("thing", [object(), 7, None, ["bm25"]], ids=["object", "number", "none", "list"])
def test_what_cannot_retrieve_is_refused(thing):
    with pytest.raises(ProviderError, match=r"expected search\(queries, k\), a function or a provider's name, found "):
        assay.run(benchmark(), thing, "mrr")


def test_settings_are_the_keys_of_a_plan():
    told = Told()
    result = assay.run(benchmark(6), told, "mrr", selection={"range": "1:5"}, batch_size=3)
    assert told.asked == [["q1", "q2", "q3"], ["q4"]]
    assert result.query_ids == ("q1", "q2", "q3", "q4")
    assert result.provenance["selection"] == {"range": "1:5"}
    with pytest.raises(UnknownName, match="Did you mean concurrency"):
        assay.run(benchmark(), told, "mrr", concurency=3)
    with pytest.raises(NothingSelected):
        assay.run(benchmark(), told, "mrr", selection={"range": "9:"})


def test_retries_and_concurrency_reach_a_function():
    lock, now, most, n_failed = threading.Lock(), 0, 0, 0
    meet = threading.Barrier(3, timeout=20)

    def fails(text, k):
        nonlocal now, most, n_failed
        with lock:
            now += 1
            most = max(most, now)
        meet.wait()
        with lock:
            now -= 1
            n_failed += 1
        raise ValueError("no")

    with pytest.raises(ProviderError, match="every query failed"):
        assay.run(benchmark(6), fails, "mrr", retries=0, concurrency=3)
    assert (most, n_failed) == (3, 6)


def test_with_a_timeout_an_object_is_left_behind_when_it_hangs():
    release = threading.Event()

    def answer(query):
        if query.query_id == "q1":
            release.wait(20)
        return right(query)

    result = assay.run(benchmark(3), Told(answer), "mrr", timeout=0.5, retries=0)
    release.set()
    assert result.failures == {"q1": "TimeoutError: no answer within 0.5 s"}


def test_an_interrupt_is_not_a_failure():
    """In one's own thread it is the person at the keyboard who means it."""

    def interrupted(query):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assay.run(benchmark(), Told(interrupted), "mrr")


def test_what_cannot_be_indexed_is_told():
    class Broken(Told):
        def index(self, documents):
            raise OSError("no model")

    with pytest.raises(ProviderError, match=r"Broken.index raised OSError: no model \(test_run.py:\d+\)$"):
        assay.run(benchmark(), Broken(), "mrr")


def test_a_result_says_that_less_was_asked_for_than_its_metrics_look_at():
    result = assay.run(benchmark(), Told(), ["ndcg@10", "mrr"], k=3)
    assert "k = 3 is less than the cutoff of ndcg@10: only 3 documents are asked for." in result.notes
    assert assay.run(benchmark(), Told(), ["ndcg@10"]).notes == ()


def test_errors_of_coroutines_have_their_place_too():
    class Later:
        async def search(self, queries, k):
            raise OSError("first\nsecond")

    with pytest.raises(ProviderError, match=r"Later\.search raised OSError: first \(test_run\.py:\d+\)$"):
        assay.run(benchmark(), Later(), "mrr", retries=0)
