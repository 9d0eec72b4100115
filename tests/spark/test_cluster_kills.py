"""Processes of a cluster that are killed, or that stop, while a run is evaluated: the result is the same."""

from __future__ import annotations

import signal
from collections import Counter

import pytest
from tests.spark._kills import FORMS

KILLS = 5


@pytest.mark.parametrize("form", FORMS)
def test_killed_python_workers_change_nothing(cluster, work, form):
    work.evaluate_while(form, signal.SIGKILL, cluster.busy_python_workers, Counter(ExceptionFailure=KILLS))


@pytest.mark.parametrize("form", FORMS)
def test_killed_executors_change_nothing(cluster, work, form):
    work.evaluate_while(form, signal.SIGKILL, cluster.busy_executors, Counter(lost=KILLS, ExecutorLostFailure=KILLS))


@pytest.mark.parametrize("form", FORMS)
def test_an_attempt_that_loses_changes_nothing(cluster, work, form):
    """A Python worker stops in the middle, so Spark starts a second attempt, uses its rows, and kills the first one."""
    work.evaluate_while(form, signal.SIGSTOP, cluster.busy_python_workers, Counter(speculative=2, TaskKilled=2))
