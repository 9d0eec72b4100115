"""python -m benchmarks: measure everything, print a table and write it to docs/speed.md; exit 1 if a target is missed.

`python -m benchmarks files dicts` measures only these modules. The modules in ON_DEMAND are measured only if they are named.
"""

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
    huge_files,
    indexes,
    json_text,
    large_features,
    large_files,
    letor,
    loop,
    many_runs,
    media,
    ontology,
    other_tools,
    queue,
    report,
    runner,
    several_runs,
    spans,
    startup,
    statistics,
    store,
    trust,
    web,
    web_memory,
)
from benchmarks._page import HEAD, line, write_table
from benchmarks._timing import Row

MODULES = (
    *(startup, dicts, compat, loop, files, other_tools, several_runs, json_text, trust, benchmarks, chunkers, spans, fusion),
    *(ontology, hpo, runner, statistics, store, gate, answers, report, web, queue, letor),
)

ON_DEMAND = (web_memory, indexes, large_files, large_features, huge_files, many_runs, media)
"""Measured only if named, because they take long."""


def main() -> int:
    """Print a Markdown table, each row as soon as it is measured."""
    chosen = sys.argv[1:]
    print(HEAD)
    missed = 0
    for module in (*MODULES, *ON_DEMAND):
        name = module.__name__.rpartition(".")[2]
        if (name not in chosen) if chosen else module in ON_DEMAND:
            continue
        rows: list[Row] = []
        for row in module.measure():
            rows.append(row)
            print(line(row), flush=True)
        write_table(name, rows)
        missed += sum(not row.is_met for row in rows)
    return 1 if missed else 0


sys.exit(main())
