"""assay eval that goes on where it ended: nothing is asked twice, whatever ended it."""

import re
import shlex
import signal

from assay.evaluation import read_results
from assay.store import Store

from ._evaluations import FLAGS, N, asked, figures

PART = "small/python:mine:search"


def entries(place):
    with Store.open(place / ".assay" / "assay.db") as store:
        return sorted((entry.n_failed, entry.evaluation) for entry in store.list())


def test_resumed_nothing_is_asked_or_saved_again(place, assay):
    """As after a kill between saving and the end of the process."""
    assert assay("eval", *FLAGS, "-o", "result.json").code == 0
    first, saved = figures(place), entries(place)
    done = assay("eval", *FLAGS, "--resume", "-o", "result.json")
    assert (done.code, f"{PART}: 24/24 queries, 0 failed, 24 done before, took " in done.err) == (0, True)
    assert (len(asked(place)), figures(place), entries(place)) == (N, first, saved)
    assert read_results("result.json")[0].provenance["counts"]["cached"] == N
    assert assay("eval", *FLAGS).code == 0
    assert (len(asked(place)), len(entries(place))) == (2 * N, 2), "without --resume it starts afresh"
    assert list((place / ".assay").rglob("*.lock")) == []


def test_what_failed_is_asked_again_and_saved_as_an_evaluation_of_its_own(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3,q5")
    assay("eval", "plan.yaml")
    monkeypatch.setenv("FAIL", "")
    first, last, *_ = assay("eval", "plan.yaml", "--resume", "-o", "result.json").err.splitlines()[1:]
    assert first.startswith(f"{PART}: 22/24 queries, 22 done before, preparing ")
    assert last.startswith(f"{PART}: 24/24 queries, 0 failed, 22 done before, ")
    assert sorted(asked(place)[N:]) == ["q3", "q5"]
    assert not read_results("result.json")[0].failures
    assert [n_failed for n_failed, _ in entries(place)] == [0, 2]


def test_flags_find_their_own_log_by_what_they_say(place, assay):
    for limit, resume, n_asked in ((5, (), 5), (6, (), 11), (5, ("--resume",), 11), (7, ("--resume",), 18)):
        assert assay("eval", *FLAGS, "--limit", limit, *resume, "--no-store").code == 0
        assert len(asked(place)) == n_asked, limit
    assert len(list((place / ".assay" / "runs").glob("*.log"))) == 3


def test_a_plan_that_changed_is_refused(place, assay, transcript):
    """Unless only how quickly is asked has changed; and plans of one name in different folders do not meet."""
    plan = (place / "plan.yaml").read_text()
    (place / "deep").mkdir()
    (place / "deep" / "plan.yaml").write_text(plan.replace("k: 5", "k: 4"))
    assert "note: there is nothing to resume" in assay("eval", "plan.yaml", "--resume").err
    assert assay("eval", "deep/plan.yaml", "--limit", "1").code == 0
    assert assay("eval", "plan.yaml", "--resume", "--concurrency", "2", "--timeout", "9", "--retries", "1").code == 0
    (place / "plan.yaml").write_text(plan.replace("k: 5", "k: 6").replace("mine:search", "mine:other"))
    transcript("eval/resume_plan")
    (place / "plan.yaml").write_text(plan)
    (place / "small.json").write_text((place / "small.json").read_text().replace("text 7", "text seven"))
    transcript("eval/resume_documents")
    assert len(asked(place)) == N + 1
    assert assay("eval", "plan.yaml").code == 0


def test_interrupted_it_says_how_to_go_on(place, assay, monkeypatch):
    for number, code in ((signal.SIGINT, 130), (signal.SIGHUP, 129), (signal.SIGTERM, 143)):
        monkeypatch.setenv("SIGNAL", str(int(number)))
        done = assay("eval", *FLAGS, "--concurrency", "2", "-o", "my result.json")
        advice = r"interrupted: (\d+) of 24 queries completed. To continue: (assay eval .* --resume)"
        _, n_answered, command = re.split(advice, done.err.splitlines()[-1])[:3]
        assert (done.code, "Traceback" in done.err, (place / "my result.json").exists()) == (code, False, False), number
    monkeypatch.delenv("SIGNAL")
    other = assay("eval", *FLAGS[:2], "--providers", "python:mine:other", *FLAGS[4:], "--limit", "1", "--resume")
    note = "note: there is nothing to resume, so this evaluation starts from the beginning"
    assert note in other.err, "it is not in the way"
    other = assay("eval", *FLAGS[:-1], "4", "--resume")
    assert (other.code, "differs: k was 5 and is now 4. To start again, leave out --resume\n" in other.err) == (2, True)
    before = len(asked(place))
    done = assay(*shlex.split(command)[1:])
    assert (done.code, f"{n_answered} done before" in done.err) == (0, True)
    assert (0 < int(n_answered) < N, len(asked(place)) - before) == (True, N - int(n_answered))
    assert len(read_results("my result.json")[0].run) == N


def test_interrupted_a_command_with_secrets_is_not_repeated(place, assay, monkeypatch):
    monkeypatch.setenv("SIGNAL", str(int(signal.SIGINT)))
    http = "http(url='http://127.0.0.1:9/search?api_key=s3cr3t')"
    done = assay("eval", *FLAGS[:3], "python:mine:search", http, "--resume", "--concurrency", "2")
    last = done.err.splitlines()[-1]
    assert (done.code, last.startswith("interrupted: 0 of 2 results complete, "), "s3cr3t" in done.err) == (130, True, False)
    assert last.endswith(f"of {PART} completed. To continue, run the same command with --resume")
