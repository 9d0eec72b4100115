"""Replies: what is a grade, and what is not. Nothing that cannot be read becomes 0."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judges import read_reply

SCALE = (0.0, 1.0, 2.0, 3.0)
GRADES = {
    '{"grade": 2, "reason": "it answers"}': 2,
    '  {"grade": 0}  ': 0,
    "3": 3,
    '```json\n{"grade": 1}\n```': 1,
    "```\n2\n```": 2,
    '<think>{"grade": 3}</think>{"grade": 1}': 1,
    "no tag at the start</think>\n2": 2,
    'First I look at the query.\n{"grade": 2}': 2,
    'Here:\n```json\n{"grade": 2, "reason": "a {b} c"}\n```': 2,
    '{"reason": "x", "grade": 2.0}': 2,
    '{"grade": "1"}': 1,
    '{"about": {"grade": 3}, "grade": 1}': 1,
}
NOT_GRADES = [
    "",
    "   ",
    "two",
    "relevant",
    "The grade is 2.",
    "2 out of 3",
    "2/3",
    '{"grade": "two"}',
    '{"grade": null}',
    '{"grade": true}',
    '{"grade": 4}',
    '{"grade": -1}',
    '{"grade": 1.5}',
    '{"grade": NaN}',
    '{"grade": [2]}',
    '{"grade": {"value": 2}}',
    '{"Grade": 2}',
    '{"score": 2}',
    '{"grade": 2',
    '{"grade": 1} {"grade": 2}',
    '{"grade": 1, "grade": 2}',
    '{"grade": 2} is my answer',
    '{"about": {"grade": 3}}',
    "<think>it is long",
    '<think>{"grade": 2}',
    "<html><body>502</body></html>",
    "{" * 3000,
    '{"a":' * 3000,
    "9" * 30_000,
]


@pytest.mark.parametrize(("text", "grade"), GRADES.items())
def test_grades(text, grade):
    assert read_reply(text, SCALE).grade == grade


@pytest.mark.parametrize("text", NOT_GRADES)
def test_what_is_not_a_grade(text):
    outcome = read_reply(text, SCALE)
    assert outcome.grade is None
    assert outcome.why


def test_the_reason_is_kept_on_one_line():
    assert read_reply('{"grade": 1, "reason": "a\\n b"}', SCALE).reason == "a b"
    assert read_reply('{"grade": 1, "reason": 7}', SCALE).reason == ""


@given(st.text())
def test_any_text_has_a_grade_of_the_scale_or_a_reason_why_not(text):
    outcome = read_reply(text, SCALE)
    assert outcome.grade in SCALE if outcome.grade is not None else outcome.why


@given(st.sampled_from(SCALE), st.text())
def test_a_json_object_is_read_whatever_its_reason(grade, reason):
    assert read_reply(json.dumps({"reason": reason.replace("</think>", ""), "grade": int(grade)}), SCALE).grade == grade
