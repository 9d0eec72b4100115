"""hybrid: ranks or scores of several providers in one ranking."""

from __future__ import annotations

import pytest

from assay.errors import BadParameter, ProviderError, UsageError
from assay.model.records import Document, Hit, Query
from assay.providers.catalog.hybrid import Hybrid

from ._written import parse_provider

Q = Query("q", "x")


class Fixed:
    """Answers every query with the same hits, and remembers how it was treated."""

    def __init__(self, hits, batch=1000):
        self.hits, self.batch, self.depths, self.indexed, self.is_closed = hits, batch, [], [], False

    def index(self, documents):
        self.indexed = list(documents)

    def search(self, queries, k):
        self.depths.append(k)
        return [self.hits if isinstance(self.hits, Exception) else self.hits[:k] for _ in queries]

    def close(self):
        self.is_closed = True


class Later(Fixed):
    """The same as coroutines."""

    async def index(self, documents):
        super().index(documents)

    async def search(self, queries, k):
        return super().search(queries, k)

    async def close(self):
        super().close()


def hits(**scores):
    return [Hit(doc, float(score)) for doc, score in scores.items()]


def fused(*lists, method="rrf", weights=(), rank_constant=60, depth=0, k=10, norm=""):
    hybrid = Hybrid([Fixed(one) for one in lists], method, weights, rank_constant, depth, norm)
    return [(hit.doc_id, hit.score) for hit in hybrid.search([Q], k)[0]]


def test_reciprocal_ranks_are_added():
    assert fused(hits(a=9, b=5), hits(b=0.9, c=0.1)) == [
        ("b", pytest.approx(1 / 62 + 1 / 61)),
        ("a", pytest.approx(1 / 61)),
        ("c", pytest.approx(1 / 62)),
    ]
    assert fused(hits(a=9, b=5), hits(b=2), rank_constant=0) == [("b", 1.5), ("a", 1.0)]
    assert fused(hits(a=9), hits(b=2), weights=(1, 3), rank_constant=0) == [("b", 3.0), ("a", 1.0)]


def test_scores_are_brought_to_0_and_1():
    assert fused(hits(a=30, b=20, c=10), hits(c=0.4, b=0.2), method="weighted") == [("c", 0.5), ("a", 0.5), ("b", 0.25)]
    assert fused(hits(a=30, b=10), hits(b=7), method="weighted", weights=(0.25, 0.75)) == [("b", 0.75), ("a", 0.25)]


def test_one_score_or_equal_scores_are_worth_1():
    assert fused(hits(a=0), hits(), method="weighted") == [("a", 0.5)]
    assert fused(hits(a=-3, b=-3), hits(), method="weighted", weights=(1, 1)) == [("b", 1.0), ("a", 1.0)]
    assert fused(hits(), hits()) == []


def test_every_fusion_that_learns_nothing_can_be_used():
    first, second = hits(a=9, b=6, c=3), hits(b=4, c=3, d=2)
    assert fused(first, second, method="comb_mnz", norm="min_max") == [("b", 3.0), ("c", 1.0), ("a", 1.0), ("d", 0.0)]
    assert fused(first, second, method="comb_sum", norm="none", k=2) == [("b", 10.0), ("a", 9.0)]
    assert fused(first, second, method="borda") == [("b", 7.0), ("c", 5.0), ("a", 5.0), ("d", 3.0)]
    assert fused(first, second, method="comb_gmnz(gamma=0)")[0] == ("b", 1.5)


def test_weights_go_to_the_fusion_that_takes_them():
    first, second = hits(a=9, b=6, c=3), hits(b=4, c=3, d=2)
    weighted = fused(first, second, method="comb_mnz", weights=(0.75, 0.25))
    assert weighted == fused(first, second, method="weighted_mnz", weights=(0.75, 0.25))
    assert dict(weighted) == {"b": 1.5, "a": 0.75, "c": 0.5, "d": 0.0}


def test_a_fusion_that_learns_is_refused():
    with pytest.raises(BadParameter, match="this one needs judgments"):
        parse_provider("hybrid(bm25, tfidf_chars, method=probfuse)")


def test_texts_of_hits_are_kept():
    parts = [Fixed([Hit("a", 2.0), Hit("b", 1.0, "of b")]), Fixed([Hit("a", 1.0, "of a")])]
    (answer,) = Hybrid(parts, "rrf", (), 60, 0).search([Q], 5)
    assert {hit.doc_id: hit.text for hit in answer} == {"a": "of a", "b": "of b"}


