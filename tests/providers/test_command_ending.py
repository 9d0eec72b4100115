"""command: a program ends with whoever started it, whatever happens."""

from __future__ import annotations

import gc
import subprocess
import sys
import time

import pytest

from assay.providers.catalog.command import CommandRetriever

from ._programs import ANSWER, START, pid_of, queries, told


def is_running(pid):
    """Whether it is there, and not just waiting for its parent to take notice."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


def test_closing_ends_it(program):
    retriever = program()
    retriever.search(queries("a"), 3)
    pid = pid_of(retriever)
    retriever.close()
    assert not is_running(pid)
    assert told(retriever.search(queries("a"), 3)) == [["a"]], "asked again, it starts again"


def test_one_that_does_not_want_to_end_is_killed(program, monkeypatch):
    monkeypatch.setattr("assay.providers.process.GRACE", 0.2)
    start = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)" + START
    retriever = program(start=start, answer=ANSWER + "time.sleep(60)\n")
    retriever.search(queries("a"), 3)
    pid = pid_of(retriever)
    retriever.close()
    assert not is_running(pid)


def test_it_goes_with_the_retriever(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(START + ANSWER)
    retriever = CommandRetriever(f"{sys.executable} -S {file}", index=False)
    retriever.search(queries("a"), 3)
    pid = pid_of(retriever)
    del retriever
    gc.collect()
    assert not is_running(pid)


def test_an_interruption_leaves_no_orphan(program, monkeypatch):
    retriever = program("time.sleep(60)")
    pids = []

    def interrupted(self, deadline):
        pids.append(self.process.pid)
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.providers.process.Program.next_line", interrupted)
    with pytest.raises(KeyboardInterrupt):
        retriever.search(queries("a"), 3)
    assert not is_running(pids[0])


@pytest.mark.parametrize(
    "ending", ["raise SystemExit(1)", "os.kill(os.getpid(), signal.SIGKILL)"], ids=["an exception", "kill -9"]
)
def test_it_goes_with_the_interpreter(tmp_path, ending):
    file = tmp_path / "program.py"
    file.write_text(START + ANSWER)
    script = f"""
import os, signal, sys
from assay.model.records import Query
from assay.providers.retriever import PermanentFailure
from assay.providers.catalog.command import CommandRetriever
retriever = CommandRetriever({sys.executable + " -S " + str(file)!r}, index=False)
retriever.search([Query("q", "a")], 3)
print(retriever._program.process.pid, flush=True)
{ending}
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    pid = int(done.stdout)
    until = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < until:  # its input has ended, and it will notice
        time.sleep(0.02)
    assert not is_running(pid)
    assert done.stderr == ""
