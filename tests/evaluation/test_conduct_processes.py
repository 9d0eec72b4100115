"""conduct: evaluations side by side, on a full disk, after a change, and killed at any instant."""

import json
import subprocess
import sys

import pytest

from ._processes import N, asked, evaluated, furnish, logged, outcome, start, until_asked
from ._retrievers import LONG

EVERY = [f"q{n}" for n in range(N)]


@pytest.fixture
def place(tmp_path):
    """A folder to evaluate in."""
    return furnish(tmp_path)


@pytest.mark.parametrize(("how", "resume"), [({}, False), ({"name": "plan-mine"}, True)], ids=["flags", "plan"])
def test_the_same_evaluation_cannot_run_twice_at_once(place, how, resume):
    (place / "hold").touch()
    first = start(place, {}, **how)
    until_asked(place, 1)
    told = evaluated(place, {}, resume=resume, **how)
    assert told.startswith("UsageError: the same evaluation is running already and writes .assay/runs/")
    (place / "hold").unlink()
    (result,) = outcome(first)
    assert not result["failures"]
    assert sorted(asked(place)) == sorted(EVERY)


@pytest.mark.slow
def test_shards_of_one_plan_run_side_by_side_and_go_on_each_for_itself(place):
    (place / "hold").touch()
    shards = [{"selection": {"range": ends}} for ends in ("0:20", "20:")]
    children = [start(place, shard, name="plan-mine") for shard in shards]
    until_asked(place, 2)
    assert sorted(asked(place)) == ["q0", "q20"]
    (place / "hold").unlink()
    found = [outcome(child)[0] for child in children]
    assert [list(result["run"]) for result in found] == [EVERY[:20], EVERY[20:]]
    assert sorted(asked(place)) == sorted(EVERY)
    assert [evaluated(place, shard, name="plan-mine", resume=True)[0] for shard in shards] == found
    assert len(asked(place)) == N


@pytest.mark.slow
def test_other_evaluations_do_not_disturb_each_other(place):
    (place / "hold").touch()
    children = [start(place, {"providers": f"python:mine:{name}"}) for name in ("Batches", "search")]
    until_asked(place, 2)
    (place / "hold").unlink()
    (one,), (other,) = (outcome(child) for child in children)
    assert one == other


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


@pytest.mark.slow
def test_after_one_s_own_code_changed_it_does_not_go_on(place, monkeypatch):
    how = {"name": "plan-mine"}
    monkeypatch.setenv("FAIL", "q7")
    evaluated(place, {}, **how)
    monkeypatch.delenv("FAIL")
    code = (place / "mine.py").read_text()
    (place / "mine.py").write_text(code.replace("10.0 - place", "20.0 - place"))
    n_asked = len(asked(place))
    told = evaluated(place, {}, resume=True, **how)
    assert told.startswith("UsageError: ")
    assert "mine.py has changed since" in told
    assert told.endswith(
        "Without --resume it starts afresh, and --retry-failed result.json asks only what failed in that result"
    )
    assert len(asked(place)) == n_asked
    (place / "mine.py").write_text(code)
    (result,) = evaluated(place, {}, resume=True, **how)
    assert (result["failures"], asked(place)[n_asked:]) == ({}, ["q7"])


def test_one_that_failed_somewhere_is_finished_and_does_not_stand_in_the_way(place, monkeypatch):
    monkeypatch.setenv("FAIL", "q7")
    evaluated(place, {})
    monkeypatch.delenv("FAIL")
    (place / "mine.py").write_text((place / "mine.py").read_text().replace("10.0 - place", "20.0 - place"))
    n_asked = len(asked(place))
    (result,) = evaluated(place, {}, resume=True)
    assert (result["failures"], sorted(asked(place)[n_asked:])) == ({}, sorted(EVERY))


KILLS = """
import json, os, random, shutil, signal, sys, time, traceback
from pathlib import Path
sys.path.insert(0, ".")
from evaluate import evaluate, planned
from assay.datasets.format import load_dataset
from assay.execution.responses import ResponseLog

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
    logs = [ResponseLog(path).read()[1] for path in Path(".assay/runs").glob("*.log")]
    return {query for log in logs for part in log.values() for query in part}

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
    command = [sys.executable, "-c", KILLS, "9", "15"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=6 * LONG, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert sum(found["n_killed"]) >= 9  # 27, unless the machine has much else to do
    assert found["n_in_the_middle"] >= 3
    assert found["same"]