def test_several_queries_of_which_one_fails():
    class Picky(Fixed):
        def search(self, queries, k):
            return [ProviderError("no") if query.query_id == "bad" else self.hits for query in queries]

    hybrid = Hybrid([Picky(hits(a=1)), Fixed(hits(a=1, b=0))], "rrf", (), 60, 0)
    first, bad, last = hybrid.search([Query("one", "x"), Query("bad", "x"), Query("one", "x")], 5)
    assert first == last
    assert [hit.doc_id for hit in first] == ["a", "b"]
    assert isinstance(bad, ProviderError)


def test_equal_ones_go_by_id_in_the_parts_and_in_the_end():
    assert [doc for doc, _ in fused(hits(a=1, b=1), hits(c=1))] == ["c", "b", "a"]
    assert [doc for doc, _ in fused(hits(a=1, b=0), hits(b=1, a=0), k=1)] == ["b"]


def test_depth_of_the_parts():
    parts = [Fixed(hits(a=1)), Fixed(hits(b=1))]
    for depth, k in ((0, 10), (0, 500), (20, 500)):
        Hybrid(parts, "rrf", (), 60, depth).search([Q], k)
    assert parts[0].depths == parts[1].depths == [100, 500, 20]


def test_a_query_that_failed_in_one_part_has_failed():
    (answer,) = Hybrid([Fixed(hits(a=1)), Fixed(ProviderError("no answer"))], "rrf", (), 60, 0).search([Q], 5)
    assert isinstance(answer, ProviderError)


def test_parts_are_given_everything():
    parts = [Fixed(hits(a=1), batch=1), Later(hits(b=1))]
    hybrid = Hybrid(parts, "rrf", (), 60, 0)
    hybrid.index(iter([Document("a"), Document("b")]))
    assert [len(part.indexed) for part in parts] == [2, 2]
    assert [hit.doc_id for hit in hybrid.search([Q], 5)[0]] == ["b", "a"]
    assert hybrid.batch == 1
    hybrid.close()
    assert [part.is_closed for part in parts] == [True, True]


def test_the_judgments_reach_an_oracle():
    hybrid = parse_provider("hybrid(oracle, hybrid(oracle, random_order))").make()
    hybrid.set_judgments({"q": {"a": 1}})
    hybrid.index([Document("a"), Document("b")])
    assert [hit.doc_id for hit in hybrid.search([Q], 5)[0]] == ["a", "b"]


def test_names():
    assert parse_provider("hybrid").name == "hybrid(bm25, dense)"
    assert parse_provider({"hybrid": {"providers": ["bm25", "tfidf_chars"], "weights": [0.5, 0.5]}}).name == (
        "hybrid(bm25, tfidf_chars, weights=[0.5, 0.5])"
    )
    for text in ("hybrid(bm25, dense, method=weighted_sum)", "hybrid(bm25, dense, method='rbc(p=0.9)')"):
        assert parse_provider(text).name == text
    assert parse_provider("hybrid(bm25, dense, method=weighted)").name == "hybrid(bm25, dense, method=weighted_sum)"
    assert parse_provider("hybrid(bm25, dense, method=rbc(p=0.9))").name == "hybrid(bm25, dense, method='rbc(p=0.9)')"


@pytest.mark.parametrize(
    "text",
    [
        "hybrid(bm25)",
        "hybrid(bm25, tfidf_chars, weights=[1])",
        "hybrid(bm25, tfidf_chars, norm=max)",
        "hybrid(bm25, tfidf_chars, method=borda, norm=max)",
        "hybrid(bm25, tfidf_chars, method=comb_sum, rank_constant=5)",
        "hybrid(bm25, tfidf_chars, method=isr, weights=[1, 2])",
    ],
)
def test_parts_that_do_not_fit(text):
    with pytest.raises(BadParameter, match="hybrid"):
        parse_provider(text).check()
    with pytest.raises(BadParameter, match="hybrid"):
        parse_provider(text).make()


@pytest.mark.parametrize(
    "setting", ["weights=[-1, 1]", "weights=[0, 0]", "method=best", "norm=best", "depth=-1", "rank_constant=-1"]
)
def test_impossible_parameters(setting):
    with pytest.raises(UsageError):
        parse_provider(f"hybrid(bm25, tfidf_chars, {setting})")
