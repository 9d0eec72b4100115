"""Retries: what is asked again, how often and after how long; and what retrievers return that is no answer."""

import asyncio
import sys
import threading

import pytest

from assay import Hit, ProviderError
from assay.execution import RetryPolicy
from assay.providers import PermanentFailure, RetryLater

from ._retrievers import AT_ONCE, LONG, Told, collected, errors, failing, right

WAYS = {"alone": (1, {}), "together": (1000, {"batch": 3}), "growing": (1000, {})}
"""How queries are asked → what the retriever takes at once, and how many it is given."""


def asked(answer, way, n=4, **how):
    """A retriever that answers so, and its responses."""
    batch, more = WAYS[way]
    told = Told(answer, batch=batch)
    return told, collected(told, n, **more, **how)


def test_pauses_double_with_chance_up_to_the_timeout_and_a_busy_service_says_itself_how_long():
    policy = RetryPolicy(timeout=3.0, backoff=1.0)
    for attempts, low, high in ((1, 0.5, 1.5), (2, 1.0, 3.0), (3, 2.0, 3.0), (9, 3.0, 3.0)):
        pauses = {policy.pause(OSError(), attempts) for _ in range(20)}
        assert all(low <= pause <= high for pause in pauses), attempts
        assert len(pauses) > 1 or low == high, attempts
    assert [policy.pause(RetryLater(wait), 4) for wait in (0.0, 0.25, 59.0, 86400.0)] == [0.0, 0.25, 59.0, 60.0]
    assert [RetryPolicy(timeout=seconds).longest_pause for seconds in (1.0, 90.0, 900.0)] == [60.0, 90.0, 300.0]
    assert 1.0 <= policy.pause(RetryLater(), 2) <= 3.0


def test_a_query_is_asked_again_as_often_as_allowed():
    """Busy services three times as often; what is final is asked alone once."""
    final = {"q1": PermanentFailure("refused")}
    for way in WAYS:
        assert errors(asked(failing({"q2": OSError("once")}), way)[1]) == {}, way
        for retries in (0, 1, 3):
            policy = RetryPolicy(retries=retries, backoff=0.0)
            told, found = asked(failing({"q0": OSError("always")}, every=True), way, policy=policy)
            alone = told.asked.count(["q0"])
            assert (errors(found), alone) == ({"q0": "OSError: always"}, retries + 1), (way, retries)
        told, found = asked(failing({"q0": RetryLater(0.0, "too much")}, every=True), way, n=1)
        assert (errors(found), told.times("q0")) == ({"q0": "too much; it asks to wait 0 s"}, 7), way
        told, found = asked(failing(final, every=True), way)
        assert (errors(found), told.asked.count(["q1"])) == ({"q1": "refused"}, 1), way


def test_a_retriever_that_never_worked_is_not_asked_twice_for_long():
    """The first three queries are tried as often as allowed, the others once; after one answer, all are."""
    never = {f"q{number}": TypeError("bug") for number in range(50)}
    policy = RetryPolicy(retries=9, backoff=0.0, concurrency=1)
    for way in ("alone", "growing"):
        told, found = asked(failing(never, every=True), way, n=50, policy=policy)
        assert set(errors(found).values()) == {"TypeError: bug"}
        times = sorted(told.times(query) for query in never)
        assert (times[:47], times[-3:]) == ([1] * 47, [10] * 3), way
        del never["q0"]
        told, found = asked(failing(never, every=True), way, n=20, policy=policy)
        assert {told.asked.count([f"q{number}"]) for number in range(5, 20)} == {10}, way
        never["q0"] = TypeError("bug")


def test_hits_with_what_came_along_are_an_answer():
    given = [("a", 1.0), ("b", 3.0), Hit("c", 2.0, "its text", {"page": 3})]
    _, found = asked(lambda query: given, "together", n=3, k=2)
    answer = found["q0"]
    assert (answer.docs, answer.scores, answer.extra) == (["b", "c"], [3.0, 2.0], {"c": {"text": "its text", "page": 3}})
    assert answer.hits == [Hit("b", 3.0), Hit("c", 2.0, "its text", {"page": 3})]
    assert {(one.n_together, one.ms) for one in found.values()} == {(3, answer.ms)}  # they share their time


