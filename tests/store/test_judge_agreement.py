"""Agreement of judges: over the pairs that two of them share."""

import math

import pytest

from assay.store.judgments import Judgment, judge_agreements


def given_by(judge, *grades, benchmark="b"):
    return [Judgment(benchmark, "q", f"d{number}", judge, grade) for number, grade in enumerate(grades) if grade is not None]


def test_by_hand():
    """Three shared pairs, two alike; grades 0 1 2 against 0 1 1: by chance 1/9 + 2/9 = 1/3 alike."""
    (found,) = judge_agreements([*given_by("Ben", 0, 1, 1), *given_by("Ana", 0, 1, 2, 3)])
    assert (found.a, found.b, found.n_pairs, found.n_same) == ("Ana", "Ben", 3, 2)
    assert found.kappa == pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3))
    assert found.to_dict()["same"] == pytest.approx(2 / 3)


def test_those_with_the_most_pairs_come_first():
    judged = [*given_by("Ana", 0, 1, 2), *given_by("Ben", 0, None, 2), *given_by("Cleo", 1, 1, 1), *given_by("Dora", None)]
    assert [(one.a, one.b, one.n_pairs) for one in judge_agreements(judged)] == [
        ("Ana", "Cleo", 3),
        ("Ana", "Ben", 2),
        ("Ben", "Cleo", 2),
    ]


def test_the_same_ids_on_another_benchmark_are_other_pairs():
    assert judge_agreements([*given_by("Ana", 1, 2), *given_by("Ben", 1, 2, benchmark="c")]) == []


def test_one_grade_throughout_is_undefined():
    (found,) = judge_agreements([*given_by("Ana", 1, 1), *given_by("Ben", 1, 1)])
    assert math.isnan(found.kappa)
    assert found.to_dict()["kappa"] is None
