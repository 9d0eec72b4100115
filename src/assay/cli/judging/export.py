"""Export of judgments: grades as TREC qrels, merged judgments, and the next version of a benchmark."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import DataError, UsageError
from assay.text import counted, printable

if TYPE_CHECKING:
    from assay.datasets import BenchmarkDataset
    from assay.store import Judgment, MergedJudgments, Store

JSON_ENDING = ".json"


def export_judgments(store: Store, judgments: Sequence[Judgment], options: argparse.Namespace) -> str:
    """Write the judgments of one benchmark to a file, and say what was written."""
    benchmarks = sorted({judgment.benchmark for judgment in judgments})
    if len(benchmarks) > 1:
        raise UsageError(
            f"a file of qrels must be about one benchmark. Add --benchmark   (choose from {', '.join(benchmarks)})"
        )
    file = Path(options.output)
    if file.is_dir() or not file.parent.exists():
        raise UsageError(f"{file}: this must be a file in an existing folder")
    if options.merged or options.dataset:
        return _export_merged(store, judgments, benchmarks[0], file, options)
    if options.new_version:
        raise UsageError("--new-version is for a merged export. Add --merged or --dataset DATASET")
    return _export_grades(judgments, file)


def _export_grades(judgments: Sequence[Judgment], file: Path) -> str:
    """One grade for each pair: the median of several judges, the lower one of two in the middle.

    Judgments that TREC files cannot hold are left out with a note.
    """
    from assay.files import write_qrels
    from assay.store import exportable

    can = exportable(judgments)
    if not can.grades:
        raise DataError(f"{can.explanation}. To write all judgments: assay judgments -f json")
    if can.left_out:
        sys.stderr.write(f"note: {can.explanation}. They are left out. To write all judgments: assay judgments -f json\n")
    write_qrels(can.grades, file)
    n_judges = len({judgment.judge for judgment in judgments})
    several = f". If the {n_judges:,} judges differ, the grade is the median" if n_judges > 1 else ""
    written = f"{counted(can.n_pairs, 'grade')} for {counted(len(can.grades), 'query')} written to {file}{several}"
    return printable(written) + "\n"


def _export_merged(
    store: Store, judgments: Sequence[Judgment], benchmark: str, file: Path, options: argparse.Namespace
) -> str:
    """The judgments of the benchmark with those of people: a whole benchmark as JSON, or qrels."""
    from assay.store import merged_from_result, merged_version

    dataset = _dataset(benchmark, options.dataset)
    if dataset is None:
        if file.suffix.lower() == JSON_ENDING:
            raise UsageError(
                f"a whole benchmark needs the data of {benchmark}. Add --dataset DATASET, or write qrels: -o qrels.txt"
            )
        stored = next((entry for entry in store.list() if entry.benchmark == benchmark), None)
        if stored is None:
            raise DataError(f"no stored result is on {benchmark}. Add --dataset DATASET")
        results = store.find(stored.evaluation).results
        merged = merged_from_result(next(result for result in results if result.benchmark == benchmark), judgments)
        return _write_merged(merged, file, f"the newest result on {benchmark} ({stored.evaluation})")
    new, merged = merged_version(dataset, judgments, options.new_version or "")
    if file.suffix.lower() != JSON_ENDING:
        return _write_merged(merged, file, f"{dataset.name} {dataset.version}")
    new.save_json(file)
    _tell(merged.notes)
    about = f"{new.name} {new.version} written to {file}: {_counts(merged)}. Fingerprint of the judgments: "
    return printable(about + new.fingerprint("judgments")) + "\n"


def _dataset(benchmark: str, name: str | None) -> BenchmarkDataset | None:
    """The named data, or the bundled benchmark; None if there are no data."""
    from assay.datasets import has_own_documents, load_dataset

    if name:
        return load_dataset(name)
    return load_dataset(benchmark) if has_own_documents(benchmark) else None


def _write_merged(merged: MergedJudgments, file: Path, source: str) -> str:
    """Merged judgments as qrels."""
    from assay.files import why_not_trec, write_qrels
    from assay.store import Exportable

    pairs = ((query, document) for query, some in merged.qrels.items() for document in some)
    if bad := [why for pair in pairs if (why := why_not_trec(*pair))]:
        raise DataError(f"{Exportable({}, tuple(bad)).explanation}. Write {JSON_ENDING} with --dataset")
    write_qrels(merged.qrels, file)
    _tell(merged.notes)
    n = sum(map(len, merged.qrels.values()))
    return printable(f"{counted(n, 'judgment')} written to {file}, from {source}: {_counts(merged)}") + "\n"


def _counts(merged: MergedJudgments) -> str:
    about = merged.about
    return f"{about['n_added']:,} added and {about['n_overruled']:,} overruled by {', '.join(about['judges'])}"


def _tell(notes: Sequence[str]) -> None:
    for note in notes:
        sys.stderr.write(printable(f"note: {note}.") + "\n")
