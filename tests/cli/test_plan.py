"""assay plan check: what `assay eval` would say, without asking anything."""

import json

import pytest

PLAN = "benchmarks: rag-template\nproviders: [bm25, {bm25: {k1: [0.9, 1.2]}}]\nmetrics: [mrr]\nselection: {limit: 3}\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.yaml").write_text(PLAN)
    return tmp_path


def test_a_plan_that_is_fine(place, assay):
    done = assay("plan", "check", "plan.yaml")
    assert (done.code, done.err) == (0, "")
    assert "plan.yaml is fine: 3 results, k = 100" in done.out
    assert "rag-template (3 queries) × bm25(k1=0.9)" in done.out
    assert "metrics: mrr" in done.out
    assert list(place.iterdir()) == [place / "plan.yaml"]


def test_as_json(place, assay):
    plain = json.loads(assay("plan", "check", "plan.yaml", "-f", "json").out)
    assert plain["queries"] == {"rag-template": 3}
    assert plain["k"] == 100
    assert len(plain["providers"]) == 3


@pytest.mark.parametrize(
    ("change", "code", "told"),
    [
        (("mrr", "mmr"), 2, "Did you mean mrr"),
        (("limit", "limt"), 2, "plan.yaml: selection is called 'limt'. Did you mean limit?"),
        (("rag-template", "rag-tempalte"), 2, "Did you mean rag-template?"),
        (("limit: 3", "where: {domain: nowhere}"), 5, "domain is never nowhere"),
        (("metrics: [mrr]", "outputs: [r.xlsx]"), 2, "the ending tells the format"),
        (("metrics: [mrr]", "metrics: [mrr"), 3, "no YAML"),
    ],
)
def test_what_is_wrong_is_told(place, assay, change, code, told):
    (place / "plan.yaml").write_text(PLAN.replace(*change))
    done = assay("plan", "check", "plan.yaml")
    assert (done.code, done.out) == (code, "")
    assert told in done.err


@pytest.mark.parametrize("words", [(), ("check",), ("chek", "plan.yaml"), ("check", "a", "b")])
def test_how_it_is_written(place, assay, words):
    done = assay("plan", *words)
    assert done.code == 2
    assert "assay plan check plan.yaml" in done.err
