"""Evaluations on a cluster, whose processes get signals while they compute."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable

import pytest
from tests.spark import _tables
from tests.spark._cluster import send_when
from tests.spark._driver import SECONDS, Driver
from tests.spark._tables import Outcome, Tables

SETTINGS = {
    "spark__executor__memory": "600m",
    "spark__driver__memory": "600m",
    "spark__sql__shuffle__partitions": "2",
    "spark__python__worker__reuse": "false",  # so that a Python worker exists only while it computes
}
FORMS = ["grouped", "counting"]


def evaluate(driver: Driver, tables: Tables, form: str, expected: Outcome) -> float:
    """Evaluate without signals; the seconds that it takes once everything has started."""
    for _ in range(2):
        began = time.monotonic()
        assert driver.run(_tables.evaluate_on, tables, form) == expected
    return time.monotonic() - began


def evaluate_while(
    driver: Driver,
    tables: Tables,
    form: str,
    expected: Outcome,
    number: signal.Signals,
    find: Callable[[], list[int]],
    times: int,
) -> None:
    """Evaluate until so many processes got a signal, each at another moment. Every result must be the expected one.

    An evaluation can be over before there is a process to find; then the next one is tried.
    """
    seconds, rng, n_sent = evaluate(driver, tables, form, expected), random.Random(number), 0
    for _ in range(4 * times):
        job = driver.start(_tables.evaluate_on, tables, form)
        time.sleep(rng.uniform(0, 0.8 * seconds))
        n_sent += send_when(number, find, job.done) > 0
        assert job.result(SECONDS) == expected
        if n_sent == times:
            return
    pytest.fail(f"only {n_sent} of {times} processes could be found")
