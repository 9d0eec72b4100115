"""MLflow: what is logged is read again with MLflow's own client, from a database in a file."""

import json
import os
import socket
from pathlib import Path

import pytest

import assay
from assay.cli import main
from assay.masking import add_secret

QRELS = {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}}
RUN = {"q1": ["d1", "d2"], "q2": ["d1", "d2"], "q3": ["d4"]}
OTHER = {"q1": ["d1"], "q2": ["d2"], "q3": ["d3"]}
METRICS = ["ndcg@10", "rbp(p=0.8)"]


@pytest.fixture
def uri(tmp_path, monkeypatch):
    """A database, and artifacts beside it."""
    monkeypatch.chdir(tmp_path)
    return f"sqlite:///{tmp_path}/mlflow.db"


@pytest.fixture
def client(required, uri):
    return required("mlflow").MlflowClient(tracking_uri=uri)


@pytest.fixture
def artifact(required, uri):
    """The text of an artifact."""

    def read(run_id, name):
        artifacts = required("mlflow.artifacts")
        path = artifacts.download_artifacts(run_id=run_id, artifact_path=name, tracking_uri=uri)
        return Path(path).read_text(encoding="utf-8")

    return read


def test_a_result_is_a_run(client, uri, artifact):
    result = assay.with_intervals(assay.evaluate(QRELS, RUN, METRICS, name="bm25"))
    (run_id,) = assay.log_to_mlflow(result, uri, experiment="nightly", run_name="first")
    run = client.get_run(run_id)
    interval = result.intervals["ndcg@10"]
    expected = {"ndcg_at_10": result["ndcg@10"], "ndcg_at_10_low": interval.low, "ndcg_at_10_high": interval.high}
    assert {name: run.data.metrics[name] for name in expected} == expected
    assert run.data.metrics["rbp_p_0.8"] == result["rbp(p=0.8)"]
    assert (run.info.run_name, run.info.status, run.data.metrics["n_queries"]) == ("first", "FINISHED", 3)
    assert client.get_experiment(run.info.experiment_id).name == "nightly"
    about = {"provider": "bm25", "policy.ties": "docid_desc", "assay": assay.__version__}
    assert {name: run.data.params[name] for name in about} == about
    assert run.data.params["fingerprint.rankings"] == result.fingerprints["rankings"]
    assert {file.path for file in client.list_artifacts(run_id)} == {"result.json", "report.html"}
    assert json.loads(artifact(run_id, "result.json"))["results"][0]["summary"] == result.to_dict()["summary"]
    assert "ndcg@10" in artifact(run_id, "report.html")


def test_a_comparison_is_a_run_for_each_result(client, uri, artifact):
    comparison = assay.compare(QRELS, {"old": RUN, "new": OTHER}, METRICS)
    runs = [client.get_run(run_id) for run_id in assay.log_to_mlflow(comparison, uri, report=False)]
    assert [run.info.run_name for run in runs] == ["old", "new"]
    assert [run.data.metrics["ndcg_at_10"] for run in runs] == [result["ndcg@10"] for result in comparison.results]
    assert {file.path for file in client.list_artifacts(runs[0].info.run_id)} == {"result.json", "comparison.json"}
    assert artifact(runs[0].info.run_id, "comparison.json") == artifact(runs[1].info.run_id, "comparison.json")


def test_stored_results_are_logged_by_a_command(client, uri, tmp_path, capsys):
    assay.with_intervals(assay.evaluate(QRELS, RUN, METRICS, name="bm25")).save(tmp_path / "result.json")
    assert main(["results", "mlflow", "result.json", "--tracking-uri", uri, "--experiment", "x"]) == 0
    (run,) = client.search_runs([client.get_experiment_by_name("x").experiment_id])
    assert run.info.run_id in capsys.readouterr().out
    assert run.data.params["provider"] == "bm25"


def test_secrets_are_masked(client, uri, artifact):
    add_secret("sk-verysecret-0123456789", "the header")
    result = assay.evaluate(QRELS, RUN, METRICS, name="http(key=sk-verysecret-0123456789)")
    (run_id,) = assay.log_to_mlflow(result, uri)
    run = client.get_run(run_id)
    written = f"{run.data.params} {run.data.tags} {run.info.run_name} {artifact(run_id, 'result.json')}"
    assert "verysecret" not in written


def test_an_error_of_mlflow_is_one_line(required, monkeypatch, tmp_path):
    """MLflow itself refuses folders unless the user allows them."""
    required("mlflow")
    monkeypatch.delenv("MLFLOW_ALLOW_FILE_STORE", raising=False)
    result = assay.evaluate(QRELS, RUN, METRICS)
    with pytest.raises(assay.UsageError, match=r"MLflow: .*MLFLOW_ALLOW_FILE_STORE"):
        assay.log_to_mlflow(result, str(tmp_path / "mlruns"))
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    assert len(assay.log_to_mlflow(result, (tmp_path / "mlruns").as_uri(), report=False)) == 1


def test_a_server_that_does_not_listen_is_an_error_after_few_attempts(required, monkeypatch):
    """MLflow's own seven retries take minutes; a number that the user set stays."""
    required("mlflow")
    monkeypatch.setattr("assay.reports.mlflow_runs.FEW_RETRIES", "0")
    monkeypatch.delenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", raising=False)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        with pytest.raises(assay.UsageError, match="MLflow: API request to"):
            assay.log_to_mlflow(assay.evaluate(QRELS, RUN, "mrr"), f"http://127.0.0.1:{closed.getsockname()[1]}")
    assert "MLFLOW_HTTP_REQUEST_MAX_RETRIES" not in os.environ
