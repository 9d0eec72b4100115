"""Checkpoint: the log an evaluation writes, found again by what was asked for."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from assay.datasets import PARTS, BenchmarkDataset
from assay.errors import UsageError
from assay.evaluation.answers import SCHEMA, Answer, AnswerLog
from assay.evaluation.changes import changes_told, has_other_code
from assay.evaluation.plan import Plan
from assay.evaluation.provenance import describe_machine
from assay.evaluation.runner import Part

SHOWN = 5
"""Differences that a message shows."""
LOOKED_AT = 50
"""Logs that are looked at for one that may have been meant."""

EVALUATION = "evaluation"
"""The evaluation that a log or a result is of, in the header of the one and the provenance of the other."""

Known = dict[str, dict[str, Answer]]
"""Part → query → answer."""


@dataclass(frozen=True)
class Checkpoint:
    """Where answers are kept, and what they are answers to."""

    log: AnswerLog
    header: Mapping[str, Any]
    is_named: bool
    """Whether it goes by the name of a plan; else by its content."""

    def begin(self) -> Known:
        """Start afresh: nothing is known. The header gets a name that no other evaluation has."""
        self.log.begin({**self.header, EVALUATION: secrets.token_hex(8)})
        return {}

    def identity(self) -> str:
        """What this evaluation is known by: the same until something more is asked."""
        with self.log.path.open("rb") as file:
            return hashlib.file_digest(file, partial(hashlib.blake2b, digest_size=12)).hexdigest()

    def resume(self, say: Callable[[str], None]) -> Known:
        """What is known already. What was begun differently is refused; where nothing was begun, it starts."""
        before, answers = self.log.read()
        if not before:
            self._refuse_nearest()
            say("there is nothing to go on from; this evaluation starts afresh")
            return self.begin()
        if {**before, EVALUATION: None} != {**self.header, EVALUATION: None}:
            raise UsageError(f"this is not what was begun: {_refusal(before, self.header)}")
        self.log.mend()
        return answers

    def _refuse_nearest(self) -> None:
        """An unfinished evaluation of the same queries by the same providers was probably meant."""
        if self.is_named:
            return
        logs = [path for path in self.log.path.parent.glob("*.log") if not path.name.startswith("plan-")]
        logs.sort(key=lambda path: path.stat().st_mtime, reverse=True)
        for path in logs[:LOOKED_AT]:
            before, answers = AnswerLog(path).read()
            if _concerns_the_same(before, self.header) and not _is_finished(before, answers):
                raise UsageError(f"what was begun and not finished is another one: {_refusal(before, self.header)}")


def _refusal(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """What has changed, and what can be done."""
    changed = changes_told(before, now) or ["it was begun by another version of assay"]
    more = len(changed) - SHOWN
    told = "; ".join([*changed[:SHOWN], *([f"and {more} more"] if more > 0 else [])])
    advice = ", and --retry-failed result.json asks only what failed in that result" if has_other_code(before, now) else ""
    return f"{told}. Without --resume it starts afresh{advice}"


def _concerns_the_same(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    old, new = before.get("plan", {}), now["plan"]
    is_same_plan = all(old.get(name) == new.get(name) for name in ("benchmarks", "selection"))
    return is_same_plan and all(before.get(name) == now.get(name) for name in ("providers", "again"))


def _is_finished(header: Mapping[str, Any], answers: Known) -> bool:
    """Whether every query was answered, or failed."""
    wanted: Mapping[str, int] = header.get("queries", {})
    return all(len(answers.get(part, {})) >= n for part, n in wanted.items())


def find_checkpoint(folder: Path, name: str, header: Mapping[str, Any]) -> Checkpoint:
    """The checkpoint of a plan under its name, or by its content where it has none; another one for each selection."""
    own = digest([header["plan"]["selection"], header.get("again")]) if name else digest(header)
    return Checkpoint(AnswerLog(folder / f"{name}-{own}.log" if name else folder / f"{own}.log"), header, bool(name))


def describe_start(plan: Plan, datasets: Mapping[str, BenchmarkDataset], parts: Sequence[Part]) -> dict[str, Any]:
    """All that answers and scores rest on; if any of it changes, they are not to be mixed."""
    machine = describe_machine()
    header = {
        "schema": SCHEMA,
        "plan": plan.describe(),
        "providers": [replace(provider, label="").name for provider in plan.providers],
        "datasets": {name: {one: dataset.fingerprint(one) for one in PARTS} for name, dataset in datasets.items()},
        "files": {name: digest_ for part in parts for name, digest_ in part.provider.sources().items()},
        "versions": {"assay": machine["assay"], "python": machine["python"], **machine["packages"]},
        "queries": {part.key: len(part.queries) for part in parts},
    }
    plain: dict[str, Any] = json.loads(json.dumps(header, default=str))
    return plain


def digest(content: Any) -> str:
    """A short hash of plain values."""
    return hashlib.blake2b(json.dumps(content, sort_keys=True, default=str).encode(), digest_size=8).hexdigest()
