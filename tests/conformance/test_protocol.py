"""The protocol: what a program is asked, and what its answers may look like."""

from __future__ import annotations

import json

import pytest

from assay import DataError
from assay.conformance import Answer, all_cases
from assay.conformance.check import parse_answers, render_cases, render_requests

CASES = all_cases(["map"])


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
    assert json.loads(render_requests(CASES).splitlines()[0])["k"] is None


def test_duplicates_are_pairs():
    request = json.loads(render_requests(all_cases(["recall"], ["duplicates"])))
    assert request["run"] == {"q1": [["a", 3.0], ["a", 2.0], ["b", 1.0]]}


def test_the_cases_are_requests_and_more():
    for case, line in zip(all_cases(), render_cases(all_cases()).splitlines(), strict=True):
        record = json.loads(line)
        assert case.request.items() <= record.items()
        assert record["reason"] == case.reason
        assert [one["value"] for one in record["values"]] == [one.value for one in case.values]
        assert [one["fault"] for one in record["wrong"]] == [one.fault for one in case.wrong]


def test_answers_come_in_any_order():
    text = '\n{"id": "ties-map", "value": 0.5}\r\n\n{"id": "map", "error": "no"}\n{"id": "map-fewer-than-k", "value": null}'
    assert parse_answers(text, CASES) == {"ties-map": Answer(0.5), "map": Answer(error="no"), "map-fewer-than-k": Answer()}
    assert parse_answers("", CASES) == {}


def test_an_error_without_words_is_one_too():
    assert parse_answers('{"id": "map", "error": ""}', CASES)["map"].error == "no reason given"
    assert parse_answers('{"id": "map", "value": 1, "error": null}', CASES)["map"] == Answer(1)


def test_of_many_faults_of_a_kind_the_first_is_told_and_how_many():
    lines = ["hello", *['{"value": 0.5}'] * 30, "world", '{"id": "nope", "value": 1}', '{"id": "map", "value": 1}', "!"]
    with pytest.raises(DataError) as raised:
        parse_answers("\n".join(lines), CASES, "output")
    assert raised.value.message == "output: 34 faults"
    assert [fault.partition(" expected")[0] for fault in raised.value.faults] == [
        "output:1:",
        "output:2:",
        "output:33: no case with the id 'nope' was asked for",
    ]
    assert raised.value.faults[0].endswith("found 'hello' (and 2 more lines like it)")
    assert raised.value.faults[1].endswith("found {'value': 0.5} (and 29 more lines like it)")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("0.5 0.7", "expected JSON such as"),
        ("[" * 100_000, "expected JSON such as"),
        ('{"id": "map", "value": ' + "9" * 5000 + "}", "expected JSON such as"),
        ("[1]", "found [1]"),
        ('{"value": 1}', "found {'value': 1}"),
        ('{"id": 3, "value": 1}', "found {'id': 3"),
        ('{"id": "mapp", "value": 1}', "no case with the id 'mapp' was asked for"),
        ('{"id": "hit", "value": 1}', "no case with the id 'hit' was asked for"),
        ('{"id": "map", "value": 1}', "case map is answered twice"),
        ('{"id": "ties-map"}', "case ties-map: expected a value or an error, found ['id']"),
    ],
    ids=lambda text: text[:20],
)
def test_a_line_that_is_no_answer(line, what):
    with pytest.raises(DataError) as raised:
        parse_answers(f'{{"id": "map", "value": 1}}\n{line}\n', CASES, "output")
    (fault,) = raised.value.faults
    assert fault.startswith("output:2: ")
    assert what in fault
    assert len(fault) < 200
