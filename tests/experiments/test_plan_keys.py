"""Keys of a plan with logs: none is ignored without an error or a note."""

from __future__ import annotations

import json

import pytest
from tests.experiments._logs import interleaved, log_of

from assay.cli import main

AB = "{path: ab.jsonl, name: shop, experiment: {control: control}}"
MIX = "{path: mix.jsonl, interleaving: }"


@pytest.fixture
def check(tmp_path, monkeypatch, capsys):
    """Write a plan and run a command with it: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    for name, rows in (("ab", log_of(60, {"control": 0.2, "dense": 0.4})), ("mix", interleaved(20))):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run(plan, *command):
        (tmp_path / "plan.yaml").write_text(plan)
        code = main([*(command or ("plan", "check")), "plan.yaml"])
        return code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (f"logs: [{MIX}]\nmetrics: [ctr@4]", "metrics has no effect, because every log has interleaved rankings"),
        (f"logs: [{AB}]\nby: [day]", "by has no effect, because experiments are not split"),
        (f"logs: [{MIX}]\nby: [day]", "by has no effect, because experiments are not split"),
        (f"logs: [{AB}]\nstatistical_analysis: {{correct_metrics: true}}", "write it in the experiment"),
        ("logs: [{path: ab.jsonl, experiment: {window: 12}}]", "window is for sequential: true"),
        (f"logs: [{AB}]\nprofile: ranx", "logs and profile are in one plan, but a log has no profile"),
        (f"logs: [{AB}]\nunit: chunk", "logs and unit are in one plan"),
        (f"logs: [{AB}]\nas_of: query", "logs and as_of are in one plan"),
        (f"logs: [{AB}]\npolicy: {{missing: skip}}", "logs and policy are in one plan"),
    ],
)
def test_a_key_that_no_log_uses_is_an_error(check, plan, message):
    for command in (("plan", "check"), ("eval", "--no-store")):
        code, _, error = check(plan, *command)
        assert code == 2
        assert message in error


@pytest.mark.parametrize(
    ("plan", "note"),
    [
        (f"logs: [{AB}]\ntimeout: 5\nretries: 2", "note: timeout, retries have no effect on logs"),
        (f"logs: [{AB}]\nseed: 5", "note: seed has no effect on logs"),
        (
            f"logs: [{AB}]\nstatistical_analysis: {{confidence_intervals: t, significance_testing: t}}",
            "note: significance_testing, confidence_intervals have no effect on logs",
        ),
        (f"logs: [{AB}, ab.jsonl]\nby: [day]", "note: by is only for ab.jsonl, and not for experiments and interleaving"),
        (
            f"logs: [{MIX}, ab.jsonl]\nstatistical_analysis: {{confidence_intervals: t}}",
            "note: confidence_intervals is only for ab.jsonl, and not for experiments and interleaving",
        ),
    ],
)
def test_a_key_without_effect_has_a_note(check, plan, note):
    code, said, _ = check(plan)
    assert code == 0
    assert note in said.splitlines()
    code, _, error = check(plan, "eval", "--no-store")
    assert code == 0
    assert note in error.splitlines()


@pytest.mark.parametrize(
    "plan",
    [
        f"logs: [{AB}, {MIX}]\nmetrics: [ctr@4]\nstatistical_analysis: {{alpha_level: 0.1}}",
        "logs: [ab.jsonl]\nby: [day]\nstatistical_analysis: {confidence_intervals: t}",
        "logs: [{path: ab.jsonl, experiment: {sequential: true, window: 12}}]\nmetrics: [ctr@4]",
    ],
)
def test_keys_that_are_used_have_no_note(check, plan):
    assert "note:" not in check(plan)[1]


def test_a_column_that_no_log_has_is_an_error(check):
    code, _, error = check(f"logs: [{AB}]\ncolumns: {{user: visitor}}", "eval", "--no-store")
    assert code == 2
    assert "no table has a column called 'visitor'" in error
