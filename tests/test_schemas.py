"""Schemas: everything that is written has a JSON Schema in the package, and what commands write is valid."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import jsonschema_rs
import pytest
import zstandard

import assay
from assay.cli import main
from assay.judging import pool_lines
from assay.schemas import generated_schemas, schema_names, schema_of, schema_path
from assay.store import Judgment, Store, Undecided

ROOT = Path(__file__).parents[1]
INTERNAL = {"assay.answers/1"}
"""The log of answers from which an interrupted evaluation continues: only the process that wrote it reads it."""
RUNS = "examples/qrels.txt examples/bm25.run examples/dense.run"
RULES = "rules:\n  - ndcg@10 >= 0.9\n  - ndcg@10 drops <= 0.01\n  - mrr not worse by 0.02\n"
COMMANDS = {
    "score {runs} -m ndcg@10 map --tie-band --residuals": "assay.result/1",
    "answers answers.jsonl": "assay.result/1",
    "answers judged.jsonl -m faithfulness --with python:schema_judge:decide": "assay.answer_judging/1",
    "answers judged.jsonl -m faithfulness --with python:schema_judge:decide --send": "assay.result/1",
    "moe routes.jsonl": "assay.result/1",
    "show latest": "assay.result/1",
    "compare {runs} examples/hybrid.run -m ndcg@10 map --worst 2 --best 1 --residuals": "assay.comparison/1",
    "compare {runs} examples/hybrid.run -m ndcg@10 --test tukey": "assay.comparison/1",
    "compare latest --by difficulty --slices --agreement": "assay.comparison/1",
    "gate latest --rules gate.yaml": "assay.gate/1",
    "gate --check gate.yaml --queries 40": "assay.gate-check/1",
    "drift examples/bm25.run examples/dense.run": "assay.drift/1",
    "features feature(1) letor.txt": "assay.features/1",
    "history -m ndcg@10": "assay.history/1",
    "history": "assay.status/1",
    "results": "assay.results/1",
    "judge pool.jsonl --with python:schema_judge:grade --send": "assay.judging/1",
    "judge pool.jsonl --with openai(model=m,url=http://127.0.0.1:9/v1)": "assay.judging/1",
    "judgments": "assay.judgments/1",
    "pool latest --plan": "assay.judging_plan/1",
    "pool latest -o drawn.jsonl": "assay.judging_plan/1",
    "judgments agreement": "assay.judgments/1",
    "judgments disagreements": "assay.judgments/1",
    "judgments status": "assay.judgments/1",
    "judgments calibrate --judge model-a": "assay.calibration/1",
    "judgments probe --with python:schema_judge:grade --pairs 3 --send": "assay.probes/1",
    "why examples/qrels.txt examples/bm25.run -m ndcg@10": "assay.why/1",
    "why examples/qrels.txt examples/bm25.run -m ndcg@10 --expected 0.4646": "assay.why/1",
    "why result.json#bm25 result.json#tfidf_chars": "assay.why/1",
    "power {runs} -m ndcg@10": "assay.power/1",
    "power --effect 0.05 --sd 0.3 --queries 40": "assay.query_plan/1",
    "power {runs} examples/hybrid.run -m ndcg@10": "assay.discrimination/1",
    "experiment compare experiment.jsonl -m ctr@3 abandonment --sequential --window 1": "assay.experiment/1",
    "experiment compare experiment.jsonl -m ctr@3 --split a=60,b=40 --start 2026-02-02": "assay.experiment/1",
    "experiment interleaving clicks.csv": "assay.interleaving/1",
    "conformance --function schema_metric:score": "assay.conformance/1",
}
"""Command, to which `-f json` is added → the schema of what it prints."""


def closed(schema):
    """The schema without fields that it does not name: later versions may add some, but this version must name its own."""
    if isinstance(schema, list):
        return [closed(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    inside = {name: closed(inner) for name, inner in schema.items()}
    return {"additionalProperties": False, **inside} if "properties" in inside and inside.get("type") == "object" else inside


def faults(content, name):
    return [str(fault) for fault in jsonschema_rs.validator_for(closed(schema_of(name))).iter_errors(content)]


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with the examples, a store with an evaluation and judgments, and rules."""
    folder = tmp_path_factory.mktemp("schemas")
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "gate.yaml").write_text(RULES)
    searches = [
        {"user": f"u{number}", "variant": "ab"[number % 2], "query": "q", "time": 1.77e9 + 3600.0 * number}
        | {"shown": ["x", "y", "z"], "clicks": ["x", "y", "z"][: number % 3]}
        for number in range(12)
    ]
    (folder / "experiment.jsonl").write_text("".join(json.dumps(search) + "\n" for search in searches))
    rows = [
        f"u{number},s{number},q,d{rank},{rank},{int(rank == 1)},{team}"
        for number in range(9)
        for rank, team in ((1, "a"), (2, "b"))
    ]
    (folder / "clicks.csv").write_text("\n".join(["user,search_id,query,doc_id,rank,clicked,team", *rows]))
    (folder / "answers.jsonl").write_text('{"query_id": "q1", "answer": "Bonn", "expected": "Bonn", "confidence": 0.9}\n')
    (folder / "letor.txt").write_text("1 qid:1 1:2\n0 qid:1 1:1\n1 qid:2 1:2 2:1\n0 qid:2 1:3\n")
    (folder / "routes.jsonl").write_text('{"query_id": "q1", "route": "a", "optimal_expert": "a"}\n')
    (folder / "schema_judge.py").write_text(
        "def grade(query, document):\n    return 1 if query else None\n"
        "def decide(task, statement, text):\n    return ['a', 'b'] if task == 'claims' else {'a': 'yes'}.get(statement)\n"
    )
    (folder / "judged.jsonl").write_text('{"query_id": "q1", "question": "?", "answer": "a. b", "contexts": ["a"]}\n')
    head = {"schema": "assay.pool/1", "id": "p", "benchmark": "rag-template", "systems": ["bm25"]}
    pairs = [{"query": "q01", "document": doc, "document_text": "text"} for doc in ("p001", "p002")]
    (folder / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (head, *pairs)))
    (folder / "schema_metric.py").write_text("def score(*values, **more):\n    return 0.0\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        patch.setenv("ASSAY_STORE", str(folder / "store.db"))
        evaluation = "eval --benchmarks rag-template --providers bm25 tfidf_chars --metrics ndcg@10 mrr --quiet"
        assert main([*evaluation.split(), "-o", "result.json"]) == 0
        assert main(["bless", "latest", "--as", "main"]) == 0
        with Store.open(folder / "store.db") as store:
            for judge in ("ann", "ben"):
                store.judgments.give(Judgment("rag-template", "q01", "p001", judge, 2.0))
                store.judgments.give(Judgment("rag-template", "q01", "p001", "model-a", 1, kind="model"))
                store.judgments.give(Judgment("rag-template", "q02", "p001", judge, float(judge == "ann")))
            store.judgments.give(Judgment("rag-template", "q02", "p001", "ann", 1.0, is_settled=True))
            store.judgments.leave_undecided(Undecided("rag-template", "q03", "p001", "ann", "no text"))
        yield folder


def test_the_schemas_in_the_package_are_those_of_the_records():
    for name, schema in generated_schemas().items():
        assert json.loads(schema_path(name).read_text(encoding="utf-8")) == schema, "run make docs"
    assert schema_names() == sorted(generated_schemas())
    for name in schema_names():
        jsonschema_rs.meta.validate(schema_of(name))


def test_every_schema_that_is_written_is_shipped():
    """A new kind of file without a schema fails here."""
    written = set()
    for file in (ROOT / "src" / "assay").rglob("*.py"):
        written |= set(re.findall(r'"(assay\.[\w-]+/\d+)"', file.read_text(encoding="utf-8")))
    assert written - INTERNAL == set(schema_names())


def test_an_unknown_schema_is_an_error_with_similar_names():
    with pytest.raises(assay.UnknownName, match=r"Did you mean assay\.result/1"):
        schema_of("assay.reslt/1")


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_prints_is_valid(command, workplace, capsys):
    assert main([*command.format(runs=RUNS).split(), "-f", "json"]) in (0, 1)
    content = json.loads(capsys.readouterr().out)
    assert content["schema"] == COMMANDS[command]
    assert faults(content, COMMANDS[command]) == []


def test_every_schema_has_a_command_or_a_file():
    files = {"assay.benchmark/1", "assay.export/1", "assay.pool/1", "assay.verdicts/1", "assay.watch/1"}
    inputs = {"assay.plan/1", "assay.rules/1"}  # see test_input_schemas
    assert set(COMMANDS.values()) | files | inputs == set(schema_names())


def test_lines_of_a_pool_are_valid():
    lines = [json.loads(line) for line in pool_lines(assay.pool({"bm25": {"q1": ["a", "b"]}}, pairs=1))]
    assert len(lines) == 3
    assert [faults(line, "assay.pool/1") for line in lines] == [[]] * 3
    assert faults({**lines[1], "probability": 2}, "assay.pool/1")


def test_lines_of_verdicts_are_valid(workplace):
    judged = "answers judged.jsonl -m faithfulness --with python:schema_judge:decide --send --write-verdicts verdicts.jsonl"
    assert main(judged.split()) == 0
    lines = [json.loads(line) for line in Path("verdicts.jsonl").read_text().splitlines()]
    assert [line.get("verdict") for line in lines] == [None, "yes", None]
    assert [faults(line, "assay.verdicts/1") for line in lines] == [[]] * 3


def test_files_are_valid(workplace):
    assert main(["results", "export", "all.zst"]) == 0
    with (workplace / "all.zst").open("rb") as file, zstandard.ZstdDecompressor().stream_reader(file) as unpacked:
        lines = unpacked.read().splitlines()
    assert len(lines) > 4
    assert [faults(json.loads(line), "assay.export/1") for line in lines] == [[]] * len(lines)
    assert (
        main(["watch", "--rule", "ndcg@10 >= 0.99", "--command", f"{sys.executable} -c pass", "--state", "sent.json"]) == 0
    )
    assert faults(json.loads((workplace / "sent.json").read_text()), "assay.watch/1") == []


@pytest.mark.parametrize("name", ["rag-template", "own"])
def test_saved_benchmarks_are_valid(name, tmp_path):
    dataset = assay.load_dataset("rag-template")
    if name == "own":
        dataset.add_judgment(assay.RelevanceJudgment("q01", "p001", 2, judge="ann"))
        dataset.spans["q01"] = [assay.Span("p001", 0, 5)]
    dataset.save(tmp_path / "saved.json")
    assert faults(json.loads((tmp_path / "saved.json").read_text(encoding="utf-8")), "assay.benchmark/1") == []


def test_objects_in_json_are_valid():
    qrels, runs = {"q1": {"a": 1}, "q2": {"b": 1}}, {"x": {"q1": ["a"], "q2": ["c"]}, "y": {"q1": ["b"], "q2": ["b"]}}
    comparison = assay.compare(qrels, runs, "mrr")
    assert faults(json.loads(comparison.to_json()), "assay.comparison/1") == []
    assert faults(json.loads(comparison.results[0].to_json()), "assay.result/1") == []


def test_a_schema_refuses_what_is_wrong():
    content = json.loads(assay.evaluate({"q1": {"a": 1}}, {"q1": ["a"]}, "mrr").to_json())
    assert faults({**content, "schema": "assay.result/2"}, "assay.result/1")
    del content["results"][0]["summary"]
    [fault] = faults(content, "assay.result/1")
    assert fault.startswith('"summary" is a required property')
