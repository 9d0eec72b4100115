"""Pools: what they keep, their form in a file, and documents that could not be drawn."""

from __future__ import annotations

import json

import pytest

import assay
from assay.errors import DataError
from assay.judging import pool_from_lines, pool_lines

RUNS = {"A": {"q1": ["x", "y"], "q2": ["x", "z"]}, "B": {"q1": ["z", "x"], "q2": []}}


def test_a_result_gives_the_same_pool_as_its_run():
    results = [assay.evaluate({"q1": {"x": 1}, "q2": {"z": 1}}, run, name=name) for name, run in RUNS.items()]
    assert assay.pool(results, pairs=2, depth=2) == assay.pool(RUNS, pairs=2, depth=2)


def test_queries_without_results_are_part_of_the_pool():
    assert assay.pool(RUNS, depth=2).queries == ("q1", "q2")
    assert assay.pool(RUNS, depth=2, queries=["q3"]).queries == ("q1", "q2", "q3")


def test_a_pool_is_complete_if_every_pair_was_drawn():
    part, whole = assay.pool(RUNS, pairs=3, how="depth", depth=2), assay.pool(RUNS, pairs=5, how="depth", depth=2)
    assert (part.is_complete, part.unit) == (False, "")
    assert (whole.is_complete, whole.unit, len(whole.pairs)) == (True, "queries", 5)


def test_documents_that_could_not_be_drawn():
    pool = assay.pool(RUNS, depth=2)
    assert pool.never_eligible(RUNS["A"]) == 0
    assert pool.never_eligible({"q1": ["new", "x"], "q2": ["z", "y"]}) == 0.5  # y was only retrieved for q1
    assert pool.never_eligible({"q1": ["new", "x"], "q2": ["z", "y"]}, 1) == 0.5
    assert pool.never_eligible({"q1": ["x", "y", "new"], "q2": []}, 3) == pytest.approx(1 / 3)


def test_lines_read_back():
    pool = assay.pool(RUNS, pairs=2, depth=2, seed=9)
    lines = list(pool_lines(pool))
    head, first = json.loads(lines[0]), json.loads(lines[1])
    assert (head["schema"], head["id"], head["how"], head["seed"]) == ("assay.pool/1", pool.id, "spread", 9)
    assert (head["n_drawn"], head["n_pairs"], head["systems"]) == (2, 5, ["A", "B"])
    assert first == {**pool.drawn[0]._asdict()}
    assert "place" not in json.loads(lines[-1])
    assert pool_from_lines(lines) == pool
    assert pool_from_lines([lines[0].encode(), b"", *(line.encode() for line in reversed(lines[1:]))]) == pool


def changed(lines, number, **values):
    return [json.dumps({**json.loads(line), **values}) if place == number else line for place, line in enumerate(lines)]


def test_wrong_lines():
    lines = list(pool_lines(assay.pool(RUNS, pairs=2, depth=2)))
    with pytest.raises(DataError, match=r"pool\.jsonl: expected a pool \(assay\.pool/1\), found an empty file"):
        pool_from_lines([], "pool.jsonl")
    with pytest.raises(DataError, match=r"pool\.jsonl:1: expected the schema assay\.pool/1, found 'assay\.pool/9'"):
        pool_from_lines(changed(lines, 0, schema="assay.pool/9"), "pool.jsonl")
    with pytest.raises(DataError, match=r"pool\.jsonl:2: .*probability"):
        pool_from_lines(changed(lines, 1, probability=1.5), "pool.jsonl")
    with pytest.raises(DataError, match="the pool was changed after it was drawn"):
        pool_from_lines(changed(lines, 1, probability=0.9), "pool.jsonl")
    with pytest.raises(DataError, match="the pool was changed after it was drawn"):
        pool_from_lines(lines[:-1], "pool.jsonl")
    with pytest.raises(DataError, match=r"pool\.jsonl: no design is called 'sprad'"):
        pool_from_lines(changed(lines, 0, how="sprad"), "pool.jsonl")
