"""A gate says how much of the variance comes from repeats, and that there is noise which nobody measured."""

import numpy as np
import pytest
from tests._results import make_result

from assay.evaluation import combine_repeats
from assay.monitoring import gate

A = np.array([[0.4, 0.6], [0.9, 0.9], [0.0, 0.2]])
B = np.array([[0.4, 0.4], [0.3, 0.5], [0.4, 0.4]])
SHARE = (0.04 / 3 / 2 + 0.02 / 3 / 2) / 0.16
SAME = {"provider": {"name": "own", "configuration": {}}}


def repeated(scores):
    """A result whose repeats have these scores: queries × repeats."""
    return combine_repeats([make_result({"mrr": column, "map": column}) for column in scores.T])


def test_the_noise_of_compared_metrics_is_in_the_notes_and_in_json():
    report = gate(repeated(B), repeated(A), ["mrr drops <= 1%", "mrr not worse by 0.1", "map >= 0.1"])
    (plain,) = report.to_dict()["noise"]
    assert plain["share"] == pytest.approx(SHARE)
    assert plain["systems"] == ["the baseline", "bm25"]
    (note,) = [note for note in report.notes if "noise" in note]
    assert "6 % of the variance of the difference in mrr" in note


def test_without_repeats_there_is_nothing_to_say():
    now, before = (make_result({"mrr": scores.mean(axis=1)}) for scores in (B, A))
    report = gate(now, before, ["mrr drops <= 1%"])
    assert (report.noise, report.notes, "noise" in report.to_dict()) == ((), (), False)
    assert gate(repeated(B), None, ["mrr >= 0.1"]).noise == ()


def test_the_same_configuration_with_other_rankings_is_noticed():
    before, now = (
        make_result({"mrr": [1.0, 0.5]}, run={"q1": {"a": 2.0, "b": score}}, provenance=SAME) for score in (1.0, 3.0)
    )
    (note,) = gate(now, before, ["mrr drops <= 1%"]).notes
    assert note.startswith("the baseline and bm25 have the same configuration but other rankings for 1 of 1 query.")
