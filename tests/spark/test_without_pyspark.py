"""What a user without the extra `spark` sees."""

from __future__ import annotations

import importlib.util

import pytest

import assay
import assay.spark
from assay.cli import main

COMMAND = "pip install 'assay-ir[spark]'"


@pytest.fixture(autouse=True)
def no_pyspark(monkeypatch):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr("assay.extras.find_spec", lambda name: None if name == "pyspark" else find_spec(name))


def test_functions_name_the_extra():
    for function in (assay.spark.evaluate, assay.spark.score_runs):
        with pytest.raises(assay.UsageError) as error:
            function({"q": {"a": 1}}, object(), ["map"])
        assert str(error.value) == f"runs in Spark need the extra 'spark': {COMMAND}"


def test_the_command_names_the_extra(capsys):
    assert main(["score", "--engine", "spark", "examples/qrels.txt", "examples/bm25.run", "-m", "map"]) == 2
    assert capsys.readouterr().err == f"error: --engine spark needs the extra 'spark': {COMMAND}\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--master", "local"], "--master needs --engine spark"),
        (["--run-col", "system"], "--run-col needs --engine spark"),
        (["--form", "counting"], "--form needs --engine spark"),
        (["--engine", "spark", "--by", "kind"], "--by cannot be used with --engine spark"),
        (["--engine", "spark", "--relevance", "token"], "--relevance cannot be used with --engine spark"),
        (["--engine", "spark", "--lenient"], "--lenient cannot be used with --engine spark"),
    ],
)
def test_options_that_do_not_fit_the_engine(capsys, arguments, text):
    assert main(["score", "examples/qrels.txt", "examples/bm25.run", *arguments]) == 2
    assert capsys.readouterr().err == f"error: {text}\n"


def test_the_command_needs_judgments_and_runs(capsys):
    assert main(["score", "--engine", "spark", "qrels.parquet"]) == 2
    assert "expected judgments and at least one run; found qrels.parquet. For example:" in capsys.readouterr().err
