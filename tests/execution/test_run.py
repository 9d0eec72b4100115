"""run: retrievers of one's own, from Python."""

import re
import threading
from functools import partial

import pytest

import assay
from assay import AssayError, NothingSelected, ProviderError, UnknownName

from ._retrievers import LONG, Told, benchmark, right


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
    named = assay.run("rag-template", "bm25", "mrr", name="mine")
    assert (named.benchmark, named.name) == ("rag-template", "mine")


def test_failed_queries_score_0_whatever_the_policy_says_of_missing_ones():
    def half(query):
        if int(query.query_id[1:]) % 2:
            raise ValueError("odd")
        return right(query)

    for missing in ("zero", "skip", "error"):
        result = assay.run(benchmark(), Told(half), "mrr", policy=assay.Policy(missing=missing), retries=0)
        assert result.scores("mrr") == {"q0": 1.0, "q1": 0.0, "q2": 1.0, "q3": 0.0}, missing
        line = half.__code__.co_firstlineno + 2
        assert result.failures == dict.fromkeys(("q1", "q3"), f"Told.search raised ValueError: odd (test_run.py:{line})")
        assert list(result.run) == ["q0", "q2"]
        assert result.provenance["counts"] == {"asked": 4, "answered": 2, "failed": 2, "cached": 0}


def run_without_lines(retriever):
    """Run it; of an error the number of the line is left out."""
    try:
        assay.run(benchmark(), retriever, "mrr", retries=0)
    except AssayError as error:
        raise type(error)(re.sub(r"py:\d+", "py:…", str(error))) from None


def test_what_cannot_retrieve_is_told(snapshots):
    """Errors of one's own code have their place in it."""
    retrievers = {"every query": Told(lambda query: 1 / 0), "a class": Told, "a number": 7, "a list": ["bm25"]}
    cases = {name: partial(run_without_lines, one) for name, one in retrievers.items()}
    snapshots.check_errors("execution/retrievers", cases)


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


def test_retries_concurrency_and_timeout_reach_a_retriever():
    meet, n_failed, release = threading.Barrier(3, timeout=LONG), [], threading.Event()

    def fails(text, k):
        meet.wait()
        n_failed.append(text)
        raise ValueError("no")

    with pytest.raises(ProviderError):
        assay.run(benchmark(6), fails, "mrr", retries=0, concurrency=3)
    assert len(n_failed) == 6
    with pytest.raises(ProviderError, match=r"no response within 0\.05 s"):  # what hangs is left behind
        assay.run(benchmark(1), Told(lambda query: release.wait(LONG)), "mrr", timeout=0.05, retries=0)
    release.set()


def test_an_interrupt_is_not_a_failure():
    """In one's own thread it is the person at the keyboard who means it."""

    def interrupted(query):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        assay.run(benchmark(), Told(interrupted), "mrr")
