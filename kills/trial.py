"""Trial: one kill, and whether all is well afterwards."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kills.operation import Operation, State
from kills.points import counted, killed_at
from kills.process import Ended, run

LATEST = 1.1
"""Up to how much of the usual duration a kill comes: some take longer."""


class Broken(Exception):
    """The operation itself does not work, undisturbed."""


@dataclass(frozen=True)
class Ground:
    """What a trial begins with, and how the operation ends where nobody disturbs it."""

    template: Path
    before: State
    after: State
    files: frozenset[str]
    printed: str
    seconds: float
    n_points: int


@dataclass(frozen=True)
class Outcome:
    """A trial: whether the process was still running when it was killed, and what is wrong."""

    hit: bool
    faults: tuple[str, ...] = ()


def prepared(operation: Operation, folder: Path) -> Ground:
    """Make the template, and carry the operation out three times undisturbed: timed, counted, and once more on top."""
    template = folder / "template"
    template.mkdir(parents=True)
    _fine(run(operation.prepare, template), "prepare")
    first, second = (_copied(template, folder / name) for name in ("first", "second"))
    done = _fine(run(operation.run, first), "run")
    n_points = int(_fine(run(counted(operation.run), second), "count").told["points"])
    times = [_fine(run(operation.run, _copied(template, folder / "timed")), "run").seconds for _ in range(3)]
    before, after = _seen(operation, template, folder), _seen(operation, first, folder)
    if (other := _seen(operation, second, folder)) != after:
        raise Broken(f"{operation.name} gives a different state each time: {_differences(after, other)}")
    again = run(operation.again, second)
    if again.code not in operation.codes or (found := _seen(operation, second, folder)) != after:
        raise Broken(f"{operation.name} run twice: exit {again.code}, {_differences(after, found)}\n{again.printed}")
    return Ground(template, before, after, _files(first), done.printed, sorted(times)[1], n_points)


def tried(operation: Operation, ground: Ground, folder: Path, chance: random.Random) -> Outcome:
    """Kill it once, look, do it again, and look again. The folder is left for evidence; the caller removes it."""
    place = _copied(ground.template, folder / "place")
    if chance.random() < 0.5:
        ended = run(operation.run, place, chance.uniform(0, LATEST * ground.seconds))
    else:
        ended = run(killed_at(operation.run, chance.randint(1, ground.n_points)), place)
    _copied(place, folder / "killed")
    now = _seen(operation, place, folder)
    faults = _faults_at_once(operation, ground, now)
    again = run(operation.again, place)
    if again.code not in operation.codes:
        faults.append(f"run again, it exits with {again.code}: {again.printed[-2000:]}")
    elif operation.prints and again.printed != ground.printed:
        faults.append(f"run again, it prints {again.printed[-2000:]!r}, not {ground.printed[-2000:]!r}")
    if left := sorted(_files(place) - ground.files):
        faults.append(f"left behind: {', '.join(left)}")
    if missing := sorted(ground.files - _files(place)):
        faults.append(f"missing: {', '.join(missing)}")
    faults += [f"run again: {one}" for one in _differences(ground.after, _seen(operation, place, folder))]
    return Outcome(ended.code == -9, tuple(faults))


def _faults_at_once(operation: Operation, ground: Ground, now: State) -> list[str]:
    """Directly after the kill, each value must be old or new, and lists must not lose entries."""
    if "fault" in now:
        return [f"after the kill: {now['fault']}"]
    faults, ends = [], set()
    for key in sorted(ground.before.keys() | ground.after.keys() | now.keys()):
        old, new, found = ground.before.get(key), ground.after.get(key), now.get(key)
        if isinstance(new, list):
            kept, some = set(_list(old)) & set(new), set(_list(found))
            if not kept <= some <= set(_list(old)) | set(new):
                faults.append(f"after the kill {key} is neither old nor new nor in between")
        elif found not in (old, new):
            faults.append(f"after the kill {key} is {str(found)[:300]}, neither {str(old)[:300]} nor {str(new)[:300]}")
        elif old != new:
            ends.add("new" if found == new else "old")
    if operation.is_one and len(ends) > 1:
        faults.append("after the kill, the operation is done only in part")
    return faults


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _differences(expected: State, found: State) -> list[str]:
    keys = sorted(key for key in expected.keys() | found.keys() if expected.get(key) != found.get(key))
    return [f"{key} is {str(found.get(key))[:300]}, not {str(expected.get(key))[:300]}" for key in keys]


def _seen(operation: Operation, place: Path, folder: Path) -> State:
    """The state, read from a copy, because reading a database repairs it."""
    ended = run(operation.look, _copied(place, folder / "seen"))
    told: Mapping[str, Any] | None = ended.told
    return told if ended.code == 0 and told is not None else {"fault": ended.printed[-3000:]}


def _fine(ended: Ended, what: str) -> Ended:
    if ended.code != 0:
        raise Broken(f"{what} exits with {ended.code}:\n{ended.printed}")
    return ended


def _copied(source: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)
    return target


def _files(folder: Path) -> frozenset[str]:
    return frozenset(file.relative_to(folder).as_posix() for file in folder.rglob("*") if "__pycache__" not in file.parts)
