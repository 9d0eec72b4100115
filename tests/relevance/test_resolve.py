"""resolve: every query is decided by the first resolver that applies; and what seed 000 asks of that."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Hit, Query, RelevanceJudgment
from assay.datasets import BenchmarkDataset
from assay.model import Qrels
from assay.relevance import by_judgments, resolve

from ._cases import TEXT_RESOLVERS, evidence_pack, ground

JUDGED = Query("judged", expected="red cat", evidence=["e1"])
PACKED = Query("packed", expected="red cat", evidence=["e1", "e2"])
WORDED = Query("worded", expected="red cat")
BARE = Query("bare")
HITS = {query.query_id: [Hit("e1", 2.0, "red cat"), Hit("d1", 1.0, "blue dog")] for query in (JUDGED, PACKED, WORDED, BARE)}


def made(*queries, qrels=None, pack=None):
    return ground(queries, HITS, qrels=qrels or {}, pack=pack)


def test_seed_000_relevance_priority_per_query_qrels_then_pack_then_token():
    resolved = resolve(made(JUDGED, PACKED, WORDED, BARE, qrels={"judged": {"d1": 1}}, pack=evidence_pack()))
    assert resolved.strategies == {"judged": "qrels", "packed": "pack", "worded": "token-fallback"}
    assert resolved.qrels["judged"] == {"d1": 1.0}
    assert resolved.qrels["packed"] == {"e1": 1.0, "d1": 0.0, "\0gold 0": 1.0}
    assert resolved.qrels["worded"] == {"e1": 1.0, "d1": 0.0}
    assert resolved.undecided == ("bare",)


def test_seed_000_strategy_used_qrels_pack_token_fallback_or_mixed_and_strategy_counts():
    for queries, used, counts in (
        ([JUDGED], "qrels", {"qrels": 1}),
        ([PACKED], "pack", {"pack": 1}),
        ([WORDED], "token-fallback", {"token-fallback": 1}),
        ([JUDGED, PACKED, WORDED, BARE], "mixed", {"qrels": 1, "pack": 1, "token-fallback": 1}),
    ):
        resolved = resolve(made(*queries, qrels={"judged": {"d1": 1}}, pack=evidence_pack()))
        assert (resolved.strategy_used, resolved.strategy_counts) == (used, counts)
    assert resolve(made(WORDED), "token").strategy_used == "token"  # what was asked for is no fallback


def test_seed_000_idcg_over_all_relevant_items_of_the_ground_truth_never_only_those_found():
    dataset = BenchmarkDataset("Three", queries={"q": Query("q", evidence=["a", "b", "c"])}, pack=evidence_pack())
    dataset.qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    for relevance in ("qrels", "pack"):
        result = assay.evaluate(dataset, {"q": ["a", "x", "b"]}, ["ndcg@5", "recall@5"], relevance=relevance)
        assert result["recall@5"] == pytest.approx(2 / 3), relevance
        assert result["ndcg@5"] == pytest.approx((1 + 1 / math.log2(4)) / 2.1309297535714573), relevance


def test_seed_000_metric_details_are_in_the_result():
    dataset = BenchmarkDataset("Mixed", queries={query.query_id: query for query in (JUDGED, PACKED, WORDED, BARE)})
    dataset.add_judgment(RelevanceJudgment("judged", "d1", 1))
    dataset.pack = evidence_pack()
    details = {"strategy_used": "mixed", "strategy_counts": {"qrels": 1, "pack": 1, "token-fallback": 1}}
    details |= {"queries_with_relevant": 3, "relevant_found": 3, "exact_matches_found": 1, "undecided": 1}
    details |= {"counted_over": {"judgments": 1, "evidence": 1, "retrieved": 1}, "token_threshold": 0.3}
    assert assay.evaluate(dataset, HITS, ["ndcg@10"]).relevance == details


def test_errors(snapshots):
    def nothing(relevance):
        return lambda: resolve(ground([Query("q1"), Query("q2")], {}, documents={"d": "text"}), relevance)

    names = ("auto", "qrels", "pack", "token", "hybrid", "token(threshold=0.5)", " qrels ", "colour")
    snapshots.check_errors("relevance/nothing_to_decide_by", {name: nothing(name) for name in names})


def test_only_the_resolver_asked_for_decides():
    every = made(JUDGED, PACKED, WORDED, BARE, qrels={"judged": {"d1": 1}}, pack=evidence_pack())
    every_name = {"qrels": ["judged"], "pack": ["judged", "packed"], "token": ["judged", "packed", "worded"]}
    for relevance, decided in every_name.items():
        resolved = resolve(every, relevance)
        assert resolved.strategies == dict.fromkeys(decided, relevance)
        assert set(resolved.undecided) == {"judged", "packed", "worded", "bare"} - set(decided), relevance
        assert list(resolved.qrels) == decided


def test_settings_of_who_decided_are_recorded():
    weights = {"hybrid_method": "weighted", "hybrid_threshold": 0.5, "hybrid_weights": (2.0, 1.0, 1.0, 0.5)}
    for relevance, defaults, settings in (
        ("auto", {}, {"token_threshold": 0.3}),
        ("auto", {"threshold": 0.5}, {"token_threshold": 0.5}),
        ("token(threshold=0.1)", {"threshold": 0.5}, {"token_threshold": 0.1}),
        ("substring", {"threshold": 0.5}, {}),
        ("hybrid(method=weighted, weights=[2, 1, 1, 0.5])", {}, weights),
    ):
        assert resolve(made(WORDED), relevance, **defaults).settings == settings, relevance
    assert resolve(made(JUDGED, PACKED, qrels={"judged": {"d1": 1}}, pack=evidence_pack())).settings == {}


def test_queries_with_anything_relevant_and_relevant_hits_are_counted():
    told = by_judgments(Qrels({"q1": {"a": 1}, "q2": {}})).to_dict()
    assert (told["strategy_counts"], told["queries_with_relevant"], "relevant_found" in told) == ({"qrels": 2}, 1, False)
    assert by_judgments(Qrels({})).strategy_used == "none"
    qrels = {"judged": {"d1": 1, "e1": 0}, "other": {"d7": 1}}
    for relevance, queries, with_relevant, found in (
        ("qrels", [JUDGED, Query("other")], 2, 1),
        ("pack", [Query("packed", evidence=[])], 0, 0),
        ("pack", [Query("packed", evidence=["e7"])], 1, 0),
        ("token", [JUDGED, PACKED, WORDED], 3, 3),
        ("token", [Query("judged", expected="grey mouse")], 0, 0),
    ):
        plain = resolve(made(*queries, qrels=qrels, pack=evidence_pack()), relevance).to_dict()
        assert (plain["queries_with_relevant"], plain["relevant_found"]) == (with_relevant, found), relevance


def test_doubts_are_notes_of_the_result(snapshots):
    """Low for want of texts or of matching ids, rather than of quality."""
    lines = []
    by_text = [(["d1", "ghost"], {"d1": "red cat"}, 1), (["x", "y"], {}, 1), ([Hit("x", 1.0, "blue")], {}, 0)]
    for hits, documents, n_doubts in (*by_text, (["d1"], {"d1": "blue"}, 0), ([], {"d1": "red cat"}, 0)):
        doubts = {resolve(ground(WORDED, hits, documents=documents), name).doubts for name in ("auto", *TEXT_RESOLVERS)}
        assert [len(some) for some in doubts] == [n_doubts], hits
        lines += next(iter(doubts))
    by_evidence = [({"packed": ["turn-7", "turn-8"]}, 1), ({"packed": ["turn-7", "e2#0"]}, 0), ({"packed": []}, 0), ({}, 0)]
    for hits, n_doubts in (*by_evidence, ({"packed": ["turn-7"], "judged": ["e1"]}, 0)):
        doubts = resolve(ground([PACKED, JUDGED], hits, pack=evidence_pack()), "pack").doubts
        assert len(doubts) == n_doubts, hits
        lines += doubts
    snapshots.check("relevance/doubts", "\n".join(lines) + "\n")
    assert resolve(ground(Query("q", evidence=[]), ["x"], pack=evidence_pack())).doubts == ()
    dataset = BenchmarkDataset("Doubts", queries={"packed": PACKED, "worded": WORDED})
    notes = assay.evaluate(dataset, {"packed": ["turn-7"], "worded": ["d7"]}, "mrr").notes
    assert ["d7" in notes[0], "turn-7" in notes[1]] == [True, True]


METRICS = ("recall@3", "recall", "ndcg@3", "ndcg", "ndcg(gain=exp)@5", "map", "precision@3", "rprec", "capped_recall@3")
DOCS = st.sampled_from("abcd")
CHUNKS = st.lists(st.tuples(DOCS, st.integers(0, 4)), unique=True, max_size=16)


def in_range(result):
    for metric in METRICS:
        for query, score in result.scores(metric).items():
            assert -1e-12 <= score <= 1 + 1e-12, (metric, query, score)


@given(
    runs=st.lists(CHUNKS, min_size=1, max_size=3),
    grades=st.dictionaries(DOCS, st.integers(0, 3), max_size=4),
    unit=st.sampled_from(["chunk", "document"]),
    scores=st.sampled_from([0.0, 1.0]),
)
def test_several_chunks_of_one_document_never_push_recall_or_ndcg_above_1(runs, grades, unit, scores):
    queries = {f"q{number}": Query(f"q{number}") for number in range(len(runs))}
    dataset = BenchmarkDataset("Chunks", queries=queries, qrels=dict.fromkeys(queries, grades))
    run = {
        f"q{number}": {f"{doc}#{part}": -place * scores for place, (doc, part) in enumerate(chunks)}
        for number, chunks in enumerate(runs)
    }
    result = assay.evaluate(dataset, run, METRICS, relevance=assay.Relevance(unit=unit))
    in_range(result)
    for number, chunks in enumerate(runs):
        relevant = {doc for doc, grade in grades.items() if grade > 0}
        found = {doc for doc, _ in chunks} & relevant
        assert result.scores("recall")[f"q{number}"] == pytest.approx(len(found) / len(relevant) if relevant else 0)


@given(
    chunks=CHUNKS,
    id_map=st.dictionaries(st.sampled_from([f"{doc}#{part}" for doc in "abcd" for part in range(5)]), DOCS),
    grades=st.dictionaries(DOCS, st.integers(0, 3), max_size=4),
    covers=st.dictionaries(DOCS, st.booleans() | st.none()),
)
def test_neither_a_map_of_ids_nor_a_pack_pushes_recall_or_ndcg_above_1(chunks, id_map, grades, covers):
    query = Query("q", evidence=list(grades))
    dataset = BenchmarkDataset("Mapped", queries={"q": query}, qrels={"q": grades}, pack=evidence_pack(**covers))
    run = {"q": [f"{doc}#{part}" for doc, part in chunks]}
    for unit in ("chunk", "document"):
        in_range(assay.evaluate(dataset, run, METRICS, relevance=assay.Relevance(unit=unit, id_map=id_map)))
    in_range(assay.evaluate(dataset, run, METRICS, relevance="pack"))


@given(data=st.data(), unit=st.sampled_from(["as_retrieved", "chunk", "document"]))
def test_the_order_of_ground_truth_is_irrelevant(data, unit):
    queries = [Query("q1", expected="cat"), Query("q2", evidence=["a", "b"]), Query("q3", expected="the cat")]
    grades = [("a", 2), ("b", 1), ("c", 0)]
    documents = [assay.Document("a", "the cat"), assay.Document("b", "cat"), assay.Document("c", "dog")]
    run = {"q1": ["b#1", "a#0", "b#2"], "q2": ["b#1", "b#2", "a#1"], "q3": ["c", "b", "a"]}

    def score(order):
        dataset = BenchmarkDataset("Order", pack=evidence_pack())
        for query in order(queries):
            dataset.add_query(query)
        for document in order(documents):
            dataset.add_document(document)
        for doc, grade in order(grades):
            dataset.add_judgment(RelevanceJudgment("q1", doc, grade))
        result = assay.evaluate(dataset, run, METRICS, relevance=assay.Relevance(unit=unit))
        return {metric: result.scores(metric) for metric in METRICS}

    assert score(lambda items: data.draw(st.permutations(items))) == score(list)
