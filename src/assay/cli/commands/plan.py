"""assay init and assay plan: write a plan, rules for the gate and a GitHub workflow; check a plan without running it."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.output_options import add_text_or_json
from assay.cli.program import Command, Group
from assay.cli.streams import write_json
from assay.errors import UsageError
from assay.text import counted, printable

if TYPE_CHECKING:
    from assay.cli.starter_files import Starter
    from assay.datasets import FoundData
    from assay.execution import Plan

INIT_EXAMPLES = """\
  assay init
  assay init ./my-project --force"""
PLAN_EXAMPLES = "  assay plan check plan.yaml"
TOO_MANY_FILES = "The folder has more than 500 files. assay looked at the first 500"
NO_DATA = "the plan uses the bundled benchmark rag-template; replace it with the path of your own data"


def add_init_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to look, and whether to overwrite."""
    parser.add_argument("folder", nargs="?", default=".", help="folder to look in and to write to (default: this folder)")
    parser.add_argument("--force", action="store_true", help="overwrite files that exist")


def run_init(options: argparse.Namespace) -> int:
    """Look for data, write the files, and say what to run next. Only --force overwrites files that exist."""
    from assay.cli.starter_files import make_starter
    from assay.datasets import find_data

    folder = Path(options.folder)
    if not folder.is_dir():
        raise UsageError(f"{printable(str(folder))} is not a folder. Name a folder that exists")
    data = find_data(folder)
    starter = make_starter(data, folder)
    kept = [name for name in starter.files if (folder / name).exists() and not options.force]
    written = [name for name in starter.files if name not in kept]
    _check_folders(folder, written)
    _write(folder, {name: starter.files[name] for name in written})
    sys.stdout.write(_text(folder, data, written, kept, starter))
    return 0


def _check_folders(folder: Path, names: Iterable[str]) -> None:
    """Fail before the first file is written if a folder is in fact a file."""
    for parent in (parent for name in names for parent in (folder / name).parents):
        if parent.exists() and not parent.is_dir():
            raise UsageError(f"{printable(str(parent))} is a file, but it must be a folder. Rename it, then run this again")


def _write(folder: Path, files: dict[str, str]) -> None:
    from assay.atomic_write import atomic_write

    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(folder / name) as file:
            file.write(text.encode())


def _text(folder: Path, data: FoundData, written: list[str], kept: list[str], starter: Starter) -> str:
    from assay.cli.starter_columns import describe_unknown
    from assay.cli.starter_files import describe_benchmark, next_commands, purposes

    def place(path: Path) -> str:
        return path.relative_to(folder).as_posix()

    data_rows = [(place(benchmark.path), describe_benchmark(benchmark)) for benchmark in data.benchmarks]
    candidates = (path for benchmark in data.benchmarks for path in benchmark.candidates)
    data_rows += [(place(path), "documents") for path in dict.fromkeys((*candidates, *data.documents))]
    data_rows += [(place(table.path), describe_unknown(table)) for table in data.unknown]
    data_rows += [(place(run.path), "run file") for run in data.runs]
    blocks = [
        _block("Found", data_rows or [("no data", NO_DATA)]),
        _block("Could not use", [(fault, "") for fault in data.faults] + [(TOO_MANY_FILES, "")] * (not data.is_complete)),
        _block("Wrote", [(name, purposes(folder)[name]) for name in written]),
        _block("Kept", [(name, "exists already; --force overwrites it") for name in kept]),
        _block("Next", next_commands(starter, folder)),
    ]
    return "\n".join(filter(None, blocks))


