"""Asking: every query is answered once, whatever the retriever does."""

import asyncio
import itertools
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evaluation import asking
from assay.evaluation.asking import Patience, ask, describe
from assay.model.records import Hit
from assay.providers._busy import Busy

from ._retrievers import Told, queries, right

QUICK = Patience(timeout=5.0, retries=2, backoff=0.001)
BOTH = pytest.mark.parametrize("batch", [1, 3])


def answered(retriever, n=4, k=10, batch=1, patience=QUICK):
    """Query → answer, after checking that each query came once."""
    found = [answer for some in ask(retriever, queries(n), k, batch, patience) for answer in some]
    assert sorted(answer.query for answer in found) == sorted(f"q{number}" for number in range(n))
    return {answer.query: answer for answer in found}


def failing(errors, every=False):
    """Raises what stands beside a query, once or always."""
    left = dict(errors)

    def answer(query):
        error = left.get(query.query_id) if every else left.pop(query.query_id, None)
        if error:
            raise error
        return right(query)

    return answer


@settings(max_examples=40)
@given(n=st.integers(0, 8), batch=st.integers(1, 5), bad=st.sets(st.integers(0, 7)))
def test_every_query_is_answered_once(n, batch, bad):
    told = Told(failing({f"q{number}": ValueError("no") for number in bad}, every=True))
    found = answered(told, n, batch=batch, patience=Patience(retries=0, backoff=0.0))
    assert {query for query, answer in found.items() if answer.error} == {f"q{number}" for number in bad if number < n}
    assert all(answer.docs == [f"d{query[1:]}"] for query, answer in found.items() if not answer.error)


def test_batches_are_as_large_as_asked_for_and_in_order():
    told = Told()
    answered(told, 7, batch=3)
    assert told.asked == [["q0", "q1", "q2"], ["q3", "q4", "q5"], ["q6"]]


def test_one_at_a_time_keeps_the_order_too():
    told = Told()
    answered(told, 5, patience=Patience(concurrency=1))
    assert told.asked == [[f"q{number}"] for number in range(5)]


def test_a_batch_that_fails_is_asked_one_by_one():
    told = Told(failing({"q1": ValueError("never")}, every=True))
    found = answered(told, 3, batch=3)
    assert [answer.error for _, answer in sorted(found.items())] == [None, "ValueError: never", None]
    assert told.asked == [["q0", "q1", "q2"], ["q0"], ["q1"], ["q2"], ["q1"], ["q1"]]


@BOTH
def test_a_query_that_fails_is_asked_again(batch):
    told = Told(failing({"q2": OSError("once")}))
    assert not any(answer.error for answer in answered(told, batch=batch).values())


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_it_is_asked_again_as_often_as_allowed(retries):
    patience = Patience(retries=retries, backoff=0.0)
    told = Told(failing({"q1": OSError("always")}, every=True))
    answered(told, patience=patience)
    assert told.times("q1") == retries + 1
    alone = Told(failing({"q0": OSError("always")}, every=True))
    answered(alone, 1, batch=5, patience=patience)
    assert alone.times("q0") == retries + 1


@BOTH
def test_pauses_grow(batch, monkeypatch):
    monkeypatch.setattr(asking.random, "uniform", lambda low, high: 1.0)
    began = time.monotonic()
    told = Told(failing({"q0": OSError("always")}, every=True))
    answered(told, 1, batch=batch, patience=Patience(retries=3, backoff=0.02))
    assert time.monotonic() - began >= 0.02 + 0.04 + 0.08


def test_pauses_are_longer_each_time_never_equal_and_never_beyond_the_timeout(monkeypatch):
    patience = Patience(timeout=3.0, backoff=1.0)
    assert 0.5 <= patience.pause(OSError(), 1) <= 1.5
    assert len({patience.pause(OSError(), 1) for _ in range(9)}) > 1
    monkeypatch.setattr(asking.random, "uniform", lambda low, high: 1.0)
    assert [patience.pause(OSError(), n) for n in (1, 2, 3, 4)] == [1.0, 2.0, 3.0, 3.0]
    assert [patience.pause(Busy(wait), 4) for wait in (0.0, 0.25, 99.0, None)] == [0.0, 0.25, 3.0, 3.0]


