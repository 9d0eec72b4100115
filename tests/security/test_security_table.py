"""The table of docs/security.md, row by row: each input tries to do what its row denies, and does what its row grants."""

from __future__ import annotations

import csv
import io
import json
import os
import pickle
import re
import subprocess
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

from ._scene import Scene, Touched, unchanged

pytestmark = pytest.mark.slow
PAGE = Path(__file__).parents[2] / "docs" / "security.md"
HERE = Path(__file__).parent
COLUMNS = ("code", "files", "network", "written")
ATTACKS: dict[str, Callable[[Scene], None]] = {}


def table() -> dict[str, dict[str, str]]:
    """Input → column → yes, no or –."""
    rows = re.findall(r"^\| (?!input|-)(.+?) \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE.read_text(), re.MULTILINE)
    return {name: dict(zip(COLUMNS, cells, strict=True)) for name, *cells in rows}


def attack(name: str) -> Callable[[Callable[[Scene], None]], Callable[[Scene], None]]:
    """The function tries the row of that name."""

    def known(function: Callable[[Scene], None]) -> Callable[[Scene], None]:
        ATTACKS[name] = function
        return function

    return known


@pytest.fixture
def scene(tmp_path):
    return Scene(tmp_path)


def test_every_row_is_tried():
    assert list(table()) == list(ATTACKS)
    assert {cell for row in table().values() for cell in row.values()} == {"yes", "no", "–"}


@pytest.mark.parametrize("name", table())
def test_a_row_is_true(name, scene):
    ATTACKS[name](scene)
    touched: Touched = scene.finish()
    assert not touched.outcomes
    for column, cell in table()[name].items():
        found = getattr(touched, column)
        if cell == "no":
            assert not found, f"{name}: {column}"
        elif cell == "yes":
            assert found, f"{name} should be able to: {column}"


QRELS = "q1 0 d1 1\nq2 0 d2 1\n"
RUN = "q1 Q0 d1 1 9 x\nq2 Q0 d1 1 9 x\nq2 Q0 d2 2 8 x\n"


def runs_of(scene: Scene) -> tuple[str, str]:
    """Judgments and a run that nobody would object to."""
    return str(scene.write("qrels.txt", QRELS)), str(scene.write("plain.run", RUN))


def golden_of(scene: Scene) -> str:
    """A benchmark of two queries."""
    records = [{"query_id": f"q{n}", "query": f"thing {n}", "relevant_ids": [f"d{n}"]} for n in (1, 2)]
    return str(scene.write("golden.json", records))


def outside(scene: Scene) -> str:
    """A run outside the folder, which is read only where somebody names it."""
    scene.private.write_text(RUN)
    return str(scene.private)


@attack("command-line arguments")
def arguments(scene: Scene) -> None:
    qrels, _ = runs_of(scene)
    service = f"http(url='{scene.url}')"
    scene.assay(["score", qrels, outside(scene), "-m", "python:evil:score"], codes=[0])
    scene.assay(["eval", "--benchmarks", golden_of(scene), "--providers", service, "--retries", "0", "--no-store"])


@attack("a plan file named on the command line")
def plan(scene: Scene) -> None:
    golden_of(scene)
    providers = ["python:evil:search", f"replay(run='{outside(scene)}')", f"http(url='{scene.url}')"]
    path = scene.write(
        "plan.yaml", {"benchmarks": ["golden.json"], "providers": providers, "metrics": ["mrr"], "retries": 0}
    )
    unchanged(scene, [path], lambda: scene.assay(["eval", path, "--no-store"]))


@attack("a rules file named on the command line")
def rules(scene: Scene) -> None:
    qrels, run = runs_of(scene)
    scene.assay(["score", qrels, run, "-m", "python:evil:score", "mrr", "-o", "result.json"], codes=[0])
    scene.mark.unlink()
    texts = ["python:evil:score", *scene.hostile]
    paths = [scene.write(f"rules{number}.yaml", {"rules": [f"{text} >= 0.01"]}) for number, text in enumerate(texts)]
    unchanged(scene, paths, lambda: scene.assay(*(["gate", "result.json", "--rules", path] for path in paths)))


@attack("the Python API")
def python_api(scene: Scene) -> None:
    runs_of(scene)
    program = f"""
import assay
assay.evaluate("qrels.txt", {outside(scene)!r}, ["python:evil:score"])
assay.run({golden_of(scene)!r}, "http(url='{scene.url}')", "mrr", retries=0)
"""
    scene.audited(str(scene.write("program.py", program)), PYTHONPATH=path_with(scene.work), codes=[0, 1])
    scene.touched.outcomes.clear()  # the service answers nothing, which is an error


def path_with(folder: Path) -> str:
    """Where Python looks for modules, and the folder."""
    return os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH", ""), str(folder)]))


@attack("tests with the pytest plug-in")
def pytest_configuration(scene: Scene) -> None:
    golden = golden_of(scene)
    suite = f"""
import pytest

@pytest.mark.parametrize("provider", ["python:evil:search", "replay(run='{outside(scene)}')", "http(url='{scene.url}')"])
def test_it(assay, provider):
    assay.check({golden!r}, provider, "mrr >= 0.01")
"""
    tests, ini = scene.write("test_it.py", suite), scene.write("pytest.ini", "[pytest]\n")
    starter = scene.write(
        "start.py", "import sys, pytest\nsys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', 'test_it.py']))\n"
    )
    path = path_with(scene.work)
    unchanged(scene, [tests, ini], lambda: scene.audited(str(starter), codes=[0, 1], PYTHONPATH=path))


@attack("installed plug-ins")
def plug_ins(scene: Scene) -> None:
    package = scene.root / "installed"
    about = package / "evil_plugin-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: evil-plugin\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[assay.metrics]\nevil_plugin = evil_plugin:METRIC\n")
    program = f"""
import socket
from pathlib import Path
Path({str(scene.mark)!r}).touch()
open({str(scene.private)!r}).close()
socket.create_connection(("127.0.0.1", {scene.listener.port})).close()
from assay.metrics import Metric
METRIC = Metric("evil_plugin", lambda run: run.n_relevant(None) * 0.0)
"""
    (package / "evil_plugin.py").write_text(program)
    scene.assay(["score", *runs_of(scene), "-m", "evil_plugin"], codes=[0], PYTHONPATH=path_with(package))


