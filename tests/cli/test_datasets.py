"""assay datasets: list, show, check, convert."""

import json
import subprocess
import sys

import pytest

from assay import Document, Query, RelevanceJudgment
from assay.datasets import PARTS, BenchmarkDataset, all_formats, bundled, load_dataset
from assay.files import write_lines

HELD = {
    "json": PARTS,
    "beir": PARTS,
    "jsonl": PARTS,
    "parquet": PARTS,
    "trec": PARTS,
}
"""Format → the parts of a benchmark that it holds."""


def made():
    dataset = BenchmarkDataset("Cats", "1.0")
    dataset.add_query(Query("q1", "How long do cats sleep?", "factual", expected="12 hours"))
    dataset.add_query(Query("q2", "Schlafen Hunde länger?"))
    dataset.add_document(Document("d1", "Cats sleep 12 hours", title="Cats"))
    dataset.add_document(Document("d2", "日本の猫"))
    dataset.add_judgment(RelevanceJudgment("q1", "d1", 3))
    dataset.add_judgment(RelevanceJudgment("q2", "d2", 0.5))
    return dataset


@pytest.fixture
def cats(tmp_path, monkeypatch):
    """The working directory, with a benchmark in it."""
    made().save_json(tmp_path / "cats.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# list


def test_the_list_has_every_benchmark_and_format(assay):
    code, out, err = assay("datasets")
    assert (code, err) == (0, "")
    firsts = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert firsts[: 1 + len(bundled())] == ["benchmark", *bundled()]
    assert firsts[firsts.index("format") + 1 :] == [*all_formats()]


def test_the_list_as_json(assay):
    code, out, err = assay("datasets", "--format", "json")
    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["benchmarks"]["rag-template"]["queries"] >= 40
    assert {name for name, one in found["formats"].items() if one["can_write"]} >= {
        "json",
        "beir",
        "trec",
        "jsonl",
        "parquet",
    }


# show


@pytest.mark.usefixtures("cats")
def test_statistics_of_a_file(assay):
    code, out, err = assay("datasets", "show", "cats.json")
    assert (code, err) == (0, "")
    assert out.startswith("Cats 1.0 (format json)\n  queries            2, 2 of them judged\n")
    assert f"queries {made().fingerprint('queries')}" in out


@pytest.mark.usefixtures("cats")
def test_statistics_as_json(assay):
    found = json.loads(assay("datasets", "show", "cats.json", "-f", "json").out)
    wanted = load_dataset("cats.json")
    assert found == {
        **wanted.get_statistics(),
        "grade_distribution": {"0.5": 1, "3": 1},
        "fingerprints": {part: wanted.fingerprint(part) for part in PARTS},
        "repairs": [],
    }


def test_a_bundled_benchmark_by_name(assay):
    found = json.loads(assay("datasets", "show", "rag-template", "-f", "json").out)
    assert (found["name"], found["format"]) == ("rag-template", "rag_template")
    assert set(found["tags"]) == {"query_type", "difficulty"}


@pytest.mark.usefixtures("cats")
def test_a_format_may_be_given(assay, cats):
    (cats / "cats.json").rename("cats.data")
    assert assay("datasets", "show", "cats.data").code == 3
    assert assay("datasets", "show", "cats.data", "--dataset-format", "json").code == 0


def test_repairs_are_told(assay, tmp_path):
    path = tmp_path / "golden.jsonl"
    write_lines(path, [{"query": "x", "relevant_ids": ["d1", "d1"]}])
    assert "1 repair while reading:" in assay("datasets", "show", path).out
    (repair,) = json.loads(assay("datasets", "show", path, "-f", "json").out)["repairs"]
    assert repair["is_loss"] is False
    assert "named twice" in repair["what"]


# convert


@pytest.mark.usefixtures("cats")
@pytest.mark.parametrize("source", HELD)
@pytest.mark.parametrize("target", HELD)
def test_conversion_keeps_the_fingerprints_of_the_parts_a_format_holds(assay, source, target):
    names = {name: f"{name}.json" if name == "json" else name for name in HELD}
    assert assay("datasets", "convert", "cats.json", names[source], "--to", source).code == 0
    code, out, err = assay("datasets", "convert", names[source], f"again-{names[target]}", "--to", target)
    assert (code, err) == (0, "")
    assert out.endswith(f"2 queries, 2 documents, 2 judgments)\nwritten to again-{names[target]} as {target}\n")
    found, wanted = load_dataset(f"again-{names[target]}"), made()
    assert found.format == target
    for part in set(HELD[source]) & set(HELD[target]):
        assert found.fingerprint(part) == wanted.fingerprint(part)


@pytest.mark.usefixtures("cats")
def test_judgments_alone_go_to_a_file_of_trec(assay, cats):
    assert assay("datasets", "convert", "cats.json", "qrels.txt", "--to", "trec").code == 0
    assert (cats / "qrels.txt").read_text() == "q1 0 d1 3\nq2 0 d2 0.5\n"
    assert load_dataset("qrels.txt").qrels == made().qrels


@pytest.mark.usefixtures("cats")
def test_the_bundled_benchmark_converts_to_every_format_that_is_written(assay):
    wanted = load_dataset("rag-template")
    for name in HELD:
        target = "out.json" if name == "json" else f"out-{name}"
        assert assay("datasets", "convert", "rag-template", target, "--to", name).code == 0
        found = load_dataset(target)
        assert {part: found.fingerprint(part) for part in PARTS} == {part: wanted.fingerprint(part) for part in PARTS}


@pytest.mark.usefixtures("cats")
def test_a_hostile_name_is_written_out(assay, cats):
    dataset = made()
    dataset.name = "\x1b[31mred"
    dataset.save_json(cats / "cats.json")
    assert "\x1b" not in assay("datasets", "convert", "cats.json", "out.json", "--to", "json").out


@pytest.mark.usefixtures("cats")
def test_what_a_format_has_no_place_for_is_told(assay):
    out = assay("datasets", "convert", "rag-template", "out.qrels", "--to", "trec").out
    assert out.splitlines()[-1].startswith("not written: 224 documents, 48 query texts, tags, expected answers")
    assert "not written" not in assay("datasets", "convert", "rag-template", "all", "--to", "beir").out


@pytest.mark.usefixtures("cats")
def test_repairs_of_the_source_are_told(assay, cats):
    write_lines(cats / "golden.jsonl", [{"query": "x", "relevant_ids": ["d1", "d1"]}])
    out = assay("datasets", "convert", "golden.jsonl", "out.json", "--to", "json").out
    assert out.endswith("1 repair while golden.jsonl was read: assay datasets show golden.jsonl\n")


# check: its findings have tests of their own


@pytest.mark.usefixtures("cats")
def test_a_benchmark_that_cannot_be_read_is_a_finding(assay, cats):
    (cats / "bad.json").write_text('{"queries": {"q": {"text": 1}, "r": {"text": 2}}}')
    code, out, err = assay("datasets", "check", "bad.json", "--format", "json")
    assert (code, err) == (3, "")
    (finding,) = json.loads(out)["findings"]
    assert (finding["code"], finding["severity"], finding["count"]) == ("dataset-unreadable", "error", 2)
    assert finding["cases"][0] == {"place": "bad.json", "found": "text of 'q' is text, not 1"}
    code, out, err = assay("datasets", "check", "bad.json")
    assert (code, err) == (3, "")
    assert "text of 'r' is text, not 2" in out


@pytest.mark.usefixtures("cats")
def test_a_check_exits_3_on_errors_and_0_on_warnings(assay, cats):
    pytest.importorskip("assay.datasets.preflight.check")
    fine = assay("datasets", "check", "cats.json", "--format", "json")
    assert (fine.code, fine.err) == (0, "")
    assert all(finding["severity"] != "error" for finding in json.loads(fine.out)["findings"])
    dataset = made()
    dataset.add_judgment(RelevanceJudgment("nobody", "nothing", 1))
    dataset.save_json(cats / "wrong.json")
    wrong = assay("datasets", "check", "wrong.json", "--format", "json")
    worst = {finding["severity"] for finding in json.loads(wrong.out)["findings"]}
    assert wrong.code == (3 if "error" in worst else 0)
    assert assay("datasets", "check", "wrong.json").code == wrong.code


# Misuse

MISUSE = {
    "no benchmark": (("show",), "assay datasets show takes one benchmark; 0 given"),
    "two benchmarks": (("show", "a", "b"), "assay datasets show takes one benchmark; 2 given"),
    "no target": (("convert", "a", "--to", "json"), "assay datasets convert takes source and target; 1 given"),
    "no format": (
        ("convert", "cats.json", "b"),
        "say which format to write: assay datasets convert SOURCE TARGET --to json",
    ),
    "an unknown format": (("convert", "cats.json", "b", "--to", "jsn"), "no format is called 'jsn'. Did you mean json"),
    "a format that is only read": (("convert", "cats.json", "b", "--to", "locomo"), "locomo can be read, not written"),
    "a format that is only read, before reading": (("convert", "none", "b", "--to", "locomo"), "locomo can be read, not"),
    "an unknown action": (("shwo", "cats.json"), "there is nothing called 'shwo' to do with datasets. Did you mean show?"),
    "a path": (("cats.json",), "To look into a benchmark: assay datasets show cats.json"),
    "an unknown benchmark": (("show", "rag-templat"), "no benchmark is called 'rag-templat'. Did you mean rag-template?"),
    "an unknown source format": (("show", "cats.json", "--dataset-format", "jsn"), "no format is called 'jsn'"),
    "--to without convert": (("show", "cats.json", "--to", "json"), "--to belongs to assay datasets convert"),
    "--to in a list": (("--to", "json"), "--to belongs to assay datasets convert"),
    "--run without check": (("show", "cats.json", "--run", "x"), "--run belongs to assay datasets check"),
    "an unknown output": (("--format", "xml"), "invalid choice: 'xml'"),
    "a target that would not be recognised": (
        ("convert", "cats.json", "out.txt", "--to", "json"),
        "out.txt: json is one JSON file; give it a name that ends in .json, such as out.json",
    ),
    "a file for a folder": (("convert", "cats.json", "out.json", "--to", "beir"), "beir is a folder of files"),
    "a packed target": (("convert", "cats.json", "out.json.gz", "--to", "json"), "leave out .gz"),
}


@pytest.mark.usefixtures("cats")
@pytest.mark.parametrize(("arguments", "said"), MISUSE.values(), ids=MISUSE)
def test_misuse_exits_2_and_says_how(assay, arguments, said):
    code, out, err = assay("datasets", *arguments)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.usefixtures("cats")
@pytest.mark.parametrize(
    ("content", "said"),
    [("nonsense", "no known format"), ('{"queries": {"q": {"text": 1}}, "qrels": {}}', "text of 'q' is text")],
)
def test_data_that_cannot_be_read_exit_3(assay, cats, content, said):
    (cats / "bad.json").write_text(content)
    for arguments in (("show", "bad.json"), ("convert", "bad.json", "out", "--to", "beir")):
        code, out, err = assay("datasets", *arguments)
        assert (code, out) == (3, "")
        assert said in err
    assert not (cats / "out").exists()


@pytest.mark.usefixtures("cats")
def test_a_target_that_cannot_be_written_exits_3(assay, cats):
    (cats / "folder").mkdir()
    code, out, err = assay("datasets", "convert", "cats.json", "folder", "--to", "json")
    assert (code, out) == (3, "")
    assert "folder: cannot be written: there is a folder of that name" in err


def test_help_shows_examples(process):
    shown = process("datasets", "--help")
    assert shown.code == 0
    for example in ("assay datasets show rag-template", "assay datasets convert ./my-beir my.json --to json"):
        assert example in shown.out


def test_as_a_module_and_through_a_pipe(cats):
    done = subprocess.run(
        [sys.executable, "-m", "assay", "datasets", "show", "cats.json"], capture_output=True, check=True, cwd=cats
    )
    assert done.stdout.startswith(b"Cats 1.0 (format json)\n")
    assert b"\x1b" not in done.stdout
