"""python -m kills: kill every operation at many moments and print a table; exit 1 if anything was lost."""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"  # a process that forks has one thread
os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.dont_write_bytecode = True

from kills.campaign import Campaign, Total, load_what_is_needed  # noqa: E402
from kills.operations import ALL  # noqa: E402

EVIDENCE = Path(__file__).with_name("evidence")
COLUMNS = """
usual seconds: duration of the operation without a kill. points: its changes to files and database; it can be killed at each.
trials: runs that should be killed. kills while it ran: runs that had not ended yet. failures: trials that lost data."""


def main() -> int:
    """0 if nothing was lost."""
    options = _parser().parse_args()
    chosen = [one for one in ALL if not options.operation or any(name in one.name for name in options.operation)]
    if not chosen:
        print(
            f"no operation is called {' or '.join(options.operation)}   (choose from {', '.join(one.name for one in ALL)})"
        )
        return 2
    seed = options.seed or str(random.SystemRandom().randrange(10**6))
    folder = Path(tempfile.mkdtemp(prefix="assay-kills-"))
    print(f"seed {seed}, {len(chosen)} operations, {options.count} kills, {options.jobs} workers", flush=True)
    began, totals = time.monotonic(), []
    try:
        load_what_is_needed(chosen, folder)
        campaign = Campaign(folder, options.evidence, seed, options.jobs)
        _print_head()
        for number, operation in enumerate(chosen):
            share = options.count // len(chosen) + (number < options.count % len(chosen))
            totals.append(campaign.carry_out(operation, max(share, 1)))
            _print_row(totals[-1])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(COLUMNS)
    n_faults = sum(len(one.faults) for one in totals)
    print(f"\n{sum(one.kills for one in totals)} kills, {n_faults} failures, {time.monotonic() - began:.0f} s")
    return 1 if n_faults else 0


def _print_head() -> None:
    print("\n| operation | usual seconds | points | trials | kills while it ran | failures |")
    print("|---|---:|---:|---:|---:|---:|", flush=True)


def _print_row(total: Total) -> None:
    cells = (total.name, f"{total.seconds:.2f}", total.points, total.trials, total.kills, len(total.faults))
    print(f"| {' | '.join(map(str, cells))} |", flush=True)
    for fault in total.faults:
        print(f"  FAILURE {fault}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m kills", description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--count", type=int, default=1000, help="number of kills, split evenly between the operations (default: 1000)"
    )
    parser.add_argument(
        "--operation", nargs="+", default=[], metavar="NAME", help="only operations whose name contains one of these"
    )
    parser.add_argument("--seed", help="seed of the moments (default: random)")
    parser.add_argument("--jobs", type=int, default=1, help="number of parallel processes (default: 1)")
    parser.add_argument(
        "--evidence", type=Path, default=EVIDENCE, help="folder in which failures are saved (default: kills/evidence)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
