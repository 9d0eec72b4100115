"""assay answers, called in process."""

import csv
import io
import json

import pytest

from assay.cli.commands.answers import FORMATS

DATASET = [
    {"id": "capital", "question": "Capital of France?", "expected": "Paris", "relevant_ids": ["d1"], "difficulty": "easy"},
    {"id": "author", "question": "Who wrote Faust?", "expected": "Goethe", "relevant_ids": ["d2"], "difficulty": "easy"},
    {"id": "moon", "question": "Mayor of the Moon?", "answerable": False, "relevant_ids": [], "difficulty": "hard"},
]
GOOD = [
    {"query_id": "capital", "answer": "Paris", "confidence": 0.9},
    {"query_id": "author", "answer": "It was Goethe", "confidence": 0.6},
    {"query_id": "moon", "answer": None},
]
POOR = [{"query_id": "capital", "answer": "London"}, {"query_id": "moon", "answer": "no answer"}]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "golden.json").write_text(json.dumps(DATASET))
    for name, rows in {"good": GOOD, "poor": POOR}.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "bm25.run").write_text("capital Q0 d1 1 2 t\nauthor Q0 d1 1 2 t\nauthor Q0 d2 2 1 t\n")
    return tmp_path


def test_by_default_what_the_answers_allow(assay):
    code, out, err = assay("answers", "good.jsonl", "--dataset", "golden.json")
    assert (code, err) == (0, "")
    assert out == (
        "3 queries\n"
        "\n"
        "  run    answer_f1         95 % CI   answer_exact   answer_contains   rouge(n=l)   abstention_accuracy     aurc\n"
        "  good      0.8333   0.116 – 1.000         0.6667            1.0000       0.8333                1.0000   0.1389\n"
        "\n"
        "good: 1 query left open; 1 of 3 have no answer to be found.\n"
        "\n"
        "good: risk by coverage\n"
        "  coverage     risk   confidence ≥\n"
        "  33 %       0.0000            0.9\n"
        "  67 %       0.2500            0.6\n"
        "  100 %      0.1667      left open\n"
        "\n"
        "risk: mean loss of the answers given, if only those of that confidence and above were given.\n"
    )


def test_the_command_of_the_issue(assay):
    metrics = ("answer_f1", "rouge(n=l)", "bleu(n=1)", "answer_success@5")
    code, out, err = assay("answers", "good.jsonl", "--dataset", "golden.json", "-m", *metrics, "--run", "bm25.run")
    assert (code, err) == (0, "")
    for metric in metrics:
        assert metric in out
    assert "judged@10" in out


@pytest.mark.parametrize("name", FORMATS)
def test_every_format(assay, name):
    arguments = ("answers", "good.jsonl", "poor.jsonl", "--dataset", "golden.json", "-m", "answer_f1", "aurc")
    code, out, _ = assay(*arguments, "--format", name, "--per-query")
    assert code == 0
    assert "good" in out
    assert "poor" in out
    assert "capital" in out


def test_json_has_the_curve(assay):
    _, out, _ = assay("answers", "good.jsonl", "--dataset", "golden.json", "-f", "json")
    content = json.loads(out)
    assert content["risk_coverage"]["good"] == [
        {"coverage": pytest.approx(1 / 3), "risk": 0, "confidence": 0.9, "is_open": False},
        {"coverage": pytest.approx(2 / 3), "risk": 0.25, "confidence": 0.6, "is_open": False},
        {"coverage": 1, "risk": pytest.approx(1 / 6), "confidence": None, "is_open": True},
    ]


def test_csv_has_every_digit_and_says_the_rest_beside(assay):
    _, out, err = assay("answers", "poor.jsonl", "--dataset", "golden.json", "-m", "answer_f1", "-f", "csv", "--ci", "none")
    assert list(csv.reader(io.StringIO(out))) == [["run", "queries", "answer_f1"], ["poor", "3", "0.0"]]
    assert "note: 1 query without an answer, which score 0 (author)." in err


def test_slices(assay):
    _, out, _ = assay("answers", "good.jsonl", "--dataset", "golden.json", "-m", "answer_f1", "--by", "difficulty")
    assert "good by difficulty" in out
    assert "easy               2   0.750 [0.000, 1.000]" in out
    _, out, _ = assay("answers", "good.jsonl", "--dataset", "golden.json", "--by", "difficulty", "-f", "json")
    assert json.loads(out)["slices"][0]["by"] == "difficulty"


def test_sentences_that_mean_no_answer(assay):
    arguments = (
        "answers",
        "poor.jsonl",
        "--dataset",
        "golden.json",
        "-m",
        "abstention_accuracy",
        "-f",
        "csv",
        "--ci",
        "none",
    )
    assert "poor,3,0.0" in assay(*arguments).out
    assert "poor,3,1.0" in assay(*arguments, "--abstention", "No answer!").out


def test_intervals_of_all_metrics(assay):
    _, out, _ = assay("answers", "good.jsonl", "--dataset", "golden.json", "-m", "answer_f1", "aurc", "--ci", "bootstrap")
    assert out.count("95 % CI") == 2


