"""Repeats in a result: combined, saved and read, cut and merged, judged again; and rankings that differ between results."""

import json

import numpy as np
import pytest

import assay
from assay import DataError, Query
from assay.evaluation import changed_rankings, combine_repeats, read_results, rejudge, result_from_dict

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 2, "c": 1}, "q3": {"c": 1}}
RUNS = [
    {"q1": {"a": 2.0, "x": 1.0}, "q2": {"x": 3.0, "a": 2.0}, "q3": {"c": 1.0}},
    {"q1": {"x": 2.0, "a": 1.0}, "q2": {"x": 3.0, "c": 2.0}, "q3": {"c": 1.0}},
    {"q1": {"a": 2.0, "b": 1.0}, "q2": {"a": 3.0, "c": 2.0}},
]
SAME = {
    "dataset": {"name": "small", "fingerprints": {"queries": "aa"}},
    "provider": {"name": "own", "configuration": {"k1": 0.9}},
    "files": {"search.py": "ff"},
    "assay": "0.1.0",
}


def scored(run, **fields):
    """A result of one repeat, as a provider gives it: a query without a ranking has failed."""
    result = assay.evaluate(QRELS, run, ["mrr", "ndcg@10", "relstring"], name="own")
    failures = {query: "told to fail" for query in QRELS if query not in run}
    queries = {query: Query(query, f"words of {query}") for query in QRELS}
    return result.with_fields(run=run, failures=failures, benchmark="small", queries=queries, provenance=SAME, **fields)


@pytest.fixture
def repeated():
    """Three repeats of three queries; q3 fails on the last."""
    return combine_repeats([scored(run) for run in RUNS])


def test_scores_are_means_and_everything_is_kept(repeated):
    assert repeated.repeats["mrr"].tolist() == [[1.0, 0.5, 1.0], [0.5, 0.5, 1.0], [1.0, 1.0, 0.0]]
    assert repeated.scores("mrr") == pytest.approx({"q1": 2.5 / 3, "q2": 2 / 3, "q3": 2 / 3})
    assert repeated["mrr"] == pytest.approx((2.5 + 2 + 2) / 9)
    assert "relstring" not in repeated.repeats
    assert repeated.scores("relstring") == scored(RUNS[0]).scores("relstring")
    assert repeated.run == RUNS[0]
    assert repeated.reruns == {"q1": [RUNS[1]["q1"], RUNS[2]["q1"]], "q2": [RUNS[1]["q2"], RUNS[2]["q2"]],
                               "q3": [RUNS[1]["q3"]]}  # fmt: skip
    assert repeated.failures == {"q3": "1 of 3 repeats: told to fail"}
    assert repeated.notes[-1] == "Each query was sent 3 times. Scores are means over these repeats."


def test_a_value_of_all_lists_is_that_of_the_first_repeat_and_a_note_says_so():
    documents = {f"d{number}": assay.Document(f"d{number}", "text") for number in range(1, 5)}
    queries = {"q1": assay.Query("q1", "?")}
    dataset = assay.BenchmarkDataset("shop", queries=queries, documents=documents, qrels={"q1": {"d1": 1}})
    runs = [{"q1": {"d1": 1.0}}, {"q1": {"d1": 2.0, "d2": 1.0}}]
    repeated = combine_repeats([assay.evaluate(dataset, run, ["catalogue_coverage@2", "hit@1"]) for run in runs])
    assert repeated["catalogue_coverage@2"] == 0.25
    assert repeated.notes[-1].endswith("means over these repeats. catalogue_coverage@2 is of the first repeat.")


def test_the_mean_of_equal_scores_is_that_score():
    """0.1 + 0.1 + 0.1 is not 0.3, and a system that did not change must not differ from itself."""
    run = {"q1": {f"x{rank}": 20.0 - rank for rank in range(9)} | {"a": 1.0}}
    once = scored(run)
    assert combine_repeats([once] * 3).scores("mrr") == once.scores("mrr")


def test_one_result_is_itself():
    one = scored(RUNS[0])
    assert combine_repeats([one]) is one


def test_a_saved_result_has_the_repeats(repeated, tmp_path):
    plain = json.loads(json.dumps(repeated.to_dict()))
    assert plain["repeats"]["mrr"] == [[1.0, 0.5, 1.0], [0.5, 0.5, 1.0], [1.0, 1.0, 0.0]]
    file = tmp_path / "result.json"
    file.write_text(json.dumps({"schema": "assay.result/1", "results": [plain]}))
    (read,) = read_results(file)
    assert read.n_repeats == 3
    assert read.reruns == repeated.reruns
    assert {name: scores.tolist() for name, scores in read.repeats.items()} == {
        name: scores.tolist() for name, scores in repeated.repeats.items()
    }
    assert read.to_dict() == {name: value for name, value in plain.items() if name != "ties"}