def test_many_failures_in_a_batch_share_their_pauses():
    """A retriever with a bug is told of soon, not after one pause for each query."""
    began = time.monotonic()
    told = Told(failing({f"q{number}": TypeError("bug") for number in range(50)}, every=True))
    found = answered(told, 50, batch=50, patience=Patience(retries=2, backoff=0.05))
    assert all(answer.error == "TypeError: bug" for answer in found.values())
    assert time.monotonic() - began < 2


@BOTH
def test_a_query_that_hangs_fails_and_the_others_go_on(batch):
    release = threading.Event()

    def answer(query):
        if query.query_id == "q1":
            release.wait(20)
        return right(query)

    found = answered(Told(answer), 6, batch=batch, patience=Patience(timeout=0.1, retries=0))
    release.set()
    assert {query: answer.error for query, answer in found.items() if answer.error} == {
        "q1": "TimeoutError: no answer within 0.1 s"
    }


def test_an_answer_that_comes_too_late_is_not_taken_for_another():
    late = threading.Event()
    calls = itertools.count()

    def answer(query):
        if next(calls) == 0:
            late.wait(20)
            return [Hit("late")]
        return [Hit("in time")]

    def slow(query):
        time.sleep(0.01)
        return answer(query)

    found = []
    for some in ask(Told(slow), queries(12), 10, 1, Patience(timeout=0.1, retries=1, backoff=0.0, concurrency=1)):
        late.set()
        found += some
    assert sorted(answer.query for answer in found) == sorted(query.query_id for query in queries(12))
    assert {answer.docs[0] for answer in found} == {"in time"}


