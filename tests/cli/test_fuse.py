"""assay fuse: list, explain, fuse and tune."""

import json

import pytest

import assay as library
from assay.datasets.format import find_format
from assay.files.writing import write_qrels

ONE = "q1 Q0 a 1 9 one\nq1 Q0 b 2 5 one\nq2 Q0 a 1 1 one\n"
TWO = "q1 Q0 b 1 0.9 two\nq1 Q0 c 2 0.1 two\n"


@pytest.fixture
def runs(files):
    (files / "one.run").write_text(ONE)
    (files / "two.run").write_text(TWO)
    return files


def test_methods_are_listed(assay):
    listed = assay("fuse")
    assert listed.code == 0
    assert "rrf" in listed.out
    assert "weighted_condorcet" in listed.out
    assert "ranks, judgments" in listed.out


def test_one_is_explained(assay):
    explained = assay("fuse", "--method", "comb-mnz").out
    assert explained.startswith("comb_mnz: a document's normalised scores")
    assert "min_max" in explained
    assert "with weights: weighted_mnz" in explained
    assert "Fox & Shaw 1994" in explained


def test_a_run_on_standard_output(assay, runs):
    outcome = assay("fuse", "one.run", "two.run", "--method", "rrf(k=0)")
    assert outcome.code == 0
    assert outcome.out == ("q1 Q0 b 1 1.5 rrf\nq1 Q0 a 2 1.0 rrf\nq1 Q0 c 3 0.5 rrf\nq2 Q0 a 1 1.0 rrf\n")


def test_files_by_their_ending(assay, runs):
    for name in ("fused.run", "fused.json"):
        done = assay("fuse", "one.run", "two.run", "--method", "comb_sum", "-o", name, "--depth", 2, "--tag", "mine")
        assert (done.code, done.out) == (0, "")
    assert (runs / "fused.run").read_text().splitlines()[0] == "q1 Q0 b 1 1.0 mine"
    assert json.loads((runs / "fused.json").read_text()) == {"q1": {"b": 1.0, "a": 1.0}, "q2": {"a": 1.0}}
    assert json.loads(assay("fuse", "one.run", "fused.json", "-f", "json").out)["q2"] == {"a": pytest.approx(2 / 61)}


def test_norm_and_weights(assay, runs):
    outcome = assay("fuse", "one.run", "two.run", "--method", "weighted", "--norm", "none", "--weights", "1", "10")
    assert outcome.out.splitlines()[0] == "q1 Q0 b 1 14.0 weighted_sum"
    switched = assay("fuse", "one.run", "two.run", "--method", "comb_mnz", "--weights", "1", "10")
    assert switched.out.splitlines()[0] == "q1 Q0 b 1 11.0 weighted_mnz"


def test_a_method_that_learns(assay, files):
    outcome = assay("fuse", "good.run", "poor.run", "--method", "mapfuse", "--qrels", "qrels.txt")
    assert outcome.code == 0
    assert outcome.out.splitlines()[0] == "q1 Q0 d1 1 1.0625 mapfuse"  # MAP 1 and 1/8, at ranks 1 and 2
    assert "learnt from 2 judged queries" in outcome.err


