"""Interrupts: being asked to end is like Ctrl-C, and leaves nothing behind."""

import json
import os
import signal
import subprocess

import pytest

from .conftest import SCRIPT


def reading(copies, **how):
    """A program that reads standard input, which stays open, so it is certain to be reading it when a signal comes."""
    command = [SCRIPT, "score", "qrels.txt", "-", "-m", "map", "--format", "json"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    program = subprocess.Popen(command, env=os.environ | {"TMPDIR": str(copies)}, **pipes, **how)
    program.stdin.write(b"q1 Q0 d1 1 9 good\n" + b"\n" * 4_000_000)  # far more than a pipe holds, so the copy has begun
    program.stdin.flush()
    return program


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_what_was_copied_from_standard_input_is_gone_afterwards(tmp_path_factory):
    copies = tmp_path_factory.mktemp("copies")
    for number, code in ((signal.SIGHUP, 129), (signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with reading(copies) as program:
            program.send_signal(number)
            _, said = program.communicate()
        assert (program.returncode, said, list(copies.iterdir())) == (code, b"interrupted\n", []), number
    with reading(copies, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as program:
        program.send_signal(signal.SIGHUP)  # as under nohup
        said, _ = program.communicate()
    assert (program.returncode, bool(json.loads(said))) == (0, True)
