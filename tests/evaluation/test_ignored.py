"""Judgments that say ignore: every score is the one without the document, in the ranking and in the judgments."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import DataError, Policy
from assay.comparison import compare_results
from assay.model import IGNORED, Qrels

METRICS = [
    "map",
    "ndcg@3",
    "mrr",
    "recall@2",
    "precision@3",
    "bpref",
    "judged@3",
    "minp",
    "map_at_r",
    "median_rank@5",
    "num_ret",
]
DOCS = [f"d{number}" for number in range(8)]
RUNS = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=1)
JUDGED = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([0, 1, 2, -1, "ignore"]), min_size=1)


def without(judged, ranking):
    """Judgments and ranking without the documents that are ignored."""
    ignored = {doc for doc, grade in judged.items() if grade == "ignore"}
    return {doc: grade for doc, grade in judged.items() if doc not in ignored}, {
        doc: score for doc, score in ranking.items() if doc not in ignored
    }


def same(first, second):
    return first.keys() == second.keys() and all(math.isclose(first[q], second[q], abs_tol=1e-12) for q in first)


@given(
    st.lists(st.tuples(JUDGED, RUNS), min_size=1, max_size=4),
    st.sampled_from(["docid_desc", "docid_asc", "expected", "input_order"]),
)
def test_ignoring_is_removing(cases, ties):
    names = [f"q{number}" for number in range(len(cases))]
    qrels, run = ({name: case[side] for name, case in zip(names, cases, strict=True)} for side in (0, 1))
    plain = {name: without(*case) for name, case in zip(names, cases, strict=True)}
    policy = Policy(ties=ties)
    ours = assay.evaluate(qrels, run, METRICS, policy=policy)
    theirs = assay.evaluate(
        {q: pair[0] for q, pair in plain.items()}, {q: pair[1] for q, pair in plain.items()}, METRICS, policy=policy
    )
    for metric in METRICS:
        assert same(ours.scores(metric), theirs.scores(metric)), metric


QRELS = {"q": {"a": 1, "b": "ignore", "c": 0, "e": 1}, "r": {"a": 1}}
RUN = {"q": {"b": 4.0, "x": 3.0, "a": 2.0, "c": 1.0}, "r": {"a": 1.0}}


def test_worked_out_by_hand():
    """Without b: x a c, and R = 2."""
    result = assay.evaluate(QRELS, RUN, ["mrr", "map", "judged@3", "precision@1"])
    assert {name: result.scores(name)["q"] for name in ("mrr", "map", "judged@3", "precision@1")} == {
        "mrr": 1 / 2,
        "map": 1 / 4,
        "judged@3": 2 / 3,
        "precision@1": 0,
    }
    assert (
        "1 judgment of 1 query says ignore: this document is dropped from the rankings before anything is measured."
        in result.notes
    )
    assert not any("ignore" in note for note in assay.evaluate({"r": {"a": 1}}, RUN, "mrr").notes)


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl", "tsv"])
def test_files_have_the_word_and_give_the_same(tmp_path, suffix):
    rows = [(query, doc, grade) for query, judged in QRELS.items() for doc, grade in judged.items()]
    if suffix == "json":
        import json

        text = json.dumps(QRELS)
    elif suffix == "jsonl":
        text = "".join(f'{{"query_id": "{q}", "doc_id": "{d}", "grade": "{g}"}}\n' for q, d, g in rows)
    else:
        mark = {"csv": ",", "tsv": "\t"}[suffix]
        text = "".join(f"{mark.join(map(str, row))}\n" for row in [("query_id", "doc_id", "grade"), *rows])
    path = tmp_path / f"qrels.{suffix}"
    path.write_text(text)
    assert Qrels(str(path)).to_dict() == {"q": {"a": 1, "b": IGNORED, "c": 0, "e": 1}, "r": {"a": 1}}
    run = tmp_path / "a.run"
    run.write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, ranking in RUN.items() for d, s in ranking.items()))
    ours, theirs = assay.evaluate(path, run, METRICS), assay.evaluate(QRELS, RUN, METRICS)
    assert all(same(ours.scores(metric), theirs.scores(metric)) for metric in METRICS)


def test_trec_files_have_no_such_word_and_other_words_are_errors(tmp_path):
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b ignore\n")
    with pytest.raises(DataError, match=r"qrels\.txt:2: the grade must be a number, not 'ignore'"):
        Qrels(str(tmp_path / "qrels.txt"))
    with pytest.raises(DataError, match="must be a finite number, not 'ignored'"):
        Qrels({"q": {"a": "ignored"}})
    with pytest.raises(DataError, match="d1 has a grade and is ignored"):
        assay.BenchmarkDataset.from_frames([{"query_id": "q", "query": "?", "relevant_ids": ["d1"], "ignored_ids": ["d1"]}])


def test_a_saved_result_is_graded_again_without_them(tmp_path):
    """The unjudged documents of two systems are compared by rank, so both count ranks in the same way."""
    dataset = assay.BenchmarkDataset("x", queries={q: assay.Query(q, q) for q in QRELS}, qrels=Qrels(QRELS).to_dict())
    other = {"q": {"a": 4.0, "b": 3.0, "y": 2.0}, "r": {"z": 1.0}}
    first, second = (
        assay.evaluate(dataset, run, ["precision@2"], name=name) for run, name in ((RUN, "one"), (other, "two"))
    )
    assert first.scores("precision@2")["q"] == second.scores("precision@2")["q"] == 1 / 2
    comparison = compare_results([first, second])
    assert comparison.names == ("one", "two")
    documents = first.grader.documents(Policy().rank_rule, 2)
    assert (documents("q", 2), documents("q", 1), documents("r", None)) == (["x", "a"], ["x"], ["a"])


def test_a_benchmark_made_in_python_takes_the_word_too():
    queries = {q: assay.Query(q, q) for q in QRELS}
    documents = {doc: assay.Document(doc, doc) for doc in "abcdexyz"}
    given = {query: dict(judged) for query, judged in QRELS.items()}
    dataset = assay.BenchmarkDataset("x", queries=queries, documents=documents, qrels=given)
    assert dataset.qrels == Qrels(QRELS).to_dict()
    assert given == QRELS  # unchanged
    ours, theirs = assay.evaluate(dataset, RUN, METRICS), assay.evaluate(QRELS, RUN, METRICS)
    assert all(same(ours.scores(metric), theirs.scores(metric)) for metric in METRICS)
    assert assay.run(dataset, "oracle", "mrr")["mrr"] == 1.0
