"""The quick way ranks by every rule that decides ranks as the strict reader does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay import Policy, Qrels, Run
from assay.evaluation.profiles import PROFILES
from assay.files import as_source, rank_source
from assay.model.policy import RankRule
from assay.views.grading import rank_all, settle

from ._quick import QUERIES, RULES, WRITERS, outcome, shown
from ._sizes import sizes

pytestmark = pytest.mark.usefixtures("everything_is_large")


NEAR = st.sampled_from([0.0, 1.0, 1.00000001, 1.00000002, 1.1, 16777216.0, 16777217.0, -1e-46, 1e-46])
"""Scores of which float32 makes one where float64 tells several."""
NAMED_AS_QUERIES = st.sampled_from(["q1", "q2", "7", "a", "b", "é", *(f"d{number}" for number in range(20))])
NEAR_ROWS = st.lists(st.tuples(QUERIES, NAMED_AS_QUERIES, NEAR), min_size=1, max_size=60, unique_by=lambda row: row[:2])
NEAR_QRELS = st.dictionaries(QUERIES, st.dictionaries(NAMED_AS_QUERIES, st.integers(-1, 3), max_size=9), max_size=4)


def ranked_alike(source, qrels, rules):
    """Whether both readers rank by all these rules alike; None where the quick one does not."""
    found = rank_source(as_source(source), qrels, rules)
    if found is None:
        return None
    wanted = rank_all(Run(source), qrels, rules)
    assert set(found) == set(wanted) == set(rules)
    for rule in rules:
        policy = Policy(ties=rule.ties, precision=rule.precision, drop_self=rule.drop_self)
        assert shown(settle(found[rule], policy)) == shown(settle(wanted[rule], policy)), rule
        assert found[rule].n_extra == wanted[rule].n_extra
    return True


@settings(max_examples=80)
@given(rows=NEAR_ROWS, judged=NEAR_QRELS, rules=st.lists(st.sampled_from(RULES), min_size=1, max_size=5, unique=True))
def test_both_readers_rank_by_several_rules_alike(folder, rows, judged, rules):
    left_empty = {query for query, *_ in rows} - {query for query, doc, _ in rows if doc != query}
    alike = ranked_alike(WRITERS["blanks"](folder, rows), Qrels(judged), rules)
    assert alike is (None if left_empty and any(rule.drop_self for rule in rules) else True)


@pytest.mark.parametrize("form", ["blanks", "gzip", "CSV", "JSONL", "Parquet", "polars"])
@settings(max_examples=6)
@given(rows=NEAR_ROWS, judged=NEAR_QRELS)
def test_both_readers_rank_every_format_by_every_rule_alike(folder, form, rows, judged):
    rows = [*rows, *((query, "other", 0.5) for query in {query for query, *_ in rows})]
    assert ranked_alike(WRITERS[form](folder, rows), Qrels(judged), RULES)


@pytest.mark.parametrize("order", ["sorted", "unsorted", "interleaved"])
def test_both_readers_rank_long_tied_rankings_by_every_rule_alike(tmp_path, order):
    rng = np.random.default_rng(3)
    rows = [
        (f"q{query}", f"d{doc}" if doc else f"q{query}", 1.0 + int(rng.integers(5)) * 1e-8)
        for query in range(8)
        for doc in rng.permutation(120).tolist()
    ]
    if order == "sorted":
        rows.sort(key=lambda row: (row[0], -row[2]))
    if order == "interleaved":
        rows = [rows[number] for number in rng.permutation(len(rows)).tolist()]
    judged = {f"q{query}": {f"q{query}": 2} | {f"d{doc}": doc % 3 for doc in range(query, 130, 3)} for query in range(9)}
    assert ranked_alike(WRITERS["blanks"](tmp_path, rows), Qrels(judged), RULES)


def test_ranks_by_hand_under_every_rule(tmp_path):
    """b and d are one score to float32, c and q1 to both; rank of each document, with and without q1 itself."""
    rows = [("q1", "b", 1.00000001), ("q1", "c", 0.5), ("q1", "q1", 0.5), ("q1", "d", 1.00000002)]
    qrels = Qrels({"q1": {"b": 1, "c": 2, "d": 3, "q1": 4}})
    found = rank_source(as_source(WRITERS["blanks"](tmp_path, rows)), qrels, RULES)
    names = {1: "b", 2: "c", 3: "d", 4: "q"}
    hits = {rule: found[rule].run.retrieved for rule in RULES}
    ranks = {
        rule: {names[grade]: rank for grade, rank in zip(of.grade.tolist(), of.rank.tolist(), strict=True)}
        for rule, of in hits.items()
    }
    assert ranks[RankRule("docid_desc", "float64", False)] == {"d": 1, "b": 2, "q": 3, "c": 4}
    assert ranks[RankRule("docid_desc", "float32", False)] == {"d": 1, "b": 2, "q": 3, "c": 4}
    assert ranks[RankRule("docid_asc", "float64", False)] == {"d": 1, "b": 2, "c": 3, "q": 4}
    assert ranks[RankRule("docid_asc", "float32", False)] == {"b": 1, "d": 2, "c": 3, "q": 4}
    assert ranks[RankRule("input_order", "float32", False)] == {"b": 1, "d": 2, "c": 3, "q": 4}
    assert ranks[RankRule("input_order", "float64", False)] == {"d": 1, "b": 2, "c": 3, "q": 4}
    assert ranks[RankRule("docid_desc", "float64", True)] == {"d": 1, "b": 2, "c": 3}
    assert ranks[RankRule("docid_asc", "float32", True)] == {"b": 1, "d": 2, "c": 3}


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input_order", "ranx"])
@pytest.mark.parametrize("top", [1e39, -1e39, 1e300], ids=repr)
def test_scores_beyond_float32_have_the_same_outcome(tmp_path, ties, top):
    rows = [("q1", "a", 1.0), ("q1", "b", 1.00000001), ("q1", "x", top), ("q1", "y", 1.0)]
    source, qrels = WRITERS["blanks"](tmp_path, rows), Qrels({"q1": {"a": 1, "x": 2}})
    policy = Policy(ties=ties, precision="float32")
    assert outcome(source, qrels, policy, 0) == outcome(source, qrels, policy, 10**9)


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_scores_a_large_file_as_a_small_one(tmp_path, profile):
    rng = np.random.default_rng(1)
    docs = rng.permutation(40).tolist()
    rows = [(str(query), str(doc), 1.0 + (doc * 7 + query) % 9 * 1e-8) for query in range(5) for doc in docs]
    if PROFILES[profile].policy.ties == "error":
        rows = [(query, doc, place * 0.5) for place, (query, doc, _) in enumerate(rows)]
    qrels = Qrels({str(query): {str(doc): doc % 3 for doc in range(query, 30, 2)} for query in range(5)})
    source = WRITERS["blanks"](tmp_path, rows)
    metrics = ["ndcg@10", "map", "mrr@10", "recall@5", "precision@5", "bpref", "judged@10", "hit@1", "err@10"]
    large, small = (_under(profile, source, qrels, metrics, least) for least in (0, 10**9))
    assert large == small


def _under(profile, source, qrels, metrics, least):
    with sizes(least):
        return assay.evaluate(qrels, source, metrics, profile=profile, tie_band=True, residuals=True).to_dict()
