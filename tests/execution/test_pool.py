"""Many queries: every one once, alone in a few threads or together in batches, whatever hangs or fails among them."""

import asyncio
import itertools
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Hit
from assay.execution import RetryPolicy

from ._retrievers import AT_ONCE, LONG, Told, collected, errors, failing, right


@given(n=st.integers(0, 8), own=st.integers(1, 5), batch=st.none() | st.integers(1, 5), bad=st.sets(st.integers(0, 7)))
def test_every_query_is_answered_once(n, own, batch, bad):
    told = Told(failing({f"q{number}": ValueError("no") for number in bad}, every=True), batch=own)
    found = collected(told, n, batch=batch, policy=AT_ONCE)
    assert list(found) == [f"q{number}" for number in range(n)]
    assert set(errors(found)) == {f"q{number}" for number in bad if number < n}
    assert all(answer.docs == [f"d{query[1:]}"] for query, answer in found.items() if not answer.error)


def alone(answer=right, n=4, **policy):
    """A retriever that is asked one query at a time, and its responses."""
    told = Told(answer, batch=1)
    return told, collected(told, n, policy=RetryPolicy(**{"timeout": LONG, "retries": 0, "backoff": 0.0, **policy}))


def test_calls_overlap_as_much_as_allowed_and_no_more():
    calls, meet = itertools.count(), threading.Barrier(10, timeout=LONG)

    def answer(query):
        if next(calls) < 10:
            meet.wait()
        return right(query)

    assert alone(answer, 50, concurrency=10)[0].most == 10
    now = most = 0

    class Later:
        batch = 1

        async def search(self, queries, k):
            nonlocal now, most
            now += 1
            most = max(most, now)
            while most < 6:  # the first six meet
                await asyncio.sleep(0)
            now -= 1
            return [right(query) for query in queries]

    collected(Later(), 20, policy=RetryPolicy(timeout=LONG, concurrency=6))
    assert most == 6


def test_a_few_threads_ask_everything_and_end():
    """Also when nobody listens any more."""

    def interrupt(progress):
        if progress.n_done:
            raise KeyboardInterrupt

    threads = []
    alone(lambda query: threads.append(threading.current_thread()) or right(query), 100, concurrency=4)
    assert len(set(threads)) <= 4
    told = Told(lambda query: threads.append(threading.current_thread()) or right(query), batch=1)
    with pytest.raises(KeyboardInterrupt):
        collected(told, 50, watch=interrupt)
    for thread in set(threads):
        thread.join(LONG)
        assert not thread.is_alive()


@pytest.mark.slow
def test_one_place_is_always_left_and_late_answers_do_not_count():
    """Two that hang hold both places, and come back while others are asked."""
    release, back, done = threading.Event(), threading.Semaphore(0), []

    def answer(query):
        if query.query_id in ("q0", "q1"):
            release.wait(LONG)
            back.release()
            return [Hit("late")]
        if query.query_id == "q3":
            release.set()
            assert all(back.acquire(timeout=LONG) for _ in range(2))
        return right(query)

    policy = RetryPolicy(timeout=5.0, retries=0, concurrency=2)
    found = collected(Told(answer, batch=1), 40, policy=policy, watch=lambda now: done.append((now.n_done, now.n_failed)))
    assert set(errors(found)) == {"q0", "q1"}
    assert "late" not in {doc for one in found.values() for doc in one.docs}
    assert done[-1] == (40, 2)


def test_batches_are_of_the_chosen_size_and_one_that_fails_is_asked_one_by_one():
    for own, chosen, sizes in ((1000, 4, [4, 4, 1]), (1, 3, [1] * 9)):
        told = Told(batch=own)
        collected(told, 9, batch=chosen)
        assert told.sizes() == sizes, (own, chosen)
    told, seen = Told(failing({"q1": ValueError("never")}, every=True)), []
    found = collected(told, 3, batch=3, watch=lambda now: seen.append((now.n_done, len(told.asked))))
    assert errors(found) == {"q1": "ValueError: never"}
    assert told.asked == [["q0", "q1", "q2"], ["q0"], ["q1"], ["q2"], ["q1"], ["q1"]]
    assert (2, 4) in seen  # answers are handed on before failures are asked again
