"""Interrupts: being asked to end is like Ctrl-C."""

import json
import os
import signal
import subprocess
import threading

import pytest

from assay.cli.exit_codes import TERMINATION_SIGNALS, TerminationSignal, exit_code_of_interrupt, raise_on_termination

from .conftest import SCRIPT

CODES = [(signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGTERM, 143)]


@pytest.mark.parametrize("number", TERMINATION_SIGNALS)
def test_being_asked_to_end_interrupts_and_only_meanwhile(number):
    before = signal.getsignal(number)
    with pytest.raises(TerminationSignal) as raised, raise_on_termination():
        signal.raise_signal(number)
    assert issubclass(TerminationSignal, KeyboardInterrupt)
    assert exit_code_of_interrupt(raised.value) == 128 + number
    assert signal.getsignal(number) is before


def test_in_another_thread_nothing_is_changed():
    found = []

    def look():
        with raise_on_termination():
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]


def test_a_signal_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with raise_on_termination():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def reading(copies, **how):
    """A program that reads standard input, which stays open, so it is certain to be reading it when a signal comes."""
    command = [SCRIPT, "score", "qrels.txt", "-", "-m", "map", "--format", "json"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    program = subprocess.Popen(command, env=os.environ | {"TMPDIR": str(copies)}, **pipes, **how)
    program.stdin.write(b"q1 Q0 d1 1 9 good\n" + b"\n" * 4_000_000)  # far more than a pipe holds, so the copy has begun
    program.stdin.flush()
    return program


@pytest.mark.parametrize(("number", "code"), CODES)
def test_what_was_copied_from_standard_input_is_gone_afterwards(files, tmp_path_factory, number, code):
    copies = tmp_path_factory.mktemp("copies")
    with reading(copies) as program:
        program.send_signal(number)
        _, told = program.communicate()
    assert (program.returncode, told) == (code, b"interrupted\n")
    assert list(copies.iterdir()) == []


def test_under_nohup_it_goes_on(files, tmp_path_factory):
    ignore = {"preexec_fn": lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)}
    with reading(tmp_path_factory.mktemp("copies"), **ignore) as program:
        program.send_signal(signal.SIGHUP)
        told, _ = program.communicate()
    assert program.returncode == 0
    assert json.loads(told)
