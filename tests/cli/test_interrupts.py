"""Interrupts: being asked to end is like Ctrl-C."""

import os
import signal
import subprocess
import threading

import pytest

from assay.cli._interrupts import Terminated, until_terminated

from .conftest import SCRIPT


def test_being_asked_to_end_interrupts_and_only_meanwhile():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Terminated), until_terminated():
        signal.raise_signal(signal.SIGTERM)
    assert issubclass(Terminated, KeyboardInterrupt)
    assert signal.getsignal(signal.SIGTERM) is before


def test_in_another_thread_nothing_is_changed():
    found = []

    def look():
        with until_terminated():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_what_was_copied_from_standard_input_is_gone_afterwards(files, tmp_path_factory, number, code):
    """Standard input stays open, so the program is certain to be reading it when the signal comes."""
    copies = tmp_path_factory.mktemp("copies")
    command = [SCRIPT, "score", "qrels.txt", "-", "-m", "map"]
    how = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=os.environ | {"TMPDIR": str(copies)}, **how) as program:
        program.stdin.write(b"q1 Q0 d1 1 9 good\n" * 200_000)  # more than a block, so that the copy has begun
        program.stdin.flush()
        while not list(copies.iterdir()):
            assert program.poll() is None
        program.send_signal(number)
        _, told = program.communicate()
    assert (program.returncode, told) == (code, b"interrupted\n")
    assert list(copies.iterdir()) == []
