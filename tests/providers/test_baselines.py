"""The baselines: the oracle as the ceiling, a random order as the floor, and the replay of a recorded run."""

import json
from collections import Counter
from pathlib import Path

import pytest

from assay import Document, Hit, Query, evaluate, load_dataset
from assay.model import Pack
from assay.providers import PermanentFailure, RelevanceRule

from ._asking import ids, ready

SAMPLES = Path(__file__).parents[1] / "datasets" / "samples"


def oracle(texts, qrels, *rule, **settings):
    """An oracle over documents, given as id → text, that was told the truth."""
    documents = [Document(doc, text) for doc, text in texts.items()]
    return ready("oracle", documents, qrels, RelevanceRule(*rule, settings=settings))


def test_the_oracle_finds_relevant_documents_best_grade_first():
    judged = {"q": {"a": 1, "b": 3, "c": 0, "d": -1, "e": 1, "elsewhere": 5}, "r": {}}
    found = oracle(dict.fromkeys("abcdef", ""), judged)
    answers = found.search([Query("q"), Query("r"), Query("unjudged")], 5)
    assert answers == [[Hit("b", 3.0), Hit("e", 1.0), Hit("a", 1.0)], [], []]
    assert found.search([Query("q")], 1) == [[Hit("b", 3.0)]]


def test_the_oracle_finds_evidence_by_the_pack():
    """Chunks cover evidence: c1 and c2 the first piece, c3 the second, c4 nothing."""
    covers = {"c1": "one", "c2": "one", "c3": "two"}
    pack = Pack("by hand", lambda query, hit: covers.get(hit.doc_id), lambda query: len(query.evidence))
    found = oracle(dict.fromkeys(("c1", "c2", "c3", "c4"), ""), {}, pack)
    query = Query("q", evidence=("one", "two"))
    assert set(ids(found.search([query], 5)[0])) == {"c3", "c2"}
    assert len(found.search([query], 1)[0]) == 1


def test_the_oracle_finds_an_expected_answer_by_its_words():
    texts = {"a": "blue whale", "b": "the blue whale sings", "c": "a red fox"}
    query = Query("q", "?", expected="blue whale")
    for told, found in (
        (({},), ["b", "a"]),
        (({}, None, "token(threshold=0.9)"), ["a"]),
        (({"q": {"c": 1}},), ["c"]),
        (({"q": {"c": 1}}, None, "token(threshold=0.9)"), ["a"]),
    ):
        assert ids(oracle(texts, *told).search([query], 5)[0]) == found, told
    assert ids(oracle(texts, {}, None, "token", threshold=0.9).search([query], 5)[0]) == ["a"]


def test_the_oracle_is_the_ceiling_of_benchmarks_of_every_kind():
    """Each query with anything relevant scores 1; those without score 0."""
    for name, by in (("locomo10.json", "auto"), ("longmemeval_s.json", "pack"), ("beir", "auto")):
        dataset = load_dataset(SAMPLES / name)
        found = {}
        for query in dataset.queries.values():
            texts = {doc: dataset.documents[doc].content for doc in dataset.in_scope(query)}
            (found[query.query_id],) = oracle(texts, dataset.qrels, dataset.owner_of_relevance, by).search([query], 100)
        result = evaluate(dataset, found, metrics=["ndcg@10", "recall@100"], relevance=by)
        share = result.relevance["queries_with_relevant"] / len(result.query_ids)
        assert share > 0, name
        assert result.summary == {"ndcg@10": pytest.approx(share), "recall@100": pytest.approx(share)}, name


def drawn(text, queries, k, n_documents=6):
    retriever = ready(text, [Document(str(number)) for number in range(n_documents)])
    return [ids(hits) for hits in retriever.search([Query(query) for query in queries], k)]


def test_a_random_order_has_every_document_once_and_its_own_order_for_each_seed_and_query():
    assert [len(found) for found in drawn("random_order", "abc", 10, 50)] == [10] * 3
    assert all(sorted(found) == list("012345") for found in drawn("random_order", "abc", 100))
    orders = {tuple(drawn(f"random_order(seed={seed})", [query], 50, 50)[0]) for seed in (0, 1) for query in "abc"}
    assert len(orders) == 6


def test_in_a_random_order_every_place_is_as_likely_for_every_document():
    orders = drawn("random_order", map(str, range(1200)), 6)
    for place in (0, 3, 5):
        counts = Counter(found[place] for found in orders)
        assert all(150 < counts[str(number)] < 250 for number in range(6)), place


TREC = "q1 Q0 a 1 3.5 bm25\nq1 Q0 b 2 1.5 bm25\nq2 Q0 c 1 2 bm25\n"


def replayed(folder, content, *queries, k=10, name="bm25.run"):
    (folder / name).write_text(content, encoding="utf-8")
    return ready(f"replay:{folder / name}").search([Query(query) for query in queries], k)


def test_a_replay_says_what_the_file_says(tmp_path):
    assert replayed(tmp_path, TREC, "q2", "q1") == [[Hit("c", 2.0)], [Hit("a", 3.5), Hit("b", 1.5)]]
    assert replayed(tmp_path, TREC, "q1", k=1) == [[Hit("a", 3.5)]]
    assert replayed(tmp_path, json.dumps({"q1": {"a": 3.5}}), "q1", name="run.json") == [[Hit("a", 3.5)]]
    first, missing = replayed(tmp_path, TREC, "q2", "nobody")
    assert (ids(first), type(missing)) == (["c"], PermanentFailure)
