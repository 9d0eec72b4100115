"""assay eval that goes on where it ended: nothing is asked twice, whatever ended it."""

import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest

from assay.evaluation.saved import read_results
from assay.execution.responses import ResponseLog
from assay.store import Store

from ._evaluations import FLAGS, N, asked, figures


def test_resumed_nothing_is_asked_again(place, assay):
    assert assay("eval", *FLAGS, "-o", "result.json").code == 0
    first = figures(place)
    done = assay("eval", *FLAGS, "--resume", "-o", "result.json", "--no-store")
    assert done.code == 0
    assert done.err.splitlines()[1:] == [
        "small/python:mine:search: 24/24 queries, 0 failed, 24 known already, took 0:00",
        "wrote result.json",
    ]
    assert len(asked(place)) == N
    assert figures(place) == first
    (result,) = read_results("result.json")
    assert result.provenance["counts"]["cached"] == N


def entries(place):
    with Store.open(place / ".assay" / "assay.db") as store:
        return [(entry.evaluation, entry.n_failed) for entry in store.list()]


def test_what_was_saved_already_is_not_saved_again_when_it_is_resumed(place, assay):
    """As after a kill between saving and the end of the process."""
    assert assay("eval", *FLAGS).code == 0
    first = entries(place)
    assert assay("eval", *FLAGS, "--resume").code == 0
    assert entries(place) == first
    assert assay("eval", *FLAGS).code == 0
    assert len(entries(place)) == 2


def test_what_failed_before_and_is_answered_now_is_an_evaluation_of_its_own(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3")
    assay("eval", *FLAGS)
    monkeypatch.delenv("FAIL")
    assert assay("eval", *FLAGS, "--resume").code == 0
    assert sorted(n for _, n in entries(place)) == [0, 1]


def test_without_resume_it_starts_afresh(place, assay):
    assay("eval", *FLAGS)
    assay("eval", *FLAGS)
    assert len(asked(place)) == 2 * N


def test_flags_find_their_own_log_by_what_they_say(place, assay):
    assay("eval", *FLAGS, "--limit", "5")
    assay("eval", *FLAGS, "--limit", "6")
    assert len(list((place / ".assay" / "runs").glob("*.log"))) == 2
    assay("eval", *FLAGS, "--limit", "5", "--resume")
    assert len(asked(place)) == 11
    assay("eval", *FLAGS, "--limit", "7", "--resume")
    assert len(asked(place)) == 18


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("plan.yaml", "k: 5", "k: 6"), "k was 5, is 6"),
        (("plan.yaml", "mrr, ", "map, "), "metrics were mrr, ndcg@10, are map, ndcg@10"),
        (("plan.yaml", "mine:search", "mine:other"), "providers were python:mine:search, are python:mine:other"),
        (("plan.yaml", "retries: 0", "policy: {rel: 2}"), "rel was not set, is 2"),
        (("small.json", "text 7", "text seven"), "the documents of small.json have changed since"),
        (("small.json", '"2.0"', '"2"'), None),
    ],
)
def test_what_changed_is_refused_and_told(place, assay, change, told):
    assert assay("eval", "plan.yaml").code == 0
    name, old, new = change
    (place / name).write_text((place / name).read_text().replace(old, new))
    done = assay("eval", "plan.yaml", "--resume")
    if told is None:
        assert done.code == 0
    else:
        assert done.code == 2
        assert "this is not what was begun: " in done.err
        assert told in done.err
        assert "Without --resume it starts afresh" in done.err
        assert len(asked(place)) == N
        assert assay("eval", "plan.yaml").code == 0


def test_how_quickly_it_is_asked_may_change(place, assay):
    assay("eval", "plan.yaml")
    assert assay("eval", "plan.yaml", "--resume", "--concurrency", "2", "--timeout", "9", "--retries", "1").code == 0
    assert len(asked(place)) == N


def test_plans_of_one_name_in_different_folders_do_not_meet(place, assay):
    (place / "deep").mkdir()
    (place / "deep" / "plan.yaml").write_text((place / "plan.yaml").read_text().replace("k: 5", "k: 4"))
    assay("eval", "plan.yaml")
    assay("eval", "deep/plan.yaml")
    assert assay("eval", "plan.yaml", "--resume").code == 0
    assert len(asked(place)) == 2 * N


HELD = ",".join(f"q{n}" for n in range(10, N))
"""Queries without an answer for a minute, so that an evaluation is not done before a signal reaches it."""


