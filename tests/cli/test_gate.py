"""assay gate: exit codes, files, GitHub, stored results and files; and the whole story from evaluation to history."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from assay.cli import main
from assay.evaluation import read_results
from assay.store import Store

METRICS = ("ndcg@10", "recall@10", "mrr", "hit@10")
PROVIDERS = {"good": "search=bm25", "bad": "search=random_order", "less": "search=bm25(k1=0.1, stem=false)"}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Files of results of providers under one label, so that they are one series; and of the first queries alone."""
    folder = tmp_path_factory.mktemp("results")
    plan = ["eval", "--benchmarks", "rag-template", "--metrics", *METRICS, "--no-cache", "--no-store", "--quiet"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for name, provider in PROVIDERS.items():
            assert main([*plan, "--providers", provider, "-o", f"{name}.json"]) == 0
        assert main([*plan, "--providers", "search=bm25", "--limit", "10", "-o", "few.json"]) == 0
    return folder


@pytest.fixture
def store(folder, results):
    """A store in this folder with one evaluation, which is the baseline main."""
    with Store.open() as opened:
        opened.save(read_results(results / "good.json"))
        opened.bless("latest", "main")
        yield opened


def errors_of(path):
    return ET.parse(path).find("testsuite").attrib["errors"]


def test_verdicts(store, results, transcript):
    store.save(read_results(results / "less.json"))
    transcript("gate/verdicts")
    Path("broken.db").write_bytes(b"this is no database at all" * 100)
    assert main(["gate", "--rule", "failed = 0", "--store", "broken.db"]) == 6


def test_rules_are_checked_before_they_are_used(store, results, transcript):
    store.save(read_results(results / "less.json"))
    transcript("gate/check")


def test_a_check_needs_no_results(folder, transcript):
    transcript("gate/check_alone")


def test_a_check_needs_no_store(folder, assay):
    Path("gate.yaml").write_text("rules: [mrr not worse by 0.05]")
    Path("empty.db").write_bytes(b"")
    outcomes = [assay("gate", "--check", "gate.yaml", "--store", name) for name in ("missing.db", "empty.db")]
    for outcome in outcomes:
        assert outcome.code == 0
        assert all(f"  {n} queries: a drop of 0.1 (twice the margin)" in outcome.out for n in ("50", "200", "1,000"))
    assert not Path("missing.db").exists()


def test_a_guard_counts_different_candidates(store, results, transcript):
    """The same results count once; files without a store are told that a guard needs one."""
    for name in ("good", "less", "bad"):
        Path(f"{name}.json").write_bytes((results / f"{name}.json").read_bytes())
    transcript("gate/guard")


def test_runs_are_scored_by_the_metrics_of_the_rules(files, transcript):
    transcript("gate/runs")


def test_no_baseline_yet_is_noted_and_an_error_where_one_is_required(store, assay, transcript):
    assay("bless", "latest", "--as", "release")
    assay("bless", "--remove", "main")
    transcript("gate/no_baseline")
    assert errors_of("g.xml") == "1"


def test_a_broken_gate_is_written_in_every_form(store, results, assay):
    """So that nobody reads yesterday's files."""
    outputs = ("-o", "gate.xml", "-o", "gate.json")
    assert assay("gate", "--rule", "mrr >= 0.1", *outputs).code == 0
    assert assay("gate", "--rule", "mrr => 0.1", *outputs).code == 2
    content = json.loads(Path("gate.json").read_text())
    assert (errors_of("gate.xml"), content["passed"], content["exit_code"]) == ("1", False, 2)
    store.save(read_results(results / "few.json"))
    for form in ("json", "markdown", "junit"):
        done = assay("gate", "--rule", "mrr drops <= 0", "-f", form)
        assert (done.code, "38 queries are only in main" in done.out) == (3, True), form
    assert assay("gate", "--rule", "mrr drops <= 0")[:2] == (3, "")


def test_a_baseline_of_other_data_is_renewed_under_its_own_name(store, results, assay):
    """`assay bless latest` alone would move main, which is about something else."""
    store.bless("latest", "small")
    newest = store.save(read_results(results / "few.json"))
    gate = ("gate", "--baseline", "small", "--rule", "mrr drops <= 0.1")
    command = assay(*gate).err.strip().rpartition("To make this result the baseline: ")[2]
    assert command == f"assay bless {newest} --as small"
    assert assay(*command.split()[1:]).code == 0
    assert assay(*gate).code == 0
    assert store.baselines()["main"] != newest


def test_rules_name_a_users_own_metric_as_the_results_recorded_it(folder, results, assay, transcript):
    """random_order has the lower scores, and lower is better here, as only the result says."""
    for name in ("good", "bad"):
        content = json.loads((results / f"{name}.json").read_text())
        for result in content["results"]:
            for scores in (result["summary"], *result["per_query"].values()):
                scores["ear_score"] = scores.pop("mrr")
            result["own_metrics"] = {"ear_score": {"higher_is_better": False}}
            for field in ("intervals", "tie_bands", "residuals", "made_of"):
                result.get(field, {}).pop("mrr", None)
        Path(f"{name}.json").write_text(json.dumps(content))
    transcript("gate/own_metric")
    with Store.open() as opened:
        for name in ("good", "bad"):
            opened.save(read_results(f"{name}.json"))
    assert assay("gate", "latest", "--rule", "ear_score ratchet").code == 0
    assert "ear_score <= 0.0001" in assay("watch", "--rule", "ear_score <= 0.0001").out


def test_github_gets_annotations_and_a_summary(store, results, assay, folder, monkeypatch):
    store.save(read_results(results / "bad.json"))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    done = assay("gate", "--rule", "ndcg@10 >= 0.7")
    assert (done.code, "::error title=assay gate%3A ndcg@10 >= 0.7::" in done.err, "::" in done.out) == (1, True, False)
    assay("gate", "--rule", "ndcg@10 >= 0.001")
    assert Path("summary.md").read_text().count("### ") == 2
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder))
    assert "cannot be written" in assay("gate", "--rule", "ndcg@10 >= 0.001").err


