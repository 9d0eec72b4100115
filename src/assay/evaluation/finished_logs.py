"""finished_logs: logs of evaluations that are complete; the newest stay for a while, the others go."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from assay.errors import AssayError
from assay.evaluation.answers import AnswerLog

KEPT = 3
"""Complete logs that stay, so that --resume of what was just evaluated need not ask again."""


def mark_finished(log: AnswerLog) -> None:
    """Note that nothing is left to ask: the log is no longer needed to go on, nor is the one of before."""
    with suppress(OSError):
        log.path.with_name(f"{log.path.name}.before").unlink(missing_ok=True)
        _mark(log.path).touch()


def mark_unfinished(log: AnswerLog) -> None:
    """Take the note back: something is asked again."""
    with suppress(OSError):
        _mark(log.path).unlink(missing_ok=True)


def clear_finished(folder: Path, keep: int = KEPT) -> tuple[int, int]:
    """Delete complete logs but for the newest; how many went, and how many bytes. One that is being written stays."""
    marks = [mark for mark in folder.glob("*.done") if mark.is_file()]
    marks.sort(key=lambda mark: (mark.stat().st_mtime_ns, mark.name), reverse=True)
    n, size = 0, 0
    for mark in marks[keep:]:
        log = mark.with_suffix("")
        with suppress(OSError, AssayError), AnswerLog(log).held():
            if mark.exists() and log.exists():
                n, size = n + 1, size + log.stat().st_size
                log.unlink()
            mark.unlink(missing_ok=True)
    return n, size


def _mark(log: Path) -> Path:
    return log.with_name(f"{log.name}.done")
