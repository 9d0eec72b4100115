"""check_log: each finding from a log that has it, none from a log that has not, and no id of a user."""

from __future__ import annotations

import json

import pytest

import assay
from assay.logs import check_log, hashed_id

from ._plain import Click, Search, rows

START = 1_767_225_600
PLAIN = [
    Search("ana", "cats", START, ["a", "b"], [Click("b", START + 9, 3.0)]),
    Search("bob", "dogs", START + 5, []),
    Search("eve", "dogs", START + 7, ["a", "b"], [Click("a", START + 9, 3.0)]),
]


def codes(records, **settings):
    return {finding.code: finding for finding in check_log(records, **settings).findings}


def changed(place, **changes):
    records = rows(PLAIN)
    records[place] = {**records[place], **changes}
    return records


def test_a_good_log_has_no_findings():
    assert codes(rows(PLAIN)) == {}


ROBOT = [Search("robot 7", "q", START + number, ["a"], []) for number in range(150)]
WIDE = [Search("ana", "cats", START, ["a", "b", "c", "d"], [Click("b", START + 9)])]
CASES = {
    "unseen-click": changed(0, rank=None, clicked=1),
    "missing-rank": changed(1, rank=3),
    "repeated-rank": changed(1, rank=1),
    "repeated-document": changed(1, doc_id="a"),
    "early-click": changed(1, click_time=START - 1),
    "negative-dwell": changed(1, dwell=-2),
    "mixed-time-zones": [
        {**each, "timestamp": f"2026-01-01 10:00:0{n}{'Z' * (n > 2)}"} for n, each in enumerate(rows(PLAIN))
    ],
    "bot": rows([*PLAIN, *ROBOT]),
    "no-user": changed(2, user_id=None),
    "one-user": rows([PLAIN[0], Search("ana", "x", START + 3, [])]),
    "several-variants": rows([*PLAIN, Search("ana", "x", START + 70, [], variant="B")]),
    "no-clicks": [{**each, "clicked": 0} for each in rows(PLAIN)],
    "single-results": [{**each, "search_id": n} for n, each in enumerate(rows(WIDE))],
    "no-zero-results": rows(PLAIN[::2]),
}


@pytest.mark.parametrize("code", CASES)
def test_each_finding(code):
    found = codes(CASES[code])
    assert code in found
    assert found[code].advice
    assert found[code].severity == ("error" if code in ("no-clicks", "single-results") else "warning")


def test_users_are_named_only_by_a_keyed_hash():
    check = check_log(rows([*PLAIN, *ROBOT]))
    assert "robot 7" not in json.dumps(check.to_dict())
    assert "a user: 150 searches" in codes(rows([*PLAIN, *ROBOT]))["bot"].cases[0]
    named = codes(rows([*PLAIN, *ROBOT]), hash_key=b"secret")["bot"].cases[0]
    assert named.startswith(hashed_id("robot 7", b"secret"))
    assert hashed_id("robot 7", b"secret") != hashed_id("robot 7", b"other")
    assert codes(rows([*PLAIN, *ROBOT]), most_per_hour=150).keys() == set()


def test_values_that_cannot_be_read_are_errors():
    with pytest.raises(assay.DataError, match="rank must be a whole number"):
        check_log(changed(0, rank="top"))
    with pytest.raises(assay.BadParameter, match="most_per_hour"):
        check_log(rows(PLAIN), most_per_hour=0)
