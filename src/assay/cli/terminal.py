"""The terminal: its width, colours and characters, and the output of `-v` on standard error."""

from __future__ import annotations

import codecs
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

from assay.text import counted, printable

if TYPE_CHECKING:
    import argparse

    from assay.evaluation import Profile, Result
    from assay.reports import Section


def add_verbose(parser: argparse.ArgumentParser) -> None:
    """The flag `-v`."""
    parser.add_argument("-v", "--verbose", action="store_true", help="print timings and settings on standard error")


def write_notes(options: argparse.Namespace, *sentences: str) -> None:
    """Write sentences to standard error, unless `--quiet` was given."""
    for sentence in () if getattr(options, "quiet", False) else sentences:
        sys.stderr.write(f"{printable(sentence)}\n")


def log_verbose(options: argparse.Namespace, words: str) -> None:
    """Write it to standard error if `-v` was given."""
    if getattr(options, "verbose", False):
        sys.stderr.write(f"{printable(words)}\n")


@contextmanager
def log_duration(options: argparse.Namespace, words: str) -> Iterator[list[str]]:
    """Log how long something took, followed by the texts in the list. A failure is not logged."""
    began, more = time.perf_counter(), list[str]()
    yield more
    log_verbose(options, f"{', '.join([words, *more])} in {time.perf_counter() - began:.2f} s")


def describe_source_format(source: Any) -> str:
    """The recognised format of a file: `trec`, `trec, gzip`."""
    return ", ".join(filter(None, (source.kind, source.compression)))


def log_policy(options: argparse.Namespace, profile: Profile) -> None:
    """Log the conventions that the scores follow."""
    name = f"{profile.tool}, " if profile.tool else ""
    policy = profile.policy
    level = "relevant grade > 0" if policy.rel is None else f"relevant grade ≥ {policy.rel:g}"
    others = {rule: value for rule, value in policy.to_dict().items() if rule != "rel" and value not in (None, False)}
    rules = [rule if value is True else f"{rule} {value}" for rule, value in others.items()]
    log_verbose(options, f"policy: {name}{', '.join([level, *rules])}")


def log_intervals(options: argparse.Namespace, results: Sequence[Result]) -> None:
    """Log which method computed the intervals of which metrics, because `auto` chooses by the scores."""
    chosen: dict[str, dict[str, None]] = {}
    for result in results:
        for metric, interval in result.intervals.items():
            chosen.setdefault(interval.method, {})[metric] = None
    levels = {interval.level for result in results for interval in result.intervals.values()}
    methods = "; ".join(f"{method} for {', '.join(metrics)}" for method, metrics in chosen.items())
    if methods:
        n = max(len(result.query_ids) for result in results)
        log_verbose(options, f"intervals: {methods}; {100 * max(levels):g} %, {counted(n, 'query')}")


ASCII_ERROR_HANDLER = "assay.plain_letters"
SIGNS_AND_REPLACEMENTS = (
    "→ -> ← <- … ... – - — - − - · | × x Δ d κ kappa ✓ + ✗ x ≥ >= ≤ <= ± +/- ≈ ~ ∞ inf ▲ ^ ▼ v ◇ o • * ━ = ╸ = ─ - █ #"
)
ASCII_REPLACEMENTS = {
    **dict(zip(SIGNS_AND_REPLACEMENTS.split()[::2], SIGNS_AND_REPLACEMENTS.split()[1::2], strict=True)),
    **dict(zip("▁▂▃▄▅▆▇", "_.-=+*%", strict=True)),
    **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True)),
    **dict(zip("“”‘’\xa0", "\"\"'' ", strict=True)),
}
"""Characters that assay itself writes → their replacements. Any other character is escaped as in Python: `\\xe9`."""


def register_ascii_replacements() -> str:
    """The name of the error handler that replaces characters, for `errors=` of a stream."""
    codecs.register_error(ASCII_ERROR_HANDLER, _replace_with_ascii)
    return ASCII_ERROR_HANDLER


def _replace_with_ascii(error: UnicodeError) -> tuple[str | bytes, int]:
    """The replacement for characters that cannot be written, and where to continue."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(
        ASCII_REPLACEMENTS.get(letter, letter.encode("ascii", "backslashreplace").decode()) for letter in letters
    ), error.end


DEFAULT_WIDTH = 80


def terminal_width(stream: TextIO | None = None) -> int | None:
    """The number of columns of standard output or another stream; None if it is a file or a pipe."""
    if not (stream or sys.stdout).isatty():
        return None
    if stream is None or os.environ.get("COLUMNS", "").isdecimal():
        from shutil import get_terminal_size

        return get_terminal_size().columns
    with suppress(OSError, ValueError):  # a stream that claims to be a terminal
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_WIDTH
    return DEFAULT_WIDTH


def text_here(sections: Sequence[Section]) -> str:
    """Sections as this terminal shows them."""
    from assay.reports import Style, render_sections

    return render_sections(sections, style=Style(terminal_width(), use_colour()))


def use_colour(stream: TextIO | None = None) -> bool:
    """Whether output is coloured: on a terminal, unless NO_COLOR is set (https://no-color.org)."""
    return (stream or sys.stdout).isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
