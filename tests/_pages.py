"""What pages show, written again: `make snapshots` puts the output of today into the blocks of the documentation.

`…` stays where it was: alone in a line it stands for any lines, within a line for what changes from run to run.
"""

from __future__ import annotations

import re
import textwrap
from difflib import SequenceMatcher

REST = "…\n"
MIN_SIMILARITY = 0.4
"""Lines that share less are not the same line in other words."""
GAP = -0.15
WIDTH = 124
STORED_ID = r"\d{4}-\d\d-\d\d-[a-z][a-z0-9-]*-[0-9a-f]{4,}"
VOLATILE = {
    STORED_ID: "…",
    r"[\d,.]+/s": "…/s",
    r"(ready|took) \d+:\d\d.*": r"\1 …",
    r" {3,}[\d,.]+$": "   …",
    r"\d{4}-\d\d-\d\d( \d\d:\d\d)?": "…",
    r"(\d\.\d{4})\d{8,}": r"\1…",
}
"""What differs from run to run → how a page shows it; used in lines that had an ellipsis."""


def renewed(printed: str, shown: str) -> str:
    """The output as a page should show it, given how the page showed it before."""
    new, old = printed.splitlines(keepends=True), shown.splitlines(keepends=True)
    lines: list[str] = []
    for before, now in _aligned(old, new):
        if before == REST:
            lines += [REST] * (lines[-1:] != [REST])
        elif now is not None:
            lines.append(_renewed_line(before, now))
    return "".join(lines)


def _renewed_line(before: str | None, now: str) -> str:
    if before is None or "…" not in before:
        return now if before == now else re.sub(STORED_ID, "…", now)
    if re.fullmatch(re.escape(before).replace("…", ".*"), now):
        return before
    for pattern, replacement in VOLATILE.items():
        now = re.sub(pattern, replacement, now.rstrip("\n")) + "\n"
    return now


def _aligned(old: list[str], new: list[str]) -> list[tuple[str | None, str | None]]:
    """Pairs of the same line before and now, in order, so that the lines of all pairs are as similar as can be."""
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old), -1, -1):
        for j in range(len(new), -1, -1):
            if i < len(old) or j < len(new):
                best[i][j] = max(score for score, *_ in _steps(old, new, i, j, best))
    pairs, i, j = [], 0, 0
    while i < len(old) or j < len(new):
        _, pair, i, j = max(_steps(old, new, i, j, best), key=lambda step: step[0])
        pairs.append(pair)
    return pairs


def _steps(old, new, i, j, best):
    """What can come next: a pair, a line that is gone, a new line, or one that an ellipsis stands for."""
    if i < len(old) and old[i] == REST:
        yield best[i + 1][j], (REST, None), i + 1, j
        if j < len(new):
            yield best[i][j + 1], (REST, None), i, j + 1
        return
    if i < len(old):
        yield best[i + 1][j] + GAP, (old[i], None), i + 1, j
    if j < len(new):
        yield best[i][j + 1] + GAP, (None, new[j]), i, j + 1
    if i < len(old) and j < len(new) and (alike := _similarity(old[i], new[j])) >= MIN_SIMILARITY:
        yield best[i + 1][j + 1] + alike, (old[i], new[j]), i + 1, j + 1


def _similarity(before: str, now: str) -> float:
    if before == now:
        return 1.0
    if not before.strip() or not now.strip():
        return 0.0
    return SequenceMatcher(None, before, now, autojunk=False).ratio()


def renewed_comment(value: str, said: str) -> str:
    """A value as a comment below its expression; a shortened one stays shortened at the same beginning."""
    if said.endswith("…") and value.startswith(said.removesuffix("…").rstrip()):
        value = said
    return "".join(f"# {line}\n" for line in textwrap.wrap(value, WIDTH - 2, break_long_words=False, break_on_hyphens=False))
