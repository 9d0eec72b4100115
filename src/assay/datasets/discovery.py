"""Discovery: which benchmarks and run files a folder holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from assay.datasets.format import Probe, detect_format, load_dataset
from assay.errors import AssayError
from assay.files import BOM
from assay.model import Qrels, Run

MAX_ENTRIES = 500
"""Files and folders that are looked at."""
SKIPPED_FOLDERS = frozenset({"node_modules", "venv", "env", "build", "dist", "__pycache__", "site-packages"})
RUN_COLUMNS = 6
RUN_SUFFIXES = frozenset({".json", ".jsonl", ".csv", ".tsv", ".parquet"})
MAX_RUN_BYTES = 200_000_000
"""A larger file is not read to see whether it is a run."""
LINES_CHECKED = 20


@dataclass(frozen=True)
class FoundBenchmark:
    """A file or folder that can be read as a benchmark."""

    path: Path
    format: str
    n_queries: int
    n_documents: int
    qrels: Qrels
    has_texts: bool
    """Whether the queries have a text, so that a retriever can search for them."""

    @property
    def can_be_evaluated(self) -> bool:
        """Whether there are documents to search, or a file of judgments to score rankings by."""
        return self.n_documents > 0 or (self.path.is_file() and len(self.qrels) > 0)

    @property
    def is_run(self) -> bool:
        """Whether the grades are the scores of a run: a table of a run has the same columns as a table of judgments."""
        return self.is_judgments_only and not all(
            grade.is_integer() for grades in self.qrels.values() for grade in grades.values()
        )

    @property
    def is_judgments_only(self) -> bool:
        """Whether there is nothing to search: only recorded runs can be evaluated."""
        return self.n_documents == 0


@dataclass(frozen=True)
class FoundRun:
    """A run file, and the id of its first query."""

    path: Path
    first_query: str


@dataclass(frozen=True)
class FoundData:
    """What a folder holds. `faults` says why something that looks like a benchmark cannot be read."""

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
    faults: dict[Path, str] = {}
    for path in islice(_candidates(folder), MAX_ENTRIES):
        if any(benchmark.path in path.parents for benchmark in benchmarks):  # its corpus, its queries …
            continue
        if (run := _trec_run(path)) is not None:
            runs.append(run)
        elif not _is_benchmark(path):
            runs += filter(None, [_other_run(path)])
        else:
            try:
                benchmark = _read_benchmark(path)
            except AssayError as error:
                faults[path] = str(error).partition("\n")[0]
                continue
            if benchmark.is_run:
                runs.append(FoundRun(path, next(iter(benchmark.qrels))))
            elif benchmark.can_be_evaluated:
                benchmarks.append(benchmark)
    paths = [entry.path for entry in benchmarks] + [entry.path for entry in runs]
    unread = (fault for path, fault in faults.items() if not any(path in other.parents for other in paths))
    return FoundData(tuple(benchmarks), tuple(runs), tuple(unread))


def _is_benchmark(path: Path) -> bool:
    try:
        detect_format(path)
    except (AssayError, OSError, UnicodeError):
        return False
    return True


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
    has_texts = any(query.text for query in dataset.queries.values())
    qrels = Qrels(dataset.qrels)
    return FoundBenchmark(path, dataset.format, len(dataset.queries), len(dataset.documents), qrels, has_texts)


def _trec_run(path: Path) -> FoundRun | None:
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


def _other_run(path: Path) -> FoundRun | None:
    """The run in a table or a JSON file; None for anything else."""
    if Probe(path).suffix not in RUN_SUFFIXES or path.stat().st_size > MAX_RUN_BYTES:
        return None
    try:
        run = Run(path)
    except (AssayError, OSError, UnicodeError):
        return None
    return FoundRun(path, run.query_ids[0]) if len(run.query_ids) else None


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
