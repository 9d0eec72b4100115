"""A task that is slow at its first attempt, and a cluster that starts a second one: the attempt that loses adds nothing."""

from __future__ import annotations

import signal

import pytest
from tests.spark import _events
from tests.spark._driver import running_driver
from tests.spark._kills import FORMS, SETTINGS, evaluate_while

ATTEMPTS = 2
SPECULATION = {
    "spark__speculation": "true",
    "spark__speculation__interval": "100ms",
    "spark__speculation__task__duration__threshold": "2s",
}


@pytest.mark.parametrize("form", FORMS)
def test_an_attempt_that_loses_changes_nothing(cluster, tables, form, expected, tmp_path):
    """A Python worker stops in the middle, so Spark starts a second attempt, uses its rows, and kills the first one."""
    (events := tmp_path / "events").mkdir()
    with running_driver(tmp_path, cluster.url, **SETTINGS, **SPECULATION, **_events.settings(events)) as driver:
        evaluate_while(driver, tables, form, expected, signal.SIGSTOP, cluster.python_workers, ATTEMPTS)
    ends = _events.count_ends(events)
    assert ends["speculative"] >= ATTEMPTS, ends
    assert ends["TaskKilled"] >= 1, ends
