"""Record the tests, check the table of mutants, or run the tests on mutants."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from pathlib import Path
from queue import SimpleQueue

from tools.mutants.judging import KILLED, Outcome, judge
from tools.mutants.places import find_place
from tools.mutants.recording import USUAL, Recording, read_recording, record
from tools.mutants.results import Results, read_killed
from tools.mutants.scratch import Scratch, make_scratch
from tools.mutants.table import Mutant, MutantError, read_mutants, select_mutants

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path("tests/mutation/mutants.toml")
FOLDER = Path("build/mutants")
RECORDING = "recording"


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit 1 if a mutant survives (with --bar: one that was killed before), 2 after an error."""
    options = _parser().parse_args(arguments)
    options.root = options.root.resolve()
    options.folder = options.root / options.folder
    try:
        return {"check": _check, "record": _record, "run": _judge_all}[options.action](options)
    except MutantError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _record(options: argparse.Namespace) -> int:
    recording = record(options.root, options.folder / RECORDING, options.jobs, options.words or USUAL)
    print(f"{len(recording.seconds):,} tests recorded, {len(recording.failed):,} of them failed")
    return 0


def _check(options: argparse.Namespace) -> int:
    mutants = _selected(options)
    wrong = []
    for mutant in mutants:
        try:
            find_place(mutant, options.root / "src")
        except MutantError as error:
            wrong.append(str(error))
    print("\n".join([*wrong, f"{len(mutants) - len(wrong)} of {len(mutants)} mutants have a place"]))
    return 1 if wrong else 0


def _selected(options: argparse.Namespace) -> list[Mutant]:
    return select_mutants(_all_mutants(options), options.only, options.area)


def _all_mutants(options: argparse.Namespace) -> list[Mutant]:
    return read_mutants([options.root / table for table in options.table or [TABLE]])


def _judge_all(options: argparse.Namespace) -> int:
    """Run the tests on all mutants without a result, several in parallel, each in its own copy."""
    mutants, results = _selected(options), Results(options.folder)
    recording = read_recording(options.folder / RECORDING)
    for mutant in mutants:
        recording.check_sources(options.root / "src", find_place(mutant, options.root / "src").file)
    basis = f"{recording.digest}{' wide' if options.wide else ''}"
    is_open = [mutant for mutant in mutants if options.again or results.find(mutant, basis) is None]
    if is_open:
        _judge_some(is_open, options, recording, results, basis)
    results.write_table(_all_mutants(options), basis)
    print(results.table(mutants, basis), end="")
    found = {mutant.name: results.find(mutant, basis) for mutant in mutants}
    alive = [name for name, outcome in found.items() if outcome is None or outcome.status != KILLED]
    if options.bar:
        killed_before = set(read_killed(options.bar))
        alive = [name for name in alive if name in killed_before]
        print(
            f"killed before, but not now: {', '.join(alive)}"
            if alive
            else "all mutants that were killed before are killed again"
        )
    return 1 if alive else 0


def _judge_some(
    mutants: Sequence[Mutant], options: argparse.Namespace, recording: Recording, results: Results, basis: str
) -> None:
    with ExitStack() as stack:
        free: SimpleQueue[Scratch] = SimpleQueue()
        for _ in range(min(options.jobs, len(mutants))):
            free.put(stack.enter_context(make_scratch(options.root)))
        pool = ThreadPoolExecutor(options.jobs)
        stack.callback(pool.shutdown, cancel_futures=True)

        def judge_one(mutant: Mutant) -> tuple[Mutant, Outcome]:
            scratch = free.get()
            try:
                return mutant, judge(mutant, scratch, recording, options.limit, wide=options.wide)
            finally:
                free.put(scratch)

        for done in as_completed([pool.submit(judge_one, mutant) for mutant in mutants]):
            mutant, outcome = done.result()
            results.add(mutant, basis, outcome)
            print(f"{outcome.status}: {mutant.name} ({outcome.seconds:.0f} s) {outcome.killer}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the repository (default: this one)")
    parser.add_argument("--folder", type=Path, default=FOLDER, help=f"recording and results (default: {FOLDER})")
    actions = parser.add_subparsers(dest="action", required=True)
    recording = actions.add_parser("record", help="run all tests once, and record which test runs which lines")
    recording.add_argument("--jobs", type=int, default=2, help="number of test processes (default: 2)")
    recording.add_argument("words", nargs="*", help=f"after --: arguments for pytest (default: {' '.join(USUAL)})")
    checking = actions.add_parser("check", help="check that every mutant has a place in the sources")
    judging = actions.add_parser("run", help="find out which mutants the tests notice")
    for action in (checking, judging):
        action.add_argument(
            "--table", type=Path, action="append", help=f"table of mutants; can be repeated (default: {TABLE})"
        )
        action.add_argument("--only", action="append", default=[], metavar="NAME", help="only this mutant; can be repeated")
        action.add_argument("--area", action="append", default=[], help="only mutants of this area; can be repeated")
    judging.add_argument(
        "--jobs", type=int, default=1, help="mutants in parallel, each in its own copy of the sources (default: 1)"
    )
    judging.add_argument("--limit", type=float, help="seconds for a mutant (default: depends on the time of its tests)")
    judging.add_argument("--wide", action="store_true", help="run all tests that run any line of the file")
    judging.add_argument(
        "--bar", type=Path, help="earlier results.json: exit 1 only if a mutant survives that was killed then"
    )
    judging.add_argument("--again", action="store_true", help="also run mutants that already have a result")
    return parser


if __name__ == "__main__":
    sys.exit(main())
