"""assay judge: what it shows and sends, where grades go, and that a killed run costs little."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.judges._stub import KEY, Stub, pairs_of, truth

from assay.judges import FOLDER
from assay.store import Store

from ._stored import result_of

N = 12


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("STUB_KEY", KEY)


@pytest.fixture
def pool(folder):
    """A pool with texts, on a benchmark that the store knows."""
    with Store.open() as store:
        store.save([result_of(1, benchmark="small")])
    write_pool(pairs_of(N, ("none", "null", "fence")))
    return Path("pool.jsonl")


def write_pool(pairs, **head) -> None:
    rows = [{"schema": "assay.pool/1", "id": "p1", "benchmark": "small", "systems": ["bm25"], **head}]
    rows += [pair._asdict() for pair in pairs]
    Path("pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def with_judge(stub, more="") -> list[str]:
    return ["--with", f"openai(model=stub, url={stub.url}, key=${{STUB_KEY}}{more})"]


def everything_written(*texts: str) -> bytes:
    files = (file.read_bytes() for file in Path().rglob("*") if file.is_file())
    return b"".join([*files, *(text.encode() for text in texts)])


def test_a_dry_run_is_the_default_and_sends_nothing(pool, assay):
    with Stub() as stub:
        for flags in ([], ["--dry-run"]):
            shown = assay("judge", pool, *with_judge(stub), *flags, "--price", "1", "2")
            assert shown.code == 0
            assert f"POST {stub.url}/chat/completions" in shown.out
            assert "pair 0 fault=none: some text" in shown.out
            assert "Nothing was sent" in shown.out
            assert f"hosts      {stub.url.split('/')[2]}" in shown.out
            assert f"requests   {N}" in shown.out
        assert stub.n_requests == 0
    assert KEY.encode() not in everything_written(shown.out, shown.err)
    assert not Path(".assay", FOLDER).exists()


def test_grades_go_to_the_store_and_to_a_file(pool, assay):
    with Stub() as stub:
        done = assay("judge", pool, *with_judge(stub), "--send", "-o", "grades.jsonl", "--price", "1", "2")
        assert done.code == 0
        assert stub.n_requests == N
        again = assay("judge", pool, *with_judge(stub), "--send", "-f", "json")
        assert stub.n_requests == N
    content = json.loads(again.out)
    assert (content["is_sent"], content["n_cached"], content["ledger"]["requests"]) == (True, N, 0)
    assert content["total"]["requests"] == N
    with Store.open() as store:
        judgments = store.judgments.find("small", kind="model")
        assert store.judgments.find("small", kind="people") == []
    readable = {f"d{n}": truth(n) for n in range(N) if n % 3 != 1}
    assert {judgment.document: judgment.grade for judgment in judgments} == readable
    assert {(judgment.pool, judgment.probability) for judgment in judgments} == {("p1", 0.5)}
    assert all(len(judgment.text_digest) == 64 for judgment in judgments)
    lines = [json.loads(line) for line in Path("grades.jsonl").read_text().splitlines()]
    assert {line["document"] for line in lines if line["grade"] is None} == {f"d{n}" for n in range(N) if n % 3 == 1}
    replayed = assay("judge", pool, "--with", "replay(grades.jsonl)", "--send", "-f", "json")
    assert {row["document"]: row["grade"] for row in json.loads(replayed.out)["judgments"]} == readable
    assert KEY.encode() not in everything_written(done.out, done.err, again.out, again.err)


def test_nothing_is_sent_if_grades_cannot_be_saved(pool, assay):
    with Stub() as stub:
        send = ["judge", pool, *with_judge(stub), "--send"]
        assert assay(*send, "--benchmark", "unknown").code == 2
        assert assay(*send, "--no-store").code == 2
        assert assay(*send, "-o", "missing/grades.jsonl").code == 2
        assert assay(*send, "--most-cost", "1").code == 2
        assert assay(*send, "--store", "missing.db").code == 6
        assert assay("judge", pool, *with_judge(stub, ", prompt=none.md"), "--send").code == 3
        assert assay("judge", pool, "--with", "words", "--send").code == 2
        assert assay("judge", "missing.jsonl", *with_judge(stub), "--send").code == 3
        assert assay("judge", pool, *with_judge(stub), "--send", "--dry-run").code == 2
        assert stub.n_requests == 0


def test_a_refused_key_is_an_error_that_does_not_show_it(pool, assay):
    with Stub(status=401) as stub:
        done = assay("judge", pool, *with_judge(stub), "--send")
        assert done.code == 4
        assert "401" in done.err
        assert stub.n_requests < N
    assert KEY.encode() not in everything_written(done.out, done.err)
    del os.environ["STUB_KEY"]
    with Stub() as stub:
        assert "STUB_KEY" in assay("judge", pool, *with_judge(stub), "--send").err
        assert stub.n_requests == 0


def test_a_plan_cannot_send(folder, assay):
    Path("plan.yaml").write_text("benchmarks: rag-template\nproviders: bm25\nmetrics: mrr\nsend: true\n")
    assert assay("eval", "plan.yaml").code == 2


def test_only_drawn_pairs(pool, assay):
    pairs = pairs_of(4, ("none",))
    rows = [{"schema": "assay.pool/1", "id": "p1", "benchmark": "small", "systems": ["bm25"], "n_drawn": 1, "n_pairs": 4}]
    rows += [{**pair._asdict(), **({"place": 0} if n == 2 else {})} for n, pair in enumerate(pairs)]
    pool.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with Stub() as stub:
        assert "3 of them not drawn" in assay("judge", pool, *with_judge(stub)).out
        assert assay("judge", pool, *with_judge(stub), "--send", "--drawn").code == 0
        assert dict(stub.by_pair) == {2: 1}


@pytest.mark.slow
def test_a_killed_run_asks_at_most_as_many_pairs_again_as_were_under_way(pool):
    n_pairs, concurrency = 300, 6
    write_pool(pairs_of(n_pairs, ("none",)))
    with Stub(delay=0.01) as stub:
        words = ["judge", "pool.jsonl", *with_judge(stub), "--send", "--concurrency", str(concurrency)]
        command = [sys.executable, "-m", "assay", *words]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while stub.n_requests < 100:
            assert process.poll() is None, process.communicate()
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        first = process.communicate()
        time.sleep(0.2)
        n_before = stub.n_requests
        assert 100 <= n_before < n_pairs
        done = subprocess.run([*command, "--resume"], capture_output=True, text=True, check=True)
        assert len(stub.by_pair) == n_pairs
        assert sum(n > 1 for n in stub.by_pair.values()) <= concurrency
        assert max(stub.by_pair.values()) <= 2
        ledgers = [file.read_text() for file in Path(".assay", FOLDER).glob("*.ledger")]
        n_sent = sum(text.count('"sent"') for text in ledgers)
        assert stub.n_requests <= n_sent <= stub.n_requests + concurrency
        assert f"graded     {n_pairs}" in done.stdout
    with Store.open() as store:
        grades = {judgment.document: judgment.grade for judgment in store.judgments.find("small", kind="model")}
    assert grades == {f"d{n}": truth(n) for n in range(n_pairs)}
    assert KEY.encode() not in everything_written(done.stdout, done.stderr) + first[0] + first[1]


def test_an_interrupted_run_says_how_to_continue(pool, assay, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.judges.run_judge", stop)
    for flags, is_told in ((["--send"], True), ([], False)):
        words = ["judge", str(pool), "--with", "openai(model=m, url=http://127.0.0.1:9/v1)", *flags]
        done = assay(*words)
        assert done.code == 130
        assert ("To continue, run the same command again." in done.err) == is_told


def test_a_pool_of_queries_and_documents_that_are_no_benchmark(folder, assay):
    """The first days: queries in a file, documents in a folder, and no judgments."""
    Path("docs").mkdir()
    for n in range(6):
        Path("docs", f"d{n}.md").write_text(f"pair {n} fault=none: all about subject {n}")
    Path("queries.jsonl").write_text("".join(json.dumps({"query": f"subject {n}"}) + "\n" for n in range(3)))
    source = ("--documents", "docs")
    assert assay("eval", "--queries", "queries.jsonl", *source, "--providers", "bm25", "tfidf_chars", "-q").code == 0
    assert assay("pool", "latest", "--pairs", 8, "-o", "pool.jsonl").code == 0
    with Stub() as stub:
        lost = assay("judge", "pool.jsonl", *with_judge(stub), "--send")
        assert (lost.code, "--documents" in lost.err, stub.n_requests) == (3, True, 0)
        done = assay("judge", "pool.jsonl", *with_judge(stub), "--dataset", "queries.jsonl", *source, "--send", "-q")
        assert (done.code, stub.n_requests > 0) == (0, True)
        n_sent = stub.n_requests
        same = assay("judge", "pool.jsonl", *with_judge(stub), *source)
        assert "All pairs have an outcome from earlier runs" in same.out, "the store has the texts of the queries"
        assert "sends no request to a service" not in same.out
        assert stub.n_requests == n_sent
        with Store.open() as store:
            graded = store.judgments.find("queries", kind="model")
        assert {(one.document, one.grade) for one in graded} <= {(f"d{n}.md", truth(n)) for n in range(6)}
        assert f"assay judgments calibrate --judge '{graded[0].judge}'" in done.out


def test_a_model_in_the_configuration_of_a_system_is_noticed(folder, assay):
    """The label of a system does not say that it uses the model; its configuration in the store does."""
    Path("stub-large").write_text("q01 Q0 p001 1 9 x\n")
    words = ["--benchmarks", "rag-template", "--providers", "mine=replay(run=stub-large)", "-m", "mrr", "--quiet"]
    assert assay("eval", *words).code == 0
    write_pool(pairs_of(1, ("none",)), benchmark="rag-template", systems=["mine"])
    shown = assay("judge", "pool.jsonl", "--with", "openai(model=stub-large, url=http://127.0.0.1:9/v1)")
    assert "also a model of mine" in shown.err
    assert "note:" not in assay("judge", "pool.jsonl", "--with", "openai(model=other, url=http://127.0.0.1:9/v1)").err
