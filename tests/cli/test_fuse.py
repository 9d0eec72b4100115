"""assay fuse: list, explain, fuse and tune."""

import json

import assay as library


def test_fuse(files, transcript):
    transcript("fuse/fused")


def test_rankings_of_results_are_fused_as_those_of_runs(assay, place):
    plan = ("eval", "plan.yaml", "--quiet", "--providers", "one=python:mine:search", "two=python:mine:other")
    assert assay(*plan, "-o", "both.json", "-o", "runs.trec").code == 0
    fused = assay("fuse", "latest#one", "latest#two").out
    assert fused
    assert fused == assay("fuse", "both.json").out == assay("fuse", "x=both.json#one", "latest#small/two").out


def test_judgments_of_a_benchmark_by_name_folder_or_file(assay, files):
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
