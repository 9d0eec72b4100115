"""Saved outcomes: a result for each variant, read back with the same verdict, in the store, gate, report and pages."""

from __future__ import annotations

import json
import re
from html import unescape
from shutil import copytree

import pytest
from tests.experiments._logs import START, interleaved, log_of

import assay
from assay.cli import main
from assay.evaluation import read_results
from assay.experiments import ExperimentOptions, outcome_of, results_of
from assay.reports import EvaluationDisplay, render_evaluation, render_results
from assay.store import Store


def experiment_of(n: int = 200, **how: object) -> assay.experiments.Experiment:
    options = ExperimentOptions(start="2026-02-02", **how)
    return assay.compare_variants(log_of(n, {"control": 0.2, "dense": 0.4}), ["ctr@4", "abandonment"], options, name="shop")


def test_the_results_of_variants_have_their_plain_values():
    outcome = experiment_of()
    control, dense = results_of(outcome)
    assert (control.benchmark, control.name, dense.name, dense.rows_are) == ("shop", "control", "dense", "user")
    rows = [row for row in log_of(200, {"control": 0.2, "dense": 0.4}) if row["time"] >= START]
    for result in (control, dense):
        own = assay.evaluate_log([row for row in rows if row["variant"] == result.name], ["ctr@4", "abandonment"])
        assert result.summary == pytest.approx(own.summary)
        assert len(result.query_ids) == 100
    difference = next(each for each in outcome.differences if each.metric == "ctr@4")
    assert dense["ctr@4"] - control["ctr@4"] == pytest.approx(difference.unadjusted)


def test_an_outcome_that_was_saved_says_the_same():
    for outcome in (experiment_of(), experiment_of(correct_metrics=True), experiment_of(split="control=80,dense=20")):
        read = outcome_of(results_of(outcome)[1])
        assert read.to_dict() == outcome.to_dict()
        assert read.verdict == outcome.verdict
        assert (read.is_worse, read.n_comparisons) == (outcome.is_worse, outcome.n_comparisons)


@pytest.mark.parametrize("test", ["t", "sign"])
def test_interleaving_is_saved_as_the_wins_of_both_rankings(test):
    outcome = assay.score_interleaving(interleaved(), test=test, names=["bm25", "dense"], name="mix")
    a, b = results_of(outcome)
    assert (a.name, b.name, a.benchmark) == ("bm25", "dense", "mix")
    assert b["wins"] == pytest.approx(outcome.share)
    assert a["wins"] + b["wins"] == pytest.approx(1)
    assert (b.intervals["wins"].low, b.intervals["wins"].high) == pytest.approx((outcome.low, outcome.high))
    assert outcome_of(a).to_dict() == outcome.to_dict()


def test_very_many_users_are_summed_up_in_groups(monkeypatch):
    from assay.experiments import outcome_results

    single = results_of(experiment_of())
    monkeypatch.setattr(outcome_results, "MOST_ROWS", 30)
    grouped = results_of(experiment_of())
    for result, whole in zip(grouped, single, strict=True):
        assert (len(result.query_ids), result.rows_are) == (30, "user group")
        assert result.summary == pytest.approx(whole.summary)


def test_no_user_is_named_and_rows_say_nothing_about_order():
    text = json.dumps([result.to_dict() for result in results_of(experiment_of())])
    assert "person" not in text
    turned = assay.compare_variants(
        list(reversed(log_of(200, {"control": 0.2, "dense": 0.4}))), ["ctr@4"], ExperimentOptions(start="2026-02-02")
    )
    straight = assay.compare_variants(
        log_of(200, {"control": 0.2, "dense": 0.4}), ["ctr@4"], ExperimentOptions(start="2026-02-02")
    )
    for first, second in zip(results_of(turned), results_of(straight), strict=True):
        assert first.scores("ctr@4") == second.scores("ctr@4")


def test_a_damaged_outcome_is_no_outcome():
    result = results_of(experiment_of())[0]
    for damaged in ({}, {"schema": "assay.experiment/1"}, {"schema": "assay.interleaving/1", "name": "x"}, "text", None):
        assert outcome_of(result.with_fields(provenance={**result.provenance, "experiment": damaged})) is None


