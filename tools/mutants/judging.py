"""Judging: the chosen tests are run on a copy with the mutant in it, until one fails."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tools.mutants.places import Place, find_place
from tools.mutants.recording import Recording, file_of
from tools.mutants.scratch import Scratch
from tools.mutants.table import Mutant, MutantError

KILLED, SURVIVED, TIMEOUT = "killed", "survived", "timeout"
NO_TESTS = 5
"""Exit code of pytest where it found none of the tests."""
BASE_SECONDS, TIMES = 60.0, 3.0
"""The time limit: so many seconds, and so many times what the tests took when they were recorded."""
FILES_AT_FIRST = (20, 120)
"""Test files whose tests are run first, and then."""
LAST_LETTERS = 2000
"""Of the output, shown in an error."""


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant."""

    status: str
    n_tests: int
    """Tests that were chosen."""
    killer: str = ""
    """The test that failed, or the test module that could not be imported."""
    seconds: float = 0.0
    set_aside: tuple[str, ...] = ()
    """Tests that also fail without the mutant, or do not fail again with it, and so tell nothing."""


@dataclass(frozen=True)
class _Ended:
    """How a run of tests ended; the code is None where it took too long."""

    code: int | None
    failed: str
    output: str


def judge(
    mutant: Mutant, scratch: Scratch, recording: Recording, limit: float | None = None, *, wide: bool = False
) -> Outcome:
    """Whether the tests notice the mutant. A test that fails without it as well, or not twice, is set aside: it tells
    nothing, and the others go on.
    """
    place = find_place(mutant, scratch.sources)
    chosen = recording.tests_for(place, scratch.sources, wide=wide)
    began = time.monotonic()
    set_aside: list[str] = []

    def outcome(status: str, killer: str = "") -> Outcome:
        return Outcome(status, len(chosen), killer, time.monotonic() - began, tuple(set_aside))

    for batch in _batches(chosen):
        left = batch
        while left:
            most = limit or BASE_SECONDS + TIMES * sum(recording.seconds[test] for test in left)
            with scratch.changed(place.file, place.mutated):
                ended = _run(scratch, left, most)
            if ended.code == 0:
                break
            if ended.code is None:
                return outcome(TIMEOUT)
            if ended.code == NO_TESTS:
                raise MutantError(
                    f"{mutant.name}: recorded tests do not exist any more. Record again: python -m tools.mutants record"
                )
            if _is_noticed(scratch, place, ended.failed, left, most):
                return outcome(KILLED, ended.failed or "pytest")
            set_aside.append(ended.failed)
            left = [test for test in left if test != ended.failed]
    return outcome(SURVIVED)


def _batches(tests: Sequence[str]) -> Iterator[list[str]]:
    """The tests of a few files, then of more, then all others: to import all test modules takes longer than most kills."""
    files = list(dict.fromkeys(map(file_of, tests)))
    for start, end in pairwise((0, *FILES_AT_FIRST, max(len(files), FILES_AT_FIRST[-1]))):
        some = set(files[start:end])
        if batch := [test for test in tests if file_of(test) in some]:
            yield batch


def _is_noticed(scratch: Scratch, place: Place, failed: str, tests: Sequence[str], limit: float) -> bool:
    """Whether the test that failed does so again, alone, and passes without the mutant.

    Where it was none of the tests that failed, they could not be imported; without the mutant they must be.
    """
    if failed not in tests:
        ended = _run(scratch, tests, limit, is_only_collected=True)
        if ended.code != 0:
            raise MutantError(f"tests cannot be run even without a mutant: {ended.output[-LAST_LETTERS:]}")
        return True
    with scratch.changed(place.file, place.mutated):
        if _run(scratch, [failed], limit).code == 0:
            return False
    return _run(scratch, [failed], limit).code == 0


def _run(scratch: Scratch, tests: Sequence[str], limit: float, *, is_only_collected: bool = False) -> _Ended:
    """Run tests until the first fails. Where it takes too long, the processes are killed, with all that they started."""
    chosen, failed, output = (scratch.folder / name for name in ("chosen", "failed", "output"))
    chosen.write_text("\n".join(tests), encoding="utf-8")
    failed.unlink(missing_ok=True)
    files = dict.fromkeys(map(file_of, tests))
    words = ["-x", "-q", "--tb=short", "-p", "mutants_selection", "-p", "no:cacheprovider"]
    words += [f"--basetemp={scratch.folder / 'tmp'}", *(["--collect-only"] if is_only_collected else []), *files]
    with output.open("wb") as file:
        process = subprocess.Popen(
            [str(scratch.python), "-m", "pytest", *words],
            cwd=scratch.root,
            env=scratch.environment({"MUTANTS_CHOSEN": str(chosen), "MUTANTS_FAILED": str(failed)}),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        code: int | None = None
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            pass
        finally:
            _end(process)
    return _Ended(code, _text(failed), _text(output))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that still runs, with its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
