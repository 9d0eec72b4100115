"""Runs in the preflight: whatever they come as, and whatever is wrong with them, it is a finding."""

import gzip
import json

import pytest

import assay
from assay.datasets.dataset import BenchmarkDataset
from assay.datasets.evidence import evidence_pack
from assay.datasets.preflight.check import check_dataset
from assay.files import FileSource
from assay.model.records import Query

from ._checks import ALL_JUDGED, DOWN, ORDER, clean, clean_run, scoped, scores, trec

LINES = "".join(f"{query} Q0 {doc} {n} {99 - n} x\n" for query in ("q1", "q2", "q3") for n, doc in enumerate(ORDER, 1))


def found(run, dataset=ALL_JUDGED, **how):
    return {finding.code: finding for finding in check_dataset(dataset, run, **how)}


@pytest.fixture
def written(tmp_path):
    def write(text, name="r.run"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path / name

    return write


# Whatever it comes as


def test_a_clean_run_has_no_findings(tmp_path, written):
    path = written(LINES)
    (tmp_path / "r.gz").write_bytes(gzip.compress(LINES.encode()))
    rows = [(query, doc, score) for query, ranking in clean_run().items() for doc, score in ranking.items()]
    for run in (path, str(path), FileSource(path), tmp_path / "r.gz", clean_run(), assay.Run(clean_run()), rows):
        assert found(run) == {}


def test_hits_with_texts_are_a_run(written):
    hits = {query: [{"id": doc, "content": "x", "score": -n} for n, doc in enumerate(ORDER)] for query in ("q1", "q2", "q3")}
    assert found(hits) == {}
    assert found(written(json.dumps(hits), "r.json")) == {}
    hits["q1"][1]["id"] = "d1"
    assert "run-duplicate-document" in found(hits)


def test_a_run_that_is_not_there_is_a_finding(tmp_path):
    assert found(tmp_path / "none.run")["run-unreadable"].cases[0].found == "no such file"
    assert "run-unreadable" in found(7)


# What cannot be read


def test_scores_that_are_no_numbers_are_told_by_line(written):
    path = written("q1 Q0 d1 1 nan x\nq1 Q0 d2 2 high x\nq1 Q0 d3\n")
    findings = found(path)
    assert findings["run-score-not-a-number"].places == (f"{path}:1", f"{path}:2")
    assert findings["run-unreadable"].places == (f"{path}:3",)


def test_scores_that_are_no_numbers_are_all_told():
    findings = found({"q1": {"d1": float("nan"), "d2": 1.0, "d3": "high"}, "q2": {"d1": None}})
    assert findings["run-score-not-a-number"].count == 3
    assert findings["run-score-not-a-number"].cases[0].document == "d1"


def test_a_document_ranked_twice_does_not_end_the_check(written):
    path = written(LINES + "q1 Q0 d1 13 1 x\nq9 Q0 d1 1 1 x\n")
    findings = found(path)
    assert findings["run-duplicate-document"].places == (f"{path}:37",)
    assert "run-unknown-query" in findings


# Ranks and scores


@pytest.mark.parametrize(
    ("rows", "is_sound"),
    [
        ([(1, 3.0), (2, 2.0), (3, 2.0)], True),
        ([(3, 1.0), (1, 3.0), (2, 2.0)], True),
        ([(1, 3.0), (3, 1.0), (2, 4.0)], False),
        ([(1, 0.5), (3, 0.1), (2, 0.7)], False),
        ([(0, 1.0), (0, 2.0), (0, 3.0)], True),
        ([(1, 2.0), (1, 1.0), (2, 1.5)], False),
    ],
)
def test_a_worse_rank_has_no_better_score(rows, is_sound, written):
    assert ("run-rank-contradicts-score" not in found(written(trec(*rows)))) is is_sound


def test_the_line_and_both_ranks_are_told(written):
    path = written("# scores\n" + trec((1, 0.25), (2, 0.5)))
    [case] = found(path)["run-rank-contradicts-score"].cases
    assert (case.place, case.found) == (f"{path}:3, query q1", "rank 2 has score 0.5, rank 1 has 0.25")


def test_a_rank_that_is_no_number_says_nothing(written):
    assert "run-rank-contradicts-score" not in found(written("q1 Q0 d1 - 1 x\nq1 Q0 d2 - 2 x\n"))


# Ids


def test_chunk_ids_are_recognised():
    chunks = {query: {f"{doc}::{n}": float(-n) for n, doc in enumerate(ORDER)} for query in ("q1", "q2", "q3")}
    finding = found(chunks)["run-no-id-matches"]
    assert "they are chunks of documents: 'd1::0' is 'd1' there" in finding.message
    assert "--unit document" in finding.advice
    assert finding.severity == "error"
    assert "run-unjudged" not in found(chunks)


def test_without_documents_ids_are_those_of_the_judgments():
    dataset = clean(documents={})
    assert set(found(clean_run(), dataset)) == {"run-unjudged"}
    message = found({query: {f"x{n}": float(n) for n in range(12)} for query in ("q1", "q2", "q3")}, dataset)
    assert "none of the 36 retrieved ids is in the judgments" in message["run-no-id-matches"].message


def test_query_ids_that_never_match_are_shown():
    message = found({"Q1": {"d1": 1.0}})["run-no-query-matches"].message
    assert message.endswith("they are in capitals: 'Q1' is 'q1' there")


def test_a_pack_knows_ids_without_their_scope():
    dataset = scoped(("a/1",), scope="a")
    dataset.documents = {f"a/{n}": clean().documents["d1"].__class__(f"a/{n}", f"turn {n}", group="a") for n in range(3)}
    dataset.pack = evidence_pack("p", dataset.documents)
    assert found({"q1": {"1": 2.0, "a/2": 1.0}}, dataset, k=2) == {}
    assert set(found({"q1": {"1#0": 2.0, "1#1": 1.0}}, dataset, k=2)) == {"run-chunk-ids"}


def test_answers_need_no_ids():
    dataset = BenchmarkDataset(queries={"q1": Query("q1", "how long", expected="ten hours")})
    assert found({"q1": {"anything": 2.0, "at all": 1.0}}, dataset, k=2) == {}


# Depth


def test_short_rankings_are_fine_where_there_is_no_more_to_find():
    assert found({"q1": {"a1": 2.0, "a2": 1.0}}, scoped()) == {}
    assert "run-short" in found({"q1": {"a1": 2.0}}, scoped())
    assert "run-short" in found(clean_run(q1={}))


def test_the_cutoff_decides_about_ties_depth_and_judgments():
    tied = clean_run(q1=scores(3, 2, 2, 1))
    assert "run-ties-at-k" in found(tied, k=2)
    assert "run-ties-at-k" not in found(tied, k=3)
    assert "run-short" in found(tied, k=5)
    assert "run-short" not in found(tied, k=4)


def test_the_share_of_unjudged_documents_is_told():
    dataset = clean(qrels={"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d2": 1}, "q3": dict.fromkeys(ORDER, 1)})
    finding = found(clean_run(), dataset, k=4)["run-unjudged"]
    assert finding.message == "33 % of the first 4 documents (4 of 12) unjudged, 20 % or more in 2 queries"
    assert finding.cases[0].found == "2 of 4"
    assert "run-unjudged" not in found(clean_run(), dataset, k=2)


def test_equal_scores_are_told_once():
    findings = found(clean_run(q1=scores(*[1] * 12)))
    assert "run-constant-scores" in findings
    assert "run-ties-at-k" not in findings
    assert "run-ties-at-k" in found(clean_run(q1=scores(*DOWN[:9], 0, 0)))
