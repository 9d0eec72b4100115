"""A bare install: every command works, or says in one line which extra it needs."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow

RUNS = "examples/qrels.txt examples/bm25.run examples/dense.run"
WORKS = [
    "",
    "help",
    "help score",
    "version",
    "doctor",
    "init new",
    "eval --benchmarks rag-template --providers bm25 tfidf_chars --metrics ndcg10 recall10 mrr --quiet",
    "eval new/plan.yaml --no-store",
    "plan check new/plan.yaml",
    f"score {RUNS} -m ndcg@10 map",
    f"score {RUNS} -m ndcg@10 -f latex -o scores.csv",
    f"compare {RUNS} -m ndcg@10 --worst 2",
    "compare latest -o comparison.md",
    "why examples/qrels.txt examples/bm25.run -m ndcg@10",
    f"power {RUNS} -m ndcg@10",
    "drift examples/bm25.run examples/dense.run",
    "fuse examples/bm25.run examples/dense.run -o fused.run",
    f"report {RUNS} -m ndcg@10 -o report.md",
    "report latest -o report.txt",
    "show latest",
    "results",
    "results export all.zst",
    "bless latest --as main",
    "gate latest --rules new/gate.yaml",
    "history",
    "watch",
    "store check",
    "metrics ndcg",
    "metrics max_ont_sim",
    "providers dense",
    "providers check bm25",
    "datasets",
    "datasets show rag-template",
    "datasets check rag-template",
    "chunkers",
    "chunk examples/my_metrics.py",
    "conformance --topics",
    "completion bash",
    "plot",
    "moe examples/routes.jsonl",
    "answers examples/answers.jsonl",
    "answers examples/answers.jsonl -m correctness --with openai(model=m,url=http://127.0.0.1:9/v1)",
    "queries sample examples/log.csv -n 1 -o sampled.jsonl",
    "pool latest --pairs 30 -o pool.jsonl",
    "judge pool.jsonl --with openai(model=m,url=http://127.0.0.1:9/v1)",
    "log score examples/searches.jsonl -m ctr@10",
    "experiment compare examples/searches.jsonl -m ctr@10",
    "features feature(1) examples/rows.txt",
]
SAYS_WHAT_TO_DO = {"judgments": "assay serve"}
"""Nothing is judged yet: the command → what its message names."""
NEEDS = {
    "report latest -o report.html": "report",
    f"report {RUNS} -f html": "report",
    f"score {RUNS} -f html": "report",
    "plot bars latest -o bars.svg": "report",
    "report latest -o charts/": "report",
    "serve --port 0": "web",
    "eval --benchmarks rag-template --providers dense": "dense",
    "eval --benchmarks rag-template --providers hybrid": "dense",
    "eval --benchmarks rag-template --providers bm25 --relevance semantic": "dense",
    "eval --benchmarks hpo-en --providers bm25": "hpo",
    "datasets show hpo-en": "hpo",
    "ontology show HP:0001250": "hpo",
    "chunk examples/my_metrics.py --chunker syntax_tree": "chunkers",
    "chunk examples/my_metrics.py --chunker chonkie": "chonkie",
    "results --store postgresql://127.0.0.1/nothing": "postgres",
    "eval --benchmarks rag-template --providers dense(model=some-model)": "sentence-transformers",
}


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A command `assay` in an environment that has the base install and nothing else, and a folder with the examples."""
    folder = tmp_path_factory.mktemp("bare")
    python = folder / "venv" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--constraint", ROOT / "constraints.txt", ROOT], check=True)
    shutil.copytree(ROOT / "examples", folder / "work" / "examples")
    (folder / "work" / "new").mkdir()
    (folder / "work" / "examples" / "routes.jsonl").write_text('{"query_id": "q1", "route": "a", "optimal_expert": "a"}\n')
    (folder / "work" / "examples" / "log.csv").write_text("query\nwhere is it\nwho was it\n")
    (folder / "work" / "examples" / "rows.txt").write_text(
        "2 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:0\n1 qid:2 1:0.4\n0 qid:2 1:0.9\n"
    )
    searches = [
        {
            "user": f"u{n}",
            "query": "cats",
            "time": n,
            "variant": "AB"[n % 2],
            "shown": ["d1"],
            "clicks": ["d1"] * (n % 3 > 0),
        }
        for n in range(12)
    ]
    (folder / "work" / "examples" / "searches.jsonl").write_text("\n".join(map(json.dumps, searches)))
    answers = '{"query_id": "q1", "question": "x?", "answer": "Paris", "expected": "Paris"}\n'
    (folder / "work" / "examples" / "answers.jsonl").write_text(answers)

    def run(line):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("ASSAY_", "PYTHON"))}
        environment["ASSAY_CACHE"] = str(folder / "cache")
        words = line.split()
        command = [python, "-m", "assay", *words]
        return subprocess.run(command, cwd=folder / "work", env=environment, capture_output=True, text=True, check=False)

    return run


def test_every_command_works_or_names_the_extra_it_needs(bare):
    faults = []
    for line in WORKS:
        done = bare(line)
        if done.returncode or "Traceback" in done.stderr:
            faults.append((line, done.returncode, done.stderr[-500:]))
    for line, extra in NEEDS.items():
        done = bare(line)
        lines = done.stderr.splitlines()
        if done.returncode not in (2, 4, 6) or len(lines) != 1 or f"pip install 'assay-ir[{extra}]'" not in lines[0]:
            faults.append((line, done.returncode, done.stderr[-500:]))
    assert faults == []
    for line, advice in SAYS_WHAT_TO_DO.items():
        assert advice in bare(line).stderr
    tried = {line.split()[0] for line in (*WORKS, *SAYS_WHAT_TO_DO, *NEEDS) if line}
    listed = set(re.findall(r"^  ([a-z]+)  +", bare("help").stdout, re.MULTILINE))
    assert len(listed) > 30
    assert listed == tried


def test_the_base_install_is_small(bare):
    """No package of an extra, no tool of developers."""
    code = "import importlib.metadata as m; print(*sorted(d.name.lower() for d in m.distributions()))"
    python = bare("version").args[0]
    listed = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert len(set(listed) - {"pip", "setuptools"}) <= 16, listed
