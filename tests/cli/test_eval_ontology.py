"""assay eval and score with an ontology: from the command line to the table."""

import json
from pathlib import Path

import pytest

from assay.datasets import BenchmarkDataset
from assay.model import Document, Query

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


def results(done):
    assert done.code == 0, done.err
    return json.loads(done.out)["results"]


EVAL = ("eval", "--benchmarks", "terms.json", "--ontology", "x.obo", "--quiet", "--no-store", "-f", "json", "--providers")


@pytest.mark.usefixtures("place")
def test_terms_are_alike_in_eval_score_and_compare(assay):
    """The oracle knows it too; and where a benchmark has no documents, terms are searched."""
    words = ("bm25", "oracle", "-m", "MaxOntSim@1", "ndcg", "recall@10", "--relevance", "ontology(formula=simple)")
    found, best = results(assay(*EVAL, *words))
    assert (found["relevance"]["ontology"]["name"], 0 < found["summary"]["max_ont_sim@1"] <= 1) == ("x", True)
    assert (best["summary"]["ndcg"], best["summary"]["recall@10"]) == (pytest.approx(1), 1)
    one = "max_ont_sim(formula=simple)@1"
    scored = results(assay("score", "qrels.txt", "one.run", "two.run", "-m", one, "--ontology", "x.obo", "-f", "json"))
    assert [list(result["summary"].values()) for result in scored] == [[0.5], [1.0]]
    assert assay("compare", "qrels.txt", "one.run", "two.run", "-m", one, "--ontology", "x.obo").code == 0
    Path("golden.jsonl").write_text('{"query": "a chill", "relevant": ["X:4"]}\n')
    (found,) = results(assay(*EVAL, "bm25", "--benchmarks", "golden.jsonl", "-m", "mrr"))
    assert found["summary"]["mrr"] == 1


@pytest.mark.usefixtures("place")
def test_annotations_count_in_eval_score_and_compare(assay):
    Path("things.tsv").write_text("t1\tX:3\nt2\tX:4\nt3\tX:2\n")
    metric = ("-m", "max_ont_sim(formula=lin(ic=annotations))@1")
    (result,) = results(assay(*EVAL, "bm25", *metric, "--annotations", "things.tsv"))
    assert result["relevance"]["ontology"]["n_annotated"] == 3
    for command in (("score", "qrels.txt", "two.run"), ("compare", "qrels.txt", "one.run", "two.run")):
        assert assay(*command, *metric, "--ontology", "x.obo", "--annotations", "things.tsv").code == 0, command
        assert assay(*command, *metric, "--ontology", "x.obo").code == 2, command


@pytest.mark.usefixtures("place")
def test_what_is_refused_before_anybody_is_asked(assay, transcript):
    for run in ("one", "two"):
        Path(f"{run}.json").write_text(assay("score", "qrels.txt", f"{run}.run", "-m", "mrr", "-f", "json").out)
    transcript("eval/ontology")
