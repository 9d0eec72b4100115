"""Standard streams that are closed, full, or read by nobody, for every command there is."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import assay
from assay.cli import main
from assay.store import Judgment, Store

from .conftest import SCRIPT

EXAMPLES = Path(__file__).parents[2] / "examples"
QRELS, BM25, DENSE = "qrels.txt", "bm25.run", "dense.run"
COMMANDS = {
    "answers": ("answers.jsonl", "--dataset", "golden.json"),
    "bless": (),
    "chunk": ("text.md",),
    "chunkers": (),
    "compare": (QRELS, BM25, DENSE, "-m", "ndcg@10"),
    "completion": ("bash",),
    "doctor": (),
    "help": (),
    "init": (),
    "version": (),
    "conformance": ("--topics",),
    "datasets": (),
    "drift": (BM25, DENSE),
    "eval": ("--benchmarks", "rag-template", "--limit", "2", "--providers", "bm25", "--metrics", "mrr", "--no-store"),
    "experiment": ("compare", "searches.jsonl", "-m", "ctr@10"),
    "features": ("feature(1)", "rows.txt"),
    "fuse": (BM25, DENSE, "--method", "rrf"),
    "gate": ("latest", "--rule", "ndcg@10 >= 0.9"),
    "history": ("-m", "ndcg@10"),
    "judge": ("pairs.jsonl", "--with", "openai(model=m, url='http://127.0.0.1:9/v1')"),
    "judgments": (),
    "log": ("score", "searches.jsonl", "-m", "ctr@10"),
    "metrics": (),
    "moe": ("routes.jsonl",),
    "ontology": ("search", "seizure"),
    "plan": ("check", "plan.yaml"),
    "plot": (),
    "pool": (BM25, "--plan"),
    "power": (QRELS, BM25, DENSE, "-m", "ndcg@10"),
    "providers": (),
    "queries": ("sample", "log.csv", "-n", "1", "-o", "sampled.jsonl"),
    "report": ("latest", "-o", "report.md"),
    "results": (),
    "score": (QRELS, BM25, "-m", "ndcg@10"),
    "serve": ("--port", "0"),
    "show": ("latest",),
    "store": ("check",),
    "watch": ("--rule", "ndcg@10 >= 0.9"),
    "why": (QRELS, BM25, "-m", "ndcg@10"),
}
"""Command → arguments with which it prints something."""
FAILED_GATE = 1
SERVES_ON, PRINTS_NOTHING = "serve", "report"
PRINTING = ["--help", *(name for name in COMMANDS if name != PRINTS_NOTHING)]
ENDING = ["--help", *(name for name in COMMANDS if name != SERVES_ON)]
TELLING = ["bless", "completion", "eval", "gate", "report", "watch"]
BUG = re.compile("Traceback|Exception ignored|bug in assay|Broken pipe")


def tried(quick, others):
    """The names of commands to try: a quick one, and with the slow tests all others, for each starts a process."""
    return pytest.mark.parametrize("names", [[quick], pytest.param(others, marks=pytest.mark.slow, id="others")])


def search_line(number):
    """A line of a search log: one of twelve users of two variants."""
    shown, clicks = ["d1", "d2"], ["d1"] if number % 3 else []
    asked = {"user": f"u{number}", "query": "cats", "time": 100 * number, "variant": "AB"[number % 2]}
    return json.dumps({**asked, "shown": shown, "clicks": clicks}) + "\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with what every command needs, and a store."""
    folder = tmp_path_factory.mktemp("place")
    for name in (QRELS, BM25, DENSE):
        (folder / name).write_bytes((EXAMPLES / name).read_bytes())
    for name, text in {
        "text.md": "# One\nText.\n\n# Two\nMore text.\n",
        "answers.jsonl": '{"id": "q1", "answer": "in Bonn"}\n',
        "golden.json": '[{"id": "q1", "question": "where is it?", "expected_answer": "Bonn", "relevant_docs": ["d1"]}]',
        "log.csv": "query\nwhere is it\nwho was it\n",
        "pairs.jsonl": '{"query": "q1", "document": "d1", "query_text": "where is it?", "document_text": "in Bonn"}\n',
        "routes.jsonl": '{"query_id": "q1", "route": "a", "optimal_expert": "a"}\n',
        "rows.txt": "2 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:0\n1 qid:2 1:0.4 2:0\n0 qid:2 1:0.9 2:1\n",
        "searches.jsonl": "".join(map(search_line, range(12))),
        "plan.yaml": "benchmarks: [rag-template]\nproviders: [bm25]\n",
    }.items():
        (folder / name).write_text(text)
    (folder / ".assay").mkdir()
    with Store.open(folder / ".assay" / "assay.db") as store:
        result = assay.evaluate({"q": {"d": 1}}, {"q": {"c": 2.0, "d": 1.0}}, ["ndcg@10"], name="bm25")
        store.save([result.with_fields(benchmark="small")])
        store.judgments.give(Judgment("small", "q", "d", "Ana", 1))
    return folder


def run(place, name, **streams):
    """The command with these streams; what it left in those that are pipes."""
    words = name.split() if name.startswith("-") else [name, *COMMANDS[name]]
    buffered = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}  # as for users
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": buffered, **streams}
    done = subprocess.run([SCRIPT, *words], cwd=place, stdin=subprocess.DEVNULL, timeout=120, check=False, **how)
    assert not BUG.search((done.stderr or b"").decode())
    return done


def closed(number):
    """What a child does before it starts, so that a stream is closed as by `>&-`."""
    return {"stdout" if number == 1 else "stderr": None, "preexec_fn": lambda: os.close(number)}


def test_every_command_is_tried(capsys):
    assert main(["help"]) == 0
    assert sorted(COMMANDS) == sorted(re.findall(r"^  ([a-z]+)  ", capsys.readouterr().out, re.MULTILINE))


def test_a_closed_output_is_an_error_that_names_it(place):
    done = run(place, "--version", **closed(1))
    assert (done.returncode, done.stderr) == (3, b"error: standard output: cannot be written: it is closed\n")


@tried("--version", PRINTING)
def test_a_full_output_is_an_error_that_names_it(place, names):
    with Path("/dev/full").open("wb") as full:
        for name in names:
            done = run(place, name, stdout=full)
            last = done.stderr.decode().splitlines()[-1]
            assert (done.returncode, last) == (3, "error: standard output: cannot be written: No space left on device"), name


@tried("gate", ENDING)
def test_a_reader_that_goes_away_changes_no_exit_code(place, names):
    """So a gate that fails still does, where its output goes to `head`."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        for name in names:
            done = run(place, name, stdout=writer)
            assert done.returncode == (FAILED_GATE if name == "gate" else 0), name
    finally:
        os.close(writer)


@tried("score", TELLING)
def test_remarks_that_cannot_be_written_change_nothing(place, names):
    with Path("/dev/full").open("wb") as full:
        for name in names:
            for streams in (closed(2), {"stderr": full}):
                done = run(place, name, **streams)
                assert done.returncode == (FAILED_GATE if name == "gate" else 0), name
                assert bool(done.stdout) == (name != PRINTS_NOTHING), name
