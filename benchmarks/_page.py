"""The tables of docs/speed.md: each is replaced by what the last run of its module measured."""

from __future__ import annotations

import re
from collections.abc import Sequence

from benchmarks._timing import ROOT, Row

PAGE = ROOT / "docs" / "speed.md"
HEAD = "| case | compared with | assay | other | ratio | target | | more |\n|---|---|---:|---:|---:|---|---|---|"


def line(row: Row) -> str:
    """A row of a table."""
    numbers = [f"{value:.0f} MB" if row.unit == "MB" else _seconds(value) for value in (row.ours, row.theirs)]
    ratio = f"{row.ratio:.1f}× faster" if row.bar.startswith("≥") else f"{1 / row.ratio:.2f}×"
    mark = "✓" if row.is_met else "✗ missed"
    return f"| {row.case} | {row.against} | {' | '.join(numbers)} | {ratio} | {row.bar} | {mark} | {row.more} |"


def _seconds(value: float) -> str:
    return f"{value:.3f} s" if value >= 0.001 else f"{value * 1e6:.0f} µs"


def write_table(module: str, rows: Sequence[Row]) -> None:
    """Replace the table of a module. A module without a place in the page is only printed."""
    text = PAGE.read_text(encoding="utf-8")
    table = "\n".join([HEAD, *map(line, rows)])
    mark = f"<!-- {module}: written by make bench -->"
    pattern = re.compile(rf"{re.escape(mark)}\n.*?<!-- end -->", re.DOTALL)
    renewed = pattern.sub(lambda _: f"{mark}\n\n{table}\n\n<!-- end -->", text)
    if renewed != text:
        PAGE.write_text(renewed, encoding="utf-8")
