"""Discovery: which benchmarks and run files a folder holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from assay.datasets.fields import roles_of
from assay.datasets.loading import load_dataset
from assay.datasets.nearby_documents import find_documents, is_document_folder, is_document_table, is_table_file
from assay.datasets.probe import Probe
from assay.datasets.recognition import recognised_format
from assay.datasets.unknown_tables import UnknownTable, as_unknown_table
from assay.errors import AssayError, DataError
from assay.files import BOM
from assay.model import Qrels, Run
from assay.text import printable

MAX_ENTRIES = 500
"""Files and folders that are looked at."""
SKIPPED_FOLDERS = frozenset({"node_modules", "venv", "env", "build", "dist", "__pycache__", "site-packages"})
RUN_COLUMNS = 6
RUN_SUFFIXES = frozenset({".json", ".jsonl", ".csv", ".tsv", ".parquet"})
MAX_RUN_BYTES = 200_000_000
"""A larger file is not read to see whether it is a run."""
LINES_CHECKED = 20
JUDGMENT_WORDS = ("qrel", "judg", "gold", "truth")
"""Parts of file names that people give to judgments."""
JUDGMENTS_FORMAT, GOLDEN_FORMAT = "trec", "golden"
UNUSABLE_IN_PLANS = frozenset({"$", *map(chr, range(32)), *map(chr, range(0x7F, 0xA0)), *map(chr, range(0xD800, 0xE000))})
"""A plan reads $ as a variable; control characters and parts of surrogate pairs cannot be written into YAML."""


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
    documents: Path | None = None
    """Where its documents are, if they are not in the benchmark itself."""
    candidates: tuple[Path, ...] = ()
    """Places that could have its documents, if there are several."""

    @property
    def can_be_evaluated(self) -> bool:
        """Whether there are documents to search, or a file of judgments to score rankings by."""
        return self.n_documents > 0 or (self.path.is_file() and len(self.qrels) > 0)

    @property
    def is_called_judgments(self) -> bool:
        """Whether the name of the file says that it has judgments."""
        return any(word in self.path.name.lower() for word in JUDGMENT_WORDS)

    @property
    def is_run(self) -> bool:
        """Whether the grades are the scores of a run: a table of a run can have the same columns as a table of judgments.

        Judgments may have fractions too, so a file that is called judgments, or has the text of queries, is not a run.
        """
        if not self.is_judgments_only or self.has_texts or self.is_called_judgments:
            return False
        return not all(grade.is_integer() for grades in self.qrels.values() for grade in grades.values())

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
    """What a folder holds."""

    benchmarks: tuple[FoundBenchmark, ...]
    runs: tuple[FoundRun, ...]
    faults: tuple[str, ...]
    """Why something that looks like data cannot be used, a line each."""
    is_complete: bool = True
    """Whether everything was looked at; a folder can have too many files."""
    unknown: tuple[UnknownTable, ...] = ()
    """Tables whose columns are not known, if nothing else can be searched or scored."""
    documents: tuple[Path, ...] = ()
    """Tables and folders of documents next to unknown tables."""

    def runs_of(self, benchmark: FoundBenchmark) -> tuple[FoundRun, ...]:
        """The runs whose first query is judged in the benchmark."""
        return tuple(run for run in self.runs if run.first_query in benchmark.qrels)


def find_data(folder: Path) -> FoundData:
    """Look at the folder, at what is in it, and one level deeper. A folder that is a benchmark is not searched further."""
    benchmarks: list[FoundBenchmark] = []
    runs: list[FoundRun] = []
    faults: dict[Path, str] = {}
    candidates = list(islice(_candidates(folder), MAX_ENTRIES + 1))
    for path in candidates[:MAX_ENTRIES]:
        if any(benchmark.path in path.parents for benchmark in benchmarks):  # its corpus, its queries …
            continue
        try:
            entry = _inspect(path)
        except (AssayError, OSError, UnicodeError) as error:
            faults[path] = _one_line(path, error)
            continue
        if isinstance(entry, FoundBenchmark):
            benchmarks.append(entry)
        elif entry is not None:
            runs.append(entry)
    taken = {benchmark.path for benchmark in benchmarks if benchmark.can_be_evaluated} | {run.path for run in runs}
    unknown = _unknown_tables(candidates[:MAX_ENTRIES], {*taken, *(path for path in faults if _has_queries(path))})
    benchmarks = _usable(_with_documents(benchmarks, {table.path.parent for table in unknown}))
    data = FoundData(tuple(benchmarks), tuple(runs), (), len(candidates) <= MAX_ENTRIES)
    is_ready = any(not benchmark.is_judgments_only or data.runs_of(benchmark) for benchmark in benchmarks)
    tables = () if is_ready else tuple(table for table in unknown if table.path not in {each.path for each in benchmarks})
    paths = [*(each.path for each in benchmarks), *(run.path for run in runs), *(table.path for table in tables)]
    unread = (what for path, what in faults.items() if not any(path in (other, *other.parents) for other in paths))
    near = {table.path.parent for table in tables}
    beside = (path for path in candidates[:MAX_ENTRIES] if path.parent in near)
    documents = tuple(path for path in beside if is_document_table(path) or is_document_folder(path))
    return replace(data, faults=tuple(unread), unknown=tables, documents=documents)


def _usable(benchmarks: list[FoundBenchmark]) -> list[FoundBenchmark]:
    """The benchmarks that can be evaluated; if there are none, tables of queries that still need documents."""
    usable = [benchmark for benchmark in benchmarks if benchmark.can_be_evaluated]
    return usable or [benchmark for benchmark in benchmarks if is_table_file(benchmark.path)]


def _unknown_tables(paths: list[Path], taken: set[Path]) -> list[UnknownTable]:
    """Tables that are neither in use nor documents."""
    free = [path for path in paths if path not in taken and not is_document_table(path)]
    tables = [as_unknown_table(path) for path in free if UNUSABLE_IN_PLANS.isdisjoint(str(path))]
    return [table for table in tables if table is not None]


def _has_queries(path: Path) -> bool:
    """Whether a file has a known column with queries, so that its columns are not what is wrong with it."""
    return is_table_file(path) and "query" in roles_of("queries", Probe(path).first_record)


def _with_documents(benchmarks: list[FoundBenchmark], more_folders: set[Path]) -> list[FoundBenchmark]:
    """The benchmarks, with documents next to those that have none.

    A table of documents is not a benchmark if its folder has a list of queries; `more_folders` may have one too.
    """
    lists = {each.path for each in benchmarks if _needs_documents(each) and not is_document_table(each.path)}
    entries = {folder: _entries(folder, set())[:MAX_ENTRIES] for folder in {path.parent for path in lists}}
    return [
        _with_nearby(each, entries[each.path.parent]) if each.path in lists else each
        for each in benchmarks
        if each.path in lists or each.path.parent not in {*entries, *more_folders} or not is_document_table(each.path)
    ]


def _needs_documents(benchmark: FoundBenchmark) -> bool:
    return benchmark.is_judgments_only and benchmark.has_texts and benchmark.path.is_file()


def _with_nearby(benchmark: FoundBenchmark, entries: list[Path]) -> FoundBenchmark:
    """The benchmark with the only documents next to it. Several are candidates, because the choice would be a guess."""
    nearby = find_documents(benchmark.path, [path for path in entries if UNUSABLE_IN_PLANS.isdisjoint(str(path))])
    if len(nearby) != 1:
        return replace(benchmark, candidates=tuple(place.path for place in nearby))
    (path, dataset), qrels = nearby[0], Qrels(nearby[0].dataset.qrels)
    return replace(benchmark, n_documents=len(dataset.documents), qrels=qrels, documents=path)


def _candidates(folder: Path) -> Iterator[Path]:
    """The folder itself, its entries by name, and then the entries of its folders. A link to one of them is passed over."""
    seen = {folder.resolve()}
    yield folder
    entries = _entries(folder, seen)
    yield from entries
    for inner in entries:
        if inner.is_dir():
            yield from _entries(inner, seen)


def _entries(folder: Path, seen: set[Path]) -> list[Path]:
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return []
    usual = [entry for entry in entries if not entry.name.startswith(".") and entry.name not in SKIPPED_FOLDERS]
    new = [entry for entry in usual if entry.resolve() not in seen]
    seen.update(entry.resolve() for entry in new)
    return new


def _inspect(path: Path) -> FoundBenchmark | FoundRun | None:
    """The benchmark or the run at a path; None for anything else."""
    entry = _trec_run(path) or (_read_benchmark(path) if _is_benchmark(path) else _other_run(path))
    if isinstance(entry, FoundBenchmark) and entry.is_run:
        entry = FoundRun(path, next(iter(entry.qrels)))
    if entry is not None and not UNUSABLE_IN_PLANS.isdisjoint(str(path)):
        raise DataError("a plan cannot name this file because of the characters in its path. Rename it", source=path)
    return entry


def _one_line(path: Path, error: Exception) -> str:
    """The path and what is wrong with it."""
    if isinstance(error, OSError):
        what = f"cannot be read: {error.strerror or error}"
    else:
        what = error.what if isinstance(error, AssayError) else "its text cannot be decoded"
    return f"{printable(str(path))}: {what}"


def _is_benchmark(path: Path) -> bool:
    return bool(_format_name(path))


def _format_name(path: Path) -> str:
    """The name of its format; empty if it has none, or cannot be read."""
    try:
        return recognised_format(path)
    except AssayError:
        return ""


def describe_if_benchmark(path: Path) -> str:
    """`a golden list`, or `a benchmark (beir)`; empty for judgments alone, for documents, and for anything else."""
    name = _format_name(path) if path.exists() else ""
    if not name or (path.is_file() and name == JUDGMENTS_FORMAT) or is_document_table(path):
        return ""
    return "a golden list" if name == GOLDEN_FORMAT else f"a benchmark ({name})"


def _read_benchmark(path: Path) -> FoundBenchmark | None:
    """The benchmark, if something in it can be evaluated, or could be with documents from elsewhere."""
    dataset = load_dataset(path)
    has_texts = any(query.text for query in dataset.queries.values())
    qrels = Qrels(dataset.qrels)
    benchmark = FoundBenchmark(path, dataset.format, len(dataset.queries), len(dataset.documents), qrels, has_texts)
    return benchmark if benchmark.can_be_evaluated or _needs_documents(benchmark) else None


def _trec_run(path: Path) -> FoundRun | None:
    """The run in a file whose first lines have the six columns of TREC; None for anything else."""
    lines = [line.split() for line in Probe(path).head.removeprefix(BOM).splitlines()]
    rows = [line for line in lines if line][:LINES_CHECKED]
    if not rows or not all(len(row) == RUN_COLUMNS and _is_number(row[4]) for row in rows):
        return None
    return FoundRun(path, rows[0][0].decode("utf-8", "replace"))


def _other_run(path: Path) -> FoundRun | None:
    """The run in a table or a JSON file; None for anything else."""
    if not path.is_file() or Probe(path).suffix not in RUN_SUFFIXES or path.stat().st_size > MAX_RUN_BYTES:
        return None
    try:
        run = Run(path)
    except AssayError:
        return None
    return FoundRun(path, run.query_ids[0]) if len(run.query_ids) else None


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
