"""Reports of a gate: the words at the terminal, and files that hostile text cannot break."""

import json
from xml.etree import ElementTree as ET

import pytest

from assay import DataError, Query, UsageError
from assay.monitoring import broken_gate, gate, parse_rule, render_gate
from assay.reports import gate_sections, render_annotations, render_gate_junit, render_sections

from ._history import result

NASTY = 'a|b <script>&"\x1b[31m\x00\n`*'


@pytest.fixture
def report():
    before = result({"mrr": [1.0, 0.5, 1.0, 1.0], "hit@10": [1, 1, 1, 1]})
    now = result({"mrr": [1.0, 0.0, 0.5, 1.0], "hit@10": [1, 0, 1, 1]})
    rules = ["mrr drops <= 0.01", "hit@10 >= 0.5", "mrr not worse by 0.2", "no query drops to miss [warn]"]
    return gate(now, before, [parse_rule(rule, f"gate.yaml:{line}") for line, rule in enumerate(rules, 2)], name="main")


def test_in_every_format(report, snapshots):
    broken = broken_gate(DataError("main rests on other data"), "main")
    assert (broken.is_passed, broken.exit_code, broken.to_dict()["broken"]) == (False, 3, "main rests on other data")
    assert broken_gate(UsageError("no such rule")).exit_code == 2
    formats = {
        "terminal": render_gate,
        "narrow": lambda one: render_gate(one, 60, colour=True),
        "markdown": lambda one: render_sections(gate_sections(one), "markdown"),
        "annotations": render_annotations,
        "junit": render_gate_junit,
    }
    for name, render in formats.items():
        snapshots.check(f"gate/report_{name}", f"{render(report)}\n\n## broken\n{render(broken)}")


def test_junit_tells_worse_from_undecided(report):
    """Both fail where the rule asks for it; nobody is to look for a change that is not there."""
    rules = ["mrr drops <= 0.01", "mrr not worse by 0.2 [undecided: fail]"]
    before, now = ({"mrr": [1.0, 0.5, 1.0, 1.0]}, {"mrr": [1.0, 0.0, 0.5, 1.0]})
    suite = ET.fromstring(render_gate_junit(gate(result(now), result(before), rules)))
    assert [one.attrib["type"] for one in suite.iter("failure")] == ["worse", "undecided"]


def test_every_format_knows_what_is_the_same():
    """It passes everywhere, and raises no annotation."""
    same = result({"mrr": [1.0, 0.5] * 10})
    report = gate(same, same, ["mrr not worse by 0.05 [undecided: fail]"])
    assert render_gate(report).startswith("SAME  mrr not worse by 0.05")
    case = ET.fromstring(render_gate_junit(report)).find("testsuite/testcase")
    assert [part.tag for part in case] == ["system-out"]
    assert case.findtext("system-out").startswith("same: no score changed; with 20 queries")
    assert "✅ same" in render_sections(gate_sections(report), "markdown")
    assert render_annotations(report) == ""
    assert (report.to_dict()["verdicts"][0]["status"], report.to_dict()["exit_code"]) == ("same", 0)


def test_hostile_text_breaks_nothing():
    queries = {"q1": Query("q1", NASTY)}
    now = result({"mrr": [0.1]}, NASTY, queries=queries, failures={}, benchmark=NASTY)
    report = gate(now, result({"mrr": [1.0]}, NASTY, benchmark=NASTY), "mrr drops <= 0.01")
    assert "\x1b" not in render_gate(report)
    assert ET.fromstring(render_gate_junit(report)).find("testsuite/testcase/failure") is not None
    table = [line for line in render_sections(gate_sections(report), "markdown").splitlines() if "q1" in line]
    assert table[0].replace("\\|", "").count("|") == 5
    assert all(line.startswith("::") for line in render_annotations(report).splitlines())
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False))["verdicts"][0]["moved"][0]["text"] == NASTY


def test_conclusions(snapshots):
    one, two = result({"mrr": [1.0]}, "bm25"), result({"mrr": [0.5]}, "dense")
    reports = {
        "two results": gate([one, two], None, "mrr >= 0.7"),
        "two verdicts": gate([one, two], None, "mrr >= 0.4"),
        "two rules": gate(one, None, ["mrr >= 0.7", "failed = 0"]),
        "one rule": gate(one, None, "mrr >= 0.7"),
    }
    snapshots.check("gate/conclusions", "".join(f"## {name}\n{render_gate(each)}\n" for name, each in reports.items()))
