"""assay bless: make a stored evaluation the baseline that others are compared with."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from assay.cli.output_options import add_store_argument, open_store
from assay.cli.program import Command, Group
from assay.errors import UsageError
from assay.text import printable

if TYPE_CHECKING:
    from assay.store import Store

EXAMPLES = """\
  assay bless latest --as main
  assay bless 2026-11-15-rag-template-7f3a#bm25 --as release-1.0
  assay bless                     # list the baselines
  assay bless --remove release-1.0"""
DEFAULT_BASELINE = "main"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The evaluation, and the name of the baseline."""
    parser.add_argument(
        "reference",
        nargs="?",
        metavar="REFERENCE",
        help="evaluation to bless: latest, latest~1, an id, the beginning or end of an id, or another baseline; "
        "without it, list the baselines",
    )
    parser.add_argument("--as", dest="name", metavar="NAME", help="name of the baseline (default: main)")
    parser.add_argument("--remove", metavar="NAME", help="remove this baseline; the evaluation stays in the store")
    parser.add_argument("--force", action="store_true", help="bless even if a provider failed on every query")
    add_store_argument(parser)


def run_bless(options: argparse.Namespace) -> int:
    """A baseline changes only if another evaluation is blessed under its name, or if it is removed."""
    do = _remove if options.remove is not None else _bless if options.reference is not None else _list
    if do is _remove and (options.reference is not None or options.name is not None):
        raise UsageError(
            "--remove cannot be used with a reference or --as. To change a baseline, bless another evaluation under its name"
        )
    if do is _list and options.name is not None:
        raise UsageError(f"say which evaluation: assay bless latest --as {options.name}")
    with open_store(options) as store:
        lines = do(store, options)
        notes = _note_missing_times(store, options) if do is _bless else []
    sys.stdout.write("".join(f"{printable(line)}\n" for line in lines))
    sys.stderr.write("".join(f"note: {printable(note)}\n" for note in notes))
    return 0


def _note_missing_times(store: Store, options: argparse.Namespace) -> list[str]:
    """Which results have no times of single queries, so that a later gate cannot check latency."""
    names = dict.fromkeys(
        result.name for result in store.find(options.name or DEFAULT_BASELINE).results if result.has_shared_times
    )
    if not names:
        return []
    asked = f"{', '.join(names)} {'was' if len(names) == 1 else 'were'} queried in batches"
    return [f"{asked}, so a gate cannot check latency_p95. Set batch_size: 1 in the plan to run queries one by one"]


def _bless(store: Store, options: argparse.Namespace) -> list[str]:
    done = store.bless(options.reference, options.name or DEFAULT_BASELINE, force=options.force)
    before = f" (was {done.before})" if done.before not in (None, done.evaluation) else ""
    return [f"baseline {done.name} is {done.evaluation}{before}"]


def _remove(store: Store, options: argparse.Namespace) -> list[str]:
    was = store.unbless(options.remove)
    return [f"baseline {options.remove} is removed (was {was})"]


def _list(store: Store, _: argparse.Namespace) -> list[str]:
    known = store.baselines()
    empty = f"{store.place} has no baseline yet. To create one: assay bless latest --as {DEFAULT_BASELINE}"
    return [f"baseline {name} is {evaluation}" for name, evaluation in known.items()] or [empty]


COMMAND = Command("bless", "set, list or remove baselines", add_arguments, run_bless, EXAMPLES, group=Group.FOLLOW)
