"""Exit codes: how a command ended, for scripts; each with what it means in a word or two."""

from __future__ import annotations

EXIT_CODES = {
    0: "fine",
    1: "gate failed",
    2: "usage",
    3: "data",
    4: "provider",
    5: "nothing selected",
    6: "store",
    70: "a bug in assay",
    129: "hung up",
    130: "interrupted",
    143: "terminated",
}
FIRST_LINE = 7
"""Codes in the first of two lines."""
LABEL = "exit codes: "


def exit_codes_text() -> str:
    """All of them on two lines, for the end of the help page."""
    words = [f"{code} {means}" for code, means in EXIT_CODES.items()]
    lines = " · ".join(words[:FIRST_LINE]), " · ".join(words[FIRST_LINE:])
    return f"{LABEL}{lines[0]}\n{' ' * len(LABEL)}{lines[1]}"
