"""Crew: how much is asked at once, of services that are busy, slow or stuck."""

import asyncio
import itertools
import threading
import time

from assay import Hit
from assay.execution import RetryPolicy
from assay.execution.client import RetrieverClient
from assay.execution.pool import ThreadPool, ask_concurrently
from assay.execution.retry import RetryState
from assay.providers import PermanentFailure, RetryLater, adapt

from ._retrievers import AMPLE, LONG, Told, answered, failing, queries, right


def client(answer):
    return RetrieverClient(adapt(Told(answer)))


def together(n, action=None):
    """A place where n calls meet; nobody goes on before all are there."""
    return threading.Barrier(n, action, LONG)


def limit_after(answer, n, concurrency, state=RetryState):
    """How much is asked at once in the end."""
    policy = RetryPolicy(timeout=LONG, retries=5, backoff=0.0, concurrency=concurrency)
    pool = ThreadPool(client(answer), 10, state(policy))
    found = [one for some in pool.ask(queries(n)) for one in some]
    assert not any(one.error for one in found)
    assert len(found) == n
    return pool.limit


def test_one_at_a_time_keeps_the_order():
    told = Told()
    answered(told, 5, policy=RetryPolicy(concurrency=1))
    assert told.asked == [[f"q{number}"] for number in range(5)]


def test_slow_calls_overlap_as_much_as_allowed_and_no_more():
    calls, meet = itertools.count(), together(10)

    def answer(query):
        if next(calls) < 10:
            meet.wait()
        time.sleep(0.001)
        return right(query)

    told = Told(answer)
    answered(told, 100, policy=RetryPolicy(concurrency=10))
    assert told.most == 10


def test_the_same_few_threads_ask_everything():
    threads = set()
    answered(Told(lambda query: threads.add(threading.get_ident()) or right(query)), 200, policy=RetryPolicy(concurrency=4))
    assert 1 <= len(threads) <= 4


def test_its_threads_end_when_all_is_answered_and_when_nobody_listens_any_more():
    seen = []
    asking = ask_concurrently(
        client(lambda query: seen.append(threading.current_thread()) or right(query)), queries(50), 10, 1, RetryPolicy()
    )
    next(asking)
    asking.close()
    answered(Told(lambda query: seen.append(threading.current_thread()) or right(query)), 9)
    for thread in set(seen):
        thread.join(LONG)
        assert not thread.is_alive()


def test_what_is_final_is_not_asked_again():
    told = Told(failing({"q1": PermanentFailure("refused")}, every=True))
    assert answered(told)["q1"].error == "refused"
    assert told.times("q1") == 1


def test_a_retriever_that_never_worked_is_not_asked_twice_for_long():
    told = Told(failing({f"q{number}": ValueError("never") for number in range(60)}, every=True))
    found = answered(told, 60, policy=RetryPolicy(retries=9, backoff=0.0, concurrency=2))
    assert {one.error for one in found.values()} == {"ValueError: never"}
    times = [told.times(f"q{number}") for number in range(60)]
    assert sum(one == 10 for one in times) >= 3
    assert sum(times) < 3 * 10 + 60 * 10 / 2


def test_once_something_worked_all_are_tried_as_often_as_usual():
    told = Told(failing({f"q{number}": ValueError("never") for number in range(1, 20)}, every=True))
    answered(told, 20, policy=RetryPolicy(retries=3, backoff=0.0, concurrency=1))
    assert {told.times(f"q{number}") for number in range(1, 20)} == {4}


# Busy services


def test_a_service_that_asks_for_hours_is_waited_for_once_and_then_all_fail(monkeypatch):
    monkeypatch.setattr("assay.execution.retry.MIN_LONGEST_PAUSE_SECONDS", 0.2)
    told = Told(failing({f"q{number}": RetryLater(3600.0, "http://x: HTTP 429") for number in range(9)}, every=True))
    waits = []
    how = RetryState(RetryPolicy(timeout=0.1, retries=2, concurrency=3), lambda *wait: waits.append(wait))
    found = [one for some in ThreadPool(RetrieverClient(adapt(told)), 10, how).ask(queries(9)) for one in some]
    assert {one.error for one in found} == {"http://x: HTTP 429; it asks to wait 3600 s, and 0.2 s is the longest wait"}
    assert set(waits) == {(0.2, "HTTP 429")}
    assert sorted(one.query for one in found) == [f"q{number}" for number in range(9)]
    assert sum(told.times(f"q{number}") for number in range(9)) <= 9 + 3


def busy_at_first(n, retry_after=None):
    """The first n calls meet, and are all told to come back."""
    calls, meet = itertools.count(), together(n)

    def answer(query):
        if next(calls) < n:
            meet.wait()
            raise RetryLater(retry_after)
        return right(query)

    return answer


def test_calls_that_were_made_together_halve_the_limit_once():
    assert limit_after(busy_at_first(8), n=8, concurrency=8) == 5  # 4 answers: 5 at once; 4 more are not enough for 6


def test_it_grows_by_one_after_as_many_answers_in_a_row_as_are_asked_at_once():
    assert limit_after(busy_at_first(4), n=4, concurrency=4) == 3  # 2 answers: 3 at once; 2 more are not enough for 4
    assert limit_after(busy_at_first(4), n=5, concurrency=4) == 4
    assert limit_after(busy_at_first(4), n=40, concurrency=4) == 4  # never beyond what is allowed