@attack("environment variables")
def environment(scene: Scene) -> None:
    for text in (scene.hostile[0], scene.hostile[4], f"http:{scene.url}"):
        scene.assay(["results"], ["show", "latest"], ASSAY_STORE=text, ASSAY_CACHE=text, ASSAY_TOKEN=text)
    scene.assay(["results"], ASSAY_STORE=str(scene.private))
    scene.assay(["results"], ASSAY_STORE=f"postgresql://x:y@127.0.0.1:{scene.listener.port}/z")


@attack("run files and judgments")
def runs_and_judgments(scene: Scene) -> None:
    texts = scene.hostile
    words = [text.replace(" ", "_") for text in texts]
    nested = {text: dict.fromkeys(texts, 1) for text in texts}
    records = [{"query_id": text, "doc_id": text, "score": 1, "relevance": 1} for text in texts]
    rows = io.StringIO()
    written = csv.DictWriter(rows, records[0])
    written.writeheader()
    written.writerows(records)
    qrels = [scene.write("evil.qrels", "".join(f"{word} 0 {word} 1\n" for word in words)), scene.write("qrels.json", nested)]
    runs = [
        scene.write("evil.run", "".join(f"{word} Q0 {word} 1 {n} {word}\n" for n, word in enumerate(words))),
        scene.write("run.json", nested),
        scene.write("run.csv", rows.getvalue()),
        scene.write("run.jsonl", "\n".join(map(json.dumps, records))),
    ]
    outputs = ["-o", "out.json", "-o", "out.csv", "--per-query"]
    commands = [["score", one, run, "-m", "mrr", *outputs] for one in qrels for run in runs]
    commands += [
        ["compare", qrels[1], f"a={runs[1]}", f"b={runs[2]}", "-m", "mrr"],
        ["report", qrels[1], runs[1], "-m", "mrr", "-o", "out.html"],
    ]
    unchanged(scene, [*qrels, *runs], lambda: scene.assay(*commands))


