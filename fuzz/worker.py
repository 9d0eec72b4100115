"""A worker process: reads batches from standard input, answers with counts and faults. It may die; its parent goes on."""

from __future__ import annotations

import base64
import json
import mmap
import os
import struct
import sys
import time
import traceback
import warnings
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from fuzz.component import Component, find_component
from fuzz.mutation import make_input
from fuzz.outcome import CANARY, Outcome, minimise, outcome_of, set_limits

CURRENT = 1 << 20
"""Bytes that the input at hand is kept in, so that it is known after a crash."""
KEPT = 3
"""Faults of one signature that are told; more are only counted."""


class Current:
    """The input at hand and how many there were, in a file that the parent reads after a crash."""

    def __init__(self, path: Path) -> None:
        path.write_bytes(bytes(CURRENT))
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), CURRENT)
        self._count = 0

    def note(self, data: bytes) -> None:
        """Before an input is given."""
        self._count += 1
        kept = data[: CURRENT - 16]
        self._memory[: 16 + len(kept)] = struct.pack("<qq", self._count, len(kept)) + kept


def read_current(path: Path) -> tuple[int, bytes]:
    """How many inputs a worker has begun, and the last of them."""
    content = path.read_bytes()
    count, length = struct.unpack("<qq", content[:16])
    return count, content[16 : 16 + length]


def main() -> None:
    """Answer one line with one line, until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    warnings.simplefilter("ignore")
    current = Current(Path(os.environ["ASSAY_FUZZ_SCRATCH"]) / "current")
    (Path(os.environ["ASSAY_FUZZ_SCRATCH"]) / f"{CANARY}.py").write_text(
        "def run(*_, **__):\n    return 0.5\n", encoding="utf-8"
    )
    sys.path.insert(0, os.environ["ASSAY_FUZZ_SCRATCH"])
    set_limits()
    seen: dict[str, int] = {}
    for line in sys.stdin:
        answers.write(json.dumps(_answer_or_error(json.loads(line), current, seen)) + "\n")
        answers.flush()


def _answer_or_error(asked: dict[str, Any], current: Current, seen: dict[str, int]) -> dict[str, Any]:
    """An error outside a component, such as in a mutation, is a fault of the fuzzer; its traceback is told."""
    try:
        return _answer(asked, current, seen)
    except Exception as error:
        fault = {
            "kind": "fuzzer",
            "signature": f"fuzzer: {type(error).__name__}",
            "detail": traceback.format_exc(),
            "input": "",
        }
        return {"inputs": 0, "accepted": 0, "refused": 0, "faults": 1, "seconds": 0.0, "found": [fault]}


def _answer(asked: dict[str, Any], current: Current, seen: dict[str, int]) -> dict[str, Any]:
    component = find_component(asked["home"], asked["component"])
    component.examples  # noqa: B018 (made before the clock starts)
    if "inputs" in asked:
        inputs: Iterable[bytes] = map(base64.b64decode, asked["inputs"])
        return _try_all(component, inputs, current, {}, float("inf"))
    names = (f"{asked['seed']}/{component.name}/{place}" for place in range(asked["start"], asked["start"] + asked["count"]))
    made = (make_input(component, Random(name)) for name in names)
    return _try_all(component, made, current, seen, asked["seconds"])


def _try_all(
    component: Component, inputs: Iterable[bytes], current: Current, seen: dict[str, int], seconds: float
) -> dict[str, Any]:
    start = time.perf_counter()
    counts = {"inputs": 0, "accepted": 0, "refused": 0, "faults": 0}
    faults = []
    for data in inputs:
        current.note(data)
        found = outcome_of(component, data)
        counts["inputs"] += 1
        counts["faults" if found.is_fault else found.kind] += 1
        if found.is_fault:
            signature = f"{component.name} {found.signature}"
            seen[signature] = seen.get(signature, 0) + 1
            if seen[signature] <= KEPT:
                faults.append(_described(component, data, found))
        if time.perf_counter() - start > seconds:
            break
    return {**counts, "seconds": time.perf_counter() - start, "found": faults}


def _described(component: Component, data: bytes, found: Outcome) -> dict[str, str]:
    smaller = data if found.kind in ("hang", "memory") else minimise(component, data, found.signature)
    return {
        "kind": found.kind,
        "signature": found.signature,
        "detail": found.detail,
        "input": base64.b64encode(smaller).decode("ascii"),
    }


if __name__ == "__main__":
    main()
