"""Report: results and how to show them; and the catalog of formats."""

import re

import pytest

import assay
from assay.cli.commands.score import FORMATS
from assay.metrics.parsing import parse_metric
from assay.reports.report import Report, all_renderers, find_renderer

from ._results import GOOD, METRICS, NINE, NOTHING, POOR, controls, hostile_results, pair, rendered, result

MAP, NUM_Q, RESIDUAL = map(parse_metric, ("map", "num_q", "rbp_residual(p=0.5)"))

SCRIPT = re.compile(r"<script>.*?</script>", re.DOTALL)
TABS = ("trec", "html")
"""Formats that hold tabs of their own: trec_eval's columns, and Vega's script."""


def test_the_command_offers_exactly_the_formats_there_are():
    assert set(all_renderers()) == set(FORMATS)
    assert all(renderer.meaning for renderer in all_renderers().values())


def test_an_unknown_format_names_the_nearest():
    with pytest.raises(assay.UnknownName, match=r"no format is called 'markdwon'\. Did you mean markdown\?"):
        find_renderer("markdwon")
    with pytest.raises(assay.UnknownName, match="there are csv, html, json, latex"):
        find_renderer("??")


@pytest.mark.parametrize(
    ("digits", "text"), [(None, "0.1235"), (0, "0"), (1, "0.1"), (2, "0.12"), (17, "0.12345678901234568")]
)
def test_digits(digits, text):
    assert Report(pair(), digits=digits).text(MAP, 0.12345678901234568) == text


@pytest.mark.parametrize(("value", "text"), [(40.0, "40"), (0.0, "0"), (1234567.0, "1234567")])
def test_counters_are_whole_numbers_whatever_the_digits(value, text):
    for digits in (None, 0, 2, 17):
        assert Report(pair(), digits=digits).text(NUM_Q, value) == text


def test_text_stays_and_nothing_is_a_dash():
    assert Report(pair(), digits=2).text(MAP, "01-") == "01-"
    assert Report(pair()).text(MAP, float("nan")) == "–"


def test_programs_get_every_digit_unless_fewer_are_asked_for():
    score, count = parse_metric("map"), parse_metric("num_q")
    assert Report(pair()).exact(score, 0.1 + 0.2) == "0.30000000000000004"
    assert Report(pair(), digits=2).exact(score, 0.1 + 0.2) == "0.30"
    assert Report(pair(), digits=2).exact(count, 40.0) == "40"
    assert Report(pair()).exact(score, float("nan")) == ""
    assert Report(pair(), digits=2).exact(score, "01-") == "01-"


def test_the_best_is_the_highest_or_where_less_is_better_the_lowest():
    report = Report(pair())
    assert report.best(MAP) == {0}
    assert report.best(RESIDUAL) == {0}
    assert Report(pair()[::-1]).best(RESIDUAL) == {1}


def test_nothing_is_best_alone_among_equals_or_among_counters():
    assert Report(pair()[:1]).best(MAP) == set()
    assert Report([result("a", GOOD), result("b", GOOD)]).best(MAP) == set()
    assert Report(pair(["num_ret", "map"])).best(parse_metric("num_ret")) == set()


def test_all_of_the_best_are_best():
    assert Report([result("a", GOOD), result("b", POOR), result("c", GOOD)]).best(MAP) == {0, 2}


def test_a_run_without_scores_is_never_best_and_never_in_the_way():
    unscored = result("none", {}, missing="skip")
    good, poor = pair(missing="skip")
    for results in ([unscored, good, poor], [good, poor, unscored], [good, unscored, poor]):
        assert Report(results).best(MAP) == {results.index(good)}
    assert Report([unscored, unscored]).best(MAP) == set()


def test_text_metrics_are_not_among_the_summaries():
    report = Report(pair(["relstring", "map", "runid"]))
    assert [metric.name for metric in report.shown] == ["map"]
    assert [metric.name for metric in report.metrics] == ["relstring@10", "map", "runid"]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("per_query", [False, True])
@pytest.mark.parametrize(
    "results",
    [
        pair()[:1],
        pair(),
        pair(NINE),
        pair(["relstring", "runid", "map"]),
        pair(["relstring"]),
        [assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, METRICS, policy=NOTHING)],
        [assay.evaluate({}, {}, NINE)],
        [assay.evaluate({"q": {"d": 1}}, {}, "all_trec", name="everything")],
    ],
    ids=["one", "two", "nine metrics", "text", "text only", "nothing scored", "nothing judged", "everything"],
)
def test_every_format_shows_every_kind_of_result(name, per_query, results):
    for digits in (None, 0, 2, 17):
        text = rendered(name, results, per_query=per_query, digits=digits)
        assert controls(text) <= ({"\t"} if name in TABS else set())
        assert not text or (text.endswith("\n") and not text.endswith("\n\n"))
        assert name in ("csv", "trec") or not re.search(r"\bnan\b", SCRIPT.sub("", text))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("per_query", [False, True])
def test_no_format_lets_control_characters_through(name, per_query):
    text = rendered(name, hostile_results(), per_query=per_query)
    if name == "json":  # where U+2028 is a letter like any other
        text = text.replace("\u2028", "").replace("\u2029", "")
    assert controls(text) <= ({"\t"} if name in TABS else set())