@attack("benchmark folders")
def benchmarks(scene: Scene) -> None:
    texts = scene.hostile
    corpus = [{"_id": text, "title": text, "text": text, "metadata": {"source": text, "url": text}} for text in texts]
    queries = [{"_id": text, "text": text, "metadata": {"relevance": text, "ontology": text}} for text in texts]
    scene.write("beir/corpus.jsonl", "\n".join(map(json.dumps, corpus)))
    scene.write("beir/queries.jsonl", "\n".join(map(json.dumps, queries)))
    scene.write("beir/qrels/test.tsv", "query-id\tcorpus-id\tscore\n" + "".join(f"{text}\t{text}\t1\n" for text in texts))
    about = {"ontology": str(scene.private), "documents": texts[0]}
    scene.write("beir/dataset.json", {"name": texts[0], "version": texts[1], "metadata": about})
    tasks = [{"id": text, "query": text, "file": text, "start": 1, "end": 2} for text in texts]
    scene.write("spans/tasks.jsonl", "\n".join(map(json.dumps, tasks)))
    scene.write("spans/repo/a.py", "x = 1\n")
    (scene.work / "spans/repo/link.py").symlink_to(scene.private)
    (scene.work / "spans/repo/folder").symlink_to(scene.outside)
    whole = {"metadata": {"dataset_name": texts[0], **about}, "queries": {"q1": {"text": texts[0]}}}
    scene.write("whole.json", {**whole, "documents": {"d1": {"text": "x", "source": texts[8]}}, "qrels": {"q1": {"d1": 1}}})
    paths = [scene.work / name for name in ("beir", "spans", "whole.json")]
    commands: list[list[str | Path]] = [["datasets", "check", path] for path in paths]
    asked = ["--providers", "bm25", "-m", "mrr", "--no-store", "-o", "out.json"]
    commands += [["eval", "--benchmarks", path, *asked] for path in paths]
    commands.append(["datasets", "convert", paths[0], "converted", "--to", "jsonl"])
    unchanged(scene, paths, lambda: scene.assay(*commands))


@attack("ontologies, annotations and translations")
def ontologies(scene: Scene) -> None:
    obo = f"""format-version: 1.2
ontology: evil
import: {scene.url}
import: {scene.private}

[Term]
id: HP:0000001
name: {scene.hostile[0]}

[Term]
id: HP:0000002
name: file://{scene.private}
is_a: HP:0000001
"""
    owl = f"""<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY x SYSTEM "file://{scene.private}"><!ENTITY y SYSTEM "{scene.url}">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#"
  xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">
<owl:Ontology rdf:about="http://purl.obolibrary.org/obo/evil.owl"><owl:imports rdf:resource="{scene.url}"/></owl:Ontology>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/HP_0000001"><rdfs:label>&x;&y;</rdfs:label></owl:Class>
</rdf:RDF>
"""
    node = {"id": "http://purl.obolibrary.org/obo/HP_0000001", "lbl": scene.hostile[0], "type": "CLASS"}
    graph = {"id": scene.url, "imports": [scene.url, f"file://{scene.private}"], "nodes": [node], "edges": []}
    paths = [scene.write("evil.obo", obo), scene.write("evil.owl", owl), scene.write("evil.json", {"graphs": [graph]})]
    annotations = scene.write("evil.tsv", "\n".join(f"{text}\tHP:0000001" for text in scene.hostile))
    show = ["ontology", "show", "HP:0000001", "--ontology"]
    commands = [[*show, path] for path in paths * 2]  # the second time from the cache
    commands.append([*show, paths[0], "--annotations", annotations])
    unchanged(scene, [*paths, annotations], lambda: scene.assay(*commands, ASSAY_CACHE="cache"))


