"""Mutated files of every format are read, by the quick and the strict reader alike, or refused: the fuzzer's components."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from assay import AssayError

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from fuzz.components import datasets, judgments, runs  # noqa: E402
from fuzz.mutation import make_input  # noqa: E402

READERS = ("run_", "judgments_", "dataset_")
N_INPUTS = os.environ.get("ASSAY_TEST_INPUTS", "6000")
"""In all, shared evenly by the formats; more on demand."""


def test_a_few_mutated_files_of_every_format():
    for one in (*datasets.COMPONENTS, *judgments.COMPONENTS, *runs.COMPONENTS):
        random = Random(f"few/{one.name}")
        for _ in range(1 if one in runs.COMPONENTS else 5):
            with suppress(AssayError):
                one.check(make_input(one, random))


@pytest.mark.slow
def test_mutated_files_are_read_alike_or_refused(tmp_path):
    """A difference, a hang, much memory, and any error that is not assay's own, is a fault."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    options = ["--component", *READERS, "--count", N_INPUTS, "--seed", "both readers", "--cases", str(tmp_path)]
    command = [sys.executable, "-m", "fuzz", *options]
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(done.stdout.splitlines()[-1].split()[1].replace(",", "")) >= int(N_INPUTS)
