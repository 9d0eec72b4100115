"""The pytest plug-in: the fixture `assay` checks a retriever against rules in a test.

Nothing heavy is imported before a test uses the fixture.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from assay.errors import AssayError
from assay.pytest_plugin.checker import Checker, describe_failure, session_results, write_summary

WORKER_RESULTS = "assay_results"
"""The name under which a pytest-xdist worker sends its results."""
SAVED_MESSAGE: pytest.StashKey[str] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options for the baseline and the store."""
    group = parser.getgroup("assay", "retrieval quality")
    group.addoption(
        "--assay-baseline",
        metavar="NAME",
        help="compare with this baseline: a name set with assay bless, or a file of results",
    )
    group.addoption(
        "--assay-require-baseline", action="store_true", help="fail a check that has no baseline to compare with"
    )
    group.addoption(
        "--assay-store", metavar="URL", help="store with the baselines (default: $ASSAY_STORE, else .assay/assay.db)"
    )
    group.addoption(
        "--assay-keep", action="store_true", help="save the results of all checks in the store, as one evaluation"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check that a required baseline is named."""
    if config.getoption("--assay-require-baseline") and not config.getoption("--assay-baseline"):
        raise pytest.UsageError("--assay-require-baseline needs --assay-baseline NAME")


@pytest.fixture
def assay(request: pytest.FixtureRequest) -> Checker:
    """Checks retrievers: `assay.check(dataset, retriever, "ndcg@10 >= 0.42")`."""
    return Checker(request)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show a failed check with the line of the test only, without assay's own code."""
    report = yield
    if call.excinfo and isinstance(call.excinfo.value, AssayError) and "assay" in getattr(item, "fixturenames", ()):
        report.longrepr = describe_failure(call.excinfo, item.config.rootpath)
    return report


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Save the results of the session as one evaluation, if --assay-keep was given.

    A pytest-xdist worker sends its results to the main process instead, so that the store gets all of them at once.
    """
    config = session.config
    results = session_results(config)
    if not results.results or not config.getoption("--assay-keep"):
        return
    worker_output = getattr(config, "workeroutput", None)
    if worker_output is not None:
        worker_output[WORKER_RESULTS] = results.to_json()
        return
    try:
        config.stash[SAVED_MESSAGE] = results.save(
            config.getoption("--assay-store"), config.getoption("--assay-baseline") or "main"
        )
    except AssayError as error:
        config.stash[SAVED_MESSAGE] = f"error: the results of these checks could not be saved: {error}"
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over the results of a pytest-xdist worker that has finished. A worker that crashed has none."""
    if sent := getattr(node, "workeroutput", {}).get(WORKER_RESULTS):
        session_results(node.config).add_json(sent)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print the verdicts of all checks, passed or failed."""
    write_summary(terminalreporter, config.stash.get(SAVED_MESSAGE, ""))