class Planted:
    """What runs a program when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return os.system, (f"touch {self.mark}",)


@attack("vector files")
def vectors(scene: Scene) -> None:
    planted = Planted(scene.outside / "program-ran")
    single, packed = io.BytesIO(), io.BytesIO()
    np.save(single, np.array([planted, planted], dtype=object), allow_pickle=True)
    np.savez(packed, ids=np.array([planted], dtype=object), vectors=np.ones((1, 2)))
    contents = {"evil.npy": single.getvalue(), "evil.npz": packed.getvalue(), "pickled.npy": pickle.dumps(planted)}
    paths = [scene.write(name, content) for name, content in contents.items()]
    start = ["eval", "--benchmarks", golden_of(scene), "-m", "mrr", "--no-store", "--providers"]
    commands = [[*start, f"vectors(documents='{path}', queries='{path}')"] for path in paths]
    unchanged(scene, paths, lambda: scene.assay(*commands))


def hostile_result(scene: Scene) -> dict[str, object]:
    """A result file in which every text means harm, and which is otherwise in order."""
    qrels, run = runs_of(scene)
    scene.assay(["score", qrels, run, "-m", "mrr", "ndcg@10", "--ci", "bootstrap", "-o", "plain.json"], codes=[0])
    content = json.loads((scene.work / "plain.json").read_text())
    first, texts = content["results"][0], cycle(scene.hostile)
    first |= {"name": next(texts), "benchmark": next(texts), "notes": scene.hostile, "failures": {"q1": next(texts)}}
    first["provenance"] = {
        "provider": {"name": "python:evil:search", "configuration": {"provider": "python", "function": "evil:search"}},
        "dataset": {"name": str(scene.private), "version": next(texts), "format": "golden"},
        "plan": {"providers": ["python:evil:search"], "metrics": ["python:evil:score"]},
    }
    for scores in (first["summary"], first["intervals"], *first["per_query"].values()):
        scores["python:evil:score"] = scores["mrr"]
    return dict(content)


@attack("result files")
def result_files(scene: Scene) -> None:
    path = scene.write("evil.json", hostile_result(scene))
    outputs = [part for name in ("out.html", "out.md", "out.csv", "out.tex", "charts/") for part in ("-o", name)]
    commands: list[list[str | Path]] = [
        ["compare", path, "plain.json", "--intersect"],
        ["report", path, *outputs],
        ["plot", "bars", path, "-o", "out.svg"],
        ["plot", "bars", path, "-m", "mrr", "-o", "out.png"],
        ["gate", path, "--baseline", "plain.json", "--rule", "mrr >= 0.01"],
        ["gate", path, "--baseline", path, "--rule", "mrr drops <= 0.5"],
        ["why", path, "plain.json"],
        ["power", path, "plain.json"],
        ["eval", "--benchmarks", golden_of(scene), "--providers", "bm25", "--retry-failed", path, "--no-store"],
    ]
    unchanged(scene, [path], lambda: scene.assay(*commands))


@attack("answer and route files")
def answers_and_routes(scene: Scene) -> None:
    texts = scene.hostile
    golden = [{"id": f"q{n}", "question": text, "expected": text, "relevant_ids": [text]} for n, text in enumerate(texts)]
    records = [{"query_id": f"q{n}", "answer": text, "confidence": 0.5, "route": text} for n, text in enumerate(texts)]
    routes = [{"query_id": text, "route": text, "optimal_expert": text, "cost": 1, "language": text} for text in texts]
    answers = scene.write("answers.jsonl", "\n".join(map(json.dumps, records)))
    routed = scene.write("routes.jsonl", "\n".join(map(json.dumps, routes)))
    commands: list[list[str | Path]] = [
        ["answers", answers, "--dataset", scene.write("asked.json", golden), "-o", "out.json", "-o", "out.csv"],
        ["moe", routed, "--by", "language", "-o", "routes.json"],
    ]
    unchanged(scene, [answers, routed], lambda: scene.assay(*commands))


SAVE = """
import json, sys
from assay.evaluation import read_results
from assay.store import Store
with Store.open("evil.db") as store:
    for started in ("2026-11-01T00:00:00+00:00", "2026-11-02T00:00:00+00:00"):
        name = store.save(read_results("evil.json"), started=started)
    store.bless(name, "main")