@pytest.mark.parametrize("batch", [1, 4])
def test_a_hanging_retriever_does_not_keep_the_process_alive(batch):
    program = f"""
        import threading
        from assay.evaluation.asking import Patience, ask
        from assay.model.records import Query
        class Hangs:
            def search(self, queries, k):
                threading.Event().wait()
        found = list(ask(Hangs(), [Query("q1"), Query("q2")], 5, {batch}, Patience(timeout=0.05, retries=0)))
        print(sum(len(some) for some in found))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, timeout=30, check=True)
    assert done.stdout.strip() == b"2"


def test_slow_calls_overlap_as_much_as_allowed_and_no_more():
    def answer(query):
        time.sleep(0.05)
        return right(query)

    told = Told(answer)
    answered(told, 200, patience=Patience(concurrency=10))
    assert told.most == 10


def test_a_busy_service_is_asked_less_at_once_and_more_again_when_it_answers():
    waits = itertools.count()
    told = None

    def answer(query):
        time.sleep(0.002)
        if next(waits) < 8:
            raise Busy(0.01)
        overlaps.append(told.n_now)
        return right(query)

    overlaps = []
    told = Told(answer)
    found = answered(told, 120, patience=Patience(retries=5, backoff=0.0, concurrency=8))
    assert not any(one.error for one in found.values())
    assert max(overlaps[:3]) <= 2
    assert max(overlaps) > 4


@BOTH
def test_a_busy_service_is_left_alone_as_long_as_it_asks(batch):
    seen = []

    def answer(query):
        seen.append(time.monotonic())
        if len(seen) == 1:
            raise Busy(0.2)
        return right(query)

    found = answered(Told(answer), 1, batch=batch)
    assert not found["q0"].error
    assert seen[1] - seen[0] >= 0.19


@BOTH
def test_a_busy_service_is_asked_three_times_as_often(batch):
    told = Told(failing({"q0": Busy(0.0, "too much")}, every=True))
    found = answered(told, 1, batch=batch, patience=Patience(retries=2, backoff=0.0))
    assert found["q0"].error == "too much; it asks to wait 0 s"
    assert told.times("q0") == 7


def test_busy_handed_over_in_place_of_hits_is_asked_again_and_other_errors_are_not():
    given_out = iter([Busy(0.0), ValueError("broken"), [Hit("d")]])
    told = Told(lambda query: next(given_out))
    found = answered(told, 2, batch=2)
    assert found["q0"].docs == ["d"]
    assert found["q1"].error == "ValueError: broken"
    assert told.asked == [["q0", "q1"], ["q0"]]


@BOTH
def test_coroutines_are_waited_for_all_on_one_event_loop(batch):
    loops = set()

    class Later:
        async def search(self, queries, k):
            loops.add(asyncio.get_running_loop())
            await asyncio.sleep(0.01)
            return [right(query) for query in queries]

    found = answered(Later(), batch=batch)
    assert [answer.docs for _, answer in sorted(found.items())] == [["d0"], ["d1"], ["d2"], ["d3"]]
    assert len(loops) == 1


def test_coroutines_overlap():
    now = most = 0

    class Later:
        async def search(self, queries, k):
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.02)
            now -= 1
            return [right(query) for query in queries]

    answered(Later(), 40, patience=Patience(concurrency=6))
    assert most == 6


GARBAGE = {
    "nan": [Hit("d", float("nan"))],
    "inf": [("d", float("inf"))],
    "twice": [Hit("d", 1.0), Hit("d", 0.5)],
    "nothing": None,
    "number": 7,
    "text": "d1 d2",
    "empty id": [""],
    "half scored": [("a", 1.0), "b"],
    "object": [object()],
    "words": [("d", "high")],
}


@BOTH
@pytest.mark.parametrize("what", GARBAGE)
def test_garbage_is_that_query_s_error(batch, what):
    told = Told(lambda query: GARBAGE[what] if query.query_id == "q1" else right(query))
    found = answered(told, 3, batch=batch)
    assert [query for query, answer in found.items() if answer.error] == ["q1"]
    assert found["q1"].docs == []


@pytest.mark.parametrize("given_back", [[], [[]] * 9, None, 3, "ab"])
def test_the_wrong_number_of_answers_fails_all_of_them(given_back):
    class Wrong:
        def search(self, queries, k):
            return given_back

    found = answered(Wrong(), 2, batch=2, patience=Patience(retries=0))
    assert all(answer.error for answer in found.values())


def test_the_wrong_number_of_answers_for_many_is_mended_one_by_one():
    class Wrong:
        def search(self, queries, k):
            return [[Hit("d")]]

    assert not any(answer.error for answer in answered(Wrong(), 3, batch=3).values())


def test_no_more_than_k_are_kept_the_best_by_score():
    found = answered(Told(lambda query: [("a", 1.0), ("b", 3.0), ("c", 2.0)]), 1, k=2)
    assert (found["q0"].docs, found["q0"].scores) == (["b", "c"], [3.0, 2.0])


def test_texts_and_metadata_come_along():
    found = answered(Told(lambda query: [Hit("a", 1.0, "its text", {"page": 3}), Hit("b", 0.5)]), 1)
    assert found["q0"].extra == {"a": {"text": "its text", "page": 3}}


def test_time_is_taken_alone_and_shared_in_a_batch():
    def slow(query):
        time.sleep(0.02)
        return right(query)

    assert answered(Told(slow), 1)["q0"].ms >= 20
    assert {answer.ms for answer in answered(Told(slow), 4, batch=4).values()} != {0.0}
    times = [answer.ms for answer in answered(Told(slow), 4, batch=4).values()]
    assert len(set(times)) == 1
    assert times[0] >= 20


@BOTH
def test_to_exit_is_an_error_like_others(batch):
    def answer(query):
        sys.exit("bye")

    assert answered(Told(answer), 1, batch=batch)["q0"].error == "SystemExit: bye"


def test_an_error_is_told_in_one_short_line():
    assert describe(ValueError("first\nsecond")) == "ValueError: first"
    assert describe(KeyError()) == "KeyError"
    assert describe(Busy(2.0)) == "the service is busy; it asks to wait 2 s"
    assert len(describe(ValueError("x" * 999))) == 300
    assert "\x1b" not in describe(ValueError("\x1b[31m"))
