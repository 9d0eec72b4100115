"""--documents, --columns and --lenient: the same options for every command that reads data, and the same keys in a plan."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from assay.cli import main

GOLDEN = "frage,answer,beleg\nHow long do cats sleep?,12 to 16 hours,d1\nWho roars at night?,lions,d2\n"
CORPUS = "nummer,inhalt\nd1,Cats sleep 12 to 16 hours a day.\nd2,Lions roar at night.\nd3,Dogs bark.\n"
COLUMNS = "query=frage,relevant=beleg,doc_id=nummer,text=inhalt"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "golden.csv").write_text(GOLDEN)
    (tmp_path / "corpus.csv").write_text(CORPUS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluate(*words: str) -> list[str]:
    return ["eval", "--providers", "bm25", "--metrics", "mrr", "--no-store", "-f", "json", *words]


def read(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(capsys.readouterr().out)
    return content


@pytest.mark.usefixtures("folder")
def test_a_golden_table_and_its_documents_in_one_command(capsys: pytest.CaptureFixture[str]) -> None:
    """Two tables with column names of the user's own."""
    assert main(evaluate("--benchmarks", "golden.csv", "--documents", "corpus.csv", "--columns", COLUMNS)) == 0
    (result,) = read(capsys)["results"]
    assert result["summary"]["mrr"] == 1.0


def test_a_plan_has_the_same_keys(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """documents:, columns: and lenient:; options override the plan."""
    plan = {
        "benchmarks": ["golden.csv"],
        "providers": ["bm25"],
        "metrics": ["mrr"],
        "documents": "corpus.csv",
        "columns": dict(pair.split("=") for pair in COLUMNS.split(",")),
        "lenient": 0.5,
    }
    (folder / "plan.json").write_text(json.dumps(plan))
    (folder / "golden.csv").write_text(f"{GOLDEN}too,few\n")
    assert main(["eval", "plan.json", "--no-store", "-f", "json"]) == 0
    (result,) = read(capsys)["results"]
    assert result["summary"]["mrr"] == 1.0
    assert any("1 bad record left out: golden.csv:4" in note for note in result["notes"])
    assert main(["eval", "plan.json", "--no-store", "--documents", "nowhere.csv"]) == 3
    assert "nowhere.csv" in capsys.readouterr().err
    for key, wrong in (("lenient", 7), ("lenient", "many"), ("columns", {"frage": "query"}), ("documents", 3)):
        (folder / "plan.json").write_text(json.dumps({**plan, key: wrong}))
        assert main(["eval", "plan.json", "--no-store"]) == 2
        assert key.removesuffix("s") in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_missing_documents_name_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    """A retriever has nothing to search; check says it too."""
    assert main(evaluate("--benchmarks", "golden.csv", "--columns", "query=frage,relevant=beleg")) == 3
    assert "--documents" in capsys.readouterr().err
    assert main(["datasets", "check", "golden.csv", "--columns", "query=frage,relevant=beleg", "-f", "json"]) == 0
    findings = {finding["code"]: finding for finding in read(capsys)["findings"]}
    assert "--documents" in findings["no-documents"]["advice"]


def test_runs_and_judgments_have_named_columns_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For small files and for large ones, which the database reads."""
    (folder / "qrels.csv").write_text("frage,beleg,note\n" + "".join(f"q{i},d{i},1\n" for i in range(1000)))
    rows = "".join(f"q{i % 1000},d{i},{1_000_000 - i}\n" for i in range(600_000))
    columns = "query_id=frage,doc_id=beleg,grade=note,score=wert"
    for content in (rows[:20_000].rpartition("\n")[0], rows):
        (folder / "run.csv").write_text(f"frage,beleg,wert\n{content}")
        assert main(["score", "qrels.csv", "run.csv", "-m", "mrr", "--columns", columns, "-f", "json"]) == 0
        (result,) = read(capsys)["results"]
        assert result["summary"]["mrr"] == pytest.approx(min(1000, content.count("\n") + 1) / 1000, abs=0.01)
    assert main(["score", "qrels.csv", "run.csv", "-m", "mrr"]) == 3
    assert "--columns query_id=NAME" in capsys.readouterr().err


@pytest.mark.parametrize(
    "command",
    [
        ("datasets", "show", "golden.csv"),
        ("datasets", "check", "golden.csv"),
        ("score", "--dataset", "golden.csv", "run.csv", "-m", "mrr"),
        ("compare", "--dataset", "golden.csv", "run.csv", "other.csv", "-m", "mrr"),
        ("eval", "--benchmarks", "golden.csv", "--providers", "replay:run.csv", "-m", "mrr", "--no-store"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_a_column_that_no_table_has(folder: Path, command: Sequence[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An error in every command. If all columns are there, nothing is said about them."""
    for name in ("run.csv", "other.csv"):
        write_run(folder / name, "query_id,doc_id,score")
    assert main([*command, "--columns", "query=frage,relevant=beleg"]) == 0
    assert "--columns" not in capsys.readouterr().err
    assert main([*command, "--columns", "query=frage,relevant=beleg,title=titel"]) == 2
    assert "no table has a column called 'titel', which was named as title=titel" in capsys.readouterr().err
    assert main([*command, "--columns", "query"]) == 2
    capsys.readouterr()


def write_run(place: Path, header: str) -> None:
    place.write_text(f"{header}\n1,d1,3\n1,d3,2\n2,d1,3\n2,d2,2\n")


def test_named_columns_without_tables_are_noted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "qrels.txt").write_text("q1 0 d1 1\n")
    (folder / "run.txt").write_text("q1 Q0 d1 1 1 t\n")
    assert main(["score", "qrels.txt", "run.txt", "-m", "mrr", "--columns", "query_id=q"]) == 0
    assert capsys.readouterr().err == "note: no table was read, so --columns query_id=q has no effect\n"


