"""Reports of a gate: the words at the terminal, and files that hostile text cannot break."""

import json
from xml.etree import ElementTree as ET

import pytest

from assay.errors import DataError
from assay.model.records import Query
from assay.monitoring import gate, parse_rule
from assay.monitoring.gating import broken_gate
from assay.monitoring.wording import render_gate
from assay.reports import gate_sections, render_annotations, render_gate_junit, render_sections

from ._results import result

NASTY = 'a|b <script>&"\x1b[31m\x00\n`*'


@pytest.fixture
def report():
    before = result({"mrr": [1.0, 0.5, 1.0, 1.0], "hit@10": [1, 1, 1, 1]})
    now = result({"mrr": [1.0, 0.0, 0.5, 1.0], "hit@10": [1, 0, 1, 1]})
    rules = ["mrr drops <= 0.01", "hit@10 >= 0.5", "mrr not worse by 0.2", "no query drops to miss [warn]"]
    return gate(now, before, [parse_rule(rule, f"gate.yaml:{line}") for line, rule in enumerate(rules, 2)], name="main")


def test_at_the_terminal(report):
    assert render_gate(report) == (
        "FAIL  mrr drops <= 0.01                       0.875 → 0.625  (−0.250 [−0.500, +0.000], 4 queries)\n"
        "PASS  hit@10 >= 0.5                           0.750 [0.301, 0.954], 4 queries\n"
        "????  mrr not worse by 0.2                    −0.250 [−0.500, +0.000], 4 queries: undecided, about 12 queries "
        "would decide\n"
        "WARN  no query drops from hit to miss [warn]  1 of 4 queries by hit@10\n"
        'Moved most: q2 hit → miss ("what is q2?"), q3 1.000 → 0.500 ("what is q3?")\n'
        "1 rule failed, 1 warned, 1 undecided. Baseline main.   exit 1\n"
    )


def test_a_narrow_terminal_and_colour(report):
    narrow = render_gate(report, 60, colour=True)
    assert "\x1b[1;31mFAIL\x1b[0m  mrr drops <= 0.01\n      0.875" in narrow


def test_junit_tells_worse_from_broken(report):
    suite = ET.fromstring(render_gate_junit(report)).find("testsuite")
    assert suite.attrib == {"name": "assay gate", "tests": "4", "failures": "1", "errors": "0", "skipped": "0"}
    cases = suite.findall("testcase")
    assert cases[0].attrib == {"name": "mrr drops <= 0.01", "classname": "assay.gate.rag.bm25"}
    assert cases[0].find("failure").attrib["type"] == "worse"
    assert "q2 hit → miss" in cases[0].find("failure").text
    assert cases[2].find("system-out").text.startswith("undecided: ")
    broken = ET.fromstring(render_gate_junit(broken_gate(DataError("other\ndata"), "main"))).find("testsuite")
    assert broken.attrib["errors"] == "1"
    assert broken.find("testcase/error").text == "other\ndata"


def test_junit_tells_worse_from_undecided(report):
    """Both fail where the rule asks for it; nobody is to look for a change that is not there."""
    rules = ["mrr drops <= 0.01", "mrr not worse by 0.2 [undecided: fail]"]
    before, now = ({"mrr": [1.0, 0.5, 1.0, 1.0]}, {"mrr": [1.0, 0.0, 0.5, 1.0]})
    suite = ET.fromstring(render_gate_junit(gate(result(now), result(before), rules)))
    assert [one.attrib["type"] for one in suite.iter("failure")] == ["worse", "undecided"]


def test_a_broken_gate_says_so_everywhere():
    broken = broken_gate(DataError("main rests on other data"), "main")
    assert (broken.is_passed, broken.exit_code) == (False, 3)
    for text in (render_gate(broken), render_sections(gate_sections(broken), "markdown"), render_annotations(broken)):
        assert "main rests on other data" in text
    assert broken.to_dict()["broken"] == "main rests on other data"


def test_markdown(report):
    text = render_sections(gate_sections(report), "markdown")
    assert text.startswith("### ❌ Retrieval gate\n\n1 rule failed, 1 warned, 1 undecided. Baseline main.\n")
    assert "| ❌ fail | mrr drops \\<= 0.01 | 0.875 → 0.625" in text
    assert "| q2 | what is q2? | mrr | hit → miss |" in text


def test_annotations_stand_where_the_rule_does(report):
    lines = render_annotations(report).splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(
        "::error file=gate.yaml,line=2,title=assay gate%3A mrr drops <= 0.01::mrr drops <= 0.01: 0.875"
    )
    assert lines[1].startswith("::warning file=gate.yaml,line=4,")
    assert "%0Aq2 hit → miss" in lines[0]


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


def test_several_results_stand_under_their_names():
    one, two = result({"mrr": [1.0]}, "bm25"), result({"mrr": [0.5]}, "dense")
    text = render_gate(gate([one, two], None, "mrr >= 0.7"))
    assert text.startswith("rag · bm25\nPASS  mrr >= 0.7")
    assert "\n\nrag · dense\nFAIL  mrr >= 0.7" in text
    assert 'Worst: q1 0.500 ("what is q1?")' in text


def test_figures_show_the_digits_that_matter():
    found = gate(result({"mrr": [0.41996]}), None, "mrr >= 0.42").verdicts[0]
    assert found.summary.startswith("0.41996")
    slow = gate(result({"latency": [1234.5]}), None, "latency <= 1000").verdicts[0]
    assert slow.summary.startswith("1,234.5")


def test_one_rule_about_two_results_is_two_verdicts():
    one, two = result({"mrr": [1.0]}, "bm25"), result({"mrr": [0.8]}, "dense")
    assert "All 2 verdicts passed. No baseline." in render_gate(gate([one, two], None, "mrr >= 0.7"))
    assert "1 verdict failed." in render_gate(gate([one, two], None, "mrr >= 0.9"))
    assert "All 2 rules passed." in render_gate(gate(one, None, ["mrr >= 0.7", "failed = 0"]))
    assert "\n1 rule passed." in render_gate(gate(one, None, "mrr >= 0.7"))
