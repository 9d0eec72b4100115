"""Judging one answer: right, a known fault, impossible, unknown, failed, or none at all."""

from __future__ import annotations

import json
import math

import numpy as np

from assay.conformance import Answer, all_cases, ask, judge, parse_answers, render_cases, render_requests

CASES = {case.name: case for case in all_cases()}


def test_every_right_value_agrees_and_every_fault_is_named():
    for case in CASES.values():
        for right in case.values:
            verdict = judge(case, Answer(error="no") if right.value is None else Answer(right.value))
            assert (verdict.kind, verdict.is_wrong) == ("agrees", False), right
            assert right in verdict.matched, right
        for wrong in case.wrong:
            verdict = judge(case, Answer(wrong.value))
            assert (verdict.kind, verdict.is_wrong) == ("fault", True), wrong
            assert wrong.fault[1:] in verdict.says, wrong


VERDICTS = [
    *((name, Answer(value), "impossible") for name, value in (("ndcg", 1.1), ("recall", -0.2), ("map", math.nan))),
    *((name, Answer(value), "impossible") for name, value in (("map", math.inf), ("discount-dcg", math.inf))),
    *((name, Answer(value), "impossible") for name, value in (("map", "0.3333333333"), ("map", True), ("hit", [1.0]))),
    ("precision", Answer(0.123), "unknown"),
    ("discount-dcg", Answer(7.0), "unknown"),
    ("duplicate-recall", Answer(2.0), "fault"),  # which is impossible as well
    ("mrr", Answer(9), "impossible"),
    ("ndcg", Answer(error="ZeroDivisionError"), "failed"),
    ("duplicate-precision", Answer(9), "impossible"),
    ("gain-graded", Answer(0.1), "unknown"),
    ("recall-k-beyond-ranking", Answer(0.1), "fault"),
    ("err", Answer(), "skipped"),
]


def test_verdicts_in_words(snapshots):
    for name, answer, kind in (*VERDICTS, ("hit", Answer(10**400), "impossible")):
        verdict = judge(CASES[name], answer)
        assert (verdict.kind, verdict.is_wrong, verdict.is_skipped) == (kind, kind != "skipped", kind == "skipped"), name
    assert judge(CASES["duplicate-ndcg"], Answer(error="twice")).kind == "agrees", "where an error is a convention"
    snapshots.check("conformance/verdicts", "".join(f"{judge(CASES[name], answer)}\n" for name, answer, _ in VERDICTS))


def test_the_tolerance():
    assert judge(CASES["map"], Answer(0.3333)).is_wrong
    assert not judge(CASES["map"], Answer(0.3333), 1e-4).is_wrong
    assert not judge(CASES["map"], Answer(np.float32(1 / 3))).is_wrong


def raising(error):
    def fail(*_):
        raise error

    return fail


def test_asking_a_function():
    case = CASES["map"]
    assert ask(lambda metric, qrels, run: (metric, list(qrels), list(run)), case).value == ("map", ["q1"], ["q1"])
    assert ask(lambda *_: None, case) == ask(raising(NotImplementedError()), case) == Answer()
    for error, words in ((KeyError("q1"), "KeyError: 'q1'"), (ValueError(), "ValueError"), (SystemExit(3), "SystemExit: 3")):
        assert ask(raising(error), case).error == words
    before = json.dumps(case.request)
    ask(lambda metric, qrels, run: (qrels.clear(), run["q1"].clear()), case)  # it may change what it is given
    assert json.dumps(case.request) == before


# The protocol: what a program is asked, and what its answers may look like

MAP = all_cases(["map"])


def test_a_request_is_one_line():
    lines = render_requests(all_cases()).splitlines()
    assert len(lines) == len(all_cases())
    assert json.loads(lines[0]) == {
        "id": "precision",
        "metric": "precision@5",
        "k": 5,
        "qrels": {"q1": {"a": 1, "b": 1, "c": 1, "n": 0}},
        "run": {"q1": {"n": 5.0, "a": 4.0, "x": 3.0, "b": 2.0, "y": 1.0}},
    }
    assert json.loads(render_requests(MAP).splitlines()[0])["k"] is None
    pairs = json.loads(render_requests(all_cases(["recall"], ["duplicates"])))
    assert pairs["run"] == {"q1": [["a", 3.0], ["a", 2.0], ["b", 1.0]]}


def test_the_cases_are_requests_and_more():
    for case, line in zip(all_cases(), render_cases(all_cases()).splitlines(), strict=True):
        record = json.loads(line)
        assert case.request.items() <= record.items()
        assert record["reason"] == case.reason
        assert [answer["value"] for answer in record["values"]] == [answer.value for answer in case.values]
        assert [answer["fault"] for answer in record["wrong"]] == [answer.fault for answer in case.wrong]


def test_answers_come_in_any_order():
    text = '\n{"id": "ties-map", "value": 0.5}\r\n\n{"id": "map", "error": "no"}\n{"id": "map-fewer-than-k", "value": null}'
    assert parse_answers(text, MAP) == {"ties-map": Answer(0.5), "map": Answer(error="no"), "map-fewer-than-k": Answer()}
    assert parse_answers("", MAP) == {}
    assert parse_answers('{"id": "map", "error": ""}', MAP)["map"].error == "no reason given"
    assert parse_answers('{"id": "map", "value": 1, "error": null}', MAP)["map"] == Answer(1)


def test_lines_that_are_no_answers(snapshots):
    """Of many faults of a kind the first is told, and how many there are."""
    many = ["hello", *['{"value": 0.5}'] * 30, "world", '{"id": "nope", "value": 1}', '{"id": "map", "value": 1}', "!"]
    lines = {
        "no JSON": "0.5 0.7",
        "nested": "[" * 100_000,
        "a huge number": '{"id": "map", "value": ' + "9" * 5000 + "}",
        "a list": "[1]",
        "no id": '{"value": 1}',
        "an id that is not a text": '{"id": 3, "value": 1}',
        "another id": '{"id": "mapp", "value": 1}',
        "not asked for": '{"id": "hit", "value": 1}',
        "twice": '{"id": "map", "value": 1}',
        "no value": '{"id": "ties-map"}',
        "many": "\n".join(many),
    }
    texts = {name: f'{{"id": "map", "value": 1}}\n{line}\n' for name, line in lines.items()}
    cases = {name: lambda text=text: parse_answers(text, MAP, "output") for name, text in texts.items()}
    snapshots.check_errors("conformance/answers", cases)
