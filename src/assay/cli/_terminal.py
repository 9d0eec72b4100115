"""The terminal: whether somebody watches, how wide it is, whether it may be coloured."""

from __future__ import annotations

import os
import shutil
import sys


def terminal_width() -> int | None:
    """Columns, or None when output goes to a file or a pipe."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def may_colour() -> bool:
    """Colour for people who did not refuse it (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
