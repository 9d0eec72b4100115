"""Discovery: which benchmarks and run files a folder holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from assay.datasets.format import Probe, detect_format, load_dataset
from assay.errors import AssayError
from assay.files import BOM
from assay.model import Qrels

MAX_ENTRIES = 500
"""Files and folders that are looked at."""
SKIPPED_FOLDERS = frozenset({"node_modules", "venv", "env", "build", "dist", "__pycache__", "site-packages"})
RUN_COLUMNS = 6
LINES_CHECKED = 20


@dataclass(frozen=True)
class FoundBenchmark:
    """A file or folder that can be read as a benchmark."""

    path: Path
    format: str
    n_queries: int
    n_documents: int
    qrels: Qrels

    @property
    def can_be_evaluated(self) -> bool:
        """Whether there are documents to search, or a file of judgments to score recorded runs by."""
        return self.n_documents > 0 or (self.path.is_file() and len(self.qrels) > 0)

    @property
    def is_judgments_only(self) -> bool:
        """Whether there is nothing to search: only recorded runs can be evaluated."""
        return self.n_documents == 0


@dataclass(frozen=True)
class FoundRun:
    """A run file in TREC format, and the id of its first query."""

    path: Path
    first_query: str


@dataclass(frozen=True)
class FoundData:
    """What a folder holds. `faults` are files that look like a benchmark and cannot be read."""

    benchmarks: tuple[FoundBenchmark, ...]
    runs: tuple[FoundRun, ...]
    faults: tuple[str, ...]

    def runs_of(self, benchmark: FoundBenchmark) -> tuple[FoundRun, ...]:
        """The runs whose first query is judged in the benchmark."""
        return tuple(run for run in self.runs if run.first_query in benchmark.qrels)


def find_data(folder: Path) -> FoundData:
    """Look at the folder, at what is in it, and one level deeper. A folder that is a benchmark is not searched further."""
    benchmarks: list[FoundBenchmark] = []
    runs: list[FoundRun] = []
    faults: list[str] = []
    for path in islice(_candidates(folder), MAX_ENTRIES):
        if any(benchmark.path in path.parents for benchmark in benchmarks):  # its corpus, its queries …
            continue
        if (run := _find_run(path)) is not None:
            runs.append(run)
            continue
        try:
            detect_format(path)
        except (AssayError, OSError, UnicodeError):
            continue
        try:
            benchmark = _read_benchmark(path)
        except AssayError as error:
            faults.append(str(error))
        else:
            benchmarks += [benchmark] * benchmark.can_be_evaluated
    return FoundData(tuple(benchmarks), tuple(runs), tuple(faults))


def _candidates(folder: Path) -> Iterator[Path]:
    """The folder itself, its entries by name, and then the entries of its folders."""
    yield folder
    entries = _entries(folder)
    yield from entries
    for inner in entries:
        if inner.is_dir():
            yield from _entries(inner)


def _entries(folder: Path) -> list[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    return [entry for entry in entries if not entry.name.startswith(".") and entry.name not in SKIPPED_FOLDERS]


def _read_benchmark(path: Path) -> FoundBenchmark:
    dataset = load_dataset(path)
    return FoundBenchmark(path, dataset.format, len(dataset.queries), len(dataset.documents), Qrels(dataset.qrels))


def _find_run(path: Path) -> FoundRun | None:
    """The run in a file whose first lines have the six columns of TREC; None for anything else."""
    try:
        head = Probe(path).head
    except (AssayError, OSError):
        return None
    lines = [line.split() for line in head.removeprefix(BOM).splitlines()]
    rows = [line for line in lines if line][:LINES_CHECKED]
    if not rows or not all(len(row) == RUN_COLUMNS and _is_number(row[4]) for row in rows):
        return None
    return FoundRun(path, rows[0][0].decode("utf-8", "replace"))


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
