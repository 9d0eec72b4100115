"""Evaluations on a cluster, whose processes get signals while they compute."""

from __future__ import annotations

import logging
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.spark import _events, _tables
from tests.spark._cluster import let_continue, send_when
from tests.spark._driver import SECONDS, Driver
from tests.spark._tables import Outcome, Tables

SETTINGS = {
    "spark__executor__memory": "600m",
    "spark__driver__memory": "600m",
    "spark__sql__shuffle__partitions": "2",
    "spark__speculation": "true",
    "spark__speculation__interval": "100ms",
    "spark__speculation__task__duration__threshold": "2s",
}
LOG = logging.getLogger(__name__)
FORMS = ["grouped", "counting"]
SIGNALS = {signal.SIGKILL: 2, signal.SIGSTOP: 1}
"""The most signals during one evaluation. Spark gives up a job when a task has failed four times, and starts only one second
attempt of a slow task: if both attempts are stopped, the job waits forever. So stopped processes continue after the
evaluation: one that had already finished its task gets a task of the next evaluation."""
ATTEMPTS = 8
"""Evaluations for each signal that must hit a task. A process can have finished its task just before the signal arrives."""


class Work(NamedTuple):
    """An evaluation on a cluster, and what must come out."""

    driver: Driver
    events: Path
    tables: Tables
    expected: Outcome

    def evaluate(self, form: str, meanwhile: Callable[[Future[Any]], None] = lambda job: None) -> float:
        """Evaluate, and check the result; the seconds that it takes."""
        began = time.monotonic()
        job = self.driver.start(_tables.evaluate_on, self.tables, form)
        meanwhile(job)
        assert job.result(SECONDS) == self.expected
        return time.monotonic() - began

    def evaluate_while(self, form: str, number: signal.Signals, find: Callable[[], list[int]], least: Counter[str]) -> None:
        """Evaluate, with signals at random moments, until at least so many tasks have ended in these ways.

        Every result must be the expected one.
        """
        before, rng = _events.count_ends(self.events), random.Random(number)
        seconds, n_signals, pids = [self.evaluate(form)], SIGNALS[number], list[int]()

        def send(job: Future[Any]) -> None:
            for _ in range(n_signals):
                time.sleep(rng.uniform(0, min(seconds) * 0.9 / n_signals))
                pids.extend(send_when(number, find, job.done))

        for _ in range(ATTEMPTS * max(least.values())):
            try:
                seconds.append(self.evaluate(form, send))
            finally:
                let_continue(pids)
            ends = _events.count_ends(self.events) - before
            if ends >= least:
                LOG.info("%s, %s: tasks ended in these ways: %s", form, number.name, dict(ends))
                return
        pytest.fail(f"tasks ended in these ways: {dict(ends)}, but it should be {dict(least)}")
