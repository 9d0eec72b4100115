"""judge_clicks: estimates by hand and from simulated clicks, intervals, grades, files, and what is wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest
from benchmarks.simulate_clicks import agreement, raw_rates, simulate
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.logs import score_interval
from assay.model import MEAN, Column
from assay.stats import column_intervals


def shown(query, docs, *clicked):
    """One search: which documents, and which of them were clicked."""
    return [{"query": query, "shown": list(docs), "clicks": list(clicked), "user": "u"}]


FIVE = [
    *shown("q", "ab", "a"),
    *shown("q", "ab", "b"),
    *shown("q", "ab", "a", "b"),
    *shown("q", "ba"),
    *shown("q", "ab", "a"),
]


def estimates(model, log=FIVE, **settings):
    judged = assay.judge_clicks(log, model, least=1, grades="estimate", **settings)
    return {(query, doc): value for query, judged_docs in judged.qrels.items() for doc, value in judged_docs.items()}


def test_coec_by_hand():
    # rank 1: clicked in searches 1, 3 and 5 of 5; rank 2: in 2 and 3
    expected_a = 4 * 3 / 5 + 1 * 2 / 5
    expected_b = 4 * 2 / 5 + 1 * 3 / 5
    assert estimates("coec") == pytest.approx({("q", "a"): 3 / expected_a, ("q", "b"): 2 / expected_b})


def test_sdbn_by_hand():
    # a: examined in all 5, lowest click in 2 of them; b: not examined in 1 and 5 (below the lowest click), lowest in 2 of 3
    assert estimates("sdbn") == pytest.approx({("q", "a"): 2 / 5, ("q", "b"): 2 / 3})


def test_pbm_with_known_propensities_is_the_maximum_of_the_likelihood():
    found = estimates("pbm", propensities={1: 1.0, 2: 0.5})
    grid = np.linspace(0.001, 0.999, 999)
    # a: at rank 1 four times with three clicks, at rank 2 once without; b: the other way round with two clicks at rank 2
    likelihood = 3 * np.log(grid) + np.log(1 - grid) + np.log(1 - grid / 2)
    assert found["q", "a"] == pytest.approx(grid[likelihood.argmax()], abs=0.002)
    likelihood = 2 * np.log(grid) + 2 * np.log(1 - grid / 2) + np.log(1 - grid)
    assert found["q", "b"] == pytest.approx(grid[likelihood.argmax()], abs=0.002)


def test_propensities_come_from_a_file_or_from_the_log(tmp_path):
    (tmp_path / "bias.csv").write_text("rank,propensity\n1,1\n2,0.5\n")
    known = estimates("pbm", propensities={1: 1.0, 2: 0.5})
    assert estimates("pbm", propensities=str(tmp_path / "bias.csv")) == pytest.approx(known)
    rows = [
        {
            "query": each["query"],
            "search_id": number,
            "doc_id": doc,
            "rank": rank,
            "clicked": doc in each["clicks"],
            "propensity": 1 / rank,
        }
        for number, each in enumerate(FIVE)
        for rank, doc in enumerate(each["shown"], 1)
    ]
    assert estimates("pbm", rows, propensities="column") == pytest.approx(known)


@given(st.integers(1, 50), st.integers(0, 50), st.sampled_from([0.5, 0.9, 0.95]))
def test_the_interval_is_wilsons_if_every_look_is_certain(n, clicked, level):
    clicked = min(clicked, n)
    values = np.array([1.0] * clicked + [0.0] * (n - clicked))
    low, high, method = column_intervals({"": Column.of(values, MEAN)}, level=level)[""]
    assert method == "wilson"
    of = np.array([float(n)])
    found = score_interval(np.array([float(clicked)]), of, of, level)
    assert (float(found[0][0]), float(found[1][0])) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.slow
def test_pbm_finds_bias_and_order_and_beats_plain_rates():
    columns, truth, _ = simulate(300_000, 1.0, seed=5)
    judged = assay.judge_clicks(_frame(columns), "pbm", grades="estimate")
    bias = list(judged.provenance["bias"].values())
    assert bias == pytest.approx([1 / rank for rank in range(1, 11)], abs=0.02)
    tau = agreement(judged.qrels, truth)
    assert tau > 0.85
    assert tau > agreement(raw_rates(columns), truth) + 0.05
    inside = [
        low <= truth[int(query[1:]), int(doc[1:])] <= high
        for query, doc, low, high in zip(
            judged.queries, judged.documents, judged.estimates.low, judged.estimates.high, strict=True
        )
    ]
    assert np.mean(inside) > 0.9


def _frame(columns):
    import pyarrow as pa

    return pa.table(columns)


def test_grades_have_steps_evidence_and_provenance():
    log = [*FIVE, *shown("rare", "ab", "a")]
    judged = assay.judge_clicks(log, "sdbn", least=3, grades=[0.3, 0.6])
    assert dict(judged.qrels) == {"q": {"a": 1.0, "b": 2.0}}
    assert judged.provenance["left_out"] == 2
    assert judged.estimates.shown.tolist() == [5, 3]
    about = judged.to_dict()
    assert (about["kind"], about["judge"], about["grades"]) == ("rule", "clicks-sdbn", {"1": 1, "2": 1})
    assert about["digest"] == assay.judge_clicks(log[::-1], "sdbn", least=3).provenance["digest"]
    assert "user" not in json.dumps(list(judged.rows()))


def test_judgments_can_be_read_by_other_commands(tmp_path):
    judged = assay.judge_clicks(FIVE, "sdbn", least=1)
    for name in ("clicks.csv", "clicks.tsv", "clicks.jsonl", "clicks.txt"):
        judged.write(tmp_path / name)
        assert assay.Qrels(tmp_path / name) == judged.qrels
    with pytest.raises(assay.BadParameter, match="the file extension of judgments"):
        judged.write(tmp_path / "clicks.xlsx")
    spaced = assay.judge_clicks(shown("two words", "ab", "a"), "sdbn", least=1)
    with pytest.raises(assay.DataError, match="'two words' contains spaces"):
        spaced.write(tmp_path / "clicks.txt")


def test_judgments_can_be_imported_as_the_layer_of_a_rule(tmp_path):
    from assay.files import read_judgment_file

    judged = assay.judge_clicks(FIVE, "sdbn", least=1)
    judged.write(tmp_path / "clicks.csv")
    grades = read_judgment_file(tmp_path / "clicks.csv").grades
    assert {grade.judge for grade in grades} == {"clicks-sdbn"}
    assert all("impressions, log" in grade.reason for grade in grades)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": "pmb"}, "no click model is called 'pmb'. Did you mean pbm"),
        ({"model": "sdbn", "propensities": {1: 1}}, "propensities are for the model pbm"),
        ({"model": "sdbn", "least": 0}, "least must be a whole number"),
        ({"model": "sdbn", "least": 100}, "no document was seen at least 100 times"),
        ({"model": "sdbn", "grades": [0.5, 0.2]}, "grades must be rising numbers"),
        ({"model": "sdbn", "grades": "high"}, "grades must be rising numbers"),
        ({"model": "pbm", "propensities": {1: 1}}, "no propensity for rank 2"),
        ({"model": "pbm", "propensities": {1: 1, 2: 1.5}}, "a propensity must be above 0 and at most 1"),
        ({"model": "pbm", "propensities": "column"}, "the log has no column with propensities"),
    ],
)
def test_settings_that_do_not_fit_are_errors(settings, message):
    with pytest.raises(assay.AssayError, match=message):
        assay.judge_clicks(FIVE, **{"least": 1, **settings})


def test_bias_cannot_be_estimated_if_documents_keep_their_ranks():
    with pytest.raises(assay.DataError, match="position bias cannot be estimated: no document was shown at rank 2"):
        assay.judge_clicks([*shown("q", "ab", "a"), *shown("q", "ab")], "pbm", least=1)


def test_evidence_of_pbm_is_what_users_probably_looked_at():
    """100 impressions at rank 10, which 3 of 100 users see, are evidence of 3 looks."""
    rows = [
        {"search_id": f"s{number}", "query": "q", "doc_id": doc, "rank": rank, "clicked": number % 3 == 0 and rank == 1}
        for number in range(100)
        for doc, rank in (("top", 1), ("bottom", 10))
    ]
    propensities = {1: 1.0, 10: 0.03}
    judged = assay.judge_clicks(rows, "pbm", propensities=propensities, least=10)
    assert judged.documents == ("top",)
    assert any("were probably looked at less than 10 times" in note for note in judged.notes)
    both = assay.judge_clicks(rows, "pbm", propensities=propensities, least=3)
    assert both.documents == ("bottom", "top")
