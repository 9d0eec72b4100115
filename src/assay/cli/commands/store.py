"""assay store: check the store, clean it up, print its location, or list and delete caches."""

from __future__ import annotations

import argparse
import json
import sys

from assay.cli.output_options import add_store_argument, add_text_or_json, open_store
from assay.cli.program import Command, Group
from assay.errors import StoreError, UnknownName, UsageError, near_matches
from assay.text import counted, printable

EXAMPLES = """\
  assay store check
  assay store vacuum --store sqlite:///results.db
  assay store path
  assay store caches
  assay store caches --clear"""
ACTIONS = ("check", "vacuum", "path", "caches")
REPAIR_ADVICE = (
    "Restore the store from a copy, or delete the evaluations named above with assay results delete and run them again"
)
LOG_FOLDER = "runs"
"""The folder next to the store in which evaluations save their logs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The action."""
    parser.add_argument(
        "action",
        metavar="check|vacuum|path|caches",
        help="check: read the whole store and report damage; vacuum: free unused space and delete old logs; "
        "path: print the location of the store; caches: list what evaluations cached in .assay",
    )
    parser.add_argument(
        "--clear",
        nargs="?",
        const=True,
        metavar="CACHE",
        help="with caches: delete this cache, or all caches if no name is given. They are created again when needed",
    )
    add_text_or_json(parser)
    add_store_argument(parser)


def run_store(options: argparse.Namespace) -> int:
    """Run the action."""
    if options.action not in ACTIONS:
        near = near_matches(options.action, ACTIONS)
        raise UnknownName("action", options.action, near, f"choose from {', '.join(ACTIONS)}")
    if options.clear is not None and options.action != "caches":
        raise UsageError("--clear deletes caches only. Write assay store caches --clear")
    return {"check": _check, "vacuum": _vacuum, "path": _path, "caches": _caches}[options.action](options)


def _path(options: argparse.Namespace) -> int:
    """The location of the store, whether it exists or not; nothing is opened."""
    from assay.store import parse_location

    place = parse_location(options.store)
    if options.format == "json":
        sys.stdout.write(json.dumps({"store": str(place), "exists": place.exists}) + "\n")
    else:
        sys.stdout.write(f"{printable(str(place))}\n")
    return 0


def _caches(options: argparse.Namespace) -> int:
    """The caches of evaluations in the working folder; the store itself is not opened."""
    from assay.cli.terminal import text_here
    from assay.execution import DEFAULT_HOME, clear_caches, list_caches
    from assay.reports import cache_section

    is_list = options.clear is None
    caches = (
        list_caches(DEFAULT_HOME)
        if is_list
        else clear_caches(DEFAULT_HOME, None if options.clear is True else options.clear)
    )
    if options.format == "json":
        key = "caches" if is_list else "deleted"
        sys.stdout.write(json.dumps({"folder": str(DEFAULT_HOME), key: [cache.to_dict() for cache in caches]}) + "\n")
        return 0
    if not caches:
        sys.stdout.write(f"there are no caches in {DEFAULT_HOME}\n")
        return 0
    sizes = f"{counted(len(caches), 'cache')} in {DEFAULT_HOME}, {_megabytes(sum(cache.n_bytes for cache in caches))}"
    if is_list:
        table = text_here([cache_section(caches)])
        sys.stdout.write(f"{table}\n{sizes}. To delete them: assay store caches --clear\n")
    else:
        sys.stdout.write(f"deleted {sizes}\n")
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
    "store",
    "check or clean up the store, print its location, or list and delete caches",
    add_arguments,
    run_store,
    EXAMPLES,
    group=Group.FOLLOW,
)
