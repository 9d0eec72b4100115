"""assay gate: exit codes, files, GitHub, stored results and files; and the whole story from evaluation to history."""

import json
import re
from xml.etree import ElementTree as ET

import pytest

from assay.evaluation.saved import read_results
from assay.execution.execute import ExecutionOptions, execute_plan
from assay.execution.plan import make_plan
from assay.store import Store, keep

from ._nights import save_nights

METRICS = ["ndcg@10", "recall@10", "mrr", "hit@10"]


def evaluated(provider, **more):
    """What `assay eval` makes of a provider, under one label, so that it is one series."""
    content = {"benchmarks": ["rag-template"], "providers": [provider], "metrics": METRICS, "cache": False, **more}
    return execute_plan(make_plan(content, "test"), ExecutionOptions())


@pytest.fixture(scope="module")
def good():
    return evaluated("search=bm25")


@pytest.fixture(scope="module")
def bad():
    return evaluated("search=random_order")


@pytest.fixture
def store(tmp_path, monkeypatch, good):
    """A store in this folder with one evaluation, which is the baseline main."""
    for name in ("ASSAY_STORE", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    keep(good)
    with Store.open() as opened:
        opened.bless("latest", "main")
        yield opened


@pytest.fixture
def saved(tmp_path, assay, monkeypatch):
    """Two files of results."""
    monkeypatch.chdir(tmp_path)
    for name, provider in (("old.json", "search=bm25"), ("new.json", "search=random_order")):
        outcome = assay(
            *("eval", "--benchmarks", "rag-template", "--providers", provider, "--metrics", *METRICS),
            *("--no-cache", "--quiet", "-o", tmp_path / name),
        )
        assert outcome.code == 0
    return tmp_path / "old.json", tmp_path / "new.json"


def test_a_baseline_of_other_data_is_renewed_under_its_own_name(assay, store, tmp_path):
    """`assay bless latest` alone would move main, which is about something else."""
    keep(evaluated("search=bm25", selection={"limit": 20}))
    with Store.open() as opened:
        opened.bless("latest", "small")
        newest = keep(evaluated("search=bm25", selection={"limit": 21}))
    done = assay("gate", "--baseline", "small", "--rule", "mrr drops <= 0.1")
    assert done.code == 3
    command = done.err.strip().rpartition("To make this result the baseline: ")[2]
    assert command == f"assay bless {newest} --as small"
    assert assay(*command.split()[1:]).code == 0
    assert assay("gate", "--baseline", "small", "--rule", "mrr drops <= 0.1").code == 0
    assert store.baselines()["main"] != newest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder, without a store."""
    for name in ("ASSAY_STORE", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_whole_story(assay, folder):
    """eval → bless → a worse provider → the gate stops it → a better one → it passes → history shows the step."""

    def evaluate(provider):
        plan = ("--benchmarks", "rag-template", "--providers", f"search={provider}", "--metrics", *METRICS)
        outcome = assay("eval", *plan, "--quiet")
        assert outcome.code == 0
        return outcome

    (folder / "gate.yaml").write_text("rules:\n  - recall@10 drops <= 0.01\n  - mrr not worse by 0.02\n")
    gate = ("gate", "latest", "--baseline", "main", "--rules", "gate.yaml")
    evaluate("bm25")
    assert "baseline main is " in assay("bless", "latest", "--as", "main").out
    evaluate("tfidf_chars(low=2, high=2)")
    worse = assay(*gate)
    assert worse.code == 1
    assert "FAIL  recall@10 drops <= 0.01  0.938 → " in worse.out
    assert re.search(r'Moved most: q\d+ (hit → miss|\d.\d+ → \d.\d+) \("', worse.out)
    assert "failed" in worse.out
    assert "Baseline main (" in worse.out
    evaluate("bm25(k1=1.2)")
    better = assay(*gate)
    assert (better.code, better.err) == (0, "")
    assert "PASS  recall@10 drops <= 0.01" in better.out
    evaluate("random_order")
    assert assay(*gate).code == 1
    history = assay("history", "-m", "ndcg@10", "--benchmark", "rag-template")
    assert history.code == 0
    assert "rag-template · search" in history.out
    assert "(4 points)" in history.out
    assert re.search(r"▼ step 0\.\d+ → 0\.021 \(worse\)", history.out)


@pytest.fixture
def with_own_metric(saved):
    """The two files, with mrr under the name of a metric that exists in no module any more, and is better when lower."""
    for path in saved:
        content = json.loads(path.read_text())
        for result in content["results"]:
            result["summary"]["ear_score"] = result["summary"].pop("mrr")
            for row in result["per_query"].values():
                row["ear_score"] = row.pop("mrr")
            result["own_metrics"] = {"ear_score": {"higher_is_better": False}}
            for field in ("intervals", "tie_bands", "residuals", "made_of"):
                result.get(field, {}).pop("mrr", None)
        path.write_text(json.dumps(content))
    return saved


@pytest.mark.parametrize("given", ["option", "file"])
def test_rules_name_a_users_own_metric_as_the_results_recorded_it(assay, with_own_metric, tmp_path, given):
    """random_order has the lower scores, and lower is better here, as only the result says."""
    old, new = with_own_metric

    def gate(now, before, rule):
        (tmp_path / "gate.yaml").write_text(f"- {rule}\n")
        rules = ("--rule", rule) if given == "option" else ("--rules", tmp_path / "gate.yaml")
        return assay("gate", now, "--baseline", before, *rules)

    assert gate(new, old, "ear_score rises <= 0.01").code == 0
    assert gate(old, new, "ear_score rises <= 0.01").code == 1
    assert gate(old, new, "ear_score >= 0.1").code == 0
    assert gate(old, new, "ear_score not worse by 0.01").code == 1
    assert "ear_score is better when lower" in gate(old, new, "ear_score drops <= 0.01").err
    misspelt = gate(old, new, "ear_scor >= 0.1")
    assert misspelt.code == 2
    assert "no metric is called 'ear_scor'. Did you mean ear_score" in misspelt.err
    assert "the results also have ear_score" in misspelt.err


def test_the_report_takes_rules_about_a_users_own_metric(assay, with_own_metric, tmp_path):
    outcome = assay("report", *with_own_metric, "--rule", "ear_score rises <= 0.01", "-o", tmp_path / "page.html")
    assert outcome.code == 0
    assert "ear_score rises" in (tmp_path / "page.html").read_text()


def test_stored_results_are_gated_and_watched_by_a_users_own_metric(assay, with_own_metric):
    with Store.open() as store:
        for path in with_own_metric:
            store.save(read_results(path))
    assert assay("gate", "latest~1", "--rule", "ear_score >= 0.1").code == 0
    assert assay("gate", "latest", "--rule", "ear_score ratchet").code == 0
    watched = assay("watch", "--rule", "ear_score <= 0.0001")
    assert watched.code == 0
    assert "ear_score <= 0.0001" in watched.out


def test_files_in_every_form(assay, store, bad, tmp_path):
    keep(bad)
    names = ("gate.junit.xml", "summary.md", "gate.json", "gate.txt")
    outputs = [word for name in names for word in ("-o", tmp_path / name)]
    outcome = assay("gate", "--rule", "ndcg@10 >= 0.7", *outputs)
    assert outcome.code == 1
    assert ET.parse(tmp_path / "gate.junit.xml").find("testsuite").attrib["failures"] == "1"
    assert json.loads((tmp_path / "gate.json").read_text())["exit_code"] == 1
    assert (tmp_path / "gate.txt").read_text() == outcome.out
    assert "### ❌" in (tmp_path / "summary.md").read_text()
    assert "wrote " in outcome.err
    for form in ("json", "markdown", "junit"):
        assert assay("gate", "--rule", "ndcg@10 >= 0.7", "-f", form).code == 1


def test_two_files_without_a_store(assay, saved):
    old, new = saved
    outcome = assay("gate", new, "--baseline", old, "--rule", "recall@10 drops <= 0.01")
    assert outcome.code == 1
    assert assay("gate", old, "--baseline", old, "--rule", "recall@10 drops <= 0.01").code == 0
    missing = assay("gate", "none.json", "--baseline", old, "--rule", "failed = 0")
    assert (missing.code, missing.err) == (3, missing.err)
    assert missing.err.startswith("error: none.json: no such file")


def test_no_baseline_yet_is_told_and_no_error_unless_one_is_required(assay, store, good, tmp_path):
    assay("bless", "--remove", "main")
    rules = ("--rule", "ndcg@10 >= 0.5", "--rule", "mrr drops <= 0.01")
    for named in ((), ("--baseline", "main"), ("--baseline", "release")):
        outcome = assay("gate", *named, *rules)
        assert outcome.code == 0
        assert f"note: there is no baseline {named[-1] if named else 'main'} yet" in outcome.err
        assert "assay bless " in outcome.err
        assert "skip  mrr drops <= 0.01  no baseline to compare with" in outcome.out
    required = assay("gate", "--baseline", "release", "--require-baseline", *rules, "-o", tmp_path / "g.xml")
    assert required.code == 3
    assert ET.parse(tmp_path / "g.xml").find("testsuite").attrib["errors"] == "1"


def test_a_name_that_nobody_blessed_while_others_are_there_is_broken(assay, store, tmp_path):
    outcome = assay("gate", "--baseline", "mian", "--rule", "mrr drops <= 0.01", "-o", tmp_path / "g.xml")
    assert (outcome.code, outcome.out) == (3, "")
    assert "error: there is no baseline mian (did you mean main?); there are main, and assay bless " in outcome.err
    assert ET.parse(tmp_path / "g.xml").find("testsuite").attrib["errors"] == "1"
    far = assay("gate", "--baseline", "release", "--rule", "mrr drops <= 0.01")
    assert (far.code, "; there are main, and assay bless " in far.err) == (3, True)


def test_the_usual_name_is_not_a_slip(assay, store):
    assay("bless", "latest", "--as", "release")
    assay("bless", "--remove", "main")
    outcome = assay("gate", "--rule", "mrr drops <= 0.01")
    assert (outcome.code, "note: there is no baseline main yet" in outcome.err) == (0, True)


def test_the_baseline_itself_is_noted(assay, store):
    assert "note: main is this very evaluation" in assay("gate", "--rule", "mrr drops <= 0").out


def test_broken_is_not_worse(assay, tmp_path, monkeypatch, store):
    assert assay("gate", "--rule", "ncdg@10 >= 0.1").code == 2
    assert assay("gate").code == 2
    assert assay("gate", "--rules", "none.yaml").code == 3
    assert assay("gate", "--rule", "failed = 0", "-o", "gate.pdf").code == 2
    assert assay("gate", "--rule", "failed = 0", "-o", "nowhere/gate.xml").code == 2
    assert assay("gate", "--rule", "failed = 0", "--store", tmp_path / "none.db").code == 6
    (tmp_path / "broken.db").write_bytes(b"this is no database at all" * 100)
    assert assay("gate", "--rule", "failed = 0", "--store", tmp_path / "broken.db").code == 6
    assert assay("gate", "2020-01-01", "--rule", "failed = 0").code == 2
    keep(evaluated("search=bm25", selection={"limit": 10}))
    other = assay("gate", "--rule", "mrr drops <= 0")
    assert other.code == 3
    assert "38 queries only in main" in other.err


def test_the_place_of_a_rule_is_told(assay, store, tmp_path):
    (tmp_path / "gate.yaml").write_text("rules:\n  - failed = 0\n  - mrr >= 0.1 where difficulty=hrad\n")
    outcome = assay("gate", "--rules", "gate.yaml")
    assert outcome.code == 2
    assert "gate.yaml:3: no value of difficulty is called 'hrad'. Did you mean hard?" in outcome.err


def test_a_ratchet_remembers(assay, store):
    keep(evaluated("search=bm25(k1=0.1, stem=false)"))
    first = assay("gate", "--rule", "mrr ratchet")
    assert "best so far" in first.out
    assert first.code == 1
    assert assay("gate", "--rule", "mrr ratchet within 0.1").code == 0


def test_github_gets_annotations_and_a_summary(assay, store, bad, tmp_path, monkeypatch):
    keep(bad)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    outcome = assay("gate", "--rule", "ndcg@10 >= 0.7")
    assert outcome.code == 1
    assert "::error title=assay gate%3A ndcg@10 >= 0.7::" in outcome.err
    assert "::" not in outcome.out
    assay("gate", "--rule", "ndcg@10 >= 0.001")
    assert (tmp_path / "summary.md").read_text().count("### ") == 2
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    assert "cannot be written" in assay("gate", "--rule", "ndcg@10 >= 0.001").err


def test_a_slip_in_a_rule_does_not_leave_yesterdays_files(assay, store, tmp_path):
    files = ("-o", "gate.xml", "-o", "gate.json")
    assert assay("gate", "--rule", "mrr >= 0.1", *files).code == 0
    assert assay("gate", "--rule", "mrr => 0.1", *files).code == 2
    assert ET.parse("gate.xml").find("testsuite").attrib["errors"] == "1"
    content = json.loads((tmp_path / "gate.json").read_text())
    assert (content["passed"], content["exit_code"]) == (False, 2)
    assert "mrr" in content["broken"]


@pytest.mark.parametrize("form", ["json", "markdown", "junit"])
def test_a_broken_gate_is_printed_in_the_form_that_was_asked_for(assay, store, form):
    keep(evaluated("search=bm25", selection={"limit": 10}))
    outcome = assay("gate", "--rule", "mrr drops <= 0", "-f", form)
    assert outcome.code == 3
    assert "38 queries only in main" in outcome.out
    if form == "json":
        assert json.loads(outcome.out)["exit_code"] == 3
    assert assay("gate", "--rule", "mrr drops <= 0").out == ""


def test_rules_are_given_by_an_option(assay, store):
    for words in (("latest", "ndcg@10 >= 0.4"), ("ndcg@10 >= 0.4",)):
        outcome = assay("gate", *words)
        assert outcome.code == 2
        assert "'ndcg@10 >= 0.4' is no result; rules are given as --rule 'ndcg@10 >= 0.4'" in outcome.err
    assert assay("gate", "latest", "one", "two").code == 2


@pytest.mark.parametrize("name", ["latest~7", "./nofile", "baseline.jsn", "nosuch.json"])
def test_a_baseline_that_nobody_can_ever_bless_is_broken(assay, store, name):
    outcome = assay("gate", "--baseline", name, "--rule", "mrr >= 0.1")
    assert outcome.code == 3
    assert f"--as {name} makes one" not in outcome.err


def test_a_change_that_was_turned_down_raises_no_ratchet(assay, store):
    """0.5 was blessed; 0.9 was tried, and not; 0.6 is no step back."""
    save_nights(store, [0.5])
    store.bless("latest", "main")
    save_nights(store, [0.9, 0.6], start=1)
    outcome = assay("gate", "--rule", "mrr ratchet")
    assert outcome.code == 0
    assert "0.500 best so far" in outcome.out
    store.bless("latest~1", "main")
    store.bless("latest", "main")
    save_nights(store, [0.7], start=3)
    assert "0.900 best so far" in assay("gate", "--rule", "mrr ratchet").out


def test_queries_are_timed_alone_if_the_plan_says_so(assay, folder):
    """What the gate says when there is no figure is what helps."""
    (folder / "plan.yaml").write_text(
        "benchmarks: [rag-template]\nproviders: [bm25]\nmetrics: [latency_p95]\ncache: false\n"
    )
    assay("eval", "plan.yaml", "--quiet", "-o", "together.json")
    doubt = assay("gate", "together.json", "--rule", "latency_p95 <= 60 s")
    assert "no query was timed alone; batch_size: 1 in the plan asks one by one" in doubt.out
    (folder / "plan.yaml").write_text((folder / "plan.yaml").read_text() + "batch_size: 1\n")
    assay("eval", "plan.yaml", "--quiet", "-o", "alone.json")
    outcome = assay("gate", "alone.json", "--rule", "latency_p95 <= 60 s")
    assert outcome.code == 0
    assert re.search(r"PASS  latency_p95 <= 60000  [\d.,]+ \[.*\] ms, 48 queries", outcome.out)