def damaged(plain: object, evil: object) -> list[object]:
    """Copies of plain values in which one value, at any depth, is another one."""
    places = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    return [evil] + [
        type(plain)({**plain, place: inner} if isinstance(plain, dict) else [*plain[:place], inner, *plain[place + 1 :]])
        for place, value in places
        for inner in damaged(value, evil)
    ]


@pytest.mark.parametrize("kind", ["experiment", "interleaving"])
@pytest.mark.parametrize(
    "evil", ["evil", *(pytest.param(value, marks=pytest.mark.slow) for value in (-3, None, [], {}, [5]))]
)
def test_an_outcome_with_any_damaged_value_is_no_outcome_or_can_be_shown(kind, evil):
    outcome = experiment_of() if kind == "experiment" else assay.score_interleaving(interleaved(), name="mix")
    result = results_of(outcome)[0]
    for plain in damaged(outcome.to_dict(), evil):
        changed = result.with_fields(provenance={**result.provenance, "experiment": plain, "log": evil})
        read = outcome_of(changed)
        assert read is None or read.to_dict()["verdict"], plain
        assert render_evaluation([changed], "markdown", EvaluationDisplay()), plain
    assert "<html" in render_results([changed])


def test_a_gate_refuses_an_outcome_that_cannot_be_read(tmp_path, capsys):
    result = results_of(experiment_of())[0]
    result.with_fields(provenance={**result.provenance, "experiment": "evil"}).save(tmp_path / "a.json")
    assert main(["gate", str(tmp_path / "a.json"), "--rule", "ctr@4 >= 0.1"]) == 3
    assert "the experiment is damaged" in capsys.readouterr().err


def test_an_outcome_that_was_read_cannot_be_made_into_results_again():
    for outcome in (experiment_of(), assay.score_interleaving(interleaved(), name="mix")):
        with pytest.raises(assay.UsageError, match="no counts of users"):
            results_of(outcome_of(results_of(outcome)[0]))


def test_a_log_without_users_counts_searches_once():
    rows = [{name: value for name, value in row.items() if name not in ("user", "session")} for row in interleaved()]
    assert results_of(assay.score_interleaving(rows))[0].provenance["log"].keys() == {"searches"}


# ---- the store and what reads it


