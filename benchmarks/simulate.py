"""python -m benchmarks.simulate: repeat the simulations behind the promises in the pages, and write their tables there."""

from __future__ import annotations

import re
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path

PROGRAMS = (
    "simulate_intervals",
    "simulate_means",
    "simulate_clusters",
    "simulate_gate",
    "simulate_steps",
    "simulate_judging",
    "simulate_exposure",
)
PAGES = Path(__file__).resolve().parent.parent / "docs"
MARKED = "<!-- simulate: {name} -->\n{table}\n<!-- end -->"


def tables_of(program: str) -> dict[str, str]:
    """The tables of one program, by the name of their place in a page."""
    found: dict[str, str] = import_module(f"benchmarks.{program}").tables()
    return found


def write_into_pages(tables: dict[str, str]) -> list[str]:
    """Replace each table in its page; return the names that no page has."""
    missing = set(tables)
    for page in sorted(PAGES.glob("*.md")):
        text = new = page.read_text(encoding="utf-8")
        for name, table in tables.items():
            old = re.search(rf"<!-- simulate: {re.escape(name)} -->\n.*?<!-- end -->", new, flags=re.DOTALL)
            if old:
                new = new.replace(old[0], MARKED.format(name=name, table=table.strip()))
                missing.discard(name)
        if new != text:
            page.write_text(new, encoding="utf-8")
    return sorted(missing)


def main(programs: list[str]) -> int:
    """Run the programs at the same time, print their tables, and write them into the pages."""
    began = time.monotonic()
    with ProcessPoolExecutor(2) as pool:
        tables = {name: table for found in pool.map(tables_of, programs or PROGRAMS) for name, table in found.items()}
    for name, table in tables.items():
        print(f"{name}\n{table}\n")
    if missing := write_into_pages(tables):
        print(f"no page has a place for: {', '.join(missing)}")
    print(f"{time.monotonic() - began:.0f} seconds")
    return int(bool(missing))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
