"""python -m fuzz: run mutated input through every component and print a table; exit 1 if there are faults."""

from __future__ import annotations

import argparse
import base64
import json
import random
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from fuzz.campaign import Campaign, Total
from fuzz.cases import FOLDER, keep_case, replay
from fuzz.component import Component, all_components

SECONDS = 120


def main() -> int:
    """0 if no fault was found."""
    options = _parser().parse_args()
    if options.list:
        for one in all_components().values():
            print(f"{one.name:28} {', '.join(one.covers)}")
        return 0
    if options.replay:
        return _replay(options.cases)
    chosen = _chosen(options.component)
    seconds = options.seconds if options.seconds is not None or options.count is not None else SECONDS
    seed = options.seed or str(random.SystemRandom().randrange(10**6))
    print(f"seed {seed}, {len(chosen)} components, {options.jobs} workers", flush=True)
    lock, told = threading.Lock(), list[str]()

    def tell(name: str, fault: Mapping[str, str]) -> None:
        path = keep_case(name, base64.b64decode(fault["input"]), options.cases)
        text = f"FAULT {name}: {fault['signature']}\n  {path}\n{_indented(fault['detail'])}"
        with lock:
            told.append(text)
            print(text, flush=True)

    campaign = Campaign(chosen, seed, seconds, options.count, options.minimum, options.jobs, tell)
    started = time.monotonic()
    totals = campaign.run()
    _print_table(totals, time.monotonic() - started)
    _print_end(totals, told)
    if options.output:
        Path(options.output).write_text(json.dumps(_plain(totals, seed), indent=1) + "\n", encoding="utf-8")
    return 1 if any(total.faults for total in totals.values()) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__, allow_abbrev=False)
    parser.add_argument("--seconds", type=float, help=f"stop after this time (default without --count: {SECONDS})")
    parser.add_argument("--count", type=int, help="number of inputs, split evenly between the components")
    parser.add_argument("--minimum", type=int, default=0, help="inputs for each component before the time is split evenly")
    parser.add_argument(
        "--component", nargs="+", default=[], metavar="NAME", help="only components whose name contains one of these"
    )
    parser.add_argument("--seed", help="seed of the inputs (default: random)")
    parser.add_argument("--jobs", type=int, default=2, help="number of worker processes (default: 2)")
    parser.add_argument("--list", action="store_true", help="list the components and what they cover")
    parser.add_argument("--replay", action="store_true", help="run only the saved cases")
    parser.add_argument(
        "--cases", type=Path, default=FOLDER, help="folder in which inputs that show a fault are saved as cases"
    )
    parser.add_argument("--output", help="write the totals as JSON")
    return parser


def _chosen(names: list[str]) -> list[Component]:
    every = all_components()
    if not names:
        return list(every.values())
    chosen = [one for one in every.values() if one.name in names or any(name in one.name for name in names)]
    if not chosen:
        raise SystemExit(f"no component is called {' or '.join(names)}   (choose from {', '.join(every)})")
    return chosen


def _replay(folder: Path) -> int:
    found = replay(folder)
    for name, answer in found.items():
        print(f"{name:28} {answer['inputs']:6} cases, {answer['faults']} faults")
        for fault in answer["found"]:
            print(f"FAULT {name}: {fault['signature']}\n{_indented(fault['detail'])}")
    return 1 if any(answer["faults"] for answer in found.values()) else 0


def _print_table(totals: Mapping[str, Total], seconds: float) -> None:
    print(f"{'component':28} {'inputs':>9} {'accepted':>9} {'refused':>9} {'faults':>7} {'per second':>10}")
    for name, total in totals.items():
        _print_row(name, total)
    every = Total()
    for total in totals.values():
        every.add({**vars(total), "found": []})
    every.seconds = seconds
    _print_row("all", every)


def _print_end(totals: Mapping[str, Total], told: Sequence[str]) -> None:
    """Components without input, then all faults again, because people read the end of a log."""
    if untried := [name for name, total in totals.items() if not total.inputs]:
        share = f"{len(untried)} of {len(totals)} components"
        print(f"\n{share} got no input, because the time was too short: {', '.join(untried)}")
    if told:
        print(f"\n{len(told)} different faults:")
    for text in told:
        print(text, flush=True)


def _print_row(name: str, total: Total) -> None:
    counts = f"{total.inputs:9,} {total.accepted:9,} {total.refused:9,} {total.faults:7,}"
    print(f"{name:28} {counts} {total.rate:10,.0f}")


def _plain(totals: Mapping[str, Total], seed: str) -> dict[str, object]:
    names = ("inputs", "accepted", "refused", "faults", "seconds")
    by_component = {name: {key: getattr(total, key) for key in names} for name, total in totals.items()}
    sums = {key: sum(getattr(total, key) for total in totals.values()) for key in names}
    found = {name: [fault["signature"] for fault in total.found] for name, total in totals.items() if total.found}
    return {"seed": seed, "total": sums, "components": by_component, "found": found}


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip().splitlines()[-14:])


if __name__ == "__main__":
    sys.exit(main())
