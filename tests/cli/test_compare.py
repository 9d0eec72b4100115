"""assay compare: formats, saved results, slices, queries that moved, mistakes."""

import csv
import io
import json
from pathlib import Path

import pytest

import assay as library

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def examples(files):
    """The example files in the working directory."""
    for name in ("qrels.txt", "bm25.run", "dense.run", "hybrid.run", "rag-template.run"):
        (files / name).write_bytes((EXAMPLES / name).read_bytes())
    return files


@pytest.fixture
def saved(examples, assay):
    """Results of the examples: one in each file, and two in one."""
    for name in ("bm25", "dense", "hybrid"):
        assert assay("score", "qrels.txt", f"{name}.run", "-m", "map", "mrr", "-o", f"{name}.json").code == 0
    contents = [json.loads((examples / f"{name}.json").read_text()) for name in ("bm25", "dense")]
    both = {**contents[0], "results": [one for content in contents for one in content["results"]]}
    (examples / "all.json").write_text(json.dumps(both))


@pytest.fixture(scope="module")
def tagged(tmp_path_factory):
    """Two evaluations of rag-template, whose queries have tags."""
    folder = tmp_path_factory.mktemp("tagged")
    dataset = library.load_dataset("rag-template")
    for name in ("bm25", "tfidf_chars"):
        result = library.run(dataset, name, ["ndcg@10", "mrr"])
        content = {"schema": "assay.result/1", "results": [result.to_dict()]}
        (folder / f"{name}.json").write_text(json.dumps(content))
    return folder


def on_benchmarks(path, *benchmarks):
    """The results of a file, once for each benchmark."""
    content = json.loads(Path(path).read_text())
    content["results"] = [{**one, "benchmark": name} for name in benchmarks for one in content["results"]]
    Path(path).write_text(json.dumps(content))


def rows(out):
    return list(csv.DictReader(io.StringIO(out)))


def test_two_runs_by_hand(transcript):
    """map: 1 and 1 for good; 1/4 and 0 for poor."""
    transcript("compare/by_hand")


@pytest.mark.usefixtures("examples")
def test_the_figures_are_those_of_the_library(assay):
    how = {"test": "paired_t", "correction": "bh", "alpha": 0.1, "interval": "bca"}
    how |= {"tolerance": 0.01, "rope": 0.02, "seed": 7}
    flags = "--test paired_t --correction bh --level 90% --ci bca --tolerance 0.01 --rope 0.02 --seed 7 -f json"
    done = assay("compare", "qrels.txt", "a=bm25.run", "b=dense.run", "-m", "map", *flags.split())
    (found,) = json.loads(done.out)["comparisons"]
    theirs = library.compare("qrels.txt", {"a": "bm25.run", "b": "dense.run"}, "map", **how)
    assert found["pairs"] == theirs.to_dict()["pairs"]
    assert found["how"] == {**how, "baseline": None, "correction": "benjamini_hochberg", "correct_metrics": False}
    assert found["intervals"]["a"]["map"]["level"] == 0.9


@pytest.mark.usefixtures("examples")
def test_a_benchmark_with_words_and_chunks_that_are_rolled_up(assay, transcript):
    lines = [line.split() for line in Path("rag-template.run").read_text().splitlines()]
    Path("chunks.run").write_text("".join(f"{q} Q0 {doc}#{rank} {rank} {score} t\n" for q, _, doc, rank, score, _ in lines))
    Path("nothing.run").write_text("q01 Q0 nobody 1 1 t\n")
    transcript("compare/benchmark")


@pytest.mark.usefixtures("saved")
def test_saved_results(assay, transcript):
    runs = rows(assay("compare", "qrels.txt", "bm25.run", "new=dense.run", "-m", "map", "mrr", "-f", "csv").out)
    assert rows(assay("compare", "bm25.json", "new=dense.json", "-f", "csv").out) == runs
    Path("sub").mkdir()
    Path("sub/bm25.json").write_bytes(Path("bm25.json").read_bytes())
    Path("a=b.run").write_bytes(Path("bm25.run").read_bytes())
    transcript("compare/names")
    Path("some.txt").write_text("".join(Path("qrels.txt").read_text().splitlines(keepends=True)[:60]))
    assert assay("score", "some.txt", "dense.run", "-m", "map", "--rel", "2", "-o", "some.json").code == 0
    transcript("compare/other_data")


@pytest.mark.usefixtures("saved")
def test_one_comparison_for_each_benchmark(transcript):
    on_benchmarks("all.json", "first", "second")
    on_benchmarks("hybrid.json", "third")
    on_benchmarks("dense.json", "second")
    transcript("compare/benchmarks")


def test_slices_rankings_and_agreement(tagged, assay, transcript, monkeypatch):
    monkeypatch.chdir(tagged)
    transcript("compare/slices")
    both = ("compare", "bm25.json", "tfidf_chars.json", "-m", "mrr", "--by", "type", "--slices", "--agreement")
    (one,) = json.loads(assay(*both, "-f", "json").out)["comparisons"]
    assert {"pairs", "slices", "worst_slices", "agreement"} <= one.keys()
    assert {row["by"] for row in one["slices"]["slices"]} == {"query_type"}, "data keep the name that the tag has"


@pytest.mark.usefixtures("saved")
def test_mistakes_say_what_to_do(transcript):
    Path("broken.run").write_text("q1 Q0 d1 1 high tag\n")
    transcript("compare/refused")
    transcript("compare/mistakes")


# ---- unjudged documents


@pytest.fixture
def lopsided(files):
    """a.run: everything is judged; b.run: nothing is."""
    n = 12
    (files / "judged.txt").write_text("".join(f"q{number} 0 r 1\nq{number} 0 n 0\n" for number in range(n)))
    for name, documents in (("a", "rn"), ("b", "uv")):
        rows = [f"q{number} Q0 {doc} {rank} {-rank} x\n" for number in range(n) for rank, doc in enumerate(documents, 1)]
        (files / f"{name}.run").write_text("".join(rows))


@pytest.mark.usefixtures("lopsided")
def test_unjudged_documents_that_could_reverse_a_verdict(transcript):
    transcript("compare/unjudged")


@pytest.mark.usefixtures("lopsided")
def test_every_metric_has_a_range_on_request(assay):
    both = ("compare", "judged.txt", "a.run", "b.run", "-m", "ndcg@2", "precision@2")
    plain, every = (assay(*both, *flag).out.splitlines() for flag in ((), ("--residuals",)))
    (doubt,) = [line for line in plain if "could be reversed" in line]
    assert doubt in every, "one wording, with the range"
    other = "Depending on the grades of the 24 unjudged results in the first 2, the lead of a over b on precision@2 could be"
    assert f"{other} between −0.500 and +0.500." in every
    (found,) = json.loads(assay(*both, "--residuals", "-f", "json").out)["comparisons"]
    assert [pair["unjudged"]["low"] for pair in found["pairs"]][1] == -0.5
    assert [pair["is_significant"] for pair in found["pairs"]] == [True, None], "precision@2 was not tested"


@pytest.mark.usefixtures("lopsided")
def test_score_and_compare_have_the_same_range(assay):
    for metric in ("ndcg@2", "precision@2", "map", "recall@2"):
        both = ("judged.txt", "a.run", "b.run", "-m", metric, "--residuals")
        (compared,) = json.loads(assay("compare", *both, "-f", "json").out)["comparisons"]
        found = compared["pairs"][0]["unjudged"]
        ends = f"its lead could be between −{found['high']:.6f} and +{-found['low']:.6f}"
        assert ends in assay("score", *both, "--digits", "6").out, metric
