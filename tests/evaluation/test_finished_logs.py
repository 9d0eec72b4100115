"""finished_logs: complete logs go, the newest stay; what somebody may go on from is never deleted."""

import os

import pytest

from assay.execution import ExecutionOptions, clear_finished, execute_plan, make_plan
from assay.execution.checkpoint import mark_finished, mark_unfinished
from assay.execution.responses import ResponseLog


@pytest.fixture
def finished(tmp_path):
    """Five complete logs, the oldest first, and one that is not complete."""
    logs = [ResponseLog(tmp_path / f"{name}.log") for name in "abcdef"]
    for number, log in enumerate(logs):
        log.begin({"number": number})
        if number < 5:
            mark_finished(log)
            os.utime(log.path.with_name(f"{log.path.name}.done"), (number, number))
    return logs


def names(folder):
    return sorted(path.name for path in folder.glob("*.log"))


def test_the_newest_complete_logs_stay(finished, tmp_path):
    size = finished[0].path.stat().st_size
    assert clear_finished(tmp_path) == (2, 2 * size)
    assert names(tmp_path) == ["c.log", "d.log", "e.log", "f.log"]
    assert clear_finished(tmp_path, keep=0)[0] == 3
    assert names(tmp_path) == ["f.log"]
    assert not list(tmp_path.glob("*.done"))


def test_a_log_that_is_begun_again_stays(finished, tmp_path):
    mark_unfinished(finished[0])
    with finished[1].lock():
        assert clear_finished(tmp_path, keep=0)[0] == 3
    assert names(tmp_path) == ["a.log", "b.log", "f.log"]


def test_there_may_be_no_folder(tmp_path):
    assert clear_finished(tmp_path / "gone") == (0, 0)


def test_evaluations_leave_few_logs(tmp_path):
    """Each evaluation is another one; only the last three can be gone on from without asking again."""
    for limit in range(1, 6):
        content = {
            "benchmarks": ["rag-template"],
            "providers": ["bm25"],
            "metrics": ["mrr"],
            "selection": {"limit": limit},
            "cache": False,
        }
        execute_plan(make_plan(content, "test"), ExecutionOptions(home=tmp_path))
    assert len(names(tmp_path / "runs")) == 3
    said = []
    execute_plan(make_plan(content, "test"), ExecutionOptions(home=tmp_path, resume=True, say=said.append))
    assert said == []