def test_systems_are_shown_with_what_all_have(assay):
    _, out, _ = assay("answers", "good.jsonl", "poor.jsonl", "--dataset", "golden.json")
    assert "aurc" not in out
    assert "abstention_accuracy" in out


def test_saved_results_go_into_comparison_and_gate(assay, files):
    metrics = ("-m", "answer_f1", "aurc", "corpus_bleu(n=1)")
    for name in ("good", "poor"):
        _, out, _ = assay("answers", f"{name}.jsonl", "--dataset", "golden.json", *metrics, "-f", "json")
        (files / f"{name}.json").write_text(out)
    code, out, _ = assay("compare", "good.json", "poor.json", "-m", "answer_f1", "corpus_bleu(n=1)")
    assert code == 0
    assert "answer_f1" in out
    rules = ("--rule", "answer_f1 >= 0.5", "--rule", "answer_f1 drops <= 0.1")
    assert assay("gate", "good.json", "--baseline", "good.json", *rules).code == 0
    failed = assay("gate", "poor.json", "--baseline", "good.json", *rules)
    assert failed.code == 1
    assert "answer_f1 >= 0.5" in failed.out
    assert assay("gate", "good.json", "--baseline", "good.json", "--rule", "aurc <= 0.2").code == 0
    assert assay("gate", "good.json", "--baseline", "good.json", "--rule", "aurc <= 0.1").code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("good.jsonl",), 3, "nobody says what the right answers are"),
        (("good.jsonl", "--run", "bm25.run"), 2, "--run needs --dataset"),
        (("good.jsonl", "--dataset", "golden.json", "-m", "answer_success@5"), 2, "--run RUN"),
        (("good.jsonl", "--dataset", "golden.json", "-m", "ndcg@5"), 2, "--run RUN"),
        (("good.jsonl", "--dataset", "golden.json", "-m", "answer_f2"), 2, "Did you mean answer_f1"),
        (("good.jsonl", "--dataset", "golden.json", "-f", "trec"), 2, "answers are shown as"),
        (("good.jsonl", "--dataset", "golden.json", "-f", "csv", "--by", "difficulty"), 2, "take json"),
        (("nowhere.jsonl", "--dataset", "golden.json"), 3, "no such file"),
        (("bm25.run", "--dataset", "golden.json"), 3, "expected records such as {"),
        (("good.jsonl", "--dataset", "golden.json", "--run", "a", "b"), 2, "one run, or one for each file"),
        (("--dataset", "golden.json", "-m", "answer_f1", "good.jsonl"), 2, "Put files first"),
    ],
)
def test_what_is_wrong_is_told(assay, arguments, code, message):
    found = assay("answers", *arguments)
    assert found.code == code
    assert message in found.err
    assert found.out == ""


def test_two_files_of_the_same_name_are_told_apart(assay, files):
    (files / "other").mkdir()
    (files / "other" / "good.jsonl").write_text((files / "poor.jsonl").read_text())
    _, out, _ = assay("answers", "good.jsonl", "other/good.jsonl", "--dataset", "golden.json", "-m", "answer_f1")
    assert "other/good.jsonl" in out


def test_the_command_of_the_issue_without_a_run(assay, tmp_path):
    """Records that bring what was retrieved need no run."""
    hits = {"capital": ["d1"], "author": ["d1", "d2"], "moon": []}
    rows = [{**row, "retrieved_ids": hits[row["query_id"]]} for row in GOOD]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    metrics = ("answer_f1", "rouge(n=l)", "bleu(n=1)", "answer_success@1", "answer_success@5")
    code, out, err = assay("answers", "answers.jsonl", "--dataset", "golden.json", "-m", *metrics, "-f", "json")
    assert (code, err) == (0, "")
    summary = json.loads(out)["results"][0]["summary"]
    assert (summary["answer_success@1"], summary["answer_success@5"]) == (0.5, 1.0)


def test_files_are_written_and_go_on_to_compare(assay):
    for name in ("good", "poor"):
        assert (
            assay("answers", f"{name}.jsonl", "--dataset", "golden.json", "-m", "answer_f1", "-o", f"{name}.json").code == 0
        )
    done = assay("compare", "poor.json", "good.json")
    assert done.code == 0
    assert "answer_f1" in done.out
    done = assay("answers", "good.jsonl", "--dataset", "golden.json", "-o", "x.run")
    assert (done.code, done.out) == (2, "")
    assert "there are .json, .csv, .md, .tex, .txt" in done.err


def test_different_truths_are_told(assay, tmp_path):
    for name, right in {"a": "Paris", "b": "London"}.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({"query_id": "1", "answer": "Paris", "references": [right]}))
    out = assay("answers", "a.jsonl", "b.jsonl").out
    assert "a and b are held against different truths: their figures cannot be compared." in out


def test_answers_to_other_questions_are_refused(assay, tmp_path):
    """References of their own do not make them belong to the benchmark."""
    (tmp_path / "other.jsonl").write_text(json.dumps({"query_id": "x", "answer": "Paris", "references": ["Paris"]}))
    done = assay("answers", "other.jsonl", "--dataset", "golden.json")
    assert (done.code, done.out) == (3, "")
    assert "not one answer belongs to a query of golden" in done.err
    assert "Do both use the same ids?" in done.err