def start(*arguments, **how):
    return subprocess.Popen(
        [sys.executable, "-m", "assay", "eval", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how
    )


def until_asking(child, folder, before):
    """Wait until more has been asked than before, or the process is done."""
    deadline = time.monotonic() + 60
    while child.poll() is None and len(asked(folder)) <= before and time.monotonic() < deadline:
        time.sleep(0.005)


def logged(folder):
    """What a log that may be cut anywhere has kept."""
    found = set()
    for log in (folder / ".assay" / "runs").glob("*.log") if (folder / ".assay").exists() else ():
        copy = folder / "copy.log"
        shutil.copy(log, copy)
        found |= {query for part in ResponseLog(copy).read()[1].values() for query in part}
    return found


@pytest.mark.slow
def test_killed_fifty_times_at_any_instant_the_result_is_the_same(place, monkeypatch):
    monkeypatch.setenv("SLEEP", "0.06")
    command = (*FLAGS, "--concurrency", "3", "--quiet", "-o", "result.json")
    uninterrupted = start(*command)
    uninterrupted.communicate(timeout=60)
    expected = figures(place)
    chance, n_killed, n_finished, n_in_the_middle = random.Random(7), 0, 0, 0
    resume = ()
    while n_killed < 50 or resume:
        before, answered = asked(place), logged(place) if resume else set()
        child = start(*command, *resume)
        if n_killed < 50:
            if chance.random() < 0.8:
                until_asking(child, place, len(before))
            time.sleep(chance.uniform(0, 0.35))
            child.kill()
            n_killed += child.wait() == -signal.SIGKILL
        child.communicate(timeout=60)
        assert child.returncode in (0, -signal.SIGKILL)
        again = asked(place)[len(before) :]
        assert not answered & set(again)
        assert len(again) == len(set(again))
        n_in_the_middle += 0 < len(logged(place)) < N
        if child.returncode == 0:
            assert figures(place) == expected
            n_finished += 1
            resume = ()
            (place / "result.json").unlink()
            shutil.rmtree(place / ".assay")
        else:
            resume = ("--resume",)
    assert n_killed == 50
    assert n_finished >= 3
    assert n_in_the_middle >= 10


def test_interrupted_it_says_how_to_go_on(place, monkeypatch):
    monkeypatch.setenv("HOLD", HELD)
    child = start(*FLAGS, "--concurrency", "2", "-o", "my result.json")
    until_asking(child, place, 6)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    assert b"Traceback" not in err
    told = err.decode().splitlines()[-1]
    shape = re.fullmatch(r"interrupted: (\d+) of 24 queries answered; go on with: (assay eval .* --resume)", told)
    before, answered = asked(place), logged(place)
    assert 0 < len(answered) < N
    assert int(shape[1]) == len(answered)
    assert not (place / "my result.json").exists()
    monkeypatch.delenv("HOLD")
    child = start(*shlex.split(shape[2])[2:])
    child.communicate(timeout=60)
    assert child.returncode == 0
    again = asked(place)[len(before) :]
    assert not answered & set(again)
    assert answered | set(again) == {f"q{n}" for n in range(N)}
    assert (place / "my result.json").exists()


def test_interrupted_a_command_with_secrets_is_not_repeated(place, monkeypatch):
    monkeypatch.setenv("HOLD", HELD)
    http = "http(url='http://127.0.0.1:9/search?api_key=s3cr3t')"
    child = start(*FLAGS[:3], "python:mine:search", http, "--resume", "--concurrency", "2")
    until_asking(child, place, 6)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130
    told = err.decode().splitlines()[-1]
    assert told.startswith("interrupted: 0 of 2 results complete, ")
    assert told.endswith("of small/python:mine:search answered; go on with the same command and --resume")
    assert "s3cr3t" not in err.decode()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGHUP, 129), (signal.SIGTERM, 143)])
def test_asked_to_end_it_says_how_to_go_on(place, monkeypatch, number, code):
    monkeypatch.setenv("HOLD", HELD)
    child = start(*FLAGS, "--concurrency", "2")
    until_asking(child, place, 6)
    child.send_signal(number)
    _, err = child.communicate(timeout=60)
    assert child.returncode == code
    assert re.fullmatch(
        r"interrupted: \d+ of 24 queries answered; go on with: assay eval .* --resume", err.decode().splitlines()[-1]
    )


def test_gone_on_the_first_line_says_how_many_are_known(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3,q5")
    assay("eval", *FLAGS, "--retries", "0")
    monkeypatch.setenv("FAIL", "")
    done = assay("eval", *FLAGS, "--resume", "--no-store")
    first, last = done.err.splitlines()[1:]
    assert first == "small/python:mine:search: 22/24 queries, 22 known already, getting ready 0:00"
    assert last.startswith("small/python:mine:search: 24/24 queries, 0 failed, 22 known already, ")


def test_another_evaluation_that_was_cut_short_does_not_stand_in_the_way(place, assay, monkeypatch):
    monkeypatch.setenv("HOLD", HELD)
    child = start(*FLAGS, "--concurrency", "2")
    until_asking(child, place, 6)
    child.kill()
    child.communicate(timeout=60)
    monkeypatch.delenv("HOLD")
    done = assay("eval", *FLAGS[:2], "--providers", "python:mine:other", *FLAGS[4:], "--resume")
    assert done.code == 0
    assert "note: there is nothing to go on from; this evaluation starts afresh" in done.err
    done = assay("eval", *FLAGS[:-1], "4", "--resume")
    assert done.code == 2
    assert "what was begun and not finished is another one: k was 5, is 4. Without --resume it starts afresh\n" in done.err


def test_locks_are_gone_after_an_evaluation(place, assay):
    assert assay("eval", *FLAGS[:2], "--providers", "python:mine:search", "bm25").code == 0
    assert list((place / ".assay" / "runs").glob("*.log"))
    assert list((place / ".assay").rglob("*.lock")) == []


def test_resumed_with_nothing_to_go_on_from_says_so(place, assay):
    done = assay("eval", "plan.yaml", "--resume")
    assert done.code == 0
    assert "note: there is nothing to go on from" in done.err
