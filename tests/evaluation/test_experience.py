"""Experience: when asking again is a waste of time."""

import pytest

from assay import ProviderError
from assay.execution import Response, RetryPolicy
from assay.execution.retry import MAX_FAILURES_BEFORE_GIVING_UP, RetryState
from assay.providers import PermanentFailure, RetryLater

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


@pytest.mark.parametrize(
    ("error", "told"), [(RetryLater(7.0, "HTTP 503", "http://x"), [(7.0, "HTTP 503")]), (RetryLater(), []), (TORN, [])]
)
def test_pauses_that_somebody_asked_for_are_told_of(error, told):
    waits = []
    RetryState(RetryPolicy(), lambda *wait: waits.append(wait)).pause(error, 1)
    assert waits == told


def caused_by(cause):
    error = ProviderError("mine:search raised it")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "is_final"),
    [
        (PermanentFailure("no"), True),
        (TypeError("bug"), True),
        (caused_by(KeyError("bug")), True),
        (caused_by(ConnectionError("line")), False),
        (TimeoutError("late"), False),
        (RetryLater(), False),
        (ProviderError("HTTP 500"), False),
    ],
    ids=repr,
)
def test_the_answer_says_whether_asking_another_time_may_help(error, is_final):
    assert RetryState(RetryPolicy()).give_up("q", error).is_final is is_final
