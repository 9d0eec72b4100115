"""assay fuse: list, explain, fuse and tune."""

from pathlib import Path

import assay as library

RUN = Path(__file__).parents[2] / "examples" / "rag-template.run"


def test_fuse(files, transcript):
    transcript("fuse/fused")


def test_rankings_of_results_are_fused_as_those_of_runs(assay, place):
    plan = ("eval", "plan.yaml", "--quiet", "--providers", "one=python:mine:search", "two=python:mine:other")
    assert assay(*plan, "-o", "both.json", "-o", "runs.trec").code == 0
    fused = assay("fuse", "latest#one", "latest#two").out
    assert fused
    assert fused == assay("fuse", "both.json").out == assay("fuse", "x=both.json#one", "latest#small/two").out


def test_judgments_of_a_benchmark_by_name_or_file(assay, folder):
    library.load_dataset("rag-template").save_json(folder / "whole.json")
    tune = ("fuse", f"one={RUN}", f"two={RUN}", "--method", "rrf", "--tune", "mrr", "--folds", 2, "-f", "json")
    flags = (("--qrels", "rag-template"), ("--qrels", "whole.json"), ("--dataset", "rag-template"))
    outcomes = {assay(*tune, *words) for words in flags}
    assert [(done.code, done.err) for done in outcomes] == [(0, "")]
