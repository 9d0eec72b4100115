"""The report in words."""

from __future__ import annotations

import pytest

from assay.conformance import Answer, all_cases, check_answers, check_function
from assay.conformance.render import PLAIN, RED, hanging, render_report, verdict_line
from assay.text import display_width

from ._code import Code


def report_on(answers, **cases):
    return check_answers(all_cases(**cases), answers)


WRONG = report_on({"map": Answer(0.5), "map-more-than-k": Answer(1 / 3)}, metrics=["map"], topics=["plain", "map"])


def test_the_verdict_comes_first():
    assert render_report(WRONG).startswith("1 of 2 cases agree; 1 is wrong; 1 not answered (map).\n\nmap: map is 0.5\n")


@pytest.mark.parametrize(
    ("answers", "line"),
    [
        ({"map": Answer(1 / 3)}, "1 of 1 case agrees; 2 not answered (map)."),
        ({"map": Answer(7), "map-more-than-k": Answer(7)}, "0 of 2 cases agree; 2 are wrong; 1 not answered (map)."),
    ],
)
def test_counts_in_words(answers, line):
    assert verdict_line(report_on(answers, metrics=["map"], topics=["plain", "map"])) == line


def test_metrics_not_answered_are_named_as_they_were_asked_for():
    assert verdict_line(report_on({"hit": Answer(1)}, topics=["plain"])).endswith(
        "8 not answered (precision recall f1 mrr map …)."
    )


def test_what_is_wrong_is_explained():
    assert "\n".join(render_report(WRONG).splitlines()[2:7]) == (
        "map: map is 0.5\n"
        "  wrong     Divided by the relevant documents found instead of all relevant ones.\n"
        "  expected  0.333333\n"
        "  reason    A relevant document that was not retrieved contributes 0 and is still counted.\n"
        "  working   precision at a 1/2, at b 2/4, at c 0: 1 ÷ 3"
    )


def test_each_right_answer_has_its_line():
    text = render_report(report_on({"duplicate-precision": Answer(1)}, topics=["duplicates"]))
    assert "\n  expected  refused with an error\n  or        0.5: counted once\n" in text


@pytest.mark.parametrize("width", [40, 60, 80, 100])
def test_lines_fit_the_terminal(width):
    answers = {case.name: Answer(0.123) for case in all_cases()}
    lines = render_report(check_answers(all_cases(), answers), width).splitlines()
    assert max(map(display_width, lines)) <= max(width, 42)


def test_colour_only_repeats_what_words_say():
    coloured = render_report(WRONG, colour=True)
    assert coloured.startswith(RED)
    plain = coloured
    for style in ("\x1b[1m", "\x1b[1;31m", "\x1b[1;32m", PLAIN):
        plain = plain.replace(style, "")
    assert plain == render_report(WRONG) == str(WRONG) == WRONG.table()


def test_what_code_says_cannot_do_harm():
    text = render_report(report_on({"map": Answer(error="\x1b[31m\nred " + "x" * 1000)}, metrics=["map"]))
    assert "\x1b" not in text
    assert "an error (\\x1b[31m\\nred xxx" in text
    assert max(map(len, text.splitlines())) < 300


def test_a_convention_that_assay_lacks():
    text = render_report(report_on({"bpref": Answer(2 / 3)}, topics=["bpref"]))
    assert "÷ R (the paper of 2004) → assay does not have this" in text
    assert "The same numbers" not in text


def test_metrics_that_are_spelled_otherwise():
    text = render_report(
        report_on({"gain-at-1": Answer(3 / 7), "missing-query": Answer(0.25), "empty-ranking": Answer(0.25)})
    )
    assert "  gain             2^grade − 1 (Burges et al. 2005) → write ndcg(gain=exp)@k\n" in text
    assert text.endswith("The same numbers in assay: assay score qrels.txt run.txt -m 'ndcg(gain=exp)@10'\n")


def test_a_metric_that_differs_in_two_ways_is_spelled_with_both():
    text = render_report(check_function(Code(gain="exp", discount="jk2002", map_over="min"), all_cases(["ndcg", "map"])))
    assert "-m 'ndcg(gain=exp, discount=jk2002)@10' 'map(norm=min)@10'" in text


def test_what_a_diagnosis_explains_is_not_told_case_by_case():
    answers = {"map": Answer(33.3333333), "mrr": Answer(50.0), "hit": Answer(0.3), "recall": Answer(200 / 3)}
    text = render_report(report_on(answers, topics=["plain"]))
    assert text.splitlines()[:5] == [
        "0 of 4 cases agree; 4 are wrong; 5 not answered (precision f1 ndcg rprec rbp).",
        "",
        "Your numbers are percentages: divide them by 100. This explains 3 of 4 wrong answers.",
        "",
        "hit: hit@5 is 0.3",
    ]
    assert "Conventions" not in text
    assert "map: " not in text


def test_a_label_and_its_text():
    assert hanging("ab ", "one two", None) == "ab one two"
    assert hanging("ab ", "one " * 10 + "end", 33) == "ab " + "one one one one one one one\n   one one one end"
