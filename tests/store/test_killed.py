"""A writer is killed at any instant: what it was saving is there whole, or not at all."""

import subprocess
import sys
from pathlib import Path

import pytest

WRITERS = Path(__file__).with_name("_writers.py")


@pytest.mark.slow
def test_a_writer_killed_at_fifty_instants_leaves_whole_evaluations(url):
    done = subprocess.run([sys.executable, WRITERS, "killed", url, "50"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
