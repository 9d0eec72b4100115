"""Relevance by text: what each likeness is, what is counted, over what, and which hits stand for which documents."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import Document, Hit, Query
from assay.datasets import BenchmarkDataset
from assay.relevance import parse_resolver, resolve

from ._cases import EXPECTED, RETRIEVED, TEXT_RESOLVERS, coverage, f1, grades_by_text, ground, grounds, lexical, substring

QUERY = Query("q", expected="red cat")
DOCUMENTS = {"d1": "red cat", "d2": "a red cat", "d3": "blue dog", "d4": "the red cat sleeps"}
LONG = f"{RETRIEVED} " + " ".join(f"word{number}" for number in range(100))


def grade(expected, text, relevance):
    made = ground(Query("q", expected=expected), ["d"], documents={"d": text})
    return resolve(made, relevance).qrels["q"]["d"]


TEN = " ".join(f"w{number}" for number in range(10))
BY_HAND = [
    ("token(threshold=0.75)", EXPECTED, RETRIEVED, 1),  # seed 003: precision 0.6, recall 1, F1 0.75
    ("token(threshold=0.76)", EXPECTED, RETRIEVED, 0),
    ("token", EXPECTED, LONG, 0),  # what coverage is for
    ("token(threshold=1)", "Straße", "STRASSE", 1),
    ("token(threshold=1)", "北京", "北京", 1),
    ("token(threshold=1)", "the the the cat", "Cat, the.", 1),
    ("token", "Paris", "…", 0),
    *(  # one shared word of ten and ten is an F1 of 0.1
        ("token", TEN, " ".join(f"w{n}" for n in range(10 - shared, 20 - shared)), shared >= 3) for shared in range(2, 5)
    ),
    ("coverage", EXPECTED, LONG, 1),
    *(("coverage", TEN, " ".join(TEN.split()[:held]), held >= 7) for held in (6, 7)),
    ("substring", EXPECTED, RETRIEVED, 0),
    ("substring", "the capital", "Paris is THE (CAPITAL)!", 1),
    ("substring", "cap", "the capital", 0),
    ("substring", "to be to", "to be or not to be", 0),
    ("substring", "be to be", "to be to be", 1),
    ("substring", "京", "東京都", 1),
    ("hybrid", EXPECTED, LONG, 1),  # one that passes is enough
    ("hybrid", "a b c", "x y z", 0),
    ("hybrid(weights=[1, 0, 0, 0])", "a b c", "c b a", 1),  # weights do not matter where the first decides
    *(
        (f"hybrid(method=weighted, weights={weights}, threshold=0.9)", "a b c", "c b a", relevant)  # not in order
        for weights, relevant in (("[1, 0, 0, 0]", 0), ("[0, 1, 0, 0]", 1), ("[0, 0, 0, 1]", 1), ("[9, 1, 0, 0]", 0))
    ),
]
"""Resolver, what is expected, a text, and whether it is relevant."""


def test_by_hand():
    for relevance, expected, text, relevant in BY_HAND:
        assert grade(expected, text, relevance) == relevant, (relevance, expected, text)
    # a likeness is not missed by rounding
    expected = " ".join(f"w{number}" for number in range(7))
    assert grade(expected, "w0 w1 w2 x y z v", f"token(threshold={3 / 7 + 1e-15!r})") == 1


def test_lexical_by_hand():
    """Rare words count for more; without documents no word is rare, and no text long."""
    documents = {f"d{number}": f"the thing number {number} of the list" for number in range(20)}
    documents["rare"] = "an aardvark was here today ok"
    rare = resolve(ground(Query("q", expected="the aardvark"), list(documents), documents=documents), "lexical").qrels["q"]
    assert [doc for doc, value in rare.items() if value] == ["rare"]
    hits = [Hit("short", 1.0, "cat"), Hit("long", 0.0, "a cat in a text with very many words in it")]
    for threshold, relevant in ((0.5, 1.0), (0.51, 0.0)):
        judged = resolve(ground(Query("q", expected="cat dog"), hits), f"lexical(threshold={threshold})").qrels["q"]
        assert judged == {"short": relevant, "long": relevant}


def alike(name, made):
    """The plain likeness of a resolver, and the threshold that it has to reach."""
    share = lexical(made)
    if name == "hybrid":
        return lambda wanted, text: float(
            substring(wanted, text) >= 1
            or f1(wanted, text) >= 0.3 - 1e-12
            or coverage(wanted, text) >= 0.7 - 1e-12
            or share(wanted, text) >= 0.5 - 1e-12
        )
    return {"token": f1, "coverage": coverage, "substring": substring, "lexical": share}[name]


THRESHOLDS = {"token": [0.1, 0.3, 0.75, 1.0], "coverage": [0.1, 0.5, 1.0], "lexical": [0.1, 0.5, 0.9]}


@given(made=grounds(), data=st.data())
def test_against_the_plain_definition(made, data):
    for name in ("token", "coverage", "substring", "lexical", "hybrid"):
        check_definition(name, made, data.draw(st.sampled_from(THRESHOLDS.get(name, [1.0]))))


def check_definition(name, made, threshold):
    resolved = resolve(made, name if name in ("substring", "hybrid") else f"{name}(threshold={threshold})")
    plain = alike(name, made)
    for query in made.queries.values():
        judged, wanted = resolved.qrels[query.query_id], grades_by_text(made, query, plain, threshold)
        texts = {hit.doc_id: made.text_of(hit) for hit in made.hits.get(query.query_id, ())}
        for doc in {*judged, *wanted}:
            text = texts.get(doc, made.documents.get(doc, ""))
            is_near = name == "lexical" and abs(plain(query.expected, text) - threshold) < 1e-9
            assert judged.get(doc, 0) == wanted.get(doc, 0) or is_near, (name, doc)


@given(grounds(), st.sampled_from([0.2, 0.5, 0.8]), st.sampled_from([(1, 1, 1, 1), (2, 1, 0, 3), (0, 0, 0, 7)]))
def test_weighted_is_the_mean_of_them(made, threshold, weights):
    share = lexical(made)

    def mean(wanted, text):
        parts = substring(wanted, text), f1(wanted, text), coverage(wanted, text), share(wanted, text)
        return sum(weight * part for weight, part in zip(weights, parts, strict=True)) / sum(weights)

    resolved = resolve(made, f"hybrid(method=weighted, threshold={threshold}, weights={list(weights)})")
    for query in made.queries.values():
        assert resolved.qrels[query.query_id] == grades_by_text(made, query, mean, threshold)


def judged(hits, query=QUERY, relevance="token", **more):
    resolved = resolve(ground(query, hits, **{"documents": DOCUMENTS, **more}), relevance)
    return resolved.qrels["q"], dict(resolved.counted_over)


def test_an_expected_answer_has_words():
    applies = parse_resolver("token").resolver.applies
    for expected, has in {None: False, "": False, "…": False, "cat": True, "北": True, "7": True}.items():
        query = Query("q", expected=expected)
        assert applies(ground(query, []), query) == has, expected


SCOPED = Query("q", expected="red cat", scope="mine")
SCOPES = {"mine": ["d1", "d3"], "others": ["d2", "d4"]}
TWINS = {"a": "red cat", "b": "red cat"}
COUNTED = [
    # seed 003: over the corpus where it is at hand
    (["d1", "d3"], {}, {"d1": 1, "d3": 0, "d2": 1, "d4": 1}, "scope"),
    ([], {}, {"d1": 1, "d2": 1, "d4": 1}, "scope"),
    # seed 003: else over what was retrieved, and marked as such
    ([Hit("c1", 2.0, "red cat"), Hit("c2", 1.0, "grey")], {"documents": {}}, {"c1": 1, "c2": 0}, "retrieved"),
    ([Hit("c1", 2.0, "one red cat"), "d1"], {}, {"c1": 1, "d1": 1}, "retrieved"),
    ([], {"documents": {}}, {}, "retrieved"),
    # a hit with an id of its own stands for the document whose text it has; of two such documents, for one
    ([Hit("x7", 1.0, "a red cat")], {}, {"x7": 1, "d1": 1, "d4": 1}, "scope"),
    ([Hit("x", 1.0, "red cat")], {"documents": TWINS}, {"x": 1, "b": 1}, "scope"),
    (["a"], {"documents": TWINS}, {"a": 1, "b": 1}, "scope"),
    # the text that a hit brought counts, not the document's; every chunk stands for itself
    ([Hit("d3", 1.0, "red cat"), Hit("d1", 0.0, "blue dog")], {}, {"d3": 1, "d1": 0, "d2": 1, "d4": 1}, "scope"),
    ([Hit("d1#0", 0.0, "red cat"), Hit("d1#1", -1.0, "red cat")], {}, {"d1#0": 1, "d1#1": 1, "d2": 1, "d4": 1}, "scope"),
    # a relevant text outside the scope is not counted; a scope that no document has lets none through
    (["d3"], {"query": SCOPED, "scopes": SCOPES}, {"d3": 0, "d1": 1}, "scope"),
    (["d2", "d1"], {"query": SCOPED, "scopes": SCOPES}, {"d2": 0, "d1": 1}, "scope"),
    (
        ["d1", Hit("chunk", -1.0, "one red cat")],
        {"query": replace(SCOPED, scope="nowhere"), "scopes": {"mine": ["d1"]}},
        {"d1": 0, "chunk": 1},
        "retrieved",
    ),
    (["d1"], {"query": replace(SCOPED, scope="nowhere"), "documents": {"d1": "red cat"}}, {"d1": 1}, "retrieved"),
    (["d1"], {"query": SCOPED, "documents": {"d1": "red cat"}, "scopes": {"mine": ["d1", "gone"]}}, {"d1": 1}, "scope"),
]


def test_what_is_counted_over():
    for hits, more, grades, over in COUNTED:
        assert judged(hits, **more) == (grades, {over: 1}), (hits, more)


METRICS = ("recall@3", "recall", "ndcg@3", "ndcg", "map", "mrr", "precision@3")


@given(
    made=grounds(),
    places=st.lists(st.integers(0, 6), min_size=1, max_size=3),
    relevance=st.sampled_from(TEXT_RESOLVERS),
    threshold=st.sampled_from([0.0, 0.3, 0.8]),
)
def test_unknown_ids_without_text_never_raise_a_score(made, places, relevance, threshold):
    dataset = BenchmarkDataset("Law", queries=dict(made.queries))
    for doc, text in made.documents.items():
        group = next((name for name, docs in made.scopes.items() if doc in docs), None)
        dataset.add_document(Document(doc, text, group=group))
    chosen = assay.Relevance(relevance, defaults={"threshold": threshold})
    without = {query: list(made.hits.get(query, ())) for query in made.queries}
    haunted = {query: list(hits) for query, hits in without.items()}
    for hits in haunted.values():
        for number, place in enumerate(places):
            hits.insert(place, Hit(f"ghost{number}"))

    def scored(run):
        ranked = {name: [replace(hit, score=-float(place)) for place, hit in enumerate(hits)] for name, hits in run.items()}
        return assay.evaluate(dataset, ranked, METRICS, relevance=chosen)

    before, after = scored(without), scored(haunted)
    for name in ("counted_over", "relevant_found"):
        assert before.relevance[name] == after.relevance[name], name
    for metric in METRICS:
        for query, score in before.scores(metric).items():
            assert after.scores(metric)[query] <= score + 1e-12, (metric, query)
    assert before.scores("recall") == after.scores("recall")


def test_exact_matches_are_queries_with_a_text_that_holds_the_expected_words():
    one = (["A RED-CAT!"], ["a red cat", "red cat"])
    for texts, exact in (*((texts, 1) for texts in one), (["cat red"], 0), (["red old cat"], 0), ([], 0)):
        hits = [Hit(f"c{number}", -float(number), text) for number, text in enumerate(texts)]
        assert resolve(ground(QUERY, hits), "token").n_exact == exact, texts


def test_titles_belong_to_the_text():
    dataset = BenchmarkDataset("Titles")
    dataset.add_document(Document("d", "is a city", title="Paris"))
    dataset.add_query(Query("q", expected="Paris is a city"))
    assert assay.evaluate(dataset, {"q": ["d"]}, "mrr", relevance="token(threshold=1)")["mrr"] == 1.0
