"""assay answers with a judge: what is shown and sent, forms for people, layers, the gate, and a killed run."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.judged_answers._service import AnswerStub, rows
from tests.judges._stub import KEY

METRICS = ("-m", "faithfulness", "correctness", "nugget_recall(only=vital)")


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("STUB_KEY", KEY)


@pytest.fixture
def answers(folder):
    Path("answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(6)))
    return "answers.jsonl"


def with_judge(stub) -> list[str]:
    return ["--with", f"openai(model=stub, url={stub.url}, key=${{STUB_KEY}})"]


def test_what_it_shows(folder, transcript):
    transcript("judged_answers/shown")


def test_a_dry_run_is_the_default_and_sends_nothing(answers, assay):
    with AnswerStub() as stub:
        for flags in ([], ["--dry-run"]):
            shown = assay("answers", answers, *METRICS, *with_judge(stub), *flags, "--price", "1", "2")
            assert shown.code == 0
            assert f"POST {stub.url}/chat/completions" in shown.out
            assert shown.out.endswith("Nothing was sent. To send, add --send.\n")
        assert stub.n_requests == 0
    assert not Path(".assay").exists()
    assert KEY not in shown.out + shown.err


def test_the_second_run_sends_nothing_and_no_file_has_the_key(answers, assay):
    files = ("--claims", "claims.jsonl", "--nuggets", "nuggets.jsonl", "--write-verdicts", "v.jsonl", "-o", "out.json")
    with AnswerStub() as stub:
        first = assay("answers", answers, *METRICS, *with_judge(stub), "--send", *files)
        n = stub.n_requests
        written = {name: Path(name).read_bytes() for name in files[1::2]}
        second = assay("answers", answers, *METRICS, *with_judge(stub), "--send", *files, "--per-query")
        assert stub.n_requests == n
    assert (first.code, second.code) == (0, 0)
    assert f"this run   {n} requests" in first.err
    assert "this run   0 requests" in second.err
    assert Path("claims.jsonl").read_bytes() == written["claims.jsonl"]
    assert Path("nuggets.jsonl").read_bytes() == written["nuggets.jsonl"]
    everything = b"".join(file.read_bytes() for file in Path().rglob("*") if file.is_file())
    assert KEY.encode() not in everything + first.out.encode() + first.err.encode()
    replayed = assay("answers", answers, *METRICS, "--with", "replay(v.jsonl)", "--send", *files[:4], "-f", "json", "-q")
    values = [json.loads(text)["results"][0]["summary"] for text in (replayed.out, written["out.json"])]
    assert values[0] == values[1]


def test_from_a_form_to_a_gate(answers, assay):
    """Draw queries, fill in the form, correct the model, and gate on it. A model alone is refused."""
    with AnswerStub() as stub:
        judge = [*with_judge(stub), "--send", "--claims", "claims.jsonl"]
        assert (
            assay("answers", answers, "-m", "faithfulness", *judge, "--write-verdicts", "v.jsonl", "-o", "m.json").code == 0
        )
        n = stub.n_requests
        form = assay("answers", answers, "-m", "faithfulness", "--form", "form.csv", "-n", "4", "--claims", "claims.jsonl")
        assert "12 rows for 4 queries of 6 written to form.csv" in form.out
        assert stub.n_requests == n
    table = list(csv.DictReader(io.StringIO(Path("form.csv").read_text(), newline="")))
    assert list(table[0]) == ["query", "question", "statement", "text", "verdict", "judge", "note", "task", "item", "draw"]
    assert {row["verdict"] for row in table} == {""}
    for number, row in enumerate(table):
        row |= {"verdict": "yes" if number % 4 else "no", "judge": "ada"}
    with Path("form.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, table[0])
        writer.writeheader()
        writer.writerows(table)
    both = ("answers", answers, "-m", "faithfulness", "--verdicts", "form.csv", "v.jsonl", "--claims", "claims.jsonl")
    mixed = assay(*both)
    assert mixed.code == 2
    assert "never mixed" in mixed.err
    for layer, code in (("people", 0), ("corrected", 0), ("model", 2)):
        done = assay(*both, "--judgments", layer, "-o", f"{layer}.json")
        assert done.code == 0
        assert {"people": "verdicts by people (ada)", "corrected": "corrected by those of people", "model": "not corrected"}[
            layer
        ] in done.out
        saved = json.loads(Path(f"{layer}.json").read_text())["results"][0]
        assert saved["provenance"]["judgments"]["layer"] == layer
        assert assay("gate", f"{layer}.json", "--rule", "faithfulness >= 0.01").code == code
    rule = "faithfulness not worse than baseline by 0.9"
    assert assay("gate", "corrected.json", "--rule", rule, "--baseline", "model.json").code == 2
    assert assay("compare", "people.json", "corrected.json").code == 3


def test_the_form_needs_claims(answers, assay):
    done = assay("answers", answers, "-m", "faithfulness", "--form", "form.csv")
    assert done.code == 2
    assert "--claims" in done.err
    assert not Path("form.csv").exists()


def test_a_form_runs_nothing_in_a_spreadsheet(folder, assay):
    row = {"query_id": "=1+1", "question": "@x", "answer": "a", "contexts": ["=HYPERLINK(1)\n-more", "b"]}
    Path("a.jsonl").write_text(json.dumps(row))
    done = assay("answers", "a.jsonl", "-m", "context_precision", "--form", "form.csv")
    assert done.code == 0
    table = list(csv.reader(io.StringIO(Path("form.csv").read_text(), newline="")))[1:]
    assert not [cell for line in table for cell in line if cell[:1] in ("=", "@", "+", "-")]


def test_a_killed_run_continues(answers, assay):
    """After kill -9, at most the requests that were under way are sent again."""
    Path("answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(30)))
    with AnswerStub(delay=0.02) as stub:
        command = [sys.executable, "-m", "assay", "answers", answers, "-m", "faithfulness", *with_judge(stub), "--send"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while stub.n_requests < 60 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert 60 <= stub.n_requests < 120
        done = assay("answers", answers, "-m", "faithfulness", *with_judge(stub), "--send", "-f", "json", "-q")
        assert done.code == 0
        assert stub.n_requests <= 30 + 90 + 4
    assert json.loads(done.out)["results"][0]["summary"]["faithfulness"] == pytest.approx(2 / 3)


def test_a_service_that_refuses_stops_at_once(answers, assay):
    with AnswerStub() as stub:
        stub.status = 401
        done = assay("answers", answers, "-m", "faithfulness", *with_judge(stub), "--send")
        assert done.code == 4
        assert "check key=" in done.err
        assert stub.n_requests < 10
    assert KEY not in done.err
