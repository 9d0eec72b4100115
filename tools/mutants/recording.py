"""Recording: which lines run for which test, made once by a run of the suite, and asked for each mutant."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import coverage

from tools.mutants.places import Place
from tools.mutants.scratch import make_scratch
from tools.mutants.table import MutantError

LINES, TESTS = "lines.sqlite", "tests.json"
USUAL = ("-m", "not slow")
"""Words for pytest where nobody gives others: the tests that `make test` runs."""
CONFIGURATION = """\
[run]
data_file = {data}/lines
parallel = true
source = {sources}
context = ${{MUTANTS_CONTEXT-}}
disable_warnings =
    no-data-collected, module-not-imported, module-not-measured, already-imported, couldnt-parse, trace-changed
"""
TESTS_FAILED = 1
"""Exit code of pytest that does not matter here: their lines are recorded all the same."""


def record(root: Path, folder: Path, jobs: int, words: Sequence[str] = USUAL) -> Recording:
    """Run the suite on a copy, with lines recorded for each test, and keep what was found in the folder."""
    with make_scratch(root) as scratch:
        data, notes = scratch.folder / "data", scratch.folder / "notes"
        data.mkdir()
        notes.mkdir()
        settings = scratch.folder / "coverage.ini"
        settings.write_text(CONFIGURATION.format(data=data, sources=scratch.sources), encoding="utf-8")
        side_by_side = ["-n", str(jobs), "--dist", "worksteal"] if jobs > 1 else []
        command = [str(scratch.python), "-m", "pytest", "-q", "-p", "mutants_contexts", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, f"--basetemp={scratch.folder / 'tmp'}", *side_by_side, *words],
            cwd=scratch.root,
            env=scratch.environment({"COVERAGE_PROCESS_START": str(settings), "MUTANTS_NOTES": str(notes)}),
            check=False,
        )
        if done.returncode not in (0, TESTS_FAILED):
            raise MutantError(f"pytest ended with {done.returncode}, so nothing is recorded")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        combined = coverage.Coverage(data_file=str(folder / LINES), config_file=False)
        combined.combine([str(file) for file in sorted(data.iterdir())])
        combined.save()
        about = _merged(json.loads(file.read_text(encoding="utf-8")) for file in notes.glob("*.json"))
        digests = {str(file.relative_to(scratch.sources)): _digest(file) for file in scratch.sources.rglob("*.py")}
        kept = {"sources": str(scratch.sources), "digests": digests, **about}
        (folder / TESTS).write_text(json.dumps(kept), encoding="utf-8")
    return read_recording(folder)


def _merged(notes: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """What several processes noted."""
    seconds: dict[str, float] = {}
    fixtures: dict[str, set[str]] = defaultdict(set)
    failed: set[str] = set()
    for one in notes:
        seconds |= one["seconds"]
        failed |= set(one["failed"])
        for test, keys in one["fixtures"].items():
            fixtures[test] |= set(keys)
    users = {test: sorted(keys) for test, keys in fixtures.items() if test in seconds}
    return {"seconds": seconds, "failed": sorted(failed), "fixtures": users}


def read_recording(folder: Path) -> Recording:
    """What was recorded."""
    if not (folder / TESTS).is_file():
        raise MutantError(f"there is no recording in {folder}. Create one: python -m tools.mutants record")
    about = json.loads((folder / TESTS).read_text(encoding="utf-8"))
    return Recording(folder, Path(about["sources"]), about["digests"], about["seconds"], about["fixtures"], about["failed"])


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16]


@dataclass
class Recording:
    """The tests of a suite, how long each takes, and whose lines they run."""

    folder: Path
    sources: Path
    """Where the sources were while they were recorded."""
    digests: dict[str, str]
    """Source file → a digest of it, as it was recorded."""
    seconds: dict[str, float]
    fixtures: dict[str, list[str]]
    failed: list[str]
    _last: tuple[str, dict[int, list[str]]] = ("", {})
    """The file that was asked for last, and for whom its lines ran: that of all files may take gigabytes."""

    _below: dict[str, list[str]] = field(default_factory=dict)
    """Folder, file or class → the tests in it."""

    @cached_property
    def digest(self) -> str:
        """Another one after every recording."""
        return _digest(self.folder / TESTS)

    @cached_property
    def _data(self) -> coverage.CoverageData:
        data = coverage.CoverageData(str(self.folder / LINES))
        data.read()
        return data

    @cached_property
    def _users(self) -> dict[str, list[str]]:
        """Shared fixture → the tests that use it."""
        users: dict[str, list[str]] = defaultdict(list)
        for test, keys in self.fixtures.items():
            for key in keys:
                users[key].append(test)
        return users

    def check_sources(self, sources: Path, file: Path) -> None:
        """A file that is not as it was recorded has other lines."""
        if self.digests.get(str(file)) != _digest(sources / file):
            raise MutantError(
                f"{file} has changed since the tests were recorded. Record again: python -m tools.mutants record"
            )

    def tests_for(self, place: Place, sources: Path, *, wide: bool = False) -> list[str]:
        """The tests that run a changed line, quick files first; with `wide`, those that run any line of the file.

        A statement that runs when its module is imported runs for no test: those are taken that run any line of the file,
        or of another one that has a name which the statement defines.
        """
        self.check_sources(sources, place.file)
        if not wide and not place.names:
            return self._ordered(self._tests_at(place.file, place.lines), place.file)
        files = {place.file}
        if place.names:
            named = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(place.names)))})\b")
            texts = ((file, (sources / file).read_text(encoding="utf-8")) for file in map(Path, self.digests))
            files |= {file for file, text in texts if named.search(text)}
        return self._ordered({test for file in files for test in self._tests_at(file, None)}, place.file)

    def _tests_at(self, file: Path, lines: Iterable[int] | None) -> set[str]:
        """The tests for which any of the lines ran; of the whole file where there are none."""
        name, by_line = self._last
        if name != str(file):
            by_line = self._data.contexts_by_lineno(str(self.sources / file))
            self._last = str(file), by_line
        contexts = {context for line in (by_line if lines is None else lines) for context in by_line.get(line, ())}
        return {test for context in contexts for test in self._tests_of(context)}

    def _tests_of(self, context: str) -> Iterable[str]:
        """The tests that a context stands for; none for what ran before all of them."""
        kind, _, name = context.partition(" ")
        if kind == "test":
            return [name] if name in self.seconds else []
        if kind == "fixture":
            return self._users.get(name, [])
        if kind == "module" and name:
            if name not in self._below:
                self._below[name] = [test for test in self.seconds if test.startswith((f"{name}::", f"{name}/"))]
            return self._below[name]
        return []

    def _ordered(self, tests: Iterable[str], file: Path) -> list[str]:
        """File by file, so that modules are set up once; those of the package first, and those whose tests take least."""
        chosen = set(tests)
        total: dict[str, float] = defaultdict(float)
        for test in chosen:
            total[file_of(test)] += self.seconds[test]
        package = file.parts[1]
        order = sorted(total, key=lambda name: (package not in Path(name).parts, total[name], name))
        place = {name: number for number, name in enumerate(order)}
        nth = {test: number for number, test in enumerate(self.seconds)}
        return sorted(chosen, key=lambda test: (place[file_of(test)], nth[test]))


def file_of(test: str) -> str:
    """The file that a test is in."""
    return test.partition("::")[0]
