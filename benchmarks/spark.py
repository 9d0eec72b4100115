"""python -m benchmarks.spark: runs of 1 to 20 million rows on a Spark cluster of this machine, and in one process.

It writes the tables of docs/scale.md. It needs PySpark and Java: make bench-spark. `python -m benchmarks.spark 1 5`
measures only runs of 1 and 5 million rows, and writes nothing.
"""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tests.spark import _events
from tests.spark._cluster import Cluster, children, cpu_seconds, descendants, peak_megabytes, running_cluster
from tests.spark._driver import Driver, running_driver

from benchmarks._spark_tables import METRICS, Tables, make_tables
from benchmarks._timing import ROOT, Cost, take_turns_as_processes

PAGE = ROOT / "docs" / "scale.md"
MILLIONS = (1, 5, 10, 20)
FORMS = ("grouped", "counting")
SETTINGS = {"spark__executor__memory": "2g", "spark__driver__memory": "1g", "spark__sql__shuffle__partitions": "8"}
GROWTH = 1.1
"""The most by which the collected bytes may grow from the first run to one of ten times as many rows."""


class Measured(NamedTuple):
    """One evaluation with Spark."""

    millions: int
    form: str
    cpu: float
    wall: float
    python_megabytes: float
    java_megabytes: float
    collected: int


def evaluate(spark: Any, qrels: str, run: str, form: str) -> tuple[dict[str, str], float]:
    """The fingerprints of a result, and the seconds until it was there. A driver calls it."""
    import assay.spark

    began = time.perf_counter()
    result = assay.spark.evaluate(spark.read.parquet(qrels), spark.read.parquet(run), METRICS, form=form)
    return dict(result.fingerprints), time.perf_counter() - began


def measure(cluster: Cluster, tables: Tables, small: Tables, millions: int, form: str) -> Measured:
    """Evaluate with a new driver, after a small evaluation that starts executors and Python workers."""
    with TemporaryDirectory() as folder:
        events = Path(folder) / "events"
        events.mkdir()
        with running_driver(Path(folder), cluster.url, **SETTINGS, **_events.settings(events)) as driver:
            driver.run(evaluate, str(small.qrels), str(small.folder), form)
            before, collected = _cpu(cluster, driver), _events.result_bytes(events)
            fingerprints, wall = driver.start(evaluate, str(tables.qrels), str(tables.folder), form).result()
            _check(fingerprints, tables)
            cpu, collected = _cpu(cluster, driver) - before, _events.result_bytes(events) - collected
            java = max(map(peak_megabytes, children(driver.pid)))
            return Measured(millions, form, cpu, wall, peak_megabytes(driver.pid), java, collected)


def _cpu(cluster: Cluster, driver: Driver) -> float:
    """Seconds of all processes of the driver and of the workers, with those that have ended."""
    roots = [driver.pid, *(worker.running.pid for worker in cluster.workers)]
    return sum(cpu_seconds(pid) for root in roots for pid in (root, *descendants(root)))


def _check(fingerprints: dict[str, str], tables: Tables) -> None:
    import assay

    expected = dict(assay.evaluate(str(tables.qrels), str(tables.file), METRICS).fingerprints)
    if fingerprints != expected:
        raise RuntimeError(f"{fingerprints} differ from those of one process, {expected}")


def score_in_one_process(tables: Tables) -> Cost:
    """`assay score` on the same rows in one Parquet file."""
    command = [sys.executable, "-m", "assay", "score", str(tables.qrels), str(tables.file), "-m", *METRICS]
    return take_turns_as_processes(command, tries=1)[0].tries[0]


def growth_table(single: dict[int, Cost], rows: list[Measured]) -> str:
    """One row for each size and way."""
    lines = [
        "| rows | way | CPU s | wall s | peak of the Python process | peak of the driver's Java process | collected |",
        "|---:|---|---:|---:|---:|---:|---:|",
    ]
    for millions, cost in single.items():
        lines.append(
            f"| {millions} M | `assay score` | {cost.cpu:.1f} | {cost.wall:.1f} | {cost.megabytes:.0f} MB | – | – |"
        )
        for row in rows:
            if row.millions == millions:
                memory = f"{row.python_megabytes:.0f} MB | {row.java_megabytes:.0f} MB"
                times = f"{row.cpu:.1f} | {row.wall:.1f}"
                lines.append(f"| {millions} M | Spark, {row.form} | {times} | {memory} | {row.collected / 1000:,.0f} KB |")
    return "\n".join(lines)


def cost_table(single: dict[int, Cost], rows: list[Measured]) -> str:
    """What a billion rows would cost, from the growth between the second and the largest size."""
    sizes = sorted(single)
    low, high = sizes[min(1, len(sizes) - 1)], sizes[-1]
    lines = ["| way | CPU s for each million rows | estimate for a billion rows |", "|---|---:|---:|"]
    ways = {"`assay score`, one process": {size: cost.cpu for size, cost in single.items()}}
    ways |= {f"Spark, {form}": {row.millions: row.cpu for row in rows if row.form == form} for form in FORMS}
    for way, cpu in ways.items():
        slope = (cpu[high] - cpu[low]) / (high - low) if high > low else cpu[high] / high
        lines.append(f"| {way} | {slope:.2f} | {slope * 1000 / 3600:.2f} core hours |")
    return "\n".join(lines)


def write_table(name: str, table: str) -> None:
    """Replace a table of the page."""
    text = PAGE.read_text(encoding="utf-8")
    mark = f"<!-- {name}: written by make bench-spark -->"
    pattern = re.compile(rf"{re.escape(mark)}\n.*?<!-- end -->", re.DOTALL)
    PAGE.write_text(pattern.sub(lambda _: f"{mark}\n\n{table}\n\n<!-- end -->", text), encoding="utf-8")


def main() -> int:
    """Measure, print the tables and write them; 1 if the collected bytes grow with the rows."""
    chosen = tuple(map(int, sys.argv[1:])) or MILLIONS
    small, tables = make_tables(0), {millions: make_tables(millions) for millions in chosen}
    single = {millions: score_in_one_process(tables[millions]) for millions in chosen}
    with TemporaryDirectory() as folder, running_cluster(Path(folder), memory="2g") as cluster:
        rows = []
        for millions in chosen:
            for form in FORMS:
                rows.append(measure(cluster, tables[millions], small, millions, form))
                print(rows[-1], flush=True)
    growth, cost = growth_table(single, rows), cost_table(single, rows)
    print(growth, cost, sep="\n\n")
    if chosen == MILLIONS:
        write_table("growth", growth)
        write_table("cost", cost)
    grown = {row.form: row.collected for row in rows if row.millions == chosen[0]}
    return int(any(row.collected > GROWTH * grown[row.form] for row in rows if row.millions <= 10 * chosen[0]))


if __name__ == "__main__":
    sys.exit(main())
