"""compare: means, tests, letters and wins; by hand where ranx differs."""

import json
import random

import numpy as np
import pytest
from scipy import stats

from assay.compat.ranx import DifferenceWarning, Qrels, Run, compare, evaluate

pytestmark = pytest.mark.filterwarnings("ignore::assay.compat.ranx.DifferenceWarning")

RNG = random.Random(2)
QUERIES = [f"q{number:02}" for number in range(30)]
QRELS = {query: {"a": 1, "b": 2} for query in QUERIES}


def system(name, luck):
    """Finds both documents first with a chance of `luck`, else behind two others."""
    good, bad = {"b": 4.0, "a": 3.0, "x": 2.0, "y": 1.0}, {"x": 4.0, "y": 3.0, "a": 2.0, "b": 1.0}
    return Run({query: good if RNG.random() < luck else bad for query in QUERIES}, name=name)


GOOD, BAD = system("good", 0.95), system("bad_one", 0.1)


def test_a_table_with_letters():
    report = compare(QRELS, [GOOD, BAD], ["mrr", "precision@2"], rounding_digits=2)
    lines = str(report).splitlines()
    assert lines[0].split() == ["#", "Model", "MRR", "P@2"]
    assert lines[2].startswith("a    good")
    assert lines[1].split() == ["-" * 3, "-" * 7, "-" * 5, "-" * 5], "a column is two wider than its heading"
    assert lines[2].count("ᵇ") == 2
    assert "ᵃ" not in lines[3]
    assert repr(report) == str(report) == report.to_table()
    alone = compare(QRELS, [GOOD], "hit_rate@4", show_percentages=True)
    assert alone.to_table().splitlines()[-1].split() == ["a", "good", "100"], "a column of numbers loses zeros at the end"
    runs = [Run({"q": {"a": 1.0}}, name=f"run{number}") for number in range(30)]
    assert compare({"q": {"a": 1}}, runs, "mrr").to_table().splitlines()[-1].startswith("ad"), "thirty runs have letters"
    assert compare(QRELS, [dict(GOOD), dict(BAD)], "mrr").model_names == ["run_1", "run_2"], "runs without names"
    empty = compare(Qrels(), [Run(name="one"), Run(name="two")], "mrr")
    assert empty.results == {"one": {"mrr": 0.0}, "two": {"mrr": 0.0}}


def test_student_against_scipy():
    report = compare(Qrels(QRELS), [GOOD, BAD], ["mrr", "ndcg@3"])
    for metric in ("mrr", "ndcg@3"):
        scores = [evaluate(QRELS, run, metric, return_mean=False) for run in (GOOD, BAD)]
        found = report.comparisons["bad_one", "good"][metric]
        assert found["p_value"] == pytest.approx(stats.ttest_rel(*scores).pvalue)
        assert found["significant"]
        assert report.results["good"][metric] == pytest.approx(np.mean(scores[0]))
    assert GOOD.mean_scores["mrr"] == report.results["good"]["mrr"]


def test_max_p_decides_what_is_significant():
    """Four of ten queries won by 0.5, none lost: Student's p is 0.0368."""
    judged = {f"q{number}": {"a": 1} for number in range(10)}
    good, bad = {"a": 2.0, "x": 1.0}, {"x": 2.0, "a": 1.0}
    one = Run({query: good if number < 4 else bad for number, query in enumerate(judged)}, name="one")
    two = Run(dict.fromkeys(judged, bad), name="two")
    p = stats.ttest_1samp([0.5] * 4 + [0.0] * 6, 0).pvalue
    assert p == pytest.approx(0.0368, abs=1e-4)
    for max_p, is_significant in {None: False, 0.01: False, 0.03: False, 0.04: True, 0.2: True}.items():
        report = compare(judged, [one, two], "mrr", **({"max_p": max_p} if max_p else {}))
        found = report.comparisons["one", "two"]["mrr"]
        assert found == {"p_value": pytest.approx(p), "significant": is_significant}, max_p
        assert ("ᵇ" in str(report)) is is_significant, max_p


def test_fisher_is_never_zero_and_the_same_for_a_seed():
    with pytest.warns(DifferenceWarning, match="fisher"):
        first, again = (compare(QRELS, [GOOD, BAD], "mrr", stat_test="fisher", random_seed=7) for _ in range(2))
    p = first.comparisons["good", "bad_one"]["mrr"]["p_value"]
    assert p == again.comparisons[{"good", "bad_one"}]["mrr"]["p_value"]
    assert 0 < p <= 0.01


def test_tukey_and_identical_runs():
    twin = Run(GOOD.to_dict(), name="twin")
    with pytest.warns(DifferenceWarning, match="tukey"):
        report = compare(QRELS, [GOOD, BAD, twin], "mrr", stat_test="tukey")
    assert report.comparisons["good", "bad_one"]["mrr"]["significant"]
    assert report.comparisons["good", "twin"]["mrr"]["p_value"] == pytest.approx(1.0)
    assert compare(QRELS, [GOOD, twin], "mrr").comparisons["good", "twin"]["mrr"] == {"p_value": 1.0, "significant": False}


def test_wins_ties_and_losses():
    one = Run({"q1": {"a": 1.0}, "q2": {"x": 2.0, "a": 1.0}, "q3": {"a": 1.0}}, name="one")
    two = Run({"q1": {"a": 1.0}, "q2": {"a": 1.0}, "q3": {"a": 1.0}}, name="two")
    report = compare({query: {"a": 1} for query in ("q1", "q2", "q3")}, [one, two], "mrr")
    assert report.win_tie_loss["one", "two"]["mrr"] == {"W": 0, "T": 2, "L": 1}
    assert report.win_tie_loss["two", "one"]["mrr"] == {"W": 1, "T": 2, "L": 0}


def test_latex_escapes_names_and_sets_the_best_in_bold():
    report = compare(QRELS, [GOOD, BAD], ["map@100", "rbp.95"])
    text = report.to_latex()
    assert r"bad\_one" in text
    assert text.count(r"\textbf{0.") + text.count(r"\textbf{1.") == 2
    assert r"$^{b}$\hphantom{}" in text
    assert text.count(r"\hphantom{$^{a}$}") == 2, "what is not significant takes the same room"
    assert text.count(r"\begin") == text.count(r"\end") == 2
    twin = Run(GOOD.to_dict(), name="twin")
    assert compare(QRELS, [GOOD, twin], "mrr").to_latex().count(r"\textbf{0.") == 1, "the first of equals is bold"


def test_data_frame_and_file(tmp_path):
    report = compare(QRELS, [GOOD, BAD], ["mrr", "map"])
    frame = report.to_dataframe()
    assert list(frame.columns) == ["model_names", "mrr", "map"]
    assert frame["mrr"].tolist() == [report.results[name]["mrr"] for name in ("good", "bad_one")]
    report.save(tmp_path / "report.json")
    assert json.loads((tmp_path / "report.json").read_text()) == report.to_dict()
