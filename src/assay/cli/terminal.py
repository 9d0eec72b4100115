"""The terminal: its width, colours and characters; and what `-v` writes to standard error."""

from __future__ import annotations

import codecs
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

from assay.text import counted, printable

if TYPE_CHECKING:
    import argparse

    from assay.evaluation import Profile, Result


def add_verbose(parser: argparse.ArgumentParser) -> None:
    """The flag."""
    parser.add_argument("-v", "--verbose", action="store_true", help="timings and choices made, on standard error")


def log_verbose(options: argparse.Namespace, words: str) -> None:
    """Say it, if somebody wants to know; a command without the flag is never asked to."""
    if getattr(options, "verbose", False):
        sys.stderr.write(f"{printable(words)}\n")


@contextmanager
def timed(options: argparse.Namespace, words: str) -> Iterator[list[str]]:
    """Tell how long something took; what is put into the list is told with it. Nothing is told of what failed."""
    began, more = time.perf_counter(), list[str]()
    yield more
    log_verbose(options, f"{', '.join([words, *more])} in {time.perf_counter() - began:.2f} s")


def kind_of(source: Any) -> str:
    """What a file was recognised as: `trec`, `trec, gzip`."""
    return ", ".join(filter(None, (source.kind, source.compression)))


def log_policy(options: argparse.Namespace, profile: Profile) -> None:
    """The conventions that figures follow."""
    name = f"{profile.tool}, " if profile.tool else ""
    policy = profile.policy
    level = "level grade > 0" if policy.rel is None else f"level grade ≥ {policy.rel:g}"
    others = {rule: value for rule, value in policy.to_dict().items() if rule != "rel" and value not in (None, False)}
    rules = [rule if value is True else f"{rule} {value}" for rule, value in others.items()]
    log_verbose(options, f"policy: {name}{', '.join([level, *rules])}")


def log_intervals(options: argparse.Namespace, results: Sequence[Result]) -> None:
    """Which method made the intervals of which metrics: `auto` chooses by what the scores are like."""
    chosen: dict[str, dict[str, None]] = {}
    for result in results:
        for metric, one in result.intervals.items():
            chosen.setdefault(one.method, {})[metric] = None
    levels = {one.level for result in results for one in result.intervals.values()}
    said = "; ".join(f"{method} for {', '.join(metrics)}" for method, metrics in chosen.items())
    if said:
        n = max(len(result.query_ids) for result in results)
        log_verbose(options, f"intervals: {said}; {100 * max(levels):g} %, {counted(n, 'query')}")


NAME = "assay.plain_letters"
SIGNS = "→ -> ← <- … ... – - — - − - · | × x Δ d κ kappa ✓ + ✗ x ≥ >= ≤ <= ± +/- ≈ ~ ∞ inf ▲ ^ ▼ v ◇ o • * ━ = ╸ = ─ - █ #"
PLAIN = {
    **dict(zip(SIGNS.split()[::2], SIGNS.split()[1::2], strict=True)),
    **dict(zip("▁▂▃▄▅▆▇", "_.-=+*%", strict=True)),
    **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)),
    **dict(zip("“”‘’\xa0", "\"\"'' ", strict=True)),
}
"""Signs that assay itself writes → what stands for them. Any other letter is written out as Python does: `\\xe9`."""


def plain_letters() -> str:
    """The name of the rule for letters that cannot be written, for `errors=` of a stream."""
    codecs.register_error(NAME, _written)
    return NAME


def _written(error: UnicodeError) -> tuple[str | bytes, int]:
    """What stands for the letters that cannot be written, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(PLAIN.get(one, one.encode("ascii", "backslashreplace").decode()) for one in letters), error.end


USUAL_WIDTH = 80


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Columns, or None when output goes to a file or a pipe; of standard output, unless another stream is named."""
    if not (stream or sys.stdout).isatty():
        return None
    if stream is None or os.environ.get("COLUMNS", "").isdecimal():
        return shutil.get_terminal_size().columns
    with suppress(OSError, ValueError):  # a stream that only says it is a terminal
        return os.get_terminal_size(stream.fileno()).columns or USUAL_WIDTH
    return USUAL_WIDTH


def may_colour(stream: TextIO | None = None) -> bool:
    """Colour for people who did not refuse it (https://no-color.org)."""
    return (stream or sys.stdout).isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