@pytest.mark.slow
def test_the_whole_story(assay, folder):
    """eval → bless → a worse provider → the gate stops it → a better one → it passes → history shows the step."""
    Path("gate.yaml").write_text("rules:\n  - recall@10 drops <= 0.01\n  - mrr not worse by 0.02\n")
    gate = ("gate", "latest", "--baseline", "main", "--rules", "gate.yaml")
    providers = {"bm25": 0, "tfidf_chars(low=2, high=2)": 1, "bm25(k1=1.2)": 0, "random_order": 1}
    for provider, code in providers.items():
        plan = ("--benchmarks", "rag-template", "--providers", f"search={provider}", "--metrics", *METRICS, "--quiet")
        assert assay("eval", *plan).code == 0
        if provider == "bm25":
            assert assay("bless", "latest", "--as", "main").code == 0
        assert assay(*gate).code == code, provider
    history = assay("history", "-m", "ndcg@10", "--benchmark", "rag-template").out
    assert "(4 points)" in history
    assert re.search(r"▼ step 0\.\d+ → 0\.021 \(worse\)", history)


def test_queries_are_timed_alone_if_the_plan_says_so(assay, folder):
    """What the gate says when there is no figure is what helps."""
    plan = "benchmarks: [rag-template]\nproviders: [bm25]\nmetrics: [latency_p95]\ncache: false\n"
    for name, more in (("together", ""), ("alone", "batch_size: 1\n")):
        Path("plan.yaml").write_text(plan + more)
        assert assay("eval", "plan.yaml", "--quiet", "--no-store", "-o", f"{name}.json").code == 0
    assert "batch_size: 1 in the plan" in assay("gate", "together.json", "--rule", "latency_p95 <= 60 s").out
    done = assay("gate", "alone.json", "--rule", "latency_p95 <= 60 s")
    assert (done.code, done.out.count("PASS  latency_p95 <= 60000")) == (0, 1)
