"""Evaluations on a cluster, whose processes get signals while they compute."""

from __future__ import annotations

import logging
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.spark import _events, _tables
from tests.spark._cluster import send_when
from tests.spark._driver import SECONDS, Driver
from tests.spark._tables import Outcome, Tables

SETTINGS = {
    "spark__executor__memory": "600m",
    "spark__driver__memory": "600m",
    "spark__sql__shuffle__partitions": "2",
}
LOG = logging.getLogger(__name__)
FORMS = ["grouped", "counting"]
ATTEMPTS = 8
"""Evaluations for each signal that must hit a task. A process can have finished its task just before the signal arrives."""


class Work(NamedTuple):
    """An evaluation on a cluster, and what must come out."""

    driver: Driver
    events: Path
    tables: Tables
    expected: Outcome

    def evaluate(self, form: str) -> float:
        """Evaluate without signals, twice; the seconds of the second time, when everything has started."""
        for _ in range(2):
            began = time.monotonic()
            assert self.driver.run(_tables.evaluate_on, self.tables, form) == self.expected
        return time.monotonic() - began

    def evaluate_while(self, form: str, number: signal.Signals, find: Callable[[], list[int]], least: Counter[str]) -> None:
        """Evaluate, each time with a signal at another moment, until at least so many tasks have ended in these ways.

        Every result must be the expected one.
        """
        before, seconds, rng = _events.count_ends(self.events), self.evaluate(form), random.Random(number)
        for _ in range(ATTEMPTS * max(least.values())):
            job = self.driver.start(_tables.evaluate_on, self.tables, form)
            time.sleep(rng.uniform(0, 0.9 * seconds))
            send_when(number, find, job.done)
            assert job.result(SECONDS) == self.expected
            ends = _events.count_ends(self.events) - before
            if ends >= least:
                LOG.info("%s, %s: tasks ended in these ways: %s", form, number.name, dict(ends))
                return
        pytest.fail(f"tasks ended in these ways: {dict(ends)}, but it should be {dict(least)}")
