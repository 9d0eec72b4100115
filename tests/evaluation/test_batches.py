"""Batches: how large they are, and what becomes of those that fail."""

import asyncio
import threading
import time
from types import SimpleNamespace

import pytest

from assay.execution import RetryPolicy
from assay.execution import pool as module
from assay.execution.pool import FAST_BATCH_SECONDS as SOON
from assay.execution.retry import RetryState
from assay.providers import PermanentFailure, RetryLater, adapt

from ._retrievers import AMPLE, LONG, QUICK, Told, answered, failing, queries, right


def sizes(told):
    return [len(some) for some in told.asked]


class Clock:
    """Time that passes only when somebody says so."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(module, "time", made)
    return made


def test_a_chosen_size_is_taken_exactly():
    told = Told()
    answered(told, 7, batch=3)
    assert told.asked == [["q0", "q1", "q2"], ["q3", "q4", "q5"], ["q6"]]


def test_others_grow_up_to_what_the_provider_takes_while_answers_come_quickly(clock):
    told = Told()
    answered(told, 40, batch=8, grows=True)
    assert sizes(told) == [1, 2, 4, 8, 8, 8, 8, 1]


def test_they_shrink_again_when_one_is_slow(clock):
    def answer(query):
        clock.sleep(0.06)  # eight of them are quick, sixteen are not
        return right(query)

    told = Told(answer)
    answered(told, 50, batch=64, grows=True)
    assert SOON == 0.5
    assert sizes(told) == [1, 2, 4, 8, 16, 8, 11]


def test_a_slow_retriever_is_asked_one_by_one_so_that_little_is_lost(clock):
    def answer(query):
        clock.sleep(3.0)
        return right(query)

    told = Told(answer)
    answered(told, 5, batch=100, grows=True)
    assert sizes(told) == [1] * 5


def test_they_shrink_when_one_fails_too(clock):
    told = Told(failing({"q5": ValueError("once")}))
    answered(told, 12, batch=100, grows=True)
    assert sizes(told) == [1, 2, 4, 1, 1, 1, 1, 2, 3]
    assert told.asked[3:7] == [["q3"], ["q4"], ["q5"], ["q6"]]


def test_a_batch_that_fails_is_asked_one_by_one():
    told = Told(failing({"q1": ValueError("never")}, every=True))
    found = answered(told, 3, batch=3)
    assert [answer.error for _, answer in sorted(found.items())] == [None, "ValueError: never", None]
    assert told.asked == [["q0", "q1", "q2"], ["q0"], ["q1"], ["q2"], ["q1"], ["q1"]]


def test_answers_of_a_batch_are_handed_on_before_its_failures_are_asked_again():
    told = Told(lambda query: ValueError("no") if query.query_id == "q1" else right(query))
    line = module.RetrieverClient(adapt(told))
    asking = module.BatchClient(line, 10, RetryState(QUICK), 3).ask([SimpleNamespace(query_id=f"q{n}") for n in range(3)])
    assert [answer.query for answer in next(asking)] == ["q0", "q2"]
    assert len(told.asked) == 1
    asking.close()


def test_what_will_never_work_is_asked_alone_once_and_the_others_are_saved():
    told = Told(failing({"q1": PermanentFailure("not this one")}, every=True))
    found = answered(told, 3, batch=3)
    assert [found[name].error for name in ("q0", "q1", "q2")] == [None, "not this one", None]
    assert told.asked == [["q0", "q1", "q2"], ["q0"], ["q1"], ["q2"]]


def test_errors_in_place_of_hits_are_asked_again_unless_final():
    given_out = iter([RetryLater(0.0), PermanentFailure("broken"), OSError("torn"), right, right])
    told = Told(lambda query: one(query) if (one := next(given_out)) is right else one)
    found = answered(told, 3, batch=3)
    assert (found["q0"].docs, found["q1"].error, found["q2"].docs) == (["d0"], "broken", ["d2"])
    assert told.asked == [["q0", "q1", "q2"], ["q0"], ["q2"]]


def test_a_query_that_an_answer_is_missing_for_is_found_by_asking_alone():
    class Drops(Told):
        def search(self, queries, k):
            return [hits for query, hits in zip(queries, super().search(queries, k), strict=True) if query.query_id != "q1"]

    told = Drops()
    found = answered(told, 3, batch=3)
    assert [found[name].docs for name in ("q0", "q2")] == [["d0"], ["d2"]]
    assert found["q1"].error == "search was given 1 query and returned 0 answers"
    assert sizes(told) == [3, 1, 1, 1]


def test_many_failures_share_their_pauses(clock, monkeypatch):
    """A retriever with a bug is told of soon, not after one pause for each query."""
    monkeypatch.setattr("assay.execution.retry.random.uniform", lambda low, high: 1.0)
    told = Told(failing({f"q{number}": TypeError("bug") for number in range(50)}, every=True))
    found = answered(told, 50, batch=50, policy=RetryPolicy(retries=2, backoff=1.0))
    assert all(answer.error == "TypeError: bug" for answer in found.values())
    assert clock.now == 1.0 + 2.0


def test_a_retriever_that_never_worked_is_not_asked_twice_for_long(clock, monkeypatch):
    """The first three queries share their pauses; after them nothing waits any more."""
    monkeypatch.setattr("assay.execution.retry.random.uniform", lambda low, high: 1.0)
    told = Told(failing({f"q{number}": TypeError("bug") for number in range(50)}, every=True))
    found = answered(told, 50, batch=1000, policy=RetryPolicy(retries=2, backoff=1.0), grows=True)
    assert all(answer.error == "TypeError: bug" for answer in found.values())
    assert clock.now == 1.0 + 2.0
    assert [told.times(f"q{number}") for number in (0, 1, 2, 3, 49)] == [3, 3, 3, 1, 1]


def test_after_one_answer_all_are_tried_as_often_as_usual(clock):
    told = Told(failing({f"q{number}": OSError("torn") for number in range(4, 20)}, every=True))
    answered(told, 20, batch=1000, policy=RetryPolicy(retries=2, backoff=1.0), grows=True)
    assert {told.times(f"q{number}") for number in range(10, 20)} == {3}


def test_a_pause_that_a_service_asks_for_is_told_of(clock):
    waits = []
    told = Told(failing({"q0": RetryLater(40.0, "http://x: HTTP 429")}))
    how = RetryState(RetryPolicy(), lambda seconds, why: waits.append((seconds, why)))
    list(module.BatchClient(module.RetrieverClient(adapt(told)), 10, how, 3).ask(queries(2)))
    assert (waits, clock.now) == ([(40.0, "HTTP 429")] * 2, 40.0)


def test_a_chosen_size_has_as_many_times_the_timeout_and_one_that_grows_has_it_once():
    given = []

    class Noting(Told):
        async def search(self, queries, k):
            return [right(query) for query in queries]

    line = module.RetrieverClient(adapt(Noting()))
    line.call = lambda method, queries, k, seconds: (
        given.append((len(queries), seconds)) or [right(query) for query in queries]
    )
    answered(line, 6, batch=3, policy=RetryPolicy(timeout=7.0))
    answered(line, 3, batch=3, policy=RetryPolicy(timeout=7.0), grows=True)
    assert given == [(3, 21.0), (3, 21.0), (1, 7.0), (2, 7.0)]


def test_one_that_hangs_takes_only_itself_along():
    release = threading.Event()

    def answer(query):
        if query.query_id == "q1":
            release.wait(LONG)
        return right(query)

    found = answered(Told(answer), 5, batch=3, policy=RetryPolicy(timeout=AMPLE, retries=0))
    release.set()
    assert {query: answer.error for query, answer in found.items() if answer.error} == {
        "q1": "TimeoutError: no answer within 0.5 s"
    }


def test_coroutines_that_take_too_long_are_ended():
    n_ended = 0

    class Hangs:
        async def search(self, queries, k):
            nonlocal n_ended
            try:
                await asyncio.sleep(600)
            finally:
                n_ended += 1

    found = answered(Hangs(), 2, batch=2, policy=RetryPolicy(timeout=0.05, retries=0))
    assert {answer.error for answer in found.values()} == {"TimeoutError: no answer within 0.05 s"}
    deadline = time.monotonic() + LONG
    while n_ended < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert n_ended == 3
