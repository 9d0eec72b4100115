"""Asking: every query is answered once, whatever the retriever does, in batches and one by one."""

import subprocess
import sys
import textwrap
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.execution import RetryPolicy
from assay.providers import RetryLater

from ._retrievers import AMPLE, LONG, Told, answered, failing, right

BOTH = pytest.mark.parametrize("batch", [1, 3])


@settings(max_examples=40)
@given(n=st.integers(0, 8), batch=st.integers(1, 5), bad=st.sets(st.integers(0, 7)), grows=st.booleans())
def test_every_query_is_answered_once(n, batch, bad, grows):
    told = Told(failing({f"q{number}": ValueError("no") for number in bad}, every=True))
    found = answered(told, n, batch=batch, policy=RetryPolicy(retries=0, backoff=0.0), grows=grows)
    assert {query for query, answer in found.items() if answer.error} == {f"q{number}" for number in bad if number < n}
    assert all(answer.docs == [f"d{query[1:]}"] for query, answer in found.items() if not answer.error)


def test_one_is_asked_alone_and_several_together():
    alone, together = Told(), Told()
    answered(alone, 3, batch=1)
    answered(together, 3, batch=3)
    assert sorted(alone.asked) == [["q0"], ["q1"], ["q2"]]
    assert together.asked == [["q0", "q1", "q2"]]


@BOTH
def test_a_query_that_fails_is_asked_again(batch):
    told = Told(failing({"q2": OSError("once")}))
    assert not any(answer.error for answer in answered(told, batch=batch).values())


@BOTH
@pytest.mark.parametrize("retries", [0, 1, 3])
def test_it_is_asked_again_as_often_as_allowed(batch, retries):
    told = Told(failing({"q0": OSError("always")}, every=True))
    answered(told, 1, batch=batch, policy=RetryPolicy(retries=retries, backoff=0.0))
    assert told.times("q0") == retries + 1


@BOTH
def test_pauses_grow(batch, monkeypatch):
    monkeypatch.setattr("assay.execution.retry.random.uniform", lambda low, high: 1.0)
    began = time.monotonic()
    told = Told(failing({"q0": OSError("always")}, every=True))
    answered(told, 1, batch=batch, policy=RetryPolicy(retries=3, backoff=0.02))
    assert time.monotonic() - began >= 0.02 + 0.04 + 0.08


@BOTH
def test_a_busy_service_is_left_alone_as_long_as_it_asks(batch):
    seen = []

    def answer(query):
        seen.append(time.monotonic())
        if len(seen) == 1:
            raise RetryLater(0.2)
        return right(query)

    found = answered(Told(answer), 1, batch=batch)
    assert not found["q0"].error
    assert seen[1] - seen[0] >= 0.19


@BOTH
def test_a_busy_service_is_asked_three_times_as_often(batch):
    told = Told(failing({"q0": RetryLater(0.0, "too much")}, every=True))
    found = answered(told, 1, batch=batch, policy=RetryPolicy(retries=2, backoff=0.0))
    assert found["q0"].error == "too much; it asks to wait 0 s"
    assert told.times("q0") == 7


@BOTH
def test_a_query_that_hangs_fails_and_the_others_go_on(batch):
    release = threading.Event()

    def answer(query):
        if query.query_id == "q1":
            release.wait(LONG)
        return right(query)

    found = answered(Told(answer), 6, batch=batch, policy=RetryPolicy(timeout=AMPLE, retries=0))
    release.set()
    assert {query: answer.error for query, answer in found.items() if answer.error} == {
        "q1": "TimeoutError: no answer within 0.5 s"
    }


@pytest.mark.parametrize("batch", [1, 4])
def test_a_hanging_retriever_does_not_keep_the_process_alive(batch):
    program = f"""
        import threading
        from assay.execution.client import RetrieverClient
        from assay.execution.pool import ask_concurrently
        from assay.providers import adapt
        from assay.execution.retry import RetryPolicy
        from assay.model.records import Query
        class Hangs:
            def search(self, queries, k):
                threading.Event().wait()
        asked, policy = [Query("q1"), Query("q2")], RetryPolicy(timeout=0.05, retries=0)
        found = list(ask_concurrently(RetrieverClient(adapt(Hangs())), asked, 5, {batch}, policy))
        print(sum(len(some) for some in found))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, timeout=60, check=True)
    assert done.stdout.strip() == b"2"


@BOTH
@pytest.mark.parametrize("error", [KeyboardInterrupt("no"), SystemExit("no"), GeneratorExit("no")], ids=repr)
def test_what_would_end_a_program_is_an_error_like_others(batch, error):
    told = Told(failing({"q1": error}, every=True))
    found = answered(told, 3, batch=batch, policy=RetryPolicy(retries=0))
    assert {query: answer.error for query, answer in found.items() if answer.error} == {"q1": f"{type(error).__name__}: no"}
