"""The terminal: whether somebody watches, how wide it is, whether it may be coloured."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from typing import TextIO

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