"""


def hostile_store(scene: Scene) -> Path:
    """A store of hostile results, saved by the library itself."""
    scene.write("evil.json", hostile_result(scene))
    scene.audited(str(scene.write("save.py", SAVE)))
    return scene.work / "evil.db"


def look_at(scene: Scene, store: str) -> None:
    """Every command that reads a store."""
    commands = [
        *(["results"], ["show", "latest"], ["history", "mrr"], ["drift"], ["store", "check"], ["judgments"]),
        *(["compare", "main", "latest"], ["report", "latest", "-o", "stored.html"], ["power", "main", "latest"]),
        *(["gate", "latest", "--baseline", "main", "--rule", "mrr >= 0.01"], ["plot", "history", "-o", "history.svg"]),
        *(["bless", "latest", "--as", "next"], ["results", "--metric", "mrr"]),
    ]
    scene.assay(*([*command, "--store", store] for command in commands))


@attack("exports of a store")
def exports(scene: Scene) -> None:
    hostile_store(scene)
    path = scene.work / "evil.jsonl.zst"
    scene.assay(["results", "export", path, "--store", "evil.db"], codes=[0])
    unchanged(scene, [path], lambda: scene.assay(["results", "import", path, "--store", "other.db"], codes=[0]))
    look_at(scene, "other.db")


@attack("the store")
def store(scene: Scene) -> None:
    path = hostile_store(scene)
    unchanged(scene, [path], lambda: look_at(scene, "evil.db"))


@attack("caches and logs of evaluations")
def caches(scene: Scene) -> None:
    scene.write("small.obo", "format-version: 1.2\n\n[Term]\nid: HP:0000001\nname: all\n")
    scene.write("corpus/queries.jsonl", json.dumps({"query_id": "q1", "text": "thing"}))
    scene.write("corpus/documents.jsonl", json.dumps({"doc_id": "d1", "text": "a thing"}))
    scene.write("corpus/judgments.jsonl", json.dumps({"query_id": "q1", "doc_id": "d1", "relevance_grade": 1}))
    command = ["eval", "--benchmarks", "corpus", "--providers", "bm25", "dense", "-m", "mrr"]
    show = ["ontology", "show", "HP:0000001", "--ontology", "small.obo"]
    scene.assay(command, show, ASSAY_CACHE="cache")
    kept = [path for folder in (".assay", "cache") for path in (scene.work / folder).rglob("*") if path.is_file()]
    kept = [path for path in kept if path.name != "assay.db"]
    assert kept
    for path in kept:
        path.write_bytes(pickle.dumps(Planted(scene.outside / "program-ran")))
    unchanged(scene, kept, lambda: scene.assay(command, [*command, "--resume"], show, ASSAY_CACHE="cache"))


@attack("responses of providers")
def answers(scene: Scene) -> None:
    texts = scene.write("texts.json", scene.hostile)
    program = f"""
import json

def search(query, k):
    texts = json.load(open({str(texts)!r}))
    return [dict(id=text, score=1.0, text=text, metadata=dict(url=text, route=text)) for text in texts]
