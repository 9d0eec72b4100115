"""assay eval and score with an ontology: from the command line to the table."""

import json

import pytest

from assay import BenchmarkDataset
from assay.model.records import Document, Query

PARENTS = {"X:1": (), "X:2": ("X:1",), "X:3": ("X:2",), "X:4": ("X:1",)}
NAMES = {"X:1": "everything", "X:2": "fever", "X:3": "high fever", "X:4": "chill"}
OBO = "format-version: 1.2\nontology: x\n\n" + "\n".join(
    f"[Term]\nid: {one}\nname: {NAMES[one]}\n" + "".join(f"is_a: {up}\n" for up in above) for one, above in PARENTS.items()
)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with an ontology, a benchmark of its terms, judgments and a run."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.obo").write_text(OBO)
    benchmark = BenchmarkDataset("terms")
    for one, name in NAMES.items():
        benchmark.add_document(Document(one, name))
    for query, term in (("fever", "X:3"), ("chill", "X:4")):
        benchmark.add_query(Query(query, query))
        benchmark.qrels[query] = {term: 1}
    benchmark.save_json(tmp_path / "terms.json")
    (tmp_path / "qrels.txt").write_text("q 0 X:3 1\n")
    (tmp_path / "one.run").write_text("q Q0 X:2 1 9 one\n")
    (tmp_path / "two.run").write_text("q Q0 X:3 1 9 two\n")


@pytest.mark.usefixtures("place")
def test_eval(assay):
    words = ("eval", "--benchmarks", "terms.json", "--providers", "bm25", "--ontology", "x.obo", "--quiet", "-f", "json")
    done = assay(*words, "--metrics", "MaxOntSim@1", "ndcg@10", "--relevance", "ontology(formula=simple)")
    assert done.code == 0, done.err
    (result,) = json.loads(done.out)["results"]
    assert result["relevance"]["ontology"]["name"] == "x"
    assert 0 < result["summary"]["max_ont_sim@1"] <= 1


@pytest.mark.usefixtures("place")
def test_eval_fails_before_anything_is_asked(assay):
    done = assay("eval", "--benchmarks", "terms.json", "--providers", "bm25", "--metrics", "MaxOntSim@1")
    assert done.code == 2
    assert "max_ont_sim@1 needs an ontology" in done.err
    assert "queries" not in done.err


@pytest.mark.usefixtures("place")
def test_score_and_compare(assay):
    done = assay("score", "qrels.txt", "one.run", "two.run", "-m", "max_ont_sim(formula=simple)@1", "--ontology", "x.obo")
    assert done.code == 0, done.err
    assert "0.5000" in done.out
    assert "1.0000" in done.out
    done = assay("compare", "qrels.txt", "one.run", "two.run", "-m", "max_ont_sim(formula=simple)@1", "--ontology", "x.obo")
    assert done.code == 0, done.err


@pytest.mark.usefixtures("place")
def test_the_oracle_knows_what_is_alike(assay):
    words = ("eval", "--benchmarks", "terms.json", "--providers", "oracle", "--ontology", "x.obo", "--quiet", "-f", "json")
    done = assay(*words, "--metrics", "ndcg", "recall@10", "--relevance", "ontology(formula=simple)")
    assert done.code == 0, done.err
    (result,) = json.loads(done.out)["results"]
    assert result["summary"]["ndcg"] == pytest.approx(1)
    assert result["summary"]["recall@10"] == 1
