"""Kill tests: what they find where something is wrong, and kills of every operation."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from kills.operations import ALL

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_what_is_wrong_is_found():
    """Processes fork there, which the one that runs the tests should not."""
    command = [sys.executable, "-m", "kills.broken"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=True)
    found = json.loads(done.stdout)
    assert found["whole"] == []
    assert found["in_halves"] == ["after the kill file is"]
    assert found["littering"] == ["left behind: rest"]


def test_the_operations_are_those_that_are_promised():
    names = {operation.name for operation in ALL}
    promised = {"eval", "save", "export", "import", "bless", "delete", "migrate", "gate"}
    assert promised | {f"{kind} cache" for kind in ("answer", "embedding", "ontology")} <= names


@pytest.mark.slow
@pytest.mark.parametrize(("count", "only"), [(2 * len(ALL), ()), (50, ("--operation", "eval"))])
def test_kills_lose_nothing(count, only, tmp_path):
    command = [sys.executable, "-m", "kills", "--count", str(count), *only, "--seed", "7", "--jobs", "2"]
    command += ["--evidence", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
    assert (done.returncode, list(tmp_path.iterdir())) == (0, []), done.stdout + done.stderr
    assert f"{count} kills, 0 failures" in done.stdout
    for column in ("usual seconds", "points", "trials", "kills while it ran", "failures"):
        assert f"| {column} |" in done.stdout
        assert f"{column}: " in done.stdout
