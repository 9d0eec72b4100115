"""Asking a retriever: retries and pauses, one thread and several, batches, services that are busy, slow or stuck."""

import asyncio
import itertools
import subprocess
import sys
import textwrap
import threading
import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Hit, ProviderError
from assay.execution import Response, RetryPolicy, pool, retry
from assay.execution.client import CallThread, RetrieverClient, describe_error
from assay.execution.pool import FAST_BATCH_SECONDS as SOON
from assay.execution.pool import ThreadPool, ask_concurrently
from assay.execution.retry import BUSY_RETRY_FACTOR, MAX_FAILURES_BEFORE_GIVING_UP, RetryState
from assay.providers import PermanentFailure, RetryLater, adapt

from ._retrievers import AMPLE, LONG, QUICK, Told, answered, failing, queries, right

# --- retry policy -----------------------------------------------------------------------------------------------------


@pytest.fixture
def no_chance(monkeypatch):
    """Pauses without the part that is left to chance."""
    monkeypatch.setattr(retry.random, "uniform", lambda low, high: 1.0)


def test_every_error_is_worth_another_try_but_not_one_that_is_final():
    for error in (OSError("x"), ValueError("x"), TimeoutError("x"), ProviderError("x")):
        for retries in (0, 1, 3):
            policy = RetryPolicy(retries=retries)
            assert [n for n in range(9) if policy.should_retry(error, n)] == list(range(retries + 1)), error
    assert not any(RetryPolicy(retries=9).should_retry(PermanentFailure("no"), n) for n in range(5))


def test_a_busy_service_is_given_more_tries():
    assert [n for n in range(1, 12) if RetryPolicy(retries=2).should_retry(RetryLater(), n)] == list(
        range(1, 2 * BUSY_RETRY_FACTOR + 1)
    )
    assert not RetryPolicy(retries=0).should_retry(RetryLater(), 1)


def test_pauses_are_twice_as_long_each_time_and_never_beyond_the_timeout(no_chance):
    policy = RetryPolicy(timeout=3.0, backoff=1.0)
    assert [policy.pause(OSError(), n) for n in (1, 2, 3, 4)] == [1.0, 2.0, 3.0, 3.0]


def test_pauses_are_never_the_same_for_all():
    pauses = {RetryPolicy(backoff=1.0).pause(OSError(), 1) for _ in range(9)}
    assert len(pauses) > 1
    assert all(0.5 <= pause <= 1.5 for pause in pauses)


def test_a_busy_service_says_itself_how_long_even_beyond_the_timeout_but_not_for_ever(no_chance):
    policy = RetryPolicy(timeout=3.0, backoff=1.0)
    assert [policy.pause(RetryLater(wait), 4) for wait in (0.0, 0.25, 59.0, 86400.0)] == [0.0, 0.25, 59.0, 60.0]
    assert [RetryPolicy(timeout=seconds).longest_pause for seconds in (1.0, 90.0, 900.0)] == [60.0, 90.0, 300.0]
    assert policy.pause(RetryLater(), 2) == 2.0


# --- retry state ------------------------------------------------------------------------------------------------------


TORN = OSError("torn")


def test_while_nothing_ever_worked_nothing_is_tried_again_after_a_few():
    state = RetryState(RetryPolicy(retries=2))
    for number in range(MAX_FAILURES_BEFORE_GIVING_UP):
        assert state.should_retry(TORN, 1)
        state.give_up(f"q{number}", TORN)
    assert not state.should_retry(TORN, 1)
    state.note_answers([Response("q", error="no")])
    assert not state.should_retry(TORN, 1)
    state.note_answers([Response("q")])
    assert state.should_retry(TORN, 1)


def test_what_is_final_says_nothing_about_the_others():
    state = RetryState(RetryPolicy(retries=2))
    for number in range(2 * MAX_FAILURES_BEFORE_GIVING_UP):
        state.give_up(f"q{number}", PermanentFailure("not this one"))
    assert state.should_retry(TORN, 1)


