"""python -m kills: kill every operation at many instants, print a table; exits 1 where anything was lost."""

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
usual seconds: how long the operation takes undisturbed. points: its changes of files and database, each a place to kill it.
trials: runs that were to be killed. kills while it ran: those not over before. failures: trials that lost something."""


def main() -> int:
    """0 where nothing was lost."""
    options = _parser().parse_args()
    chosen = [one for one in ALL if not options.operation or any(name in one.name for name in options.operation)]
    if not chosen:
        print(f"no such operation; there are {', '.join(one.name for one in ALL)}")
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
    parser.add_argument("--count", type=int, default=1000, help="kills in total, shared evenly by the operations")
    parser.add_argument("--operation", nargs="+", default=[], metavar="NAME", help="these only; a part of the name will do")
    parser.add_argument("--seed", help="the same seed gives the same instants (default: another each time)")
    parser.add_argument("--jobs", type=int, default=1, help="processes that try side by side")
    parser.add_argument("--evidence", type=Path, default=EVIDENCE, help="where failures are kept (default: kills/evidence)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