def test_tuning(assay, files):
    tuned = assay("fuse", "good.run", "poor.run", "--tune", "map", "--qrels", "qrels.txt", "--folds", 2, "-o", "fused.run")
    assert tuned.code == 0
    assert "2 judged queries" in tuned.out
    assert "gain over good on held-out queries: " in tuned.out
    assert "assay fuse good.run poor.run --method" in tuned.out
    assert (files / "fused.run").exists()
    options = ("--method", "rrf", "comb_sum", "--tune", "map", "--qrels", "qrels.txt", "--folds", 2, "-f", "json")
    report = json.loads(assay("fuse", "good.run", "poor.run", *options).out)
    assert report["singles"] == {"good": 1.0, "poor": 0.125}
    assert report["chosen"].startswith(("rrf", "comb_sum"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "fused.run"], "which runs?"),
        (["-", "-"], "can be read once only"),
        (["one.run", "two.run", "--method", "rff"], "Did you mean rrf"),
        (["one.run", "two.run", "--method", "rrf", "borda"], "--tune METRIC tries several"),
        (["--method", "rrf", "one.run", "two.run"], "Put files first"),
        (["--weights", "1", "2", "one.run", "two.run"], "Put files first"),
        (["one.run", "two.run", "--method", "rrf", "--norm", "max"], "error: rrf has no parameter 'norm': it goes by ranks"),
        (["one.run", "two.run", "--method", "comb_sum", "--norm", "best"], "norm is one of min_max"),
        (["one.run", "two.run", "--method", "weighted_sum", "--weights", "1"], "1 weight for 2 runs"),
        (
            ["one.run", "two.run", "--method", "weighted_sum", "--weights", "x", "1"],
            "as in [0.7, 0.3], not '[x, 1]'",
        ),
        (["one.run", "two.run", "--method", "comb_max", "--weights", "1", "2"], "all runs count alike in it"),
        (["one.run", "two.run", "--method", "mapfuse"], "name them with --qrels"),
        (["one.run", "two.run", "--qrels", "qrels.txt"], "learns nothing from judgments"),
        (["one.run", "two.run", "--tune", "map"], "--tune needs judgments"),
        (["one.run", "two.run", "--tune", "mapp", "--qrels", "qrels.txt"], "no metric is called"),
        (["one.run", "two.run", "--tune", "map", "--qrels", "qrels.txt", "--norm", "max"], "finds weights and norm itself"),
        (["one.run", "two.run", "--tune", "map", "--qrels", "qrels.txt", "-f", "trec"], "text or json"),
        (["one.run", "two.run", "-f", "text"], "trec or json"),
        (["one.run", "two.run", "--folds", "3"], "are for --tune"),
        (["one.run", "two.run", "--tune", "map", "--qrels", "qrels.txt", "--folds", "9"], "from 2 to the number of judged"),
    ],
)
def test_usage(assay, runs, arguments, message):
    outcome = assay("fuse", *arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.out == ""


def test_data_faults_name_their_file(assay, runs):
    (runs / "bad.run").write_text("q1 Q0 a 1 high one\n")
    outcome = assay("fuse", "one.run", "bad.run")
    assert outcome.code == 3
    assert "bad.run:1: score 'high' is not a number" in outcome.err
    (runs / "blank.json").write_text('{"q1": {"a b": 1.0}}')
    outcome = assay("fuse", "one.run", "blank.json")
    assert outcome.code == 3
    assert "the fused run: the id 'a b' has a blank in it" in outcome.err
    assert assay("fuse", "one.run", "blank.json", "-f", "json").code == 0


def test_a_document_ranked_twice(assay, runs):
    """Its better score counts, if that is wanted."""
    (runs / "twice.run").write_text("q1 Q0 a 1 9 t\nq1 Q0 b 2 5 t\nq1 Q0 a 3 1 t\n")
    refused = assay("fuse", "twice.run", "two.run")
    assert refused.code == 3
    assert "--duplicates keep-best uses the better score" in refused.err
    for word in ("keep-best", "keep_best"):
        kept = assay("fuse", "twice.run", "two.run", "--duplicates", word, "--method", "comb_sum(norm=none)")
        assert kept.out.splitlines()[0] == "q1 Q0 a 1 9.0 comb_sum"


def test_judgments_among_runs_are_told_where_they_belong(assay, files):
    for arguments in (["qrels.txt", "good.run"], ["good.run", "poor.run", "--tune", "map", "--qrels", "good.run"]):
        outcome = assay("fuse", *arguments)
        assert outcome.code == 3
        assert outcome.err.endswith("runs come by themselves, judgments by --qrels FILE\n")
    assert assay("score", "good.run", "qrels.txt").err.endswith("judgments come first, then runs\n")


def test_tuning_with_few_queries_has_few_folds(assay, files):
    tuned = assay("fuse", "good.run", "poor.run", "--tune", "map", "--qrels", "qrels.txt")
    assert (tuned.code, tuned.err) == (0, "")
    assert tuned.out.startswith("2 judged queries · 57 fusions tried · 2 folds\n")


def test_tuning_by_judgments_of_other_queries(assay, runs):
    """None in the runs: refused. Some: told."""
    (runs / "other.txt").write_text("x1 0 a 1\nx2 0 a 1\n")
    refused = assay("fuse", "one.run", "two.run", "--tune", "map", "--qrels", "other.txt")
    assert (refused.code, refused.out) == (3, "")
    assert (
        "no judged query is in any of the runs: the first judged query is x1, the first query of the runs is q1"
        in refused.err
    )
    (runs / "some.txt").write_text("x1 0 a 1\nq1 0 a 1\nq2 0 a 1\n")
    told = assay("fuse", "one.run", "two.run", "--tune", "map", "--qrels", "some.txt", "-f", "json")
    assert told.code == 0
    assert told.err == "note: 1 of 3 judged queries is in no run, scored as an empty ranking (x1)\n"
    assert json.loads(told.out)["unanswered"] == ["x1"]


def test_judgments_of_a_benchmark_by_name_folder_or_file(assay, tmp_path, monkeypatch):
    """Tuned by the benchmark's own judgments, however it is named, and by the same judgments in a file."""
    monkeypatch.chdir(tmp_path)
    dataset = library.load_dataset("rag-template")
    for name in ("bm25", "tfidf_chars"):
        run = library.run(dataset, name, ["mrr"]).run
        (tmp_path / f"{name}.run").write_text(
            "".join(f"{query} Q0 {doc} 1 {score!r} x\n" for query, ranking in run.items() for doc, score in ranking.items())
        )
    write_qrels(dataset.qrels, tmp_path / "qrels.txt")
    find_format("beir").save(dataset, tmp_path / "folder")
    dataset.save_json(tmp_path / "whole.json")
    tune = ("fuse", "bm25.run", "tfidf_chars.run", "--method", "rrf", "--tune", "mrr", "--folds", 2, "-f", "json", "--qrels")
    wanted = json.loads(assay(*tune, "qrels.txt").out)
    for given in ("rag-template", "folder", "./folder:test", "whole.json"):
        done = assay(*tune, given)
        assert (done.code, json.loads(done.out)) == (0, wanted), done.err


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        ("rag-templat", 2, "no benchmark is called 'rag-templat'. Did you mean rag-template?"),
        ("none/qrels.txt", 3, "none/qrels.txt: no such file"),
        ("bare.json", 3, "bare.json: no query of it has judgments, and fusions are tuned and taught by these alone"),
    ],
)
def test_judgments_that_are_not_there(assay, runs, given, code, says):
    library.BenchmarkDataset("bare", queries={"q": library.Query("q", "x")}).save_json(runs / "bare.json")
    done = assay("fuse", "one.run", "two.run", "--tune", "map", "--qrels", given)
    assert (done.code, done.out) == (code, "")
    assert says in done.err
