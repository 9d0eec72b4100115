"""Campaign: many trials of each operation, shared by several processes."""

from __future__ import annotations

import gc
import importlib
import json
import os
import random
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kills.operation import Operation
from kills.process import run
from kills.trial import Ground, prepared, tried

LONGEST, MOST = 100, 5
"""Letters of a fault, and faults of a trial, that are printed: short lines through a pipe stay whole. Evidence has all."""
TRIES = 4
"""Trials for each kill that is wanted, at most: some processes end before they are killed."""


@dataclass
class Total:
    """What became of the trials of an operation."""

    name: str
    seconds: float = 0.0
    points: int = 0
    trials: int = 0
    kills: int = 0
    faults: list[str] = field(default_factory=list)


def load_what_is_needed(operations: list[Operation], folder: Path) -> None:
    """Import what the operations import, so that forks need not; nothing of theirs is done in this process."""
    for operation in operations:
        place = folder / "imports"
        place.mkdir(parents=True)

        def names(operation: Operation = operation) -> list[str]:
            operation.prepare()
            operation.run()
            operation.look()
            here = str(Path.cwd())
            return [name for name, one in sys.modules.items() if not str(getattr(one, "__file__", "")).startswith(here)]

        ended = run(names, place)
        if ended.code != 0:
            raise RuntimeError(f"{operation.name} does not work:\n{ended.printed}")
        for name in ended.told:
            try:
                importlib.import_module(name)
            except Exception:  # noqa: BLE001 (what cannot be imported is imported by the fork)
                continue
        shutil.rmtree(place)
    from assay.embeddings import load_model

    if any(operation.name == "embedding cache" for operation in operations):
        load_model("dense", "wordllama")  # half a second, in which nothing is written
    gc.collect()
    gc.freeze()  # else collecting garbage in a fork would copy everything first


@dataclass
class Campaign:
    """So many kills of each operation; what is found wrong is kept below `evidence`."""

    folder: Path
    evidence: Path
    seed: str
    n_jobs: int

    def carry_out(self, operation: Operation, count: int) -> Total:
        """Trials until there are enough kills."""
        home = self.folder / operation.name.replace(" ", "-")
        ground = prepared(operation, home)
        total = Total(operation.name, ground.seconds, ground.n_points)
        for told in self._workers(operation, ground, home, count):
            total.trials += 1
            total.kills += told["hit"]
            if told["faults"]:
                total.faults.append(f"{told['evidence']}: " + "; ".join(told["faults"]))
        shutil.rmtree(home)
        return total

    def _workers(self, operation: Operation, ground: Ground, home: Path, count: int) -> Iterator[dict[str, Any]]:
        """Fork workers, and yield what they tell; their trials differ by number, and so do their random instants."""
        reading, writing = os.pipe()
        children = []
        for worker in range(self.n_jobs):
            share = count // self.n_jobs + (worker < count % self.n_jobs)
            if (child := os.fork()) == 0:
                os.close(reading)
                code = 1
                try:
                    self._work(operation, ground, home / f"worker-{worker}", worker, share, writing)
                    code = 0
                finally:
                    sys.stderr.flush()
                    os._exit(code)
            children.append(child)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            yield from map(json.loads, pipe)
        for child in children:
            if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
                raise RuntimeError(f"a worker of {operation.name} failed")

    def _work(self, operation: Operation, ground: Ground, home: Path, worker: int, share: int, writing: int) -> None:
        n_hits = 0
        for trial in range(TRIES * share):
            if n_hits == share:
                return
            number = trial * self.n_jobs + worker
            place = home / str(number)
            place.mkdir(parents=True)
            outcome = tried(operation, ground, place, random.Random(f"{self.seed} {operation.name} {number}"))
            n_hits += outcome.hit
            kept = ""
            if outcome.faults:
                kept = str(self._kept(operation, number, place, outcome.faults))
            shutil.rmtree(place)
            told = [fault[:LONGEST] for fault in outcome.faults[:MOST]]
            line = {"hit": outcome.hit, "faults": told, "evidence": kept}
            os.write(writing, json.dumps(line).encode() + b"\n")

    def _kept(self, operation: Operation, number: int, place: Path, faults: tuple[str, ...]) -> Path:
        target = self.evidence / f"{time.strftime('%Y%m%d-%H%M%S')}-{operation.name.replace(' ', '-')}-{number}"
        shutil.copytree(place, target, symlinks=True)
        (target / "faults.txt").write_text("\n\n".join(faults) + "\n")
        return target
