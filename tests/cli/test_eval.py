"""assay eval: from benchmarks and providers to results, killed or not."""

import json
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest

from assay.datasets._dataset import BenchmarkDataset
from assay.evaluation.answers import AnswerLog
from assay.evaluation.saved import read_results
from assay.model.records import Document, Query

N = 24
SEARCH = """
import os, threading, time, zlib

def search(text: str, k: int):
    asked = os.open("asked.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(asked, (text + "\\n").encode())
    os.close(asked)
    if os.environ.get("TALK"):
        print("asked", text)
    time.sleep(float(os.environ.get("SLEEP", "0")))
    if text in os.environ.get("FAIL", "").split(","):
        raise ValueError("told to fail")
    docs = sorted((f"d{n}" for n in range(24)), key=lambda doc: zlib.crc32((text + doc).encode()))
    return [(doc, 10.0 - place) for place, doc in enumerate(docs[:k])]

def other(text: str, k: int):
    return search(text, k)[::-1]

class Stuck:
    def index(self, documents):
        raise OSError("no room for an index")

    def search(self, queries, k):
        return [[] for _ in queries]

class Hangs:
    def index(self, documents):
        threading.Event().wait(20)

    def search(self, queries, k):
        return [[] for _ in queries]

class Batched:
    batch = 8

    def index(self, documents):
        pass

    def search(self, queries, k):
        return [["d1", "d2"] for _ in queries]
"""
ALL = ",".join(f"q{n}" for n in range(N))
FLAGS = ("--benchmarks", "small.json", "--providers", "python:mine:search", "--metrics", "mrr", "ndcg@10", "--k", "5")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a benchmark, a function that retrieves, and a plan."""
    dataset = BenchmarkDataset("small")
    for n in range(N):
        dataset.add_query(Query(f"q{n}", f"q{n}", difficulty="hard" if n % 2 else "easy", metadata={"language": "de"}))
        dataset.add_document(Document(f"d{n}", f"text {n}"))
        dataset.qrels[f"q{n}"] = {f"d{m}": float(m % 3) for m in range(n % 4, N, 5)}
    dataset.save_json(tmp_path / "small.json")
    (tmp_path / "mine.py").write_text(SEARCH)
    (tmp_path / "plan.yaml").write_text(
        "benchmarks: small.json\nproviders: python:mine:search\nmetrics: [mrr, ndcg@10]\nk: 5\nretries: 0\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    yield tmp_path
    sys.modules.pop("mine", None)


def asked(folder):
    file = folder / "asked.txt"
    return file.read_text().split() if file.exists() else []


def figures(folder, name="result.json"):
    """What must be the same every time: all but how long it took."""
    (plain,) = json.loads((folder / name).read_text())["results"]
    for scores in (plain["summary"], *plain["per_query"].values()):
        for name in [name for name in scores if name.startswith("latency")]:
            del scores[name]
    return {key: plain[key] for key in ("summary", "per_query", "run", "benchmark", "name", "counts")}


def test_benchmarks_and_providers_become_a_table(place, assay):
    done = assay("eval", *FLAGS)
    assert done.code == 0
    assert done.out.startswith("small")
    assert "ndcg@10" in done.out
    assert "latency_p95" in done.out
    assert "python:mine:search" in done.out
    assert "small/python:mine:search: 24/24 queries, 0 failed, 0 cached, " in done.err
    assert sorted(asked(place)) == sorted(f"q{n}" for n in range(N))


def test_a_result_has_everything(place, assay):
    assert assay("eval", *FLAGS, "-o", "result.json").code == 0
    (plain,) = json.loads((place / "result.json").read_text())["results"]
    assert (plain["benchmark"], plain["name"]) == ("small", "python:mine:search")
    assert list(plain["run"]) == [f"q{n}" for n in range(N)]
    assert all(len(ranking) == 5 for ranking in plain["run"].values())
    provenance = plain["provenance"]
    configuration = provenance["provider"]["configuration"]
    assert (configuration["provider"], configuration["function"]) == ("python", "mine:search")
    assert provenance["counts"] == {"asked": N, "answered": N, "failed": 0, "cached": 0}
    assert provenance["metrics"] == ["mrr", "ndcg@10"]
    assert provenance["k"] == 5
    (back,) = read_results("result.json")
    assert back.summary == plain["summary"]
    assert (back.benchmark, back.run, back.provenance) == ("small", plain["run"], provenance)


def test_a_plan_says_the_same_as_flags(place, assay):
    assert assay("eval", *FLAGS, "-o", "flags.json", "--retries", "0").code == 0
    assert assay("eval", "plan.yaml", "-o", "plan.json").code == 0
    assert figures(place, "flags.json") == figures(place, "plan.json")


def test_flags_win_over_the_plan(place, assay):
    assert assay("eval", "plan.yaml", "--metrics", "map", "--limit", "3", "-o", "result.json").code == 0
    (result,) = read_results("result.json")
    assert "map" in result
    assert "mrr" not in result
    assert result.query_ids == ("q0", "q1", "q2")


def test_several_benchmarks_and_providers_are_multiplied(place, assay):
    both = (*FLAGS[:2], "rag-template", "--providers", "python:mine:search", "python:mine:other", "-m", "mrr")
    assert assay("eval", *both, "-o", "result.json", "-o", "run.trec", "-o", "t.md").code == 0
    names = [(result.benchmark, result.name) for result in read_results("result.json")]
    assert [name for _, name in names] == ["python:mine:search", "python:mine:other"] * 2
    assert [benchmark for benchmark, _ in names[:2]] == ["small", "small"]
    assert len(list(place.glob("run-*.trec"))) == 4
    assert "small" in (place / "t.md").read_text()


# Going on


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


def start(*arguments, **how):
    return subprocess.Popen(
        [sys.executable, "-m", "assay", "eval", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how
    )


def until_asking(child, folder, before):
    """Wait until more has been asked than before, or the process is done."""
    deadline = time.monotonic() + 20
    while child.poll() is None and len(asked(folder)) <= before and time.monotonic() < deadline:
        time.sleep(0.005)


def logged(folder):
    """What a log that may be cut anywhere has kept."""
    found = set()
    for log in (folder / ".assay" / "runs").glob("*.log") if (folder / ".assay").exists() else ():
        copy = folder / "copy.log"
        shutil.copy(log, copy)
        found |= {query for part in AnswerLog(copy).read()[1].values() for query in part}
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
    monkeypatch.setenv("SLEEP", "0.05")
    child = start(*FLAGS, "--concurrency", "2", "-o", "my result.json")
    until_asking(child, place, 6)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    assert child.returncode == 130
    assert b"Traceback" not in err
    told = err.decode().splitlines()[-1]
    shape = re.fullmatch(r"interrupted: (\d+) of 24 queries answered; go on with: (assay eval .* --resume)", told)
    before, answered = asked(place), logged(place)
    assert 0 < len(answered) < N
    assert int(shape[1]) == len(answered)
    assert not (place / "my result.json").exists()
    child = start(*shlex.split(shape[2])[2:])
    child.communicate(timeout=60)
    assert child.returncode == 0
    again = asked(place)[len(before) :]
    assert not answered & set(again)
    assert answered | set(again) == {f"q{n}" for n in range(N)}
    assert (place / "my result.json").exists()


def test_interrupted_a_command_with_secrets_is_not_repeated(place, monkeypatch):
    monkeypatch.setenv("SLEEP", "0.05")
    http = "http(url='http://127.0.0.1:9/search?api_key=s3cr3t')"
    child = start(*FLAGS[:3], "python:mine:search", http, "--resume", "--concurrency", "2")
    until_asking(child, place, 6)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    assert child.returncode == 130
    told = err.decode().splitlines()[-1]
    assert told.startswith("interrupted: 0 of 2 results complete, ")
    assert told.endswith("of small/python:mine:search answered; go on with the same command and --resume")
    assert "s3cr3t" not in err.decode()


def test_asked_to_end_it_says_how_to_go_on_and_exits_143(place, monkeypatch):
    monkeypatch.setenv("SLEEP", "0.05")
    child = start(*FLAGS, "--concurrency", "2")
    until_asking(child, place, 6)
    child.send_signal(signal.SIGTERM)
    _, err = child.communicate(timeout=20)
    assert child.returncode == 143
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
    monkeypatch.setenv("SLEEP", "0.05")
    child = start(*FLAGS, "--concurrency", "2")
    until_asking(child, place, 6)
    child.kill()
    child.communicate(timeout=20)
    monkeypatch.setenv("SLEEP", "0")
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


# Failures


def test_a_provider_that_never_answered_has_no_figures(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", ALL)
    flags = ("--providers", "python:mine:search", "bm25", "--quiet")
    for form in ("table", "markdown", "latex"):
        (row,) = re.findall(
            r"^(?:  |\| )?python:mine:search +[|&]? *\W.*", assay("eval", "plan.yaml", *flags, "-f", form).out, re.MULTILINE
        )
        assert not re.search(r"\d", row)
    assert "mine:search,0.0,0.0," in assay("eval", "plan.yaml", *flags, "-f", "csv").out


def test_where_asking_again_would_not_help_nobody_is_told_to(place, assay):
    (place / "mine.py").write_text(SEARCH + "\ndef bad(text: str, k: int):\n    return ['d1', 'd1']\n")
    done = assay("eval", "plan.yaml", "--providers", "python:mine:bad", "-o", "result.json")
    assert "all 24 queries failed: mine:bad: document d1 comes twice (24×).\n" in done.out
    assert read_results("result.json")[0].provenance["final"] == [f"q{n}" for n in range(N)]


def test_an_index_that_hangs_has_a_limit_of_its_own(place, assay):
    told = "python:mine:Hangs was not ready within 0.1 s; --index-timeout allows more"
    done = assay("eval", "plan.yaml", "--providers", "python:mine:Hangs", "--index-timeout", "0.1")
    assert (done.code, told in done.out) == (4, True)
    with (place / "plan.yaml").open("a") as plan:
        plan.write("index_timeout: 0.1\n")
    assert told in assay("eval", "plan.yaml", "--providers", "python:mine:Hangs").out


def test_what_must_index_a_benchmark_without_documents_is_told_first(place, assay):
    bare = BenchmarkDataset("bare")
    bare.add_query(Query("q0", "text"))
    bare.qrels["q0"] = {"d0": 1.0}
    bare.save_json(place / "bare.json")
    (place / "bare.yaml").write_text("benchmarks: bare.json\nproviders: [bm25, python:mine:search, hybrid]\n")
    told = "error: bare has no documents, and bm25, hybrid(bm25, dense) need some to search in; "
    for command in (("eval",), ("plan", "check")):
        done = assay(*command, "bare.yaml")
        assert (done.code, done.out) == (3, "")
        assert done.err.startswith(told)
    assert assay("eval", "bare.yaml", "--providers", "python:mine:search").code == 0


def test_failed_queries_score_0_and_are_listed(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3,q5")
    done = assay("eval", "plan.yaml", "-o", "result.json")
    assert done.code == 0
    assert "python:mine:search: 2 of 24 queries failed and score 0: " in done.out
    assert "told to fail (mine.py:12) (2×); --resume or --retry-failed result.json asks them again.\n" in done.out
    assert "2 failed" in done.err
    assert "error" not in done.err
    (result,) = read_results("result.json")
    assert sorted(result.failures) == ["q3", "q5"]
    assert result.scores("ndcg@10")["q3"] == 0.0
    assert len(result.scores("ndcg@10")) == N
    assert "q3" not in result.run
    assert result.provenance["counts"] == {"asked": N, "answered": N - 2, "failed": 2, "cached": 0}


def test_strict_makes_a_failure_exit_4_after_all_is_written(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3")
    done = assay("eval", "plan.yaml", "--strict", "-o", "result.json")
    assert done.code == 4
    assert (place / "result.json").exists()
    assert "ndcg@10" in done.out
    *_, written, error = done.err.splitlines()
    assert written == "wrote result.json"
    assert error.startswith("error: python:mine:search on small: 1 of 24 queries failed, and --strict allows none: ")
    assert error.endswith("told to fail (mine.py:12) (1×)")


def test_all_failed_exits_4_after_all_is_written(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", ALL)
    done = assay("eval", "plan.yaml", "-o", "result.json", "-o", "run.trec", "--quiet")
    assert done.code == 4
    assert done.err.startswith("error: python:mine:search on small: all 24 queries failed: mine:search raised ValueError: ")
    assert done.err.endswith("(24×)\n")
    assert done.err.count("\n") == 1
    assert "python:mine:search: all 24 queries failed: " in done.out
    assert len(read_results("result.json")[0].failures) == N
    assert (place / "run.trec").exists()


def test_one_provider_that_fails_does_not_take_the_others_along(place, assay):
    (place / "mine.py").write_text(SEARCH + "\ndef bad(text: str, k: int):\n    raise ValueError(text)\n")
    providers = ("--providers", "python:mine:bad", "python:mine:Stuck", "python:mine:search")
    done = assay("eval", "plan.yaml", *providers, "-o", "result.json")
    assert done.code == 4
    bad, stuck, good = read_results("result.json")
    assert len(bad.failures) == len(stuck.failures) == N
    assert "no room for an index" in stuck.failures["q0"]
    assert (bad["mrr"], stuck["mrr"]) == (0.0, 0.0)
    assert good["mrr"] > 0
    assert not good.failures
    told = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert [line.split(" queries")[0] for line in told] == [
        "error: python:mine:bad on small: all 24",
        "error: python:mine:Stuck on small: all 24",
    ]
    assert "(1×), 21 other errors (21×)" in told[0]
    assert "no room for an index" in told[1]


def test_one_file_that_cannot_be_written_does_not_take_the_others_along(place, assay):
    odd = (place / "small.json").read_text().replace('"d1"', '"d 1"')
    (place / "odd.json").write_text(odd)
    oracle = ("--benchmarks", "odd.json", "--providers", "oracle")
    done = assay("eval", "plan.yaml", *oracle, "-o", "run.trec", "-o", "result.json")
    assert done.code == 3
    assert "ndcg@10" in done.out
    *_, written, error = done.err.splitlines()
    assert written == "wrote result.json"
    assert error.startswith("error: run.trec: the id 'd 1' has a blank in it")


def test_what_failed_is_asked_again_and_the_result_is_whole(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3,q5")
    assay("eval", "plan.yaml", "-o", "first.json")
    monkeypatch.setenv("FAIL", "")
    assert assay("eval", "plan.yaml", "--retry-failed", "first.json", "-o", "second.json").code == 0
    assert sorted(asked(place)[N:]) == ["q3", "q5"]
    (result,) = read_results("second.json")
    assert len(result.query_ids) == len(result.run) == N
    assert not result.failures
    shutil.rmtree(place / ".assay")
    assert assay("eval", "plan.yaml", "-o", "whole.json").code == 0
    assert figures(place, "second.json") == figures(place, "whole.json")


def test_what_failed_elsewhere_is_not_asked_again(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3,q5")
    assay("eval", "plan.yaml", "-o", "first.json")
    done = assay("eval", "plan.yaml", "--providers", "python:mine:other", "--retry-failed", "first.json")
    assert done.code == 5
    assert "no query to ask again" in done.err
    assert "small/python:mine:search (2 failed)" in done.err
    monkeypatch.setenv("FAIL", "")
    assay("eval", "plan.yaml", "-o", "second.json")
    done = assay("eval", "plan.yaml", "--retry-failed", "second.json")
    assert done.code == 5
    assert "second.json: no query failed there" in done.err


def test_resumed_what_failed_is_asked_again(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3")
    assay("eval", "plan.yaml")
    monkeypatch.setenv("FAIL", "")
    assay("eval", "plan.yaml", "--resume", "-o", "result.json")
    assert asked(place)[N:] == ["q3"]
    assert not read_results("result.json")[0].failures


# Selection


@pytest.mark.parametrize(
    ("flags", "found"),
    [
        (("--limit", "2"), ("q0", "q1")),
        (("--range", "20:"), ("q20", "q21", "q22", "q23")),
        (("--where", "difficulty=hard", "language=de", "--limit", "3"), ("q1", "q3", "q5")),
        (("--where", "difficulty=hard", "--range", "10:12"), ("q21", "q23")),
    ],
)
def test_some_queries(place, assay, flags, found):
    assert assay("eval", "plan.yaml", *flags, "-o", "result.json").code == 0
    assert read_results("result.json")[0].query_ids == found
    assert sorted(asked(place)) == sorted(found)


def test_a_sample_is_the_same_for_a_seed(place, assay):
    def sample(seed):
        assert assay("eval", "plan.yaml", "--sample", "6", "--seed", seed, "-o", "result.json").code == 0
        (result,) = read_results("result.json")
        assert result.provenance["seed"] == seed
        return result.query_ids

    assert sample(7) == sample(7)
    assert len({sample(seed) for seed in range(5)}) > 1
    assert list(sample(3)) == sorted(sample(3), key=lambda query: int(query[1:]))


def test_nothing_selected_exits_5_with_the_reason(place, assay):
    done = assay("eval", "plan.yaml", "--where", "language=fr")
    assert done.code == 5
    assert "no query has language=fr; language has de" in done.err
    assert asked(place) == []


# What is wrong is told before anything is asked


@pytest.mark.parametrize(
    ("flags", "code", "told"),
    [
        (("--metrics", "ncdg@10"), 2, "Did you mean ndcg@10"),
        (("--providers", "bm52"), 2, "Did you mean bm25"),
        (("--providers", "bm25(k=1)"), 2, "no parameter 'k'"),
        (("--benchmarks", "rag-templat"), 2, "Did you mean rag-template"),
        (("--relevance", "tokn"), 2, "Did you mean token"),
        (("-o", "r.xlsx"), 2, "the ending tells the format"),
        (("-o", "r"), 2, "the ending tells the format"),
        (("-o", "fine.json", "-o", "./fine.json"), 2, "-o fine.json: given twice"),
        (("-o", "mine.py/r.json"), 2, "-o mine.py/r.json: a file is needed; mine.py is no folder"),
        (("--dataset-format", "berr"), 2, "Did you mean beir"),
        (("-f", "tabel"), 2, "Did you mean table"),
        (("--range", "5"), 2, "--range 5: a range is written as start:end"),
        (("--where", "x"), 2, "--where x: a tag is chosen as name=value"),
        (("--limit", "0"), 2, "--limit: a whole number from 1 to"),
        (("--concurrency", "0"), 2, "--concurrency: a whole number from 1 to"),
        (("--timeout", "-1"), 2, "--timeout: a number of seconds above 0"),
        (("--timeout", "nan"), 2, "--timeout: a number of seconds above 0"),
        (("--index-timeout", "0"), 2, "--index-timeout: a number of seconds above 0"),
        (("--k", "0"), 2, "--k: a whole number from 1 to"),
        (("--test", "foo"), 2, "--test foo: no test is called 'foo'"),
        (("--retry-failed", "plan.yaml"), 2, "--retry-failed plan.yaml: that is no result; assay eval … -o result.json"),
        (("-o", "/no-such-folder/deep/r.json"), 2, "-o /no-such-folder/deep/r.json: there is no folder /no-such-folder"),
        (("--benchmarks", "gone.json"), 3, "error: gone.json: no such file\n"),
        (("--providers", "replay:gone.run"), 4, "gone.run: no such file"),
        (("--profile", "ranks"), 2, "Did you mean ranx"),
        (("--retry-failed", "gone.json"), 3, "error: gone.json: no such file\n"),
    ],
)
def test_what_is_wrong_is_told_first(place, assay, flags, code, told):
    done = assay("eval", "plan.yaml", *flags)
    assert (done.code, done.out) == (code, "")
    assert told in done.err
    assert asked(place) == []


EXAMPLE = "\n  for example: assay eval --benchmarks rag-template --providers bm25 --metrics ndcg@10 recall@10\n"


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ((), "--benchmarks and --providers are missing: say whose queries to ask and which retrievers to ask"),
        (("--providers", "bm25"), "--benchmarks is missing: say whose queries to ask"),
        (("--benchmarks", "small.json"), "--providers is missing: say which retrievers to ask"),
    ],
)
def test_what_is_missing_is_told_with_an_example(place, assay, flags, told):
    done = assay("eval", *flags)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {told}, or name a plan.yaml that does{EXAMPLE}"


def test_the_example_works(place, assay):
    assert assay(*EXAMPLE.split()[3:], "--limit", "2", "--quiet").code == 0


def test_a_plan_that_is_not_there(place, assay):
    done = assay("eval", "gone.yaml")
    assert (done.code, done.err) == (3, "error: gone.yaml: no such file\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("rag-template", "bm25"), "  assay eval --benchmarks rag-template --providers bm25\n"),
        (("rag-template", "bm25", "dense"), "  assay eval --benchmarks rag-template --providers bm25 dense\n"),
        (("rag-template",), "  assay eval --benchmarks rag-template --providers bm25\n"),
        (("plan.yaml", "bm25"), "one plan at a time, and all else has a flag; found plan.yaml bm25\n"),
    ],
)
def test_benchmarks_and_providers_without_their_flags(place, assay, words, told):
    done = assay("eval", *words, "--limit", "2")
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith(told)


def test_a_plan_may_follow_flags(place, assay):
    assert assay("eval", "--quiet", "--limit", "2", "plan.yaml").code == 0


def test_the_format_of_a_benchmark_is_named(place, assay):
    flags = ("--benchmarks", "small.json", "--dataset-format", "json", "--providers", "oracle", "-m", "mrr")
    assert assay("eval", *flags).code == 0


def test_the_usual_metrics_where_none_are_named(place, assay):
    assert assay("eval", *FLAGS[:4]).code == 0


# What is shown


def test_quiet_is_quiet(place, assay):
    assert assay("eval", "plan.yaml", "--quiet").err == ""


@pytest.mark.parametrize("form", ["json", "csv", "trec", "markdown", "latex", "table"])
def test_every_format_is_printed(place, assay, form):
    done = assay("eval", "plan.yaml", "-f", form, "--quiet")
    assert done.code == 0
    assert "mrr" in done.out or "recip_rank" in done.out


def test_what_a_provider_prints_does_not_get_into_the_output(place, assay, monkeypatch):
    monkeypatch.setenv("TALK", "yes")
    done = assay("eval", "plan.yaml", "-f", "json")
    (plain,) = json.loads(done.out)["results"]
    assert plain["benchmark"] == "small"
    assert "asked q7\n" in done.err


def test_formats_for_programs_leave_failures_to_standard_error(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3")
    done = assay("eval", "plan.yaml", "-f", "csv")
    assert done.out.splitlines()[0].startswith("benchmark,run,mrr,ndcg@10,")
    assert len(done.out.splitlines()) == 2
    assert "python:mine:search: 1 of 24 queries failed and score 0: " in done.err
    assert "--resume asks them again" in done.err


def test_the_files_that_were_written_are_named(place, assay):
    done = assay("eval", "plan.yaml", "-o", "result.json", "-o", "new/t.tex", "-o", "run.trec")
    assert done.err.splitlines()[-1] == "wrote result.json, new/t.tex, run.trec (new folder: new)"
    both = ("--providers", "python:mine:search", "python:mine:other")
    done = assay("eval", "plan.yaml", *both, "-o", "run.trec")
    *_, names = done.err.splitlines()[-1].split("wrote ")
    assert len(names.split(", ")) == 2
    assert all((place / name).exists() for name in names.split(", "))
    assert "wrote" not in assay("eval", "plan.yaml").err


def test_a_file_that_the_plan_names_too_is_written_once(place, assay):
    with (place / "plan.yaml").open("a") as plan:
        plan.write("outputs: [result.json]\n")
    assert assay("eval", "plan.yaml", "-o", "result.json").err.splitlines()[-1] == "wrote result.json"


def test_notes_on_a_plan_are_told_and_those_on_depth_with_the_result(place, assay):
    told = "k = 5 is less than the cutoff of ndcg@10: only 5 documents are asked for"
    twice = ("--benchmarks", "small.json", "small.json", "--providers", *["python:mine:search"] * 2)
    done = assay("eval", "plan.yaml", *twice, "-o", "result.json")
    assert done.err.splitlines()[:3] == [
        f"note: {told}",
        "note: the benchmark small.json is named 2 times, and used once",
        "note: the provider python:mine:search is named 2 times, and used once",
    ]
    assert f"python:mine:search: {told}.\n" in done.out
    (result,) = read_results("result.json")
    assert result.notes == (f"{told}.",)


def test_resumed_with_nothing_to_go_on_from_says_so(place, assay):
    done = assay("eval", "plan.yaml", "--resume")
    assert done.code == 0
    assert "note: there is nothing to go on from" in done.err


def test_times_have_a_unit_and_batches_no_quantiles(place, assay):
    done = assay("eval", "plan.yaml", "--providers", "python:mine:search", "python:mine:Batched", "-m", "mrr", "--quiet")
    table = {line.split()[0]: line for line in done.out.splitlines() if line.startswith("  ")}
    assert table["python:mine:search"].count(" ms") == 2
    assert table["python:mine:Batched"].count(" ms") == 1
    assert table["python:mine:Batched"].endswith("–")
    assert "asked in batches" not in done.out
    asked = assay("eval", "plan.yaml", "--providers", "python:mine:Batched", "-m", "mrr", "latency_p50", "--quiet").out
    assert asked.endswith("asked in batches, so that only the mean time of a query is known: python:mine:Batched.\n")


def test_a_latex_file_holds_tables_and_comments_only(place, assay, monkeypatch):
    monkeypatch.setenv("FAIL", "q3")
    assert assay("eval", "plan.yaml", "-o", "t.tex", "-f", "latex").code == 0
    lines = (place / "t.tex").read_text().splitlines()
    start = lines.index(next(line for line in lines if line.startswith("\\begin{tabular}")))
    assert lines[0] == "% small 1.0"
    assert all(line.startswith("% ") for line in lines[:start])
    assert lines[-1] == "\\end{tabular}"


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_in_a_terminal_there_is_a_bar_that_fits(place, terminal, columns):
    done = terminal("eval", "plan.yaml", columns=columns, env={"SLEEP": "0.01", "FAIL": "q3"})
    assert done.code == 0
    frames = re.split(r"[\r\n]", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", done.out))
    assert any("24/24 · 1 failed · " in frame for frame in frames)
    assert all(len(frame) < columns for frame in frames if "/24 · " in frame)
    assert "ndcg@10" in done.out


def test_a_name_that_looks_like_markup_does_no_harm(place, terminal):
    (place / "odd.json").write_text((place / "small.json").read_text().replace('"small"', '"[/red] [bold]"'))
    done = terminal("eval", "plan.yaml", "--benchmarks", "odd.json", columns=120)
    assert done.code == 0
    assert "[/red] [bold]" in done.out


def test_a_recorded_run_scores_as_it_did(place, assay):
    assert assay("eval", "plan.yaml", "-o", "result.json", "-o", "run.trec").code == 0
    assert assay("eval", "plan.yaml", "--providers", "replay:run.trec", "-o", "again.json").code == 0
    first, again = read_results("result.json")[0], read_results("again.json")[0]
    assert first.scores("ndcg@10") == again.scores("ndcg@10")
    assert first.run == again.run


def test_secrets_are_shown_nowhere(place, assay, monkeypatch):
    monkeypatch.setenv("MY_KEY", "s3cr3t-value")
    provider = (
        "http(url='http://127.0.0.1:9/search?api_key=s3cr3t-value', headers='{\"Authorization\": \"Bearer s3cr3t-value\"}')"
    )
    providers = ("--providers", provider, "python:mine:search")
    done = assay("eval", "plan.yaml", *providers, "--limit", "2", "-o", "result.json", "-o", "run.trec", "-o", "t.csv")
    assert done.code == 4
    files = [path for path in place.rglob("*") if path.is_file()]
    assert len(files) > 5
    assert "s3cr3t" not in done.out + done.err
    assert [path.name for path in files if b"s3cr3t" in path.read_bytes()] == []


def test_every_evaluation_is_kept_unless_told_not_to(place, assay, monkeypatch):
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    assert re.search(r"\nstored as \S+ in \.assay/assay\.db; look at it with: assay show", assay("eval", *FLAGS).err)
    assert "stored" not in assay("eval", *FLAGS, "--no-store").err
    assert "stored as " in assay("eval", *FLAGS, "--store", "other.db").err
    assert len(json.loads(assay("results", "-f", "json").out)["results"]) == 1
    assert (place / "other.db").exists()


def test_a_store_that_may_not_be_changed_is_told_before_anything_is_asked(place, assay):
    assay("eval", *FLAGS, "--store", "old.db")
    done = assay("eval", *FLAGS, "--store", "sqlite:///old.db?mode=ro")
    assert (done.code, done.out) == (6, "")
    assert done.err.endswith("error: old.db: it is read-only; name another one with --store or ASSAY_STORE\n")
    assert "getting ready" not in done.err


def test_a_store_that_cannot_be_written_is_told_before_anything_is_asked(place, assay):
    (place / "broken.db").write_text("this is no store")
    done = assay("eval", *FLAGS, "--store", "broken.db")
    assert done.code == 6
    assert "broken.db" in done.err
    assert asked(place) == []
