"""Runs chosen tests alone, in the order given: those that the file MUTANTS_CHOSEN lists. The first that fails goes into
MUTANTS_FAILED; a test module that cannot be imported does too.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what was not chosen."""
    chosen = Path(os.environ["MUTANTS_CHOSEN"]).read_text(encoding="utf-8").split("\n")
    place = {name: number for number, name in enumerate(chosen)}
    left_out = [item for item in items if item.nodeid not in place]
    items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])
    config.hook.pytest_deselected(items=left_out)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note the test that fails."""
    if report.failed:
        _note(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note the module that cannot be imported."""
    if report.failed:
        _note(report.nodeid)


def _note(name: str) -> None:
    file = Path(os.environ["MUTANTS_FAILED"])
    if not file.exists():
        file.write_text(name, encoding="utf-8")
