"""Processes that write into one store: many at once, and one that is killed. Run as a program, so that forking is cheap.

python -m tests.store._writers many URL PROCESSES EACH      every process saves so many evaluations of its own
python -m tests.store._writers killed URL TIMES             a writer is killed after a moment, so many times
python -m tests.store._writers full URL BYTES               evaluations are saved until no file may become larger
"""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from tests.store._results import result_of

from assay.errors import StoreError
from assay.store import Store


def run_writers(what: str, url: str, *numbers: int) -> str:
    """What such a program prints; it must not fail."""
    command = [sys.executable, "-m", "tests.store._writers", what, url, *map(str, numbers)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def child(work: Any) -> int:
    """A process that does something and then ends, whatever happens in it."""
    if number := os.fork():
        return number
    code = 1
    try:
        work()
        code = 0
    finally:
        sys.stderr.flush()
        os._exit(code)


def write(url: str, writer: int, results: list[Any]) -> None:
    with Store.open(url) as store:
        for number, result in enumerate(results):
            mine = result.with_fields(name=f"writer {writer}")
            store.save([mine])
            if number % 10 == 0:  # a second time, as after a doubt
                store.save([mine])


def many(url: str, processes: int, each: int) -> int:
    results = [result_of(number) for number in range(each)]
    writers = [child(lambda writer=writer: write(url, writer, results)) for writer in range(processes)]
    return sum(os.waitstatus_to_exitcode(os.waitpid(writer, 0)[1]) != 0 for writer in writers)


def write_on(url: str, began: int, first: int) -> None:
    """Save two results at a time, for ever."""
    with Store.open(url) as store:
        os.write(began, b"x")
        for number in range(first, first + 10**6):
            store.save([result_of(number, provider="one"), result_of(number, provider="two")])


def killed(url: str, times: int) -> int:
    """How many times something was not as it should be after a writer was killed."""
    rng = random.Random(7)
    wrong = before = 0
    for attempt in range(times):
        ours, theirs = os.pipe()
        writer = child(lambda theirs=theirs, attempt=attempt: write_on(url, theirs, 10**6 * attempt))
        os.close(theirs)
        os.read(ours, 1)
        os.close(ours)
        time.sleep(rng.uniform(0, 0.04))
        os.kill(writer, signal.SIGKILL)
        os.waitpid(writer, 0)
        with Store.open(url) as store:
            check = store.check()
        whole = check.n_results == 2 * check.n_evaluations
        wrong += not (check.is_sound and whole and check.n_evaluations >= before)
        before = check.n_evaluations
        if wrong:
            sys.stderr.write(f"{check}\n")
        if before > 60:  # checking reads everything, so keep it small
            with Store.open(url) as store:
                store.delete(*{entry.evaluation for entry in store.list()})
            before = 0
    return wrong


def full(url: str, size: int) -> int:
    """Print how many evaluations were saved before the disk was full, and what the store said then."""
    store = Store.open(url)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    for number in range(10_000):
        try:
            store.save([result_of(number)])
        except StoreError as error:
            sys.stdout.write(f"{number} {error}")
            break
    return 0


if __name__ == "__main__":
    program, where, *rest = sys.argv[1:]
    sys.exit({"many": many, "killed": killed, "full": full}[program](where, *map(int, rest)))