def test_what_worked_before_is_worth_waiting_for():
    state = RetryState(RetryPolicy(retries=2))
    state.note_answers([Response("q")])
    for number in range(2 * MAX_FAILURES_BEFORE_GIVING_UP):
        state.give_up(f"q{number}", TORN)
    assert state.should_retry(TORN, 2)
    assert not state.should_retry(TORN, 3)


def test_a_service_that_asks_for_too_long_a_pause_is_waited_for_once():
    state, hours = RetryState(RetryPolicy(retries=9, timeout=90)), RetryLater(3600.0, "HTTP 429")
    state.note_answers([Response("q")])
    assert (state.should_retry(hours, 1), state.should_retry(hours, 2)) == (True, False)
    assert state.give_up("q", hours).error == "HTTP 429; it asks to wait 3600 s, and 90 s is the longest wait"
    assert not state.should_retry(hours, 1)
    assert state.should_retry(RetryLater(5.0), 1)
    state.note_answers([Response("q")])
    assert state.should_retry(hours, 1)


def test_pauses_that_somebody_asked_for_are_told_of():
    for error, told in [(RetryLater(7.0, "HTTP 503", "http://x"), [(7.0, "HTTP 503")]), (RetryLater(), []), (TORN, [])]:
        waits = []
        RetryState(RetryPolicy(), lambda *wait, waits=waits: waits.append(wait)).pause(error, 1)
        assert waits == told, error


def caused_by(cause):
    error = ProviderError("mine:search raised it")
    error.__cause__ = cause
    return error


def test_the_answer_says_whether_asking_another_time_may_help():
    for error, is_final in [
        (PermanentFailure("no"), True),
        (TypeError("bug"), True),
        (caused_by(KeyError("bug")), True),
        (caused_by(ConnectionError("line")), False),
        (TimeoutError("late"), False),
        (RetryLater(), False),
        (ProviderError("HTTP 500"), False),
    ]:
        assert RetryState(RetryPolicy()).give_up("q", error).is_final is is_final, error


# --- the client of a retriever ----------------------------------------------------------------------------------------


def heard(answer, n=1, k=10):
    """What comes back for queries that are answered so."""
    return RetrieverClient(adapt(Told(answer))).search(queries(n), k)


def raised(error):
    def answer(query):
        raise error

    return answer


def test_hits_are_an_answer():
    (answer,) = heard(right)
    assert (answer.query, answer.docs, answer.scores, answer.error) == ("q0", ["d0"], [1.0], None)


def test_no_more_than_k_are_kept_the_best_by_score():
    (answer,) = heard(lambda query: [("a", 1.0), ("b", 3.0), ("c", 2.0)], k=2)
    assert (answer.docs, answer.scores) == (["b", "c"], [3.0, 2.0])


def test_texts_and_metadata_come_along():
    (answer,) = heard(lambda query: [Hit("a", 1.0, "its text", {"page": 3}), Hit("b", 0.5)])
    assert answer.extra == {"a": {"text": "its text", "page": 3}}
    assert heard(right)[0].extra is None


def test_time_is_shared_by_those_that_were_answered_together():
    def slow(query):
        time.sleep(0.02)
        return right(query)

    (alone,) = heard(slow)
    assert (alone.n_together, alone.ms >= 20) == (1, True)
    four = heard(slow, 4)
    assert {answer.n_together for answer in four} == {4}
    assert len({answer.ms for answer in four}) == 1
    assert four[0].ms >= 20


def test_what_is_raised_is_every_query_s_error_and_ends_nothing():
    for error in (ValueError("x"), OSError("x"), TimeoutError(), RetryLater(1.0), PermanentFailure("x")):
        assert heard(raised(error), 2) == [error, error]
    for error in (SystemExit("bye"), GeneratorExit("bye"), asyncio.CancelledError("bye")):
        outcomes = heard(raised(error), 2)
        assert [type(one) for one in outcomes] == [ProviderError] * 2, error
        assert describe_error(outcomes[0]) == f"{type(error).__name__}: bye"


