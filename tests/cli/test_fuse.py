"""assay fuse: list, explain, fuse and tune."""

import json
import shlex

import pytest

import assay as library

ONE = "q1 Q0 a 1 9 one\nq1 Q0 b 2 5 one\nq2 Q0 a 1 1 one\n"
TWO = "q1 Q0 b 1 0.9 two\nq1 Q0 c 2 0.1 two\n"


@pytest.fixture(autouse=True)
def runs(files):
    (files / "one.run").write_text(ONE)
    (files / "two.run").write_text(TWO)
    return files


def test_lists_explains_and_fuses(told):
    told(
        "fuse/fused",
        """
        fuse
        fuse --method comb-mnz
        fuse one.run two.run --method 'rrf(k=0)'
        fuse one.run two.run --method weighted --norm none --weights 1 10
        fuse one.run two.run --method comb_mnz --weights 1 10
        fuse good.run poor.run --method mapfuse --qrels qrels.txt
        fuse good.run poor.run --method mapfuse --qrels qrels.txt --quiet
        fuse one.run two.run -f json
        > twice.run q1 Q0 a 1 9 t\\nq1 Q0 b 2 5 t\\nq1 Q0 a 3 1 t\\n
        fuse twice.run two.run
        fuse twice.run two.run --duplicates keep-best --method 'comb_sum(norm=none)'
        > bad.run q1 Q0 a 1 high one\\n
        fuse one.run bad.run
        > blank.json {"q1": {"a b": 1.0}}
        fuse one.run blank.json
        fuse one.run blank.json -f json
        fuse qrels.txt good.run
        """,
    )


def test_files_by_their_ending(assay, files):
    words = ("fuse", "one.run", "two.run", "--method", "comb_sum", "--depth", 2, "--tag", "mine")
    assert assay(*words, "-o", "fused.run", "-o", "fused.json") == (0, "", "")
    assert (files / "fused.run").read_text().splitlines()[0] == "q1 Q0 b 1 1.0 mine"
    assert json.loads((files / "fused.json").read_text()) == {"q1": {"b": 1.0, "a": 1.0}, "q2": {"a": 1.0}}


def test_rankings_of_results_are_fused_as_those_of_runs(assay, place):
    plan = ("eval", "plan.yaml", "--quiet", "--providers", "one=python:mine:search", "two=python:mine:other")
    assert assay(*plan, "-o", "both.json", "-o", "runs.trec").code == 0
    fused = assay("fuse", "latest#one", "latest#two").out
    assert fused
    assert fused == assay("fuse", "both.json").out == assay("fuse", "x=both.json#one", "latest#small/two").out


def test_tuning(assay, files, told):
    (files / "other.txt").write_text("x1 0 a 1\nx2 0 a 1\n")
    (files / "some.txt").write_text("x1 0 a 1\nq1 0 a 1\nq2 0 a 1\n")
    told(
        "fuse/tuned",
        """
        fuse good.run poor.run --tune map --qrels qrels.txt --folds 2 --method rrf comb_sum
        fuse good.run poor.run --tune -m map --qrels qrels.txt --method rrf -f json
        fuse one.run two.run --tune map --qrels other.txt
        fuse one.run two.run --tune map --qrels some.txt --method rrf
        fuse good.run poor.run --tune map --qrels good.run
        """,
    )
    done = assay(
        "fuse", "good.run", "poor.run", "--tune", "map", "--qrels", "qrels.txt", "--method", "rrf", "-o", "fused.run"
    )
    assert (done.code, (files / "fused.run").exists()) == (0, True)


def test_judgments_of_a_benchmark_by_name_folder_or_file(assay, files, told):
    """Tuned by the benchmark's own judgments, however it is named, and by the same judgments in a file."""
    dataset = library.load_dataset("rag-template")
    for name in ("bm25", "tfidf_chars"):
        run = library.run(dataset, name, ["mrr"]).run
        lines = [f"{query} Q0 {doc} 1 {score!r} x\n" for query, docs in run.items() for doc, score in docs.items()]
        (files / f"{name}.run").write_text("".join(lines))
    lines = [f"{query} 0 {doc} {grade:g}\n" for query, docs in dataset.qrels.items() for doc, grade in docs.items()]
    (files / "judged.txt").write_text("".join(lines))
    dataset.save_json(files / "whole.json")
    tune = ("fuse", "bm25.run", "tfidf_chars.run", "--method", "rrf", "--tune", "mrr", "--folds", 2, "-f", "json")
    expected = json.loads(assay(*tune, "--qrels", "judged.txt").out)
    for words in (("--qrels", "rag-template"), ("--qrels", "whole.json"), ("--dataset", "rag-template")):
        done = assay(*tune, *words)
        assert (done.code, json.loads(done.out)) == (0, expected), words
    library.BenchmarkDataset("bare", queries={"q": library.Query("q", "x")}).save_json(files / "bare.json")
    start = "fuse one.run two.run --tune map --qrels"
    told("fuse/no_judgments", f"{start} rag-templat\n{start} none/qrels.txt\n{start} bare.json")


def test_requests_that_are_wrong(assay, told):
    flags = "--method rff|--method rrf borda|--method rrf --norm max|--method comb_sum --norm best"
    flags += "|--method weighted_sum --weights 1|--method weighted_sum --weights x 1|--method comb_max --weights 1 2"
    flags += "|--method mapfuse|--qrels qrels.txt|--tune map"
    flags += "|--tune mapp --qrels qrels.txt|--tune map --qrels qrels.txt --norm max|--tune map --qrels qrels.txt -f trec"
    flags += "|-f text|--folds 3|--tune map --qrels qrels.txt --folds 9|-m map|--tune --qrels qrels.txt"
    lines = [f"fuse one.run two.run {flag}" for flag in flags.split("|")]
    lines += ["fuse -o fused.run", "fuse --method rrf one.run two.run", "fuse --weights 1 2 one.run two.run"]
    told("fuse/refused", "\n".join(lines))
    for line in lines:
        assert assay(*shlex.split(line))[:2] == (2, ""), line