"""
    scene.write("harmless.py", program)
    start = ["eval", "--benchmarks", golden_of(scene), "--providers", "python:harmless:search", "-m", "mrr"]
    scene.assay([*start, "-o", "out.json", "-o", "out.csv", "--store", "answers.db"], codes=[0])
    look_at(scene, "answers.db")


@attack("pools and prompts of judges")
def pools_and_prompts(scene: Scene) -> None:
    judges = [f"openai(model=m, url='{scene.url}')", f"openai(model=m, url='{scene.url}', prompt=own.md)"]
    prompt = scene.write("own.md", "---\ngrades: 0, 1\n---\n{query} {document}\n" + "\n".join(scene.hostile[:13]))
    for number, text in enumerate(scene.hostile):
        head = {"schema": "assay.pool/1", "id": text, "benchmark": text, "systems": [text]}
        texts = {"query_text": text, "document_text": text} if number % 2 else {}
        pair = {"query": text, "document": text, **texts}
        pool = scene.write(f"pool{number}.jsonl", json.dumps(head) + "\n" + json.dumps(pair) + "\n")
        dry_runs = [["judge", pool, "--with", judge] for judge in judges]
        unchanged(scene, [pool, prompt], lambda runs=dry_runs: scene.assay(*runs))


@attack("replies of judges")
def replies(scene: Scene) -> None:
    texts = scene.write("texts.json", scene.hostile)
    program = f"""
import json

def grade(query, document):
    text = json.load(open({str(texts)!r}))[int(document)]
    return dict(grade=len(text) % 4, reason=text, model=text, name=text)
"""
    scene.write("harmless.py", program)
    start = ["eval", "--benchmarks", golden_of(scene), "--providers", "python:evil:search", "-m", "mrr", "--store", "s.db"]
    scene.assay(start, codes=[0])
    scene.mark.unlink()
    head = {"schema": "assay.pool/1", "id": "p", "benchmark": "golden", "systems": []}
    pairs = [
        {"query": "q1", "document": f"d{n}", "query_text": "x", "document_text": str(n)} for n in range(len(scene.hostile))
    ]
    scene.write("pool.jsonl", "".join(json.dumps(row) + "\n" for row in [head, *pairs]))
    send = ["judge", "pool.jsonl", "--with", "python:harmless:grade", "--send", "--store", "s.db", "-o", "grades.jsonl"]
    scene.assay(send, send, codes=[0])
    scene.assay(["judgments", "--store", "s.db"], ["judgments", "-f", "csv", "--store", "s.db"], codes=[0])
    look_at(scene, "s.db")


@attack("web requests")
def web_requests(scene: Scene) -> None:
    pytest.importorskip("starlette")
    store = hostile_store(scene)
    texts = [*scene.hostile[:5], scene.url, str(scene.private), scene.hostile[13]]
    scene.audited(str(HERE / "_web.py"), str(store), json.dumps(texts))


@attack("the git repository around the current folder")
def repository(scene: Scene) -> None:
    marked = scene.outside / "program-ran"
    program = f"#!/bin/sh\ntouch {marked}\ncat\n"
    script = scene.write("run.sh", program)
    script.chmod(0o755)
    qrels = golden_of(scene)
    git = ["git", "-C", str(scene.work), "-c", "user.name=a", "-c", "user.email=a@b.example"]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    for name in ("post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman"):
        hook = scene.write(f".git/hooks/{name}", program)
        hook.chmod(0o755)
    scene.write(".git/info/attributes", "* filter=evil diff=evil\n")
    settings = [f"filter.evil.{name}" for name in ("clean", "smudge", "process")]
    settings += ["core.fsmonitor", "diff.external", "core.pager", "diff.evil.textconv", "diff.evil.command"]
    for setting in (*settings, "core.sshCommand", "gpg.program"):
        subprocess.run([*git, "config", setting, str(script)], check=True)
    scene.write("golden.json", (scene.work / "golden.json").read_text() + " ")  # so that git has to look into a file
    marked.unlink(missing_ok=True)
    inputs = [scene.work / ".git" / name for name in ("config", "HEAD", "index")]
    command = ["eval", "--benchmarks", qrels, "--providers", "python:evil:search", "-m", "mrr", "--no-store"]
    unchanged(scene, inputs, lambda: scene.assay(command, codes=[0]))
    scene.mark.unlink()
