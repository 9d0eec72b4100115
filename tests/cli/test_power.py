"""assay power: how small a difference can be found, and how many queries one needs."""

import json
from pathlib import Path

import pytest

import assay as library
from assay.stats import analyse_power, queries_needed

EXAMPLES = Path(__file__).parents[2] / "examples"
RUNS = ("qrels.txt", "bm25.run", "dense.run")
HYBRID = "hybrid.run"


@pytest.fixture(autouse=True)
def examples(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (*RUNS, HYBRID):
        Path(name).write_bytes((EXAMPLES / name).read_bytes())


def test_what_it_says(transcript):
    transcript("power/said")


def test_plans_without_runs(transcript):
    transcript("power/planned")


def test_which_metric_tells_most_pairs_apart(transcript, assay):
    transcript("power/metrics")
    done = assay("power", *RUNS, HYBRID, "-m", "map", "mrr", "-f", "json", "-o", "asl.svg", "-o", "asl.md")
    (group,) = json.loads(done.out)["groups"]
    first, second = group["metrics"]
    assert (first["metric"], first["n_pairs"], second["metric"]) == ("map", 3, "mrr")
    assert first["share"] >= second["share"]
    assert done.err == "wrote asl.svg, asl.md\n"
    assert "<svg" in Path("asl.svg").read_text()
    assert Path("asl.md").read_text().startswith("**Discriminative power")


def test_the_decision_is_that_of_compare(assay):
    (study,) = json.loads(assay("power", *RUNS, "-m", "ndcg@10", "-f", "json").out)["studies"]
    (comparison,) = json.loads(assay("compare", *RUNS, "-m", "ndcg@10", "-f", "json").out)["comparisons"]
    (pair,) = comparison["pairs"]
    for name in ("difference", "low", "high", "p", "n_changed"):
        assert study[name] == pair[name], name
    assert comparison["verdict"].startswith(study["verdict"])


def test_the_figures_are_those_of_the_library(assay):
    first, second = (library.evaluate("qrels.txt", run, "ndcg@10").array("ndcg@10") for run in RUNS[1:])
    seen, needed = analyse_power(second - first), queries_needed(second - first, 0.01)
    (study,) = json.loads(assay("power", *RUNS, "-m", "ndcg@10", "-f", "json").out)["studies"]
    assert (study["needed"], study["others"]) == (seen.needed, [{"target": 0.01, "needed": needed}])


def test_times_have_their_unit_unless_nobody_took_them(assay, snapshots):
    texts = []
    for times in ({"mean": 2.0, "p50": 2.0}, {"mean": 2.0}):
        for name, run in zip("ab", RUNS[1:], strict=True):
            content = json.loads(assay("score", "qrels.txt", run, "-m", "map", "-f", "json").out)
            for number, scores in enumerate(content["results"][0]["per_query"].values()):
                scores["latency"] = 10.0 + number % 7 * (name == "b")
            content["results"][0]["provenance"] = {"latency_ms": times}
            Path(f"{name}.json").write_text(json.dumps(content))
        texts.append("".join(map(str, assay("power", "a.json", "b.json", "-m", "latency"))))
    snapshots.check("power/times", "\n".join(texts))


def test_too_few_changes_for_any_significance(assay):
    """Five of 40 queries changed: p is at least 2 ÷ 2^5, and 48 queries have six changes at this rate."""
    Path("judged.txt").write_text("".join(f"q{n} 0 d 1\n" for n in range(40)))
    for name, n_found in (("base", 35), ("few", 40)):
        Path(f"{name}.run").write_text("".join(f"q{n} Q0 {'d' if n < n_found else 'x'} 1 1 r\n" for n in range(40)))
    both = ("power", "judged.txt", "base.run", "few.run", "-m", "mrr")
    said = assay(*both).out
    assert "5 of 40 queries changed. With so few changes, p is at least 0.062," in " ".join(said.split())
    assert "you need about 48 queries before p can be 0.05 or less." in " ".join(said.split())
    (study,) = json.loads(assay(*both, "-f", "json").out)["studies"]
    assert (study["achieved"], study["detectable"], study["needed"], study["others"]) == (None, None, None, [])
    assert "5 of 40" not in assay(*both, "--alpha", "0.07").out


def test_nothing_at_all_is_told_of_plans(assay):
    done = assay("power")
    assert (done.code, "--effect or --queries" in done.err, "power --queries 48" in done.err) == (2, True, True)
