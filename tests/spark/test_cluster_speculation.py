"""A task that is slow at its first attempt, and a cluster that starts a second one: the attempt that loses adds nothing."""

from __future__ import annotations

import signal
from collections import Counter

import pytest
from tests.spark import _events
from tests.spark._driver import running_driver
from tests.spark._kills import FORMS, SETTINGS, Work

ATTEMPTS = 2
SPECULATION = {
    "spark__speculation": "true",
    "spark__speculation__interval": "100ms",
    "spark__speculation__task__duration__threshold": "2s",
}


@pytest.fixture(scope="module")
def work(cluster, tables, expected, tmp_path_factory):
    """Evaluations on a driver that starts second attempts."""
    events, folder = tmp_path_factory.mktemp("events"), tmp_path_factory.mktemp("driver")
    with running_driver(folder, cluster.url, **SETTINGS, **SPECULATION, **_events.settings(events)) as driver:
        yield Work(driver, events, tables, expected)


@pytest.mark.parametrize("form", FORMS)
def test_an_attempt_that_loses_changes_nothing(cluster, work, form):
    """A Python worker stops in the middle, so Spark starts a second attempt, uses its rows, and kills the first one."""
    least = Counter(speculative=ATTEMPTS, TaskKilled=ATTEMPTS)
    work.evaluate_while(form, signal.SIGSTOP, cluster.busy_python_workers, least)
