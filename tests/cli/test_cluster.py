"""--cluster in compare and score: what it prints, and what it needs."""

import json

import pytest

import assay as library
from assay.comparison import ComparisonOptions, compare_results
from assay.evaluation import read_results


@pytest.fixture
def saved(tmp_path, monkeypatch):
    """Two results on twelve queries about four documents; the last two queries have no document."""
    monkeypatch.chdir(tmp_path)
    dataset = library.BenchmarkDataset("small")
    for n in range(12):
        metadata = {"document": f"d{n // 3}"} if n < 10 else {}
        dataset.add_query(library.Query(f"q{n:02}", f"what is {n}", metadata=metadata))
        dataset.add_document(library.Document(f"p{n}", f"text {n}"))
        dataset.qrels[f"q{n:02}"] = {f"p{n}": 1.0}
    dataset.save_json(tmp_path / "small.json")
    lines = {"good": [], "poor": []}
    for n in range(12):
        for name, rank in (("good", 1 + n % 2), ("poor", 1 + n // 3)):
            lines[name] += [f"q{n:02} Q0 x{place} {place} {20 - place} {name}" for place in range(1, rank)]
            lines[name].append(f"q{n:02} Q0 p{n} {rank} {20 - rank} {name}")
    for name, text in lines.items():
        (tmp_path / f"{name}.run").write_text("\n".join(text) + "\n")
    (tmp_path / "qrels.txt").write_text("\n".join(f"q{n:02} 0 p{n} 1" for n in range(12)) + "\n")
    return tmp_path


def test_compare_and_score_count_clusters(saved, assay):
    files = ("--dataset", "small.json", "good.run", "poor.run", "-m", "mrr")
    done = assay("compare", *files, "--cluster", "document")
    assert "12 queries in 6 clusters by document · " in done.out
    plain = json.loads(assay("compare", *files, "--cluster", "document", "-f", "json").out)["comparisons"][0]
    assert (plain["n_clusters"], plain["how"]["cluster"]) == (6, "document")
    assert {some["mrr"]["n_clusters"] for some in plain["intervals"].values()} == {6}
    scored = assay("score", *files, "--cluster", "document", "-o", "scored.json")
    assert scored.out.startswith("12 judged queries in 6 clusters by document · ")
    results = read_results("scored.json")
    assert results[0].intervals["mrr"].n_clusters == 6
    expected = compare_results(results, ComparisonOptions(cluster="document")).pairs[0]
    assert plain["pairs"][0]["p"] == pytest.approx(expected.p)
    wider, usual = (read_results(name)[0].intervals["mrr"] for name in ("scored.json", "plain.json") if
                    name == "scored.json" or assay("score", *files, "-o", "plain.json").code == 0)  # fmt: skip
    assert wider.method == usual.method == "t"
    assert (wider.low, wider.high) != (usual.low, usual.high)


def test_a_saved_result_is_scored_by_cluster_too(saved, assay):
    assert assay("score", "--dataset", "small.json", "good.run", "-m", "mrr", "-o", "saved.json").code == 0
    again = assay("score", "saved.json", "--cluster", "document")
    assert again.out.startswith("12 judged queries in 6 clusters by document · ")


def test_what_is_missing_is_said(saved, assay):
    unknown = assay("compare", "--dataset", "small.json", "good.run", "poor.run", "--cluster", "documnt")
    assert (unknown.code, "no tag is called 'documnt'. Did you mean document?" in unknown.err) == (2, True)
    plain = assay("compare", "qrels.txt", "good.run", "poor.run", "--cluster", "document")
    assert (plain.code, "Name the benchmark with --dataset" in plain.err) == (2, True)
    slices = assay("compare", "--dataset", "small.json", "good.run", "poor.run", "--cluster", "document", "--slices")
    assert (slices.code, "does not know clusters" in slices.err) == (2, True)


def test_a_gate_counts_clusters(saved, assay):
    for name in ("good", "poor"):
        assert assay("score", "--dataset", "small.json", f"{name}.run", "-m", "mrr", "-o", f"{name}.json").code == 0
    rule = ("--baseline", "good.json", "--rule", "mrr not worse by 0.05")
    done = assay("gate", "poor.json", *rule, "--cluster", "document")
    assert "note: 12 queries in 6 clusters by document" in done.out + done.err
    plain = json.loads(assay("gate", "poor.json", *rule, "--cluster", "document", "-f", "json").out)
    alone = json.loads(assay("gate", "poor.json", *rule, "-f", "json").out)
    assert plain["notes"][0] == "12 queries in 6 clusters by document"
    assert plain["verdicts"][0]["p_worse"] > alone["verdicts"][0]["p_worse"]
    unknown = assay("gate", "poor.json", *rule, "--cluster", "documnt")
    assert (unknown.code, "Did you mean document?" in unknown.err) == (2, True)
    assert assay("gate", "--check", "rules.yaml", "--cluster", "document").code == 2