def test_an_interrupt_is_a_person_s_in_the_main_thread_and_the_retriever_s_elsewhere():
    with pytest.raises(KeyboardInterrupt):
        heard(raised(KeyboardInterrupt()))
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.extend(heard(raised(KeyboardInterrupt()))))
    thread.start()
    thread.join(LONG)
    assert [describe_error(one) for one in outcomes] == ["KeyboardInterrupt"]


def test_an_error_in_place_of_hits_is_that_query_s_alone():
    given = {"q0": RetryLater(2.0), "q1": right, "q2": ProviderError("torn off"), "q3": PermanentFailure("refused")}
    busy, fine, torn, refused = heard(lambda query: right(query) if query.query_id == "q1" else given[query.query_id], 4)
    assert busy is given["q0"]
    assert fine.docs == ["d1"]
    assert torn is given["q2"]
    assert isinstance(refused, Response)  # asking again would not help, so this is the answer
    assert refused.error == "refused"


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


def test_garbage_is_that_query_s_error():
    for what, garbage in GARBAGE.items():
        first, bad, last = heard(lambda query, some=garbage: some if query.query_id == "q1" else right(query), 3)
        assert (first.error, last.error) == (None, None), what
        assert bad.error if isinstance(bad, Response) else isinstance(bad, ProviderError), what


def test_the_wrong_number_of_answers_is_an_error_of_all():
    class Wrong:
        def __init__(self, given_back):
            self.given_back = given_back

        def search(self, queries, k):
            return self.given_back

    for given_back in ([], [[]] * 9, None, 3, "ab"):
        assert all(isinstance(one, Exception) for one in RetrieverClient(adapt(Wrong(given_back))).search(queries(2), 10))


def test_coroutines_are_waited_for_all_on_one_event_loop():
    class Later:
        async def index(self, documents):
            self.loop = asyncio.get_running_loop()

        async def search(self, queries, k):
            assert asyncio.get_running_loop() is self.loop
            await asyncio.sleep(0.001)
            return [right(query) for query in queries]

    line = RetrieverClient(adapt(Later()))
    line.call(line.retriever.index, [])
    assert [answer.docs for answer in line.search(queries(2), 10)] == [["d0"], ["d1"]]


def test_a_coroutine_that_takes_too_long_is_ended():
    ended = threading.Event()

    class Hangs:
        async def search(self, queries, k):
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                ended.set()
                raise

    (error,) = RetrieverClient(adapt(Hangs())).search(queries(1), 10, 0.05)
    assert describe_error(error) == "TimeoutError: no answer within 0.05 s"
    assert ended.wait(LONG)


def test_a_coroutine_may_exit_without_taking_the_event_loop_along():
    class Leaves:
        async def search(self, queries, k):
            sys.exit("bye")

    line = RetrieverClient(adapt(Leaves()))
    assert [describe_error(*line.search(queries(1), 10, LONG)) for _ in range(2)] == ["SystemExit: bye"] * 2


def test_an_error_is_told_in_one_short_line():
    assert describe_error(ValueError("first\nsecond")) == "ValueError: first"
    assert describe_error(KeyError()) == "KeyError"
    assert describe_error(RetryLater(2.0)) == "the service is busy; it asks to wait 2 s"
    assert describe_error(ProviderError()) == "ProviderError"
    assert len(describe_error(ValueError("x" * 999))) == 300
    assert "\x1b" not in describe_error(ValueError("\x1b[31m"))


# --- the thread that calls --------------------------------------------------------------------------------------------


def test_one_thread_does_everything_and_it_is_another():
    worker = CallThread()
    threads = {worker.run(threading.get_ident) for _ in range(5)}
    worker.close()
    assert len(threads) == 1
    assert threads != {threading.get_ident()}


