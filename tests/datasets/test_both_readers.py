"""The quick and the strict reader over mutated files of every format: what one accepts, the other reads alike."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
N_INPUTS = os.environ.get("ASSAY_TEST_INPUTS", "20000")
"""In all, shared evenly by the formats; more on demand."""


@pytest.mark.slow
def test_mutated_files_are_read_alike_or_refused(tmp_path):
    """A difference, a hang, much memory, and any error that is not assay's own, is a fault."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    options = ["--component", "run_", "judgments_", "--count", N_INPUTS, "--seed", "both readers", "--cases", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path},
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.splitlines()[-1].split()[1].replace(",", "")) >= int(N_INPUTS)
