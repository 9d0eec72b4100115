"""assay plan check: what `assay eval` would say, without asking anything."""

import json
from pathlib import Path

import pytest

PLAN = "benchmarks: rag-template\nproviders: [bm25, {bm25: {k1: [0.9, 1.2]}}]\nmetrics: [mrr]\nselection: {limit: 3}\n"
FAULTS = {
    "metric": ("mrr", "mmr"),
    "field": ("limit", "limt"),
    "both": ("[mrr]\nselection: {limit", "[mmr]\nselection: {limt"),
    "benchmark": ("rag-template", "rag-tempalte"),
    "tag": ("limit: 3", "where: {domain: nowhere}"),
    "value": ("limit: 3", "where: {difficulty: [hard, hardd]}"),
    "output": ("metrics: [mrr]", "outputs: [r.xlsx]"),
    "yaml": ("metrics: [mrr]", "metrics: [mrr"),
    "module": ("[bm25, {bm25: {k1: [0.9, 1.2]}}]", "['python:no_such_module:search']"),
    "part": ("[bm25, {bm25: {k1: [0.9, 1.2]}}]", "[{hybrid: {providers: [bm25, 'python:no_such_module:search']}}]"),
    "run": ("[bm25, {bm25: {k1: [0.9, 1.2]}}]", "['replay:gone.trec']"),
}
ALL_WRONG = """\
benchmarks: [rag-tempalte, gone.json, rag-template]
providers: [bm25, 'python:no_such_module:search', 'replay:gone.trec']
outputs: [a.xlsx, b.json, c]
id_map: ids.tsv
"""
NOTED = "benchmarks: rag-template\nproviders: ['tuned=bm25(k1=0.9)']\nmetrics: [ndcg@10]\nk: 5\nselection: {range: 5:10}\n"


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("plan.yaml").write_text(PLAN)
    return tmp_path


def test_a_plan_that_is_fine(assay, place, transcript):
    transcript("plan/fine")
    assert list(place.iterdir()) == [place / "plan.yaml"]
    plain = json.loads(assay("plan", "check", "plan.yaml", "-f", "json").out)
    assert (plain["queries"], plain["k"], len(plain["providers"])) == ({"rag-template": 3}, 100, 3)
    Path("noted.yaml").write_text(NOTED)
    transcript("plan/noted")
    assert len(json.loads(assay("plan", "check", "noted.yaml", "-f", "json").out)["notes"]) == 1


def test_what_is_wrong_is_told(assay, transcript):
    for name, change in FAULTS.items():
        Path(f"{name}.yaml").write_text(PLAN.replace(*change))
    Path("all.yaml").write_text(ALL_WRONG)
    Path("ids.tsv").write_text("a#1 a\nb#1\n")
    transcript("plan/faults")