def test_an_error_begins_the_row_anew():
    """One answer is in, then the error, then all others: each waits until the one before has been taken note of."""
    at_first, calls, first_is_in, stumbled = busy_at_first(4), itertools.count(), threading.Event(), threading.Event()

    class Noting(RetryState):
        def note_answers(self, answers):
            super().note_answers(answers)
            first_is_in.set()

        def should_retry(self, error, attempts):
            if isinstance(error, OSError):
                stumbled.set()
            return super().should_retry(error, attempts)

    def answer(query):
        hits, number = at_first(query), next(calls)
        if number == 1:
            first_is_in.wait(LONG)
            raise OSError("once")
        if number > 1:
            stumbled.wait(LONG)
        return hits

    assert limit_after(answer, n=5, concurrency=4, state=Noting) == 3
    assert stumbled.is_set()


def test_it_is_never_less_than_one():
    calls = itertools.count()

    def answer(query):
        if next(calls) < 5:
            raise RetryLater(0.0)
        return right(query)

    assert limit_after(answer, n=1, concurrency=1) == 1


def test_while_the_limit_is_low_no_more_are_asked_at_once():
    at_first, overlaps = busy_at_first(8), []

    def answer(query):
        hits = at_first(query)
        overlaps.append(told.n_now)
        while len(overlaps) > 40 and max(overlaps) <= 5:  # by then it has grown: these wait for each other
            time.sleep(0.001)
        time.sleep(0.001)
        return hits

    told = Told(answer)
    answered(told, 80, policy=RetryPolicy(timeout=LONG, retries=5, backoff=0.0, concurrency=8))
    assert max(overlaps[:4]) <= 4
    assert max(overlaps) > 5


def test_when_a_service_asks_for_a_pause_nobody_asks_meanwhile():
    meet, starts, told_at = together(2), [], []

    def answer(query):
        starts.append((query.query_id, time.monotonic()))
        if len(starts) <= 2:
            meet.wait()
        if query.query_id == "q0" and not told_at:
            told_at.append(time.monotonic())
            raise RetryLater(0.6)
        if query.query_id == "q1":
            time.sleep(0.2)  # it is answered while the service wants to be left alone
        return right(query)

    found = answered(Told(answer), 6, policy=RetryPolicy(timeout=LONG, concurrency=2))
    assert not any(one.error for one in found.values())
    assert [query for query, _ in starts[:2]] in (["q0", "q1"], ["q1", "q0"])
    assert min(start for _, start in starts[2:]) - told_at[0] >= 0.59


# Calls that hang


def test_calls_that_hang_keep_their_places_until_they_come_back():
    release, at_once = threading.Event(), {False: 0, True: 0}

    def answer(query):
        if query.query_id in ("q0", "q1"):
            release.wait(LONG)
        is_free = release.is_set()
        at_once[is_free] = max(at_once[is_free], told.n_now)
        time.sleep(0.05)
        return right(query)

    told, found = Told(answer), []
    for some in ask_concurrently(
        RetrieverClient(adapt(told)), queries(40), 10, 1, RetryPolicy(timeout=1.0, retries=0, concurrency=3)
    ):
        found += some
        n_failed = sum(one.error is not None for one in found)
        if n_failed == 2 and len(found) >= 25:
            release.set()
    assert {one.query for one in found if one.error} == {"q0", "q1"}
    assert len(found) == 40
    assert at_once == {False: 3, True: 3}
    assert told.most == 3


def test_one_place_is_always_left():
    release = threading.Event()

    def answer(query):
        if int(query.query_id[1:]) < 4:
            release.wait(LONG)
        return right(query)

    found = answered(Told(answer), 8, policy=RetryPolicy(timeout=AMPLE, retries=0, concurrency=2))
    release.set()
    assert sorted(query for query, one in found.items() if one.error) == ["q0", "q1", "q2", "q3"]


def test_an_answer_that_comes_too_late_is_not_taken_for_another():
    late = threading.Event()
    calls = itertools.count()

    def answer(query):
        time.sleep(0.01)
        if next(calls) == 0:
            late.wait(LONG)
            return [Hit("late")]
        return [Hit("in time")]

    found = []
    for some in ask_concurrently(
        client(answer), queries(12), 10, 1, RetryPolicy(timeout=AMPLE, retries=1, backoff=0.0, concurrency=1)
    ):
        late.set()
        found += some
    assert sorted(one.query for one in found) == sorted(query.query_id for query in queries(12))
    assert {one.docs[0] for one in found} == {"in time"}


def test_coroutines_that_take_too_long_are_ended_and_make_room():
    n_now = most = n_ended = 0

    class Hangs:
        async def search(self, queries, k):
            nonlocal n_now, most, n_ended
            n_now += 1
            most = max(most, n_now)
            try:
                await asyncio.sleep(600 if int(queries[0].query_id[1:]) < 4 else 0)
            except asyncio.CancelledError:
                n_ended += 1
                raise
            finally:
                n_now -= 1
            return [right(query) for query in queries]

    found = answered(Hangs(), 8, policy=RetryPolicy(timeout=AMPLE, retries=0, concurrency=4))
    assert sorted(query for query, one in found.items() if one.error) == ["q0", "q1", "q2", "q3"]
    assert most <= 4 + 1  # the one place that is always left
    deadline = time.monotonic() + LONG
    while n_ended < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert n_ended == 4


def test_coroutines_overlap():
    now = most = 0

    class Later:
        async def search(self, queries, k):
            nonlocal now, most
            now += 1
            most = max(most, now)
            while most < 6:  # the first six meet
                await asyncio.sleep(0.001)
            now -= 1
            return [right(query) for query in queries]

    answered(Later(), 40, policy=RetryPolicy(timeout=LONG, concurrency=6))
    assert most == 6
