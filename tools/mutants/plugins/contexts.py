"""Says for whom lines run, while coverage records them: a test, a fixture that several tests share, or a test module.

Coverage runs from the start of every process (see `scratch`). Processes that a test starts take its name from
MUTANTS_CONTEXT. How long tests take and which shared fixtures they use is written into the folder MUTANTS_NOTES.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import coverage
import pytest

SECONDS: dict[str, float] = defaultdict(float)
FAILED: set[str] = set()
FIXTURES: dict[str, set[str]] = defaultdict(set)
CONTEXTS: list[str] = []
"""For whom lines run now is the last one."""


@contextmanager
def _context(name: str) -> Iterator[None]:
    CONTEXTS.append(name)
    _switch()
    try:
        yield
    finally:
        CONTEXTS.pop()
        _switch()


def _switch() -> None:
    name = CONTEXTS[-1] if CONTEXTS else ""
    os.environ["MUTANTS_CONTEXT"] = name
    if measured := coverage.Coverage.current():
        measured.switch_context(name)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """A test, with its own fixtures."""
    with _context(f"test {item.nodeid}"):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """A module that is imported, or a class or folder that is looked through: for all tests in it."""
    with _context(f"module {collector.nodeid}"):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
    """A fixture that is made once for several tests: for all of them."""
    if fixturedef.scope == "function":
        return (yield)
    if CONTEXTS and CONTEXTS[-1].startswith("test "):
        FIXTURES[CONTEXTS[-1].removeprefix("test ")].add(_key(fixturedef))
    with _context(f"fixture {_key(fixturedef)}"):
        return (yield)


def _key(fixturedef: pytest.FixtureDef[Any]) -> str:
    return f"{fixturedef.baseid}::{fixturedef.argname}"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note which shared fixtures each test uses."""
    for item in session.items:
        known = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        wide = {_key(one) for several in known.values() for one in several if one.scope != "function"}
        if wide:
            FIXTURES[item.nodeid] |= wide


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note how long a test takes, and whether it fails."""
    SECONDS[report.nodeid] += report.duration
    if report.failed:
        FAILED.add(report.nodeid)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Write all of it; a process that only hands tests out to others has nothing to tell."""
    if measured := coverage.Coverage.current():
        measured.save()
    if not hasattr(config, "workerinput") and getattr(config.option, "numprocesses", None):
        return
    notes = {
        "seconds": dict(SECONDS),
        "failed": sorted(FAILED),
        "fixtures": {test: sorted(keys) for test, keys in FIXTURES.items()},
    }
    Path(os.environ["MUTANTS_NOTES"], f"{os.getpid()}.json").write_text(json.dumps(notes), encoding="utf-8")
