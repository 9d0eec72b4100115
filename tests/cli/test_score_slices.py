"""assay score --by: values per slice with their intervals, in every format, for benchmarks and for saved results."""

import csv
import io
import json
from math import fsum

import pytest

import assay as package
from assay.cli import main
from assay.comparison import slice_results

EASY, HARD = ("q1", "q2", "q5"), ("q3", "q4")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Five queries; the reciprocal ranks of a.run are 1, 1/2, 0, 1, 1/2, and b.run finds everything at once."""
    monkeypatch.chdir(tmp_path)
    dataset = package.BenchmarkDataset("Tagged", "1")
    for number in range(1, 6):
        dataset.add_document(package.Document(f"d{number}", f"text {number}"))
        level = "easy" if f"q{number}" in EASY else "hard"
        topic = "odd" if number % 2 else "even"
        tags = {"difficulty": level, "topic": topic}
        dataset.add_query(package.Query(f"q{number}", f"query {number}", metadata=tags))
        dataset.add_judgment(package.RelevanceJudgment(f"q{number}", f"d{number}", 1))
    dataset.save(tmp_path / "tagged.json")
    first = {"q1": "d1", "q2": "d5 d2", "q3": "d1 d2", "q4": "d4", "q5": "d1 d5"}
    for name, run in {"a": first, "b": {f"q{number}": f"d{number}" for number in range(1, 6)}}.items():
        lines = [
            f"{query} Q0 {doc} {rank} {9 - rank} {name}\n"
            for query, docs in run.items()
            for rank, doc in enumerate(docs.split(), 1)
        ]
        (tmp_path / f"{name}.run").write_text("".join(lines), "utf-8")
    return tmp_path


RANKS = {"q1": 1.0, "q2": 0.5, "q3": 0.0, "q4": 1.0, "q5": 0.5}
MEANS = {"easy": 2 / 3, "hard": 0.5}


def printed(capsys, *words):
    assert main(["score", "--dataset", "tagged.json", *words]) == 0
    return capsys.readouterr().out


def test_slices_by_hand_in_json(place, capsys):
    content = json.loads(printed(capsys, "a.run", "-m", "mrr", "precision@1", "--by", "difficulty", "topic", "-f", "json"))
    difficulty, topic = content["slices"]
    values = {(row["slice"], row["metric"]): row["value"] for row in difficulty["slices"]}
    assert values == pytest.approx(
        {("easy", "mrr"): 2 / 3, ("hard", "mrr"): 0.5, ("easy", "precision@1"): 1 / 3, ("hard", "precision@1"): 0.5}
    )
    assert difficulty["macro"]["a"]["mrr"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert difficulty["micro"]["a"]["mrr"] == pytest.approx(fsum(RANKS.values()) / 5)
    odd = next(row for row in topic["slices"] if row["slice"] == "odd" and row["metric"] == "mrr")
    assert (odd["value"], odd["n"]) == (0.5, 3)


def test_slices_are_those_of_python_with_the_same_intervals(place, capsys):
    dataset = package.load_dataset(place / "tagged.json")
    result = package.evaluate(dataset, place / "a.run", ["mrr"], name="a")
    for words, settings in (
        ((), {}),
        (("--ci", "bootstrap", "--ci-seed", "3", "--level", "0.9"), {"interval": "bootstrap", "level": 0.9, "seed": 3}),
        (("--ci", "none"), {"interval": "none"}),
        (("--cluster", "topic"), {"cluster": "topic"}),
    ):
        content = json.loads(printed(capsys, "a.run", "-m", "mrr", "--by", "difficulty", "-f", "json", *words))
        (expected,) = slice_results(result, "difficulty", **settings)
        assert content["slices"] == [expected.to_dict()], words
    (clustered,) = slice_results(result, "difficulty", cluster="topic")
    assert {part.results[0].intervals["mrr"].cluster for part in clustered.parts} == {"topic"}


def test_csv_has_a_row_for_each_run_and_slice(place, capsys):
    text = printed(capsys, "a.run", "b.run", "-m", "mrr", "hit@1", "--by", "difficulty", "-f", "csv", "--ci", "none")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["run", "by", "slice", "queries", "mrr", "hit@1"]
    found = {(row["run"], row["by"], row["slice"]): (int(row["queries"]), float(row["mrr"])) for row in rows}
    assert found == {
        ("a", "", ""): (5, pytest.approx(0.6)),
        ("b", "", ""): (5, 1.0),
        ("a", "difficulty", "easy"): (3, pytest.approx(2 / 3)),
        ("b", "difficulty", "easy"): (3, 1.0),
        ("a", "difficulty", "hard"): (2, 0.5),
        ("b", "difficulty", "hard"): (2, 1.0),
    }


def test_tables_show_one_metric_for_several_runs(place, capsys):
    words = ["-m", "mrr", "hit@1", "--by", "difficulty", "--ci", "none"]
    one, two = printed(capsys, "a.run", *words), printed(capsys, "a.run", "b.run", *words)
    assert "a by difficulty" in one
    assert "judged@10" not in one.split("a by difficulty")[1]
    assert "mrr by difficulty" in two
    assert "hit@1 by difficulty" not in two
    assert "Slices are shown for mrr only" in two
    assert "0.667" in two.split("mrr by difficulty")[1]
    markdown = printed(capsys, "a.run", "b.run", *words, "-f", "markdown")
    assert "hit@1 by difficulty" in markdown
    assert "| easy | 3 | 0.667 | **1.000** |" in markdown
    assert "easy & 3 & 0.667" in printed(capsys, "a.run", *words, "-f", "latex")


def test_pages_are_sliced_by_the_tag(place, capsys):
    pytest.importorskip("jinja2")
    page = printed(capsys, "a.run", "-m", "mrr", "--by", "topic", "-f", "html")
    assert 'id="slices' in page
    assert "topic" in page.split('id="slices', 1)[1]


def test_saved_results_are_sliced(place, capsys):
    printed(capsys, "a.run", "-m", "mrr", "-o", "saved.json")
    assert main(["score", "saved.json", "--by", "difficulty", "-f", "json"]) == 0
    (by,) = json.loads(capsys.readouterr().out)["slices"]
    assert {row["slice"]: row["value"] for row in by["slices"]} == pytest.approx(MEANS)


def test_what_cannot_be_sliced(place, snapshots, capsys):
    (place / "qrels.txt").write_text("q1 0 d1 1\n", "utf-8")
    dataset = ["--dataset", "tagged.json"]
    commands = [
        ["score", *dataset, "a.run", "--by", "colour"],
        ["score", *dataset, "a.run", "--by", "difficulty", "-f", "trec"],
        ["score", *dataset, "a.run", "--by", "difficulty", "-f", "csv", "--per-query"],
        ["score", *dataset, "--by", "difficulty", "a.run"],
        ["score", "qrels.txt", "a.run", "--by", "difficulty"],
    ]
    lines = []
    for words in commands:
        assert main(words) == 2, words
        lines.append(f"$ assay {' '.join(words)}\n{capsys.readouterr().err}")
    snapshots.check("score/not_sliced", "\n".join(lines))