def _block(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """A heading and aligned rows; an empty text if there are no rows."""
    lines = [(printable(name), printable(text)) for name, text in rows]
    width = max((len(name) for name, _ in lines), default=0)
    body = "".join(f"  {name.ljust(width)}   {text}".rstrip() + "\n" for name, text in lines)
    return f"{title}\n{body}" if lines else ""


def add_plan_arguments(parser: argparse.ArgumentParser) -> None:
    """The action, and the plan."""
    parser.add_argument("words", nargs="*", metavar="check plan.yaml", help="the word check, then the plan to check")
    add_text_or_json(parser)


def run_plan(options: argparse.Namespace) -> int:
    """Check names, parameters, files and benchmarks in the same way as `assay eval`; no query is run."""
    _check_words(options.words)
    from assay.execution import load_plan
    from assay.files import Reading, reading_with

    path = options.words[1]
    plan = load_plan(Path(path))
    if plan.logs:
        return _check_logs(options, plan, path)
    with reading_with(Reading(plan.columns)):
        sizes = _check_plan(plan, path)
    if options.format == "json":
        plain = {**plan.describe(), "queries": sizes, "notes": list(plan.notes)}
        write_json(plain)
        return 0
    parts = [f"  {name} ({size:,} queries) × {provider.name}" for name, size in sizes.items() for provider in plan.providers]
    repeats = f", {plan.repeats} repeats" if plan.repeats > 1 else ""
    lines = [f"{path} is valid: {counted(len(parts), 'result')}, k = {plan.k}{repeats}", *parts]
    lines.append(f"  metrics: {', '.join(metric.name for metric in plan.metrics)}")
    sys.stdout.write("\n".join([*lines, *(f"note: {note}" for note in plan.notes)]) + "\n")
    return 0


def _check_logs(options: argparse.Namespace, plan: Plan, path: str) -> int:
    """Check that the logs of a plan exist, and print what the plan does."""
    from assay.execution import PlanFaults
    from assay.files import missing_file
    from assay.reports import check_outputs

    faults = PlanFaults(path)
    for output in plan.outputs:
        faults.attempt(check_outputs, [output])
    for part in (part for log in plan.logs for part in log.paths):
        if not Path(part).exists():
            faults.add(missing_file(part))
    faults.raise_if_any()
    if options.format == "json":
        write_json({**plan.describe(), "notes": list(plan.notes)})
        return 0
    logs = [f"  {log.kind} {', '.join(log.paths)}{f' as {log.name}' if log.name else ''}" for log in plan.logs]
    names = ", ".join(metric.name for metric in plan.metrics) or "all for which the log has data"
    lines = [f"{path} is valid: {counted(len(logs), 'log')}", *logs, f"  metrics: {names}"]
    sys.stdout.write("\n".join([*map(printable, lines), *(f"note: {note}" for note in plan.notes)]) + "\n")
    return 0


def _check_words(words: Sequence[str]) -> None:
    """Expect one action and one plan. If the action is missing or misspelt, the error shows the full command."""
    if len(words) == 2 and words[0] == "check":
        return
    if len(words) > 2:
        command = f"assay plan check {shlex.quote(words[1])}"
        raise UsageError(f"expected one plan, found {len(words) - 1}. Check one at a time: {command}")
    plan = shlex.quote(words[-1]) if words and words != ["check"] else ""
    if plan:
        commands = f"To check the plan: assay plan check {plan}. To run it: assay eval {plan}"
        raise UsageError(f"expected 'check' and a plan, found {printable(shlex.join(words))}. {commands}")
    raise UsageError("no plan is given. Name the plan to check: assay plan check plan.yaml")


def _check_plan(plan: Plan, path: str) -> dict[str, int]:
    """Benchmark → number of queries; or an error that lists all faults."""
    from assay.datasets import queries_to_send
    from assay.evaluation import read_id_map
    from assay.execution import PlanFaults, load_benchmarks
    from assay.reports import check_outputs

    faults = PlanFaults(path)
    for output in plan.outputs:
        faults.attempt(check_outputs, [output])
    for provider in plan.providers:
        faults.attempt(provider.check)
    if isinstance(plan.relevance.id_map, str):
        faults.attempt(read_id_map, Path(plan.relevance.id_map))
    datasets = load_benchmarks(plan, faults)
    queries = {name: queries_to_send(dataset) for name, dataset in datasets.items()}
    chosen = {name: faults.attempt(plan.selection.apply, some) for name, some in queries.items()}
    faults.raise_if_any()
    return {name: len(queries or ()) for name, queries in chosen.items()}


INIT = Command(
    "init",
    "write a plan, gate rules and a GitHub workflow for the data in a folder",
    add_init_arguments,
    run_init,
    INIT_EXAMPLES,
    group=Group.START,
)
PLAN = Command("plan", "check a plan without running it", add_plan_arguments, run_plan, PLAN_EXAMPLES, group=Group.SCORE)
