"""Evaluations in processes of their own: on a full disk, and killed at any instant."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ._processes import N, asked, evaluated, furnish, logged
from ._retrievers import LONG

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path):
    """A folder to evaluate in."""
    return furnish(tmp_path)


FULL = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
from evaluate import evaluate
evaluate({"providers": "python:mine:Batches", "batch_size": 4})
"""


@pytest.mark.slow
def test_on_a_full_disk_it_stops_and_goes_on_when_there_is_room(place):
    (expected,) = evaluated(place, {"batch_size": 4})
    (log,) = (place / ".assay" / "runs").glob("*.log")
    size = log.stat().st_size
    log.unlink()
    (place / "asked.txt").unlink()
    command = [sys.executable, "-c", FULL, str(size - 500)]
    full = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=3 * LONG, check=False)
    assert "DataError: .assay/runs/" in full.stderr
    assert "File too large; make room" in full.stderr
    kept, before = logged(place), len(asked(place))
    assert 0 < len(kept) < N
    assert evaluated(place, {"batch_size": 4}, resume=True) == [expected]
    assert not kept & set(asked(place)[before:])


KILLS = """
import json, os, random, shutil, signal, sys, time, traceback
from pathlib import Path
sys.path[:0] = [".", sys.argv[3]]
from evaluate import evaluate, planned
from assay.datasets import load_dataset
from tests.execution._plans import read_log

WAYS = [{"providers": "python:mine:Batches"}, {"providers": "python:mine:Batches", "batch_size": 7},
        {"providers": "python:mine:search", "concurrency": 3}]

for way in WAYS:  # so that all is imported already in the processes to kill
    planned(way).providers[0].check()
load_dataset("small.json")

def child(way, resume):
    number = os.fork()
    if number == 0:
        code = 1
        try:
            found = evaluate(way, resume=resume)
            Path("part.json").write_text(json.dumps(found))
            Path("part.json").replace("result.json")
            code = 0
        except Exception:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    return number

def asked():
    return Path("asked.txt").read_text().split() if Path("asked.txt").exists() else []

def kept():
    lines = [line for path in Path(".assay/runs").glob("*.log") for line in read_log(path)[1:]]
    return {answer["query"] for line in lines for answer in line["answers"]}

def finished():
    found = json.loads(Path("result.json").read_text())
    Path("result.json").unlink()
    shutil.rmtree(".assay")
    return found

def uninterrupted(way):
    began = time.monotonic()
    os.waitpid(child(way, False), 0)
    return finished(), time.monotonic() - began

chance, results, n_killed, n_in_the_middle = random.Random(7), [], [], 0
deadline = time.monotonic() + float(sys.argv[2])
for way in WAYS:
    expected, seconds = uninterrupted(way)
    n, resume, is_done = 0, False, False
    while not is_done:
        before, known = asked(), kept() if resume else set()
        number = child(way, resume)
        is_last = n >= int(sys.argv[1]) or time.monotonic() > deadline
        if not is_last:
            time.sleep(chance.uniform(0, 1.2 * seconds))
            os.kill(number, signal.SIGKILL)
        _, status = os.waitpid(number, 0)
        again = asked()[len(before):]
        assert not known & set(again), (known, again)
        assert len(again) == len(set(again)), again
        if os.WIFSIGNALED(status):
            n, resume = n + 1, True
            n_in_the_middle += 0 < len(kept()) < 40
        else:
            assert os.WEXITSTATUS(status) == 0
            assert finished() == expected
            resume, is_done = False, is_last
    results.append(expected)
    n_killed.append(n)
same = all(one == results[0] for one in results)
print(json.dumps({"n_killed": n_killed, "n_in_the_middle": n_in_the_middle, "same": same}))
"""


@pytest.mark.slow
def test_killed_at_any_instant_the_result_is_the_same(place, monkeypatch):
    """Retrievers that are asked in batches, growing and of a chosen size, and one that is asked one by one."""
    monkeypatch.setenv("SLEEP", "0.005")
    command = [sys.executable, "-c", KILLS, "9", "15", str(ROOT)]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=6 * LONG, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert sum(found["n_killed"]) >= 9  # 27, unless the machine has much else to do
    assert found["n_in_the_middle"] >= 3
    assert found["same"]
