"""What comes after a result: files, the store, the gate and reports accept results of Spark as any others."""

from __future__ import annotations

import pytest

import assay
import assay.spark
from assay.cli import main
from assay.evaluation import read_results
from assay.store import Store

JUDGMENTS = {f"q{number}": {"a": 1, "b": 2, "c": 0} for number in range(8)}
SCHEMA = "system string, query_id string, doc_id string, score double"
METRICS = ["ndcg@10", "mrr"]


def run_of(system):
    order = "abc" if system == "base" else "cba"
    return {
        query: {doc: float(order.index(doc) + number % 3 * (doc == "c")) for doc in order}
        for number, query in enumerate(JUDGMENTS)
    }


@pytest.fixture(scope="module")
def results(spark):
    """The results of two runs, one of them counted in each form."""
    rows = [(name, q, d, s) for name in ("base", "new") for q, ranking in run_of(name).items() for d, s in ranking.items()]
    frame = spark.createDataFrame(rows, SCHEMA)
    grouped = assay.spark.evaluate(JUDGMENTS, frame, METRICS, run_col="system", form="grouped")
    counting = assay.spark.evaluate(JUDGMENTS, frame, METRICS, run_col="system", form="counting")
    return {"base": grouped["base"], "new": counting["new"]}


@pytest.fixture
def files(results, tmp_path):
    """The results of Spark as files, and those of one process."""
    for name, result in results.items():
        result.save(tmp_path / f"{name}.json")
        assay.evaluate(JUDGMENTS, run_of(name), METRICS, name=name).save(tmp_path / f"{name}.local.json")
    return tmp_path


def printed(capsys, *arguments, code=0):
    assert main([str(argument) for argument in arguments]) == code
    return capsys.readouterr().out


def test_a_saved_result_is_read_again(results, files):
    for name, result in results.items():
        [there], [here] = (read_results(files / f"{name}{ending}") for ending in (".json", ".local.json"))
        assert there.scores("ndcg@10") == result.scores("ndcg@10")
        plain = there.to_dict()
        assert plain.pop("provenance")["engine"]["rows"] == 24
        assert plain == here.to_dict()


@pytest.mark.parametrize("command", ["score", "compare"])
def test_commands_print_what_they_print_for_one_process(files, capsys, command):
    there = printed(capsys, command, files / "base.json", files / "new.json")
    here = printed(capsys, command, files / "base.local.json", files / "new.local.json")
    assert there == here.replace(".local.json", ".json")


def test_reports(files, capsys):
    written = printed(capsys, "report", files / "base.json", files / "new.json", "-f", "markdown")
    assert "base" in written
    assert "new" in written


def test_the_gate_passes_and_fails(files, capsys):
    rule = ("--rule", "ndcg@10 drops <= 0.001", "--baseline", files / "new.json")
    assert "1 rule passed" in printed(capsys, "gate", files / "new.json", *rule)
    assert "1 rule failed" in printed(capsys, "gate", files / "base.json", *rule, code=1)


def test_the_store(results, tmp_path, capsys):
    with Store.open(tmp_path / "store.db") as store:
        stored = store.find(store.save(results.values())).results
    assert {result.name: result.fingerprints for result in stored} == {
        name: result.fingerprints for name, result in results.items()
    }
    assert [result.provenance["engine"]["form"] for result in stored] == ["grouped", "counting"]
    assert "base" in printed(capsys, "show", "latest", "--store", tmp_path / "store.db")
