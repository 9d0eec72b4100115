"""Inputs: ten commands take the same kinds of files, saved and stored results; what each says to which is in snapshots."""

import json
import re

import pytest

from assay.cli import main

from .conftest import GOOD, POOR, QRELS

GOLDEN = [
    {"id": "q1", "question": "Capital of France?", "expected": "Paris", "relevant_ids": ["d1"], "optimal_expert": "code"},
    {"id": "q2", "question": "Who wrote Faust?", "expected": "Goethe", "relevant_ids": ["d4"], "optimal_expert": "chat"},
]
RETRIEVERS = """
def search(text, k):
    hits = [("d1", 2.0), ("d4", 1.0)] if "France" in text else [("d4", 2.0), ("d1", 1.0)]
    return {"hits": hits, "answer": "Paris", "route": "code"}

def other(text, k):
    return {"hits": [("d4", 2.0), ("d1", 1.0)], "answer": "Goethe", "route": "chat"}
"""
FILES = {
    "qrels.txt": QRELS,
    "good.run": GOOD,
    "poor.run": POOR,
    "good.jsonl": '{"query_id": "q1", "answer": "Paris", "route": "code", "optimal_expert": "code"}\n',
    "poor.jsonl": '{"query_id": "q1", "answer": "London", "route": "chat", "optimal_expert": "code"}\n',
    "golden.json": json.dumps(GOLDEN),
    "retrievers.py": RETRIEVERS,
}
EVAL = ("eval", "--benchmarks", "golden.json", "--providers", "one=python:retrievers:search", "two=python:retrievers:other")
SETUP = (
    (*EVAL, "-m", "mrr", "ndcg@10", "-o", "kept.json", "--quiet"),
    ("bless", "latest", "--as", "main"),
    ("score", "qrels.txt", "good.run", "-m", "mrr", "ndcg@10", "-o", "good.json"),
    ("score", "qrels.txt", "poor.run", "-m", "mrr", "ndcg@10", "-o", "poor.json"),
)
COMMANDS = {
    "score": "-m mrr",
    "compare": "-m mrr",
    "why": "-m mrr",
    "power": "-m mrr",
    "gate": "--rule mrr>=0.1 --baseline BASELINE",
    "fuse": "--method rrf",
    "report": "-m mrr -o report.md",
    "plot": "-m mrr",
    "answers": "-m answer_f1",
    "moe": "-m routing_accuracy",
}
CASES = {
    "judgments and runs": "JUDGED RUN RUN2",
    "a benchmark and runs": "--dataset golden.json RUN RUN2",
    "a benchmark and --run": "--dataset golden.json --run RUN RUN2",
    "saved results": "good.json poor.json",
    "a saved result with rankings": "kept.json",
    "one result of a saved file": "kept.json#golden/one kept.json#golden/two",
    "an unknown result of a saved file": "kept.json#golden/three",
    "latest": "latest",
    "an id": "ID#one ID#two",
    "a blessed name": "main#one main#two",
    "an unknown reference": "mian",
    "names and runs": "JUDGED base=RUN new=RUN2",
    "names and saved results": "base=good.json new=poor.json",
    "names and stored results": "base=latest#one new=latest#two",
    "one name twice": "JUDGED base=RUN base=RUN2",
    "a name for judgments": "truth=JUDGED RUN RUN2",
    "standard input": "JUDGED RUN -",
    "standard input twice": "JUDGED - -",
    "a saved result on standard input": "base=kept.json#one new=-",
    "results of the same name": "kept.json latest",
    "nothing": "",
    "too few": "JUDGED",
    "one run": "JUDGED RUN",
    "one file twice": "JUDGED RUN RUN",
    "judgments and saved results": "JUDGED good.json poor.json",
    "judgments and a result with rankings": "JUDGED kept.json#one kept.json#two",
    "a run and a stored result": "JUDGED RUN latest#one",
    "saved results and flags about scoring": "good.json poor.json --ties docid_asc",
    "files taken by -m": "-m mrr JUDGED RUN RUN2",
    "a file that is missing": "JUDGED RUN missing.run",
    "a result that is missing": "good.json missing.json",
    "-f json": "kept.json#golden/one kept.json#golden/two -f json",
    "-o": "kept.json#golden/one kept.json#golden/two -o out.json",
    "--quiet": "kept.json#golden/one kept.json#golden/two --quiet",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Runs, judgments, answers and routes in files; a benchmark; results that are saved and stored."""
    folder = tmp_path_factory.mktemp("inputs")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(folder)
        for name, text in FILES.items():
            (folder / name).write_text(text)
        for arguments in SETUP:
            assert main(list(arguments)) == 0, arguments
    return folder


def words_of(command, case):
    """The words of a case: files of the kind that the command reads."""
    kind, judged = ("jsonl", "") if command in ("answers", "moe") else ("run", "" if command == "fuse" else "qrels.txt")
    case = re.sub(r"\S*RUN2", "", case) if command == "why" else case
    words = case.replace("RUN2", f"poor.{kind}").replace("RUN", f"good.{kind}").replace("JUDGED", judged)
    words = words.replace("--dataset golden.json", "--dataset golden.json --tune mrr") if command == "fuse" else words
    words = words.replace("truth= ", "").replace("--run good.jsonl", "good.jsonl --run good.run --quiet")
    benchmark = "--dataset golden.json" if command == "answers" and "--dataset" not in words else ""
    return " ".join(f"{words} {benchmark}".split())


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_says_to_each_kind_of_input(command, folder, monkeypatch, capsys, stdin, snapshots):
    monkeypatch.chdir(folder)
    piped = FILES["poor.jsonl" if command in ("answers", "moe") else "poor.run"]
    capsys.readouterr()
    main(["results", "-f", "json"])
    evaluation = re.search(r"\d{4}-\d\d-\d\d-golden-[0-9a-f]+", capsys.readouterr().out)[0]
    lines = []
    for name, case in CASES.items():
        words = words_of(command, case)
        flags = (
            COMMANDS[command]
            .replace("BASELINE", "good.json" if "qrels" in words or "good.json" in words else "main")
            .split()
        )
        typed = [word.replace("ID", evaluation) for word in words.split()]
        kind = ["bars"] if command == "plot" else []
        stdin((folder / "kept.json").read_bytes() if "saved" in name else piped)
        code = main([command, *kind, *(flags + typed if typed[:1] == ["-m"] else typed + flags)])
        out, err = capsys.readouterr()
        lines += [f"## {name}: {words}", f"exit {code}", *_shown(out)[:3], *_shown(err), ""]
    snapshots.check(f"inputs/{command}", "\n".join(lines))


def _shown(text):
    """The lines of a text without what changes from day to day."""
    text = re.sub(r"\d{4}-\d\d-\d\d-golden-[0-9a-f]+", "ID", text)
    return [re.sub(r"\d{4}-\d\d-\d\d", "DAY", line).rstrip() for line in text.splitlines() if line.strip()]