def test_what_is_final_says_nothing_about_the_others():
    final = {f"q{number}": PermanentFailure("not this one") for number in range(6)}
    told, _ = asked(failing({**final, "q6": OSError("torn")}, every=True), "alone", n=7)
    assert told.times("q6") == 3


def test_an_error_in_place_of_hits_is_that_query_s_alone():
    given = {"q0": RetryLater(0.0), "q1": PermanentFailure("broken"), "q2": OSError("torn")}
    told, found = asked(lambda query: given.pop(query.query_id, None) or right(query), "together", n=3)
    assert errors(found) == {"q1": "broken"}
    assert told.asked == [["q0", "q1", "q2"], ["q0"], ["q2"]]


def test_garbage_is_that_query_s_error():
    for garbage in ([Hit("d", float("nan"))], [Hit("d", 1.0), Hit("d", 0.5)], None, "d1 d2", [object()]):
        _, found = asked(
            lambda query, some=garbage: some if query.query_id == "q1" else right(query), "together", n=3, policy=AT_ONCE
        )
        assert set(errors(found)) == {"q1"}, garbage


def test_the_wrong_number_of_answers_is_an_error_and_who_is_missing_is_found():
    class Drops(Told):
        def search(self, queries, k):
            return [hits for query, hits in zip(queries, super().search(queries, k), strict=True) if query.query_id != "q1"]

    told = Drops()
    assert errors(collected(told, 3, batch=3)) == {
        "q1": "search must return one list of hits per query: it got 1 query and returned 0 lists"
    }
    assert told.sizes() == [3, 1, 1, 1]


def test_what_would_end_a_program_is_an_error_like_others():
    for way in WAYS:
        for error in (KeyboardInterrupt("no"), SystemExit("no"), GeneratorExit("no"), asyncio.CancelledError("no")):
            _, found = asked(failing({"q1": error}, every=True), way, n=3, policy=AT_ONCE)
            assert errors(found) == {"q1": f"{type(error).__name__}: no"}, (way, error)

    class Leaves:
        async def search(self, queries, k):
            sys.exit("bye")

    assert set(errors(collected(Leaves(), 2)).values()) == {"SystemExit: bye"}


def test_an_error_is_told_in_one_short_line():
    for error, line in (
        (ValueError("first\nsecond"), "ValueError: first"),
        (KeyError(), "KeyError"),
        (RetryLater(2.0), "the service is busy; it asks to wait 2 s"),
        (ProviderError(), "ProviderError"),
        (ValueError("x" * 999), "ValueError: " + "x" * 287 + "…"),
    ):
        _, found = asked(failing({"q0": error}, every=True), "alone", n=1, policy=AT_ONCE)
        assert errors(found) == {"q0": line}
    _, found = asked(failing({"q0": ValueError("\x1b[31m")}, every=True), "alone", n=1, policy=AT_ONCE)
    assert "\x1b" not in found["q0"].error


@pytest.mark.slow
def test_in_a_batch_one_that_hangs_takes_only_itself_along():
    release = threading.Event()
    policy = RetryPolicy(timeout=5.0, retries=0)
    _, found = asked(lambda query: (query.query_id == "q1" and release.wait(LONG)) or right(query), "growing", policy=policy)
    release.set()
    assert errors(found) == {"q1": "TimeoutError: no response within 5 s. Increase the timeout to allow more time"}


def test_any_time_is_short_enough():
    assert errors(asked(right, "alone", policy=RetryPolicy(timeout=1e300))[1]) == {}


def test_coroutines_that_take_too_long_are_ended_and_make_room():
    """Two of one query each, or one batch of both, hold all places; nobody else is asked, for whom time might be short."""
    for way, how in (("alone", {}), ("together", {"batch": 2})):
        ended = threading.Semaphore(0)

        class Hangs:
            batch = WAYS[way][0]

            async def search(self, queries, k, ended=ended):
                try:
                    await asyncio.sleep(600)
                finally:
                    ended.release()

        found = collected(Hangs(), 2, policy=RetryPolicy(timeout=0.05, retries=0, concurrency=1), **how)
        assert set(errors(found)) == {"q0", "q1"}, way
        assert all(ended.acquire(timeout=LONG) for _ in range(2)), way