def test_here_means_the_calling_thread():
    assert CallThread(in_caller=True).run(threading.get_ident) == threading.get_ident()


def test_what_it_raises_is_raised():
    worker = CallThread()
    with pytest.raises(ZeroDivisionError):
        worker.run(lambda: 1 / 0)
    with pytest.raises(SystemExit):
        worker.run(exit, 3)
    assert worker.run(max, 1, 2) == 2
    worker.close()


def test_what_takes_too_long_is_left_behind_and_the_next_thing_done():
    worker, release = CallThread(), threading.Event()
    with pytest.raises(TimeoutError):
        worker.run(release.wait, seconds=0.05)
    assert worker.run(max, 1, 2, seconds=60) == 2
    worker.close()
    release.set()


def test_its_thread_ends_when_it_is_closed():
    worker = CallThread()
    thread = worker.run(threading.current_thread)
    worker.close()
    worker.close()
    thread.join(60)
    assert not thread.is_alive()


def test_any_time_is_short_enough():
    worker = CallThread()
    assert worker.run(time.monotonic, seconds=1e300)
    worker.close()


# --- every query once -------------------------------------------------------------------------------------------------


BOTH = pytest.mark.parametrize("batch", [1, 3])


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
def test_it_is_asked_again_as_often_as_allowed(batch):
    for retries in (0, 1, 3):
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


@pytest.mark.slow
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
def test_what_would_end_a_program_is_an_error_like_others(batch):
    for error in (KeyboardInterrupt("no"), SystemExit("no"), GeneratorExit("no")):
        told = Told(failing({"q1": error}, every=True))
        found = answered(told, 3, batch=batch, policy=RetryPolicy(retries=0))
        errors = {query: answer.error for query, answer in found.items() if answer.error}
        assert errors == {"q1": f"{type(error).__name__}: no"}


# --- batches ----------------------------------------------------------------------------------------------------------


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
    monkeypatch.setattr(pool, "time", made)
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
    line = pool.RetrieverClient(adapt(told))
    asking = pool.BatchClient(line, 10, RetryState(QUICK), 3).ask([SimpleNamespace(query_id=f"q{n}") for n in range(3)])
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
    told = Told(failing({"q0": RetryLater(40.0, "HTTP 429", "http://x")}))
    how = RetryState(RetryPolicy(), lambda seconds, why: waits.append((seconds, why)))
    list(pool.BatchClient(pool.RetrieverClient(adapt(told)), 10, how, 3).ask(queries(2)))
    assert (waits, clock.now) == ([(40.0, "HTTP 429")] * 2, 40.0)


def test_a_chosen_size_has_as_many_times_the_timeout_and_one_that_grows_has_it_once():
    given = []

    class Noting(Told):
        async def search(self, queries, k):
            return [right(query) for query in queries]

    line = pool.RetrieverClient(adapt(Noting()))
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


# --- threads ----------------------------------------------------------------------------------------------------------


def client(answer):
    return RetrieverClient(adapt(Told(answer)))


def together(n, action=None):
    """A place where n calls meet; nobody goes on before all are there."""
    return threading.Barrier(n, action, LONG)


def limit_after(answer, n, concurrency, state=RetryState):
    """How much is asked at once in the end."""
    policy = RetryPolicy(timeout=LONG, retries=5, backoff=0.0, concurrency=concurrency)
    threads = ThreadPool(client(answer), 10, state(policy))
    found = [one for some in threads.ask(queries(n)) for one in some]
    assert not any(one.error for one in found)
    assert len(found) == n
    return threads.limit


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


def test_threads_do_not_ask_a_retriever_that_never_worked_twice_for_long():
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
    told = Told(failing({f"q{number}": RetryLater(3600.0, "HTTP 429", "http://x") for number in range(9)}, every=True))
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
