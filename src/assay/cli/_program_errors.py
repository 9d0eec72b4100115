"""Errors as the terminal shows them: `error:` in red, sentences broken between words, commands left whole."""

from __future__ import annotations

import sys

from assay.cli._terminal import may_colour, terminal_width
from assay.text import printable, wrapped

LABEL = "error:"
RED, PLAIN = "\x1b[1;31m", "\x1b[0m"
PASTED = "  assay "
"""How a line begins that can be pasted: it is not broken."""


def write_error(message: str) -> None:
    """On standard error; as it is, line by line, where nobody watches."""
    width = terminal_width(sys.stderr)
    lines = [printable(line) for line in f"{LABEL} {message}".split("\n")]
    if width:
        lines = [line if line.startswith(PASTED) else wrapped(line, width) for line in lines]
    text = "\n".join(lines) + "\n"
    label = f"{RED}{LABEL}{PLAIN}" if may_colour(sys.stderr) else LABEL
    sys.stderr.write(label + text.removeprefix(LABEL))
