"""Processes of a cluster that are killed while a run is evaluated: the result is the same."""

from __future__ import annotations

import signal

import pytest
from tests.spark import _events
from tests.spark._driver import running_driver
from tests.spark._kills import FORMS, SETTINGS, evaluate_while

KILLS = 5


@pytest.fixture(scope="module")
def driver(cluster, events, tmp_path_factory):
    """A driver for all tests."""
    with running_driver(tmp_path_factory.mktemp("driver"), cluster.url, **SETTINGS, **_events.settings(events)) as running:
        yield running


@pytest.mark.parametrize("form", FORMS)
def test_killed_python_workers_change_nothing(cluster, driver, tables, form, expected, events):
    before = _events.count_ends(events)
    evaluate_while(driver, tables, form, expected, signal.SIGKILL, cluster.python_workers, KILLS)
    ends = _events.count_ends(events) - before
    assert ends["ExceptionFailure"] >= KILLS, ends


@pytest.mark.parametrize("form", FORMS)
def test_killed_executors_change_nothing(cluster, driver, tables, form, expected, events):
    before = _events.count_ends(events)
    evaluate_while(driver, tables, form, expected, signal.SIGKILL, cluster.busy_executors, KILLS)
    ends = _events.count_ends(events) - before
    assert ends["lost"] >= KILLS, ends
    assert ends["ExecutorLostFailure"] >= 1, ends
