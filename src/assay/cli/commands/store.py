"""assay store: check the store, clean it up, or print its location."""

from __future__ import annotations

import argparse
import json
import sys

from assay.cli.output_options import add_store_argument, add_text_or_json, open_store
from assay.cli.program import Command, Group
from assay.errors import StoreError, UnknownName, near_matches
from assay.text import counted, printable

EXAMPLES = """\
  assay store check
  assay store vacuum --store sqlite:///results.db
  assay store path"""
ACTIONS = ("check", "vacuum", "path")
REPAIR_ADVICE = (
    "Restore the store from a copy, or delete the evaluations named above with assay results delete and run them again"
)
LOG_FOLDER = "runs"
"""The folder next to the store in which evaluations save their logs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The action."""
    parser.add_argument(
        "action",
        metavar="check|vacuum|path",
        help="check: read the whole store and report damage; vacuum: free unused space and delete old logs; "
        "path: print the location of the store",
    )
    add_text_or_json(parser)
    add_store_argument(parser)


def run_store(options: argparse.Namespace) -> int:
    """Run the action."""
    if options.action not in ACTIONS:
        near = near_matches(options.action, ACTIONS)
        raise UnknownName("action", options.action, near, f"choose from {', '.join(ACTIONS)}")
    return {"check": _check, "vacuum": _vacuum, "path": _path}[options.action](options)


def _path(options: argparse.Namespace) -> int:
    """The location of the store, whether it exists or not; nothing is opened."""
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
        unused = f". To free {counted(check.n_unused, 'unused part')}: assay store vacuum" if check.n_unused else ""
        sys.stdout.write(printable(f"{place} is intact: {sizes}; the whole store was read{unused}") + "\n")
    else:
        lines = [
            f"{place} is damaged: {counted(len(check.faults), 'fault')} in {sizes}",
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
    sys.stdout.write(printable(f"{place} is cleaned up{sizes}{logs}") + "\n")
    return 0


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


COMMAND = Command(
    "store", "check or clean up the store, or print its location", add_arguments, run_store, EXAMPLES, group=Group.FOLLOW
)
