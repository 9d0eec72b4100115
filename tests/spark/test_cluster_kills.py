"""Processes of a cluster that are killed while a run is evaluated: the result is the same."""

from __future__ import annotations

import signal
from collections import Counter

import pytest
from tests.spark import _events
from tests.spark._driver import running_driver
from tests.spark._kills import FORMS, SETTINGS, Work

KILLS = 5


@pytest.fixture(scope="module")
def work(cluster, tables, expected, tmp_path_factory):
    """Evaluations on a driver for all tests."""
    events = tmp_path_factory.mktemp("events")
    with running_driver(tmp_path_factory.mktemp("driver"), cluster.url, **SETTINGS, **_events.settings(events)) as driver:
        yield Work(driver, events, tables, expected)


@pytest.mark.parametrize("form", FORMS)
def test_killed_python_workers_change_nothing(cluster, work, form):
    work.evaluate_while(form, signal.SIGKILL, cluster.busy_python_workers, Counter(ExceptionFailure=KILLS))


@pytest.mark.parametrize("form", FORMS)
def test_killed_executors_change_nothing(cluster, work, form):
    work.evaluate_while(form, signal.SIGKILL, cluster.busy_executors, Counter(lost=KILLS, ExecutorLostFailure=KILLS))
