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


@pytest.mark.usefixtures("place")
def test_annotations_count_in_eval_score_and_compare(assay, tmp_path):
    (tmp_path / "things.tsv").write_text("t1\tX:3\nt2\tX:4\nt3\tX:2\n")
    metric = "max_ont_sim(formula=lin(ic=annotations))@1"
    words = ("eval", "--benchmarks", "terms.json", "--providers", "bm25", "--ontology", "x.obo", "-m", metric, "--no-store")
    done = assay(*words)
    assert (done.code, "counts annotations, and there are none: --annotations FILE" in done.err) == (2, True)
    assert "bm25" not in done.err, "nobody was asked"
    done = assay(*words, "--annotations", "things.tsv", "--quiet", "-f", "json")
    assert done.code == 0, done.err
    (result,) = json.loads(done.out)["results"]
    assert result["relevance"]["ontology"]["n_annotated"] == 3
    for command in (("score", "qrels.txt", "two.run"), ("compare", "qrels.txt", "one.run", "two.run")):
        done = assay(*command, "-m", metric, "--ontology", "x.obo", "--annotations", "things.tsv")
        assert done.code == 0, done.err
        assert assay(*command, "-m", metric, "--ontology", "x.obo").code == 2


@pytest.mark.usefixtures("place")
def test_score_reads_ids_under_other_names(assay, tmp_path):
    (tmp_path / "x.obo").write_text(OBO + "\n[Term]\nid: X:9\nis_obsolete: true\nreplaced_by: X:3\n")
    (tmp_path / "old.txt").write_text("q 0 X:9 1\n")
    done = assay("score", "old.txt", "two.run", "-m", "hit@1", "max_ont_sim@1", "--ontology", "x.obo", "-f", "json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["results"][0]["summary"].items() >= {"hit@1": 1.0, "max_ont_sim@1": 1.0}.items()


@pytest.mark.usefixtures("place")
def test_an_ontology_of_something_else_is_refused_everywhere(assay, tmp_path):
    (tmp_path / "y.obo").write_text("format-version: 1.2\nontology: y\n\n[Term]\nid: Y:1\n")
    for words in (
        ("eval", "--benchmarks", "terms.json", "--providers", "bm25", "-m", "mrr"),
        ("score", "qrels.txt", "one.run", "-m", "mrr"),
        ("score", "--dataset", "terms.json", "--run", "one.run", "-m", "mrr"),
        ("compare", "qrels.txt", "one.run", "two.run", "-m", "mrr"),
    ):
        done = assay(*words, "--ontology", "y.obo")
        assert (done.code, "is a term of y" in done.err) == (3, True), (words, done.err)


@pytest.mark.usefixtures("place")
def test_an_ontology_for_what_was_scored_before_is_refused(assay):
    for run in ("one", "two"):
        done = assay("score", "qrels.txt", f"{run}.run", "-m", "mrr", "-f", "json")
        (Path(f"{run}.json")).write_text(done.out)
    done = assay("compare", "one.json", "two.json", "--ontology", "x.obo")
    assert (done.code, "--ontology has no place here" in done.err) == (2, True)


@pytest.mark.usefixtures("place")
def test_terms_are_searched_where_a_benchmark_has_no_documents(assay, tmp_path):
    (tmp_path / "golden.jsonl").write_text('{"query": "a chill", "relevant": ["X:4"]}\n')
    words = ("eval", "--benchmarks", "golden.jsonl", "--providers", "bm25", "-m", "mrr", "--quiet", "-f", "json")
    assert assay(*words).code == 3
    done = assay(*words, "--ontology", "x.obo")
    assert json.loads(done.out)["results"][0]["summary"]["mrr"] == 1


@pytest.mark.usefixtures("place")
def test_an_ontology_that_is_not_there_is_no_fault_of_the_judgments(assay):
    for command in ("score", "compare"):
        done = assay(command, "qrels.txt", "one.run", "two.run", "-m", "ndcg@10", "--ontology", "no.obo")
        assert (done.code, done.err) == (3, "error: no.obo: no such file\n")
