"""Run-to-run noise in a comparison: its share for pairs and systems, in words and in JSON; and noise nobody measured."""

import json

import numpy as np
import pytest

from assay.comparison import noise_in
from assay.evaluation import combine_repeats
from assay.metrics import find_metric

from ._systems import compared, system

MRR = find_metric("mrr")
A = np.array([[0.4, 0.6], [0.9, 0.9], [0.0, 0.2]])
B = np.array([[0.4, 0.4], [0.3, 0.5], [0.4, 0.4]])
SHARE = (0.04 / 3 / 2 + 0.02 / 3 / 2) / 0.16
"""Differences of the means vary by .16 between queries; repeats by .04 / 3 and .02 / 3, halved in means of two."""
SAME = {"provider": {"name": "own", "configuration": {}}, "dataset": {"fingerprints": {"queries": "aa"}}}


def repeated(name, scores, **fields):
    """A system whose repeats have these scores: queries × repeats."""
    return combine_repeats(
        [system(name, {"mrr": column.tolist(), "ndcg@10": column.tolist()}, **fields) for column in scores.T]
    )


def test_the_share_of_a_difference_by_hand():
    a, b = repeated("a", A), repeated("b", B)
    noise = noise_in(MRR, a, b)
    assert (noise.share, noise.repeats, noise.is_bound) == (pytest.approx(SHARE), (2, 2), False)
    alone = noise_in(MRR, a)
    assert (alone.share, alone.systems) == (pytest.approx((0.04 / 3 / 2) / 0.16), ("a",))
    once = system("b", {"mrr": B.mean(axis=1).tolist()})
    assert noise_in(MRR, a, once).is_bound
    assert noise_in(MRR, once) is None
    assert noise_in(MRR, once, once) is None


def test_a_comparison_has_the_noise_of_every_pair_and_system():
    comparison = compared(repeated("a", A), repeated("b", B))
    plain = json.loads(json.dumps(comparison.to_dict()))["noise"]
    assert [(some["metric"], some["systems"]) for some in plain] == [
        (metric, systems) for metric in ("mrr", "ndcg@10") for systems in (["a", "b"], ["a"], ["b"])
    ]
    assert plain[0]["share"] == pytest.approx(SHARE)
    assert "noise" not in compared(*(system(name, {"mrr": [0.1, 0.2]}) for name in "ab")).to_dict()


def test_a_slice_has_its_own_noise():
    a, b = repeated("a", A), repeated("b", B)
    part = [result.subset(queries=["q1", "q3"]) for result in (a, b)]
    assert noise_in(MRR, *part).share == pytest.approx(((0.02 + 0.02) / 2 / 2) / np.var([-0.1, 0.3], ddof=1))


def test_how_it_is_said(snapshots):
    once = system("once", {"mrr": B.mean(axis=1).tolist(), "ndcg@10": B.mean(axis=1).tolist()})
    still = repeated("still", np.repeat(B[:, :1], 2, axis=1))
    cases = {
        "both repeated": compared(repeated("a", A), repeated("b", B)),
        "one repeated": compared(repeated("a", A), once),
        "no noise": compared(still, once),
        "three systems": compared(repeated("a", A), repeated("b", B), once),
        "three systems and a baseline": compared(repeated("a", A), repeated("b", B), once, baseline="once"),
    }
    texts = {name: [line for line in comparison.remarks if "noise" in line] for name, comparison in cases.items()}
    snapshots.check("comparison/run_noise", "\n\n".join("\n".join([f"## {name}", *lines]) for name, lines in texts.items()))


def rankings(order, name, **fields):
    """A system with two queries, of which the second is ranked in this order."""
    run = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {doc: 9.0 - place for place, doc in enumerate(order)}}
    return system(name, {"mrr": [1.0, 0.5]}, run=run, provenance=SAME, **fields)


def test_two_results_of_the_same_configuration_with_other_rankings_are_noticed():
    def notes(*results):
        return [line for line in compared(*results).remarks if "same configuration" in line]

    (note,) = notes(rankings("ab", "before"), rankings("ba", "now"))
    assert note.startswith("before and now have the same configuration but other rankings for 1 of 2 queries.")
    assert "--repeats 3" in note
    assert notes(rankings("ab", "before"), rankings("ab", "now")) == []
    measured = combine_repeats([rankings("ab", "before"), rankings("ba", "before")])
    assert notes(measured, rankings("xy", "now")) == []


def test_the_range_of_unjudged_documents_is_unknown_for_several_rankings():
    """It is computed from rankings, and a mean over repeats has no single ranking."""
    comparison = compared(repeated("a", A), repeated("b", B))
    assert "several times" in comparison.unjudged(comparison.pairs[0]).unknown
