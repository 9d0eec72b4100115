"""Telling: what a check says where it fails, and what all of them say in the end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import GateFailed

if TYPE_CHECKING:
    import pytest

PROPERTY = "assay"
"""Under this name the lines of a check travel with the report of a test, to the summary and into JUnit files."""
PACKAGE = Path(__file__).parents[1]


def explained(error: pytest.ExceptionInfo[BaseException], root: Path) -> str:
    """Where the test is, and what is wrong; that something is worse is a failure, anything else an error of its own kind."""
    entries = [one for one in error.traceback if not Path(str(one.path)).is_relative_to(PACKAGE)]
    ours = [one for one in entries if Path(str(one.path)).is_relative_to(root)] or entries
    where = f"{_below(Path(str(ours[-1].path)), root)}:{ours[-1].lineno + 1}: " if ours else ""
    kind = "" if isinstance(error.value, GateFailed) else f"{type(error.value).__name__}: "
    return f"{where}{kind}{error.value}"


def _below(path: Path, root: Path) -> Path:
    return path.relative_to(root) if path.is_relative_to(root) else path


def write_summary(reporter: Any, saved: str) -> None:
    """A section of its own, where there is something to say."""
    said = [
        (report.nodeid, text)
        for reports in reporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, text in report.user_properties
        if name == PROPERTY
    ]
    if not said and not saved:
        return
    reporter.section("assay")
    for nodeid, text in said:
        reporter.write_line(nodeid)
        for line in str(text).splitlines():
            reporter.write_line(f"  {line}")
    if saved:
        reporter.write_line(saved)
