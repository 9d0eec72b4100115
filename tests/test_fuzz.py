"""The fuzzer itself: it finds faults of every kind, survives crashes, and what it found once stays mended."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])}


def fuzz(*arguments):
    command = [sys.executable, "-m", "fuzz", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=ENVIRONMENT, check=False, timeout=600)


def test_no_case_that_was_kept_is_a_fault():
    done = fuzz("--replay")
    assert done.returncode == 0, done.stdout + done.stderr
