"""assay store: check the store, tidy it up, or say where it is."""

from __future__ import annotations

import argparse
import json
import sys

from assay.cli.output_options import add_store_argument, open_store
from assay.cli.program import Command
from assay.errors import StoreError, UsageError, near_matches
from assay.text import counted, printable

EXAMPLES = """\
  assay store check
  assay store vacuum --store sqlite:///results.db
  assay store path"""
ACTIONS = ("check", "vacuum", "path")
REPAIR_ADVICE = (
    "put a copy of the store in its place, "
    "or delete the evaluations named above with assay results delete and evaluate again"
)
LOG_FOLDER = "runs"
"""The folder beside the store in which evaluations keep their logs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do."""
    parser.add_argument(
        "action",
        metavar="check|vacuum|path",
        help="read every byte of it; give back unused space, of logs too; say where it is",
    )
    parser.add_argument("-f", "--format", default="text", choices=("text", "json"), metavar="FORMAT", help="text or json")
    add_store_argument(parser)


def run_store(options: argparse.Namespace) -> int:
    """Dispatch."""
    if options.action not in ACTIONS:
        near = near_matches(options.action, ACTIONS)
        raise UsageError(f"write assay store {'|'.join(ACTIONS)}, not {options.action!r}{f': {near[0]}?' if near else ''}")
    return {"check": _check, "vacuum": _vacuum, "path": _path}[options.action](options)


def _path(options: argparse.Namespace) -> int:
    """Where it is, or would be; nothing is opened."""
    from assay.store import parse_location

    place = parse_location(options.store)
    if options.format == "json":
        sys.stdout.write(json.dumps({"store": str(place), "exists": place.exists}) + "\n")
    else:
        sys.stdout.write(f"{printable(str(place))}\n")
    return 0


def _check(options: argparse.Namespace) -> int:
    with open_store(options) as store:
        check, place = store.check(), str(store.place)
    sizes = f"{counted(check.n_evaluations, 'evaluation')}, {counted(check.n_results, 'result')}"
    if options.format == "json":
        plain = {"store": place, "evaluations": check.n_evaluations, "results": check.n_results}
        sys.stdout.write(json.dumps({**plain, "unused": check.n_unused, "faults": list(check.faults)}) + "\n")
    elif check.is_sound:
        unused = f"; {counted(check.n_unused, 'part')} that nobody needs: assay store vacuum" if check.n_unused else ""
        sys.stdout.write(printable(f"{place} is sound: {sizes}, every byte of them read{unused}") + "\n")
    else:
        lines = [
            f"{place} is not sound: {counted(len(check.faults), 'fault')} in {sizes}",
            *(f"  {fault}" for fault in check.faults),
            REPAIR_ADVICE,
        ]
        sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
    return 0 if check.is_sound else StoreError.exit_code


def _vacuum(options: argparse.Namespace) -> int:
    from assay.execution import clear_finished

    with open_store(options) as store:
        before, n_deleted, after = store.size(), store.vacuum(), store.size()
        place, folder = str(store.place), store.place.path
    n_logs, freed = clear_finished(folder.parent / LOG_FOLDER, keep=0) if folder is not None else (0, 0)
    if options.format == "json":
        plain = {"store": place, "deleted": n_deleted, "before": before, "after": after}
        sys.stdout.write(json.dumps({**plain, "logs_deleted": n_logs, "logs_freed": freed}) + "\n")
        return 0
    sizes = f": {_megabytes(before)} before, {_megabytes(after)} now" if before is not None and after is not None else ""
    logs = f"; {counted(n_logs, 'log')} of complete evaluations deleted ({_megabytes(freed)})" if n_logs else ""
    sys.stdout.write(printable(f"{place} is tidy{sizes}{logs}") + "\n")
    return 0


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


COMMAND = Command("store", "check or tidy up the store, or say where it is", add_arguments, run_store, EXAMPLES)