def test_recorded_runs_have_named_columns_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The columns of benchmarks and of the run are in one option; a typo is an error before the first query."""
    write_run(folder / "odd.csv", "a,b,c")
    names = "query=frage,relevant=beleg,query_id=a,doc_id=b"
    for provider in ("replay(path=odd.csv)", "hybrid(replay(path=odd.csv), replay(path=odd.csv))"):
        command = ["eval", "--benchmarks", "golden.csv", "--providers", provider, "-m", "mrr", "--no-store", "-f", "json"]
        assert main([*command, "--columns", f"{names},score=c"]) == 0
        captured = capsys.readouterr()
        assert json.loads(captured.out)["results"][0]["summary"]["mrr"] == 0.75
        assert "no table" not in captured.err
        assert main([*command, "--columns", f"{names},score=c,title=d"]) == 2
        assert "'d'" in capsys.readouterr().err
        assert main([*command, "--columns", names]) == 3
        assert "odd.csv" in capsys.readouterr().err
    plan = {"benchmarks": "golden.csv", "providers": "replay:odd.csv", "metrics": "mrr", "columns": f"{names},score=c"}
    (folder / "plan.json").write_text(json.dumps(plan))
    assert [main(["plan", "check", "plan.json"]), main(["eval", "plan.json", "--no-store"])] == [0, 0]


def test_case_and_hyphens_do_not_matter_in_named_columns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An exact name wins."""
    (folder / "golden.csv").write_text(GOLDEN.replace("frage", "Frage").replace("beleg", "Beleg-ID"))
    write_run(folder / "run.csv", "Q,q,Wert")
    columns = "query=frage,relevant=beleg_id,query_id=Q,doc_id=q,score=wert"
    assert main(["score", "--dataset", "golden.csv", "run.csv", "-m", "mrr", "--columns", columns, "-f", "json"]) == 0
    assert read(capsys)["results"][0]["summary"]["mrr"] == 0.75


def test_the_list_of_formats_has_all_names_of_columns(capsys: pytest.CaptureFixture[str], snapshots: Any) -> None:
    """`assay datasets formats`, as text and as JSON."""
    assert main(["datasets", "formats"]) == 0
    snapshots.check("datasets/formats", capsys.readouterr().out)
    assert main(["datasets", "formats", "-f", "json"]) == 0
    content = read(capsys)
    assert "doc_id" in content["columns"]["queries"]["relevant"]
    assert "tables" in content["formats"]


def test_a_share_after_lenient_leads_to_the_right_option(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise it would be read as a file."""
    monkeypatch.chdir(tmp_path)
    for words in (["score", "qrels.txt", "a.run", "--lenient", "20%"], ["datasets", "check", "x.csv", "--lenient", "0.2"]):
        assert main(words) == 2
        assert f"--lenient has no value, but {words[-1]} comes after it" in (err := capsys.readouterr().err)
        assert f"--lenient-share {words[-1]}" in err


@pytest.mark.parametrize("address", ["s3a://bucket/run.parquet", "abfss://lake@account/runs", "hdfs://name/run"])
def test_addresses_of_a_lake_lead_to_spark(capsys, address):
    assert main(["score", "examples/qrels.txt", address]) == 3
    what = "this is an address and not a file. To read it with Spark: assay score --engine spark"
    assert capsys.readouterr().err == f"error: {address}: {what}\n"
