"""MLflow: what needs no MLflow. tests/providers/adapters/test_mlflow.py logs with the real package."""

import sys

import pytest

import assay
from assay import UsageError
from assay.cli import main


@pytest.fixture
def result(tmp_path, monkeypatch):
    """A result, also in a file, in a place where the package is missing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "mlflow", None)
    scored = assay.evaluate({"q1": {"d1": 1}}, {"q1": ["d1"]}, "mrr", name="bm25")
    scored.save("result.json")
    return scored


def test_a_missing_package_is_one_line_with_the_command_that_installs_it(result, capsys):
    with pytest.raises(UsageError, match="pip install mlflow"):
        assay.log_to_mlflow(result)
    assert main(["results", "mlflow", "result.json"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.usefixtures("result")
def test_options_of_mlflow_are_for_that_action(capsys):
    assert main(["results", "tag", "latest", "x", "--tracking-uri", "sqlite:///x.db"]) == 2
    assert "--tracking-uri" in capsys.readouterr().err
