"""Import of judgments: read the file of another tool, say what it would change, and store it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.judging.forms import graded_in_pool
from assay.errors import UsageError
from assay.text import counted, printable

if TYPE_CHECKING:
    from assay.store import ImportPlan, Store

SHAPES = ("trec", "table", "quepid", "opensearch", "label_studio")
WORKBOOKS = (".xlsx", ".xls", ".ods", ".numbers")
"""File extensions of spreadsheet programs."""
EXAMPLE = "assay judgments import qrels.txt --judge NIST"


def add_import_arguments(parser: argparse.ArgumentParser) -> None:
    """How a file of judgments is read, and whether anything is stored."""
    parser.add_argument(
        "--shape",
        choices=SHAPES,
        metavar="SHAPE",
        help="import: trec, table, quepid, opensearch or label_studio (default: recognised)",
    )
    parser.add_argument(
        "--grades",
        type=_parse_labels,
        metavar="LABEL=GRADE,…",
        help="import: grades of labels that are words, such as relevant=2,partly=1",
    )
    parser.add_argument(
        "--pool",
        metavar="FILE",
        help="import: the pool that the judged pairs were drawn from; estimates need it",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="import: say what would be stored, and store nothing; probe: show what would be sent (default)",
    )


def check_import_options(options: argparse.Namespace) -> None:
    """Refuse options that do not fit the action, before the store is opened."""
    is_import = options.action == "import"
    if is_import and not options.file:
        raise UsageError(f"import needs a file: {EXAMPLE}")
    is_probe = options.action == "probe"
    names = ("shape", "grades", "pool") if is_probe else ("shape", "grades", "pool", "dry_run")
    flags = [f"--{name.replace('_', '-')}" for name in names if getattr(options, name)]
    has_file = options.file and not is_probe and options.action != "calibrate"
    if not is_import and (has_file or flags):
        raise UsageError(
            f"{options.file if has_file else ' and '.join(flags)}: only import reads a file of judgments: {EXAMPLE}"
        )
    if is_import and Path(options.file).suffix.lower() in WORKBOOKS:
        raise UsageError(f"{options.file}: a workbook cannot be read. Save its sheet as CSV in UTF-8")
    if is_import and (options.query or options.document):
        raise UsageError("import stores all judgments of the file. Remove --query and --document")


def _parse_labels(text: str) -> dict[str, float]:
    """`relevant=2,partly=1`."""
    labels: dict[str, float] = {}
    for part in text.split(","):
        label, sign, grade = part.rpartition("=")
        try:
            labels[label.strip()] = float(grade)
        except ValueError:
            sign = ""
        if not sign or not label.strip():
            raise argparse.ArgumentTypeError(f"must be labels with grades, such as relevant=2,partly=1, not {text!r}")
    return labels


def import_judgments(store: Store, options: argparse.Namespace) -> str:
    """Store the judgments of a file; what was left out goes to standard error."""
    from assay.files import read_judgment_file
    from assay.store import judge_name, plan_import

    file = read_judgment_file(options.file, options.shape, options.grades)
    kind, drawn_on = options.kind or "people", ""
    if options.pool:
        file, drawn_on = graded_in_pool(file, options)
    benchmark = options.benchmark or drawn_on or _only_benchmark(store)
    plan = plan_import(store, file, benchmark, judge_name(options.judge or ""), kind)
    for sentence in plan.sentences():
        sys.stderr.write(f"note: {printable(sentence)}\n")
    if not file.grades and not options.grades:
        sys.stderr.write(
            "note: no grade could be read. If labels are words, say their grades: --grades relevant=2,partly=1\n"
        )
    if plan.judgments and not options.dry_run:
        store.judgments.give_all(plan.judgments)
    return _outcome(plan, benchmark, file.shape, kind, is_dry=options.dry_run)


def _only_benchmark(store: Store) -> str:
    names = sorted({entry.benchmark for entry in store.list() if entry.benchmark})
    if len(names) == 1:
        return names[0]
    there = f"   (choose from {', '.join(names[:10])})" if names else ". Nothing is stored yet: run assay eval first"
    raise UsageError(f"import needs --benchmark{there}")


def _outcome(plan: ImportPlan, benchmark: str, shape: str, kind: str, *, is_dry: bool) -> str:
    """The counts in one line."""
    judges = sorted({judgment.judge for judgment in plan.judgments})
    by = f" by {', '.join(judges[:5])}{' …' if len(judges) > 5 else ''}" if judges else ""
    counts = [f"{plan.n_new:,} new", f"{plan.n_changed:,} changed", f"{plan.n_same:,} already stored"]
    counts += [f"{plan.n_outdated:,} older than stored grades"] if plan.n_outdated else []
    done = "would be stored" if is_dry else "stored"
    what = f"{counted(len(plan.judgments), 'judgment')} {done} as {kind} on {benchmark}{by}, read as {shape}"
    return printable(f"{what}: {', '.join(counts)}") + "\n"
