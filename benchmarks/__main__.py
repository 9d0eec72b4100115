"""python -m benchmarks: measure everything and print a table; exit 1 if a target is missed."""

from __future__ import annotations

import sys

from benchmarks import (
    answers,
    benchmarks,
    chunkers,
    compat,
    dicts,
    files,
    fusion,
    gate,
    hpo,
    indexes,
    loop,
    ontology,
    report,
    runner,
    spans,
    startup,
    statistics,
    store,
    trust,
    web,
    web_memory,
)
from benchmarks._timing import Row

MODULES = (
    *(startup, dicts, compat, loop, files, trust, benchmarks, chunkers, spans, fusion, ontology, hpo),
    *(runner, statistics, store, gate, answers, report, web),
)

ON_DEMAND = (web_memory, indexes)
"""Measured only if named, because they take long."""


def main() -> int:
    """Print a Markdown table, each row as soon as it is measured."""
    chosen = sys.argv[1:]
    print("| case | compared with | assay | other | ratio | target | |")
    print("|---|---|---:|---:|---:|---|---|")
    missed = 0
    for module in (*MODULES, *ON_DEMAND):
        if not chosen and module in ON_DEMAND:
            continue
        if chosen and module.__name__.rpartition(".")[2] not in chosen:
            continue
        for row in module.measure():
            missed += not row.is_met
            print(_line(row), flush=True)
    return 1 if missed else 0


def _line(row: Row) -> str:
    numbers = [f"{value:.0f} MB" if row.unit == "MB" else f"{value:.3f} s" for value in (row.ours, row.theirs)]
    ratio = f"{row.ratio:.1f}× faster" if row.bar.startswith("≥") else f"{1 / row.ratio:.2f}×"
    return (
        f"| {row.case} | {row.against} | {' | '.join(numbers)} | {ratio} | {row.bar} | {'✓' if row.is_met else '✗ missed'} |"
    )


sys.exit(main())
