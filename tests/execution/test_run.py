"""run: retrievers of one's own, from Python."""

import asyncio
import re
import threading
from functools import partial

import pytest

import assay
from assay import AssayError, BenchmarkDataset, Hit, NothingSelected, ProviderError, Query, UnknownName
from assay.providers import parse_provider

from ._retrievers import LONG, Told, benchmark, right


def test_the_five_lines_of_the_issue():
    class MyRetriever:
        def index(self, documents):
            self.ids = [document.doc_id for document in documents]

        def search(self, queries, k):
            return [[Hit(doc, float(doc[1:] == query.query_id[1:])) for doc in self.ids][:k] for query in queries]

    result = assay.run(benchmark(), MyRetriever(), metrics=["ndcg@10"], k=100)
    assert (result["ndcg@10"], result.name, result.benchmark) == (1.0, "MyRetriever", "small")
    assert list(result.run) == ["q0", "q1", "q2", "q3"]


def test_an_object_is_called_in_the_calling_thread_and_not_closed():
    """So that what may not change hands, such as a database, does not; and it is still needed."""

    class Lent(Told):
        def close(self):
            raise AssertionError("it is still needed")

    threads = []
    told = Lent(lambda query: threads.append(threading.get_ident()) or right(query))
    assay.run(benchmark(5), told, "mrr")
    assert set(threads) == {threading.get_ident()}
    assert sorted(query for some in told.asked for query in some) == [f"q{n}" for n in range(5)]


def half(query):
    """Fails on odd queries."""
    if int(query.query_id[1:]) % 2:
        raise ValueError("odd")
    return right(query)


def test_failed_queries_score_0_whatever_the_policy_says_of_missing_ones():
    for missing in ("zero", "skip", "error"):
        result = assay.run(benchmark(), Told(half), "mrr", policy=assay.Policy(missing=missing), retries=0)
        assert result.scores("mrr") == {"q0": 1.0, "q1": 0.0, "q2": 1.0, "q3": 0.0}, missing
        line = half.__code__.co_firstlineno + 3
        assert result.failures == dict.fromkeys(("q1", "q3"), f"Told.search raised ValueError: odd (test_run.py:{line})")
        assert list(result.run) == ["q0", "q2"]
        assert result.provenance["counts"] == {"asked": 4, "answered": 2, "failed": 2, "cached": 0}


class Coroutine:
    async def search(self, queries, k):
        raise OSError("first\nsecond")


class Unready(Told):
    def index(self, documents):
        raise OSError("no model")


def run_without_lines(retriever):
    """Run it; of an error the number of the line is left out."""
    try:
        assay.run(benchmark(), retriever, "mrr", retries=0)
    except AssayError as error:
        raise type(error)(re.sub(r"py:\d+", "py:…", str(error))) from None


def test_what_cannot_retrieve_is_told(snapshots):
    """Errors of one's own code have their place in it."""
    fails = {"every query": Told(lambda query: 1 / 0), "a coroutine": Coroutine(), "an index": Unready(), "a class": Told}
    others = {"a number": 7, "nothing": None, "a list": ["bm25"]}
    cases = {name: partial(run_without_lines, one) for name, one in {**fails, **others}.items()}
    snapshots.check_errors("execution/retrievers", cases)
    with pytest.raises(ProviderError):
        assay.run(benchmark(), object(), "mrr")


def test_documents_are_asked_for_as_deep_as_metrics_look():
    depths = []

    class Deep:
        def search(self, queries, k):
            depths.append(k)
            return [right(query) for query in queries]

    for metrics, how in ((["mrr", "ndcg@10"], {}), (["recall@500"], {}), (["recall@500"], {"k": 7})):
        assay.run(benchmark(1), Deep(), metrics, **how)
    assert depths == [100, 500, 7]
    assert len(assay.run(benchmark(), Told(), ["ndcg@10", "mrr"], k=3).notes) == 1
    assert assay.run(benchmark(), Told(), ["ndcg@10"]).notes == ()


def test_texts_that_hits_bring_along_decide_where_relevance_is_by_text():
    dataset = BenchmarkDataset("answers", queries={"q": Query("q", "who", expected="the quick brown fox")})

    class Chunks:
        def search(self, queries, k):
            return [[Hit("chunk 1", 2.0, "nothing of it"), Hit("chunk 2", 1.0, "see the quick brown fox run")]]

    assert assay.run(dataset, Chunks(), ["mrr"])["mrr"] == 0.5


def search(text: str, k: int) -> list[str]:
    """A function of one's own: the document with the number of the query."""
    return [f"d{text.split()[1]}"][:k]


async def search_later(text: str, k: int) -> list[str]:
    """The same, later."""
    await asyncio.sleep(0)
    return search(text, k)


def test_functions_and_providers_will_do():
    for retriever, name in (
        (search, "search"),
        (search_later, "search_later"),
        ("bm25(k1=0.9)", "bm25(k1=0.9)"),
        (parse_provider("bm25(k1=0.9)"), "bm25(k1=0.9)"),
    ):
        result = assay.run(benchmark(), retriever, "mrr")
        assert (result["mrr"], result.name) == (1.0, name)
        assert assay.run(benchmark(), retriever, "mrr", name="mine").name == "mine"
    assert assay.run("rag-template", "bm25", "mrr").benchmark == "rag-template"


def test_settings_are_the_keys_of_a_plan():
    told = Told()
    result = assay.run(benchmark(6), told, "mrr", selection={"range": "1:5"}, batch_size=3)
    assert told.asked == [["q1", "q2", "q3"], ["q4"]]
    assert result.query_ids == ("q1", "q2", "q3", "q4")
    assert result.provenance["selection"] == {"range": "1:5"}
    with pytest.raises(UnknownName) as error:
        assay.run(benchmark(), told, "mrr", concurency=3)
    assert error.value.near[0] == "concurrency"
    with pytest.raises(NothingSelected):
        assay.run(benchmark(), told, "mrr", selection={"range": "9:"})


def test_retries_and_concurrency_reach_a_function():
    meet, n_failed = threading.Barrier(3, timeout=LONG), []

    def fails(text, k):
        meet.wait()
        n_failed.append(text)
        raise ValueError("no")

    with pytest.raises(ProviderError):
        assay.run(benchmark(6), fails, "mrr", retries=0, concurrency=3)
    assert len(n_failed) == 6


def test_with_a_timeout_an_object_is_left_behind_when_it_hangs():
    release = threading.Event()

    def answer(query):
        if query.query_id == "q1":
            release.wait(LONG)
        return right(query)

    result = assay.run(benchmark(3), Told(answer), "mrr", timeout=0.3, retries=0)
    release.set()
    assert result.failures["q1"] == "TimeoutError: no answer within 0.3 s"


def test_an_interrupt_is_not_a_failure():
    """In one's own thread it is the person at the keyboard who means it."""

    def interrupted(query):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assay.run(benchmark(), Told(interrupted), "mrr")
