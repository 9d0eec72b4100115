"""Patience: how often a query is asked again, and after how long."""

import pytest

from assay import ProviderError
from assay.execution import RetryPolicy
from assay.execution import retry as module
from assay.execution.retry import BUSY_RETRY_FACTOR
from assay.providers import PermanentFailure, RetryLater


@pytest.fixture
def no_chance(monkeypatch):
    """Pauses without the part that is left to chance."""
    monkeypatch.setattr(module.random, "uniform", lambda low, high: 1.0)


@pytest.mark.parametrize("error", [OSError("x"), ValueError("x"), TimeoutError("x"), ProviderError("x")], ids=repr)
@pytest.mark.parametrize("retries", [0, 1, 3])
def test_every_error_is_worth_another_try(error, retries):
    policy = RetryPolicy(retries=retries)
    assert [n for n in range(9) if policy.should_retry(error, n)] == list(range(retries + 1))


def test_but_not_one_that_is_final():
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