@pytest.fixture(scope="module")
def saved_once(tmp_path_factory):
    """A store with an experiment, one without a verdict, and interleaving."""
    folder = tmp_path_factory.mktemp("saved")
    for name, rows in (("ab", log_of(200, {"control": 0.2, "dense": 0.4})), ("mix", interleaved())):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    compare = ["experiment", "compare", "ab.jsonl", "-m", "ctr@4", "--start", "2026-02-02", "--save", "-q"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main([*compare, "--name", "shop"]) == 0
        assert main([*compare, "--name", "lost", "--split", "control=80,dense=20"]) == 0
        assert main(["experiment", "interleaving", "mix.jsonl", "--save", "-q", "--name", "mix"]) == 0
    return folder


@pytest.fixture
def saved(saved_once, tmp_path, monkeypatch):
    """A copy of that store, in which a test may write."""
    copytree(saved_once, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_store_shows_the_verdict_again(saved, capsys):
    assert main(["show", "latest~2"]) == 0
    assert "dense beats control on ctr@4" in capsys.readouterr().out
    assert main(["show", "latest"]) == 0
    assert "searches won" in capsys.readouterr().out
    assert main(["results"]) == 0
    heading, row = capsys.readouterr().out.splitlines()[:2]
    assert ("users" in heading.split(), "queries" in heading.split()) == (True, False)
    assert "60" in row.split()


def test_a_gate_compares_variants_and_refuses_an_experiment_without_a_verdict(saved, capsys):
    sides = ["gate", "latest~2#dense", "--baseline", "latest~2#control"]
    assert main([*sides, "--rule", "ctr@4 not worse by 0.01"]) == 0
    assert main(["gate", "latest~2#control", "--baseline", "latest~2#dense", "--rule", "ctr@4 not worse by 0.01"]) == 1
    capsys.readouterr()
    assert main(["gate", "latest~1#dense", "--baseline", "latest~1#control", "--rule", "ctr@4 not worse by 0.01"]) == 3
    assert "the experiment has no verdict" in capsys.readouterr().err


def test_the_report_of_an_experiment_has_its_tables(saved):
    assert main(["report", "latest~2", "-o", "report.html", "-q"]) == 0
    page = (saved / "report.html").read_text()
    assert "dense beats control on ctr@4" in page
    assert "chi-squared test" in page
    assert "No query failed" not in page


def test_pages_show_the_outcome_and_no_users(saved):
    with Store.open(saved / ".assay" / "assay.db") as store:
        names = [entry.evaluation for entry in store.list() if entry.provider in ("dense", "b")]
    client = visit(saved)
    for name in names:
        page = client.get(f"/result/{name}/1").text
        assert 'id="experiment"' in page
        assert 'id="queries"' not in page
    assert client.get("/").status_code == 200
    assert "shop" not in client.get("/leaderboard").text
    assert ">users<" in client.get("/results").text


def test_the_verdict_stands_once_on_a_page(saved):
    assert main(["report", "latest~2", "-o", "report.html", "-q"]) == 0
    page = (saved / "report.html").read_text()
    assert page.count("dense beats control on ctr@4 by") == 1
    assert "These values are not adjusted for the period before the experiment." in page


def test_a_page_of_an_experiment_without_a_verdict_is_marked(saved):
    assert main(["report", "latest~1", "-o", "lost.html", "-q"]) == 0
    assert '<p class="verdict worse">There is no verdict' in (saved / "lost.html").read_text()


def keys_of(folder, benchmark):
    """Variant → the key of its result."""
    rows = visit(folder).get("/api/v1/results").json()["results"]
    return {row["provider"]: row["key"] for row in rows if row["benchmark"] == benchmark}


def test_to_compare_variants_is_to_see_their_experiment(saved):
    keys = keys_of(saved, "shop")
    answer = visit(saved).get(f"/compare?r={keys['control']}&r={keys['dense']}", follow_redirects=False)
    assert (answer.status_code // 100, answer.headers["location"]) == (3, f"/result/{keys['dense']}")
    lost = keys_of(saved, "lost")
    answer = visit(saved).get(f"/compare?r={keys['control']}&r={lost['dense']}", follow_redirects=False)
    assert answer.status_code == 422


@pytest.mark.parametrize(("first", "second", "word"), [("a", "b", "▲ better"), ("b", "a", "▼ worse")])
def test_a_comparison_of_interleaved_rankings_has_the_verdict_of_the_outcome(saved, first, second, word):
    keys = keys_of(saved, "mix")
    page = unescape(visit(saved).get(f"/compare?r={keys[first]}&r={keys[second]}&baseline={keys[first]}").text)
    outcome = assay.score_interleaving(interleaved())
    assert outcome.verdict in page
    assert word in page
    assert "randomization" not in page


def test_the_name_of_a_variant_may_have_a_space(saved, capsys):
    rows = [{**row, "variant": f"{row['variant']} group"} for row in log_of(200, {"old": 0.2, "new": 0.4})]
    (saved / "spaces.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["experiment", "compare", "spaces.jsonl", "-m", "ctr@4", "--control", "old group", "--save", "-q"]) == 0
    sides = ["gate", "latest#new group", "--baseline", "latest#old group"]
    assert main([*sides, "--rule", "ctr@4 not worse by 0.01"]) == 0
    capsys.readouterr()
    assert main(["gate", "latest", "ctr@4 not worse by 0.01"]) == 2
    assert "Give rules with --rule" in capsys.readouterr().err


def visit(folder):
    """A visitor of the web pages of the store."""
    pytest.importorskip("starlette")
    from starlette.testclient import TestClient

    from assay.web import make_app

    return TestClient(make_app(folder / ".assay" / "assay.db"), base_url="http://127.0.0.1:8765")


@pytest.mark.parametrize("more", [[], ["--worst", "3"]])
def test_a_comparison_of_interleaved_rankings_lists_no_users(saved, capsys, more):
    assert main(["compare", "latest", *more]) == 0
    shown, notes = capsys.readouterr()
    assert f"note: the verdict of the experiment mix itself is: {assay.score_interleaving(interleaved()).verdict}" in notes
    assert "beats a on wins" in shown
    assert "Largest loss" not in shown
    assert "lost the most" not in shown


def test_lists_of_queries_and_users_name_the_unit_of_each_size(saved, capsys):
    rankings = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d2": 2.0, "d1": 1.0}}
    with Store.open(saved / ".assay" / "assay.db") as store:
        store.save([assay.evaluate({"q1": {"d1": 1}, "q2": {"d1": 1}}, rankings, ["hit@1"], name="plain")])
    assert main(["results"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "size" in lines[0].split()
    assert any("plain" in line and "2 queries" in line for line in lines)
    assert any("60 users" in line for line in lines)
    client = visit(saved)
    page = client.get("/results").text
    assert ">2 queries<" in page
    assert ">60 users<" in page
    assert client.get("/results?sort=queries").status_code == 200


def test_the_history_of_a_log_is_found_although_other_results_are_newer(saved):
    log = log_of(40, {"a": 0.3})
    with Store.open(saved / ".assay" / "assay.db") as store:
        store.save([assay.evaluate_log(log, ["ctr@4"], name="nightly")])
    client = visit(saved)
    page = client.get("/history?provider=nightly&metric=ctr%404").text
    assert re.search(r"<option selected>ctr@4", page)
    assert ">users<" in page
    assert ">40<" in page


# ---- experiments in a plan


def test_a_plan_decides_what_the_commands_decide(saved, capsys):
    (saved / "plan.yaml").write_text(
        "logs:\n  - {path: ab.jsonl, name: shop, experiment: {control: control, start: 2026-02-02}}\n"
        "  - {path: mix.jsonl, interleaving: }\nmetrics: [ctr@4]\noutputs: [out.json]\n"
    )
    assert main(["plan", "check", "plan.yaml"]) == 0
    assert "experiment ab.jsonl as shop" in capsys.readouterr().out
    assert main(["eval", "plan.yaml", "-q"]) == 0
    printed = capsys.readouterr().out
    outcome = experiment_of()
    assert outcome.verdict in printed
    assert "searches won" in printed
    planned = read_results(saved / "out.json")
    shop = [result for result in planned if result.benchmark == "shop"]
    assert outcome_of(shop[0]).verdict == outcome.verdict
    assert [result.name for result in shop] == ["control", "dense"]
    alone = results_of(assay.score_interleaving(interleaved()))
    assert [result["wins"] for result in planned if result.benchmark == "mix"] == [result["wins"] for result in alone]
    assert main(["gate", "latest#dense", "--baseline", "latest#control", "--rule", "ctr@4 not worse by 0.01", "-q"]) == 0


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("experiment: {contrl: x}", "no key is called 'contrl'. Did you mean control?"),
        ("experiment: {window: -1}", "window must be a number above 0, not -1"),
        ("experiment: {start: yesterday}", "the start must be a time such as 2026-03-01"),
        ("experiment: {correct_metrics: perhaps}", "correct_metrics must be true or false"),
        ("experiment: 5", "must be a map with by, control"),
        ("experiment: {control: [a]}", "control must be text"),
        ("interleaving: {names: []}", "names is an empty list"),
        ("interleaving: {test: z}", "no test is called 'z'"),
        ("interleaving: {names: [a]}", "names must be two different names"),
        ("experiment: {}}]\nmetrics: [dwell_p50] # [{", "dwell_p50 is a percentile of times"),
        ("experiment: {sequential: true}}]\nmetrics: [clicked_rank] # [{", "clicked_rank has no upper bound"),
        ("experiment: {}, interleaving: {}", "two ways to read a log. Write two entries"),
    ],
)
def test_a_plan_with_a_wrong_experiment_is_one_error(tmp_path, capsys, entry, message):
    plan = tmp_path / "plan.yaml"
    plan.write_text(f"logs: [{{path: ab.jsonl, {entry}}}]\n")
    for command in (["eval", "--no-store"], ["plan", "check"]):
        assert main([*command, str(plan)]) in {2, 3}
        assert message in capsys.readouterr().err


def test_a_plan_keeps_two_readings_of_one_log_and_drops_a_repeated_one(saved, capsys):
    first = "{path: ab.jsonl, name: one, experiment: {control: control}}"
    second = "{path: ab.jsonl, name: one, experiment: {control: dense}}"
    (saved / "plan.yaml").write_text(f"logs: [{first}, {second}, {first}]\nmetrics: [ctr@4]\n")
    assert main(["plan", "check", "plan.yaml", "-f", "json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert [log["experiment"] for log in plain["logs"]] == [{"control": "control"}, {"control": "dense"}]
    assert plain["notes"] == ["the log ab.jsonl is listed 2 times but used once"]