def test_repeats_of_other_queries_or_metrics_are_faults(repeated):
    plain = repeated.to_dict()
    for wrong in ({"mrr": [[1.0, 1.0]]}, {"mrr": [[1.0], [1.0, 2.0], [1.0]]}, {"map": [[1.0]] * 3}):
        with pytest.raises(DataError, match="repeats"):
            result_from_dict({**plain, "repeats": wrong})


def test_a_part_of_a_result_has_its_part_of_the_repeats(repeated):
    part = repeated.subset(queries=["q3", "q1"], metrics=["mrr"])
    assert {name: scores.tolist() for name, scores in part.repeats.items()} == {"mrr": [[1.0, 1.0, 0.0], [1.0, 0.5, 1.0]]}
    assert dict(part.reruns) == {query: repeated.reruns[query] for query in ("q1", "q3")}
    turned = repeated.subset(queries=["q3", "q2", "q1"])
    assert turned.repeats["mrr"].tolist() == repeated.repeats["mrr"].tolist()[::-1]


def test_merged_results_have_the_repeats_of_all(repeated):
    two = combine_repeats([scored(run) for run in RUNS[:2]]).with_fields(benchmark="other")
    merged = repeated.merge(two)
    assert merged.query_ids[0] == "small/q1"
    expected = [*repeated.repeats["mrr"].tolist(), [1.0, 0.5, None], [0.5, 0.5, None], [1.0, 1.0, None]]
    assert np.isnan(merged.repeats["mrr"][3:, 2]).all()
    assert merged.repeats["mrr"][:, :2].tolist() == [row[:2] for row in expected]
    assert merged.reruns["other/q1"] == [RUNS[1]["q1"]]
    assert merged.merge(scored(RUNS[0]).with_fields(benchmark="third")).repeats == {}


def test_new_grades_count_in_every_repeat(repeated):
    """x becomes relevant: it is first in q1 once, and first in q2 twice."""
    again = rejudge(repeated, {"q1": {"x": 1.0}, "q2": {"x": 1.0}})
    after = dict(zip(again.after.query_ids, again.after.columns["mrr"].score.tolist(), strict=True))
    assert after == pytest.approx({"q1": 1.0, "q2": 1.0, "q3": 2 / 3})
    assert "mrr" not in again.left_out


def test_rankings_that_differ_with_the_same_configuration():
    assert changed_rankings(scored(RUNS[0]), scored(RUNS[0])) == (0, 3)
    assert changed_rankings(scored(RUNS[0]), scored(RUNS[1])) == (2, 3)
    assert changed_rankings(scored(RUNS[0]), scored(RUNS[2])) == (2, 2)
    nearly = {query: {doc: score + 1e-9 for doc, score in ranking.items()} for query, ranking in RUNS[0].items()}
    assert changed_rankings(scored(RUNS[0]), scored(nearly)) == (0, 3), "the order is the same"


def test_a_ranking_that_came_on_a_repeat_is_known(repeated):
    assert changed_rankings(repeated, scored(RUNS[1])) == (0, 3)
    assert changed_rankings(repeated, scored({"q1": {"y": 1.0}})) == (1, 1)


@pytest.mark.parametrize(
    "changed",
    [
        {"provider": {"name": "own", "configuration": {"k1": 1.2}}},
        {"files": {"search.py": "00"}},
        {"assay": "0.2.0"},
        {"dataset": {"name": "small", "fingerprints": {"queries": "bb"}}},
        {"repository": {"commit": "c1", "dirty": False}},
        {"stage": "before reranking"},
    ],
)
def test_another_configuration_says_nothing_about_noise(changed):
    other = scored(RUNS[1]).with_fields(provenance={**SAME, **changed})
    assert changed_rankings(scored(RUNS[0]), other) is None


def test_uncommitted_changes_and_runs_from_files_say_nothing_about_noise():
    dirty = [scored(run).with_fields(provenance={**SAME, "repository": {"commit": "c", "dirty": True}}) for run in RUNS]
    assert changed_rankings(dirty[0], dirty[1]) is None
    plain = [assay.evaluate(QRELS, run, "mrr") for run in RUNS]
    assert changed_rankings(plain[0], plain[1]) is None
