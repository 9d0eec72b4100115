"""Variety and exposure: ild, tag_entropy, novelty, near_duplicates, catalogue_coverage, exposure_gini, exposure_entropy."""

import math
import tracemalloc
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from scipy.stats import entropy

import assay
from assay import BenchmarkDataset, Document, Query
from assay.errors import AssayError, BadParameter, UsageError
from assay.metrics import parse_metric
from assay.views import ResultLists

from ._cases import close

NAN = math.nan
# id: text, tags, popularity, vector
SHELF = {
    "a": ("red tent for two people", "camping|sale", 8, (1.0, 0.0)),
    "b": ("red tent for two persons", "camping", 4, (2.0, 0.0)),  # 2 of 4 shingles are those of a
    "c": ("a warm blue jacket", "hiking", 2, (0.0, 3.0)),
    "d": ("A warm, blue jacket!", "hiking|sale", 1, (-1.0, 0.0)),  # the words of c
    "e": ("", "", 0, (0.0, 0.0)),
    "f": ("knife", None, None, None),
}


def shop(shelf=SHELF, queries=("q",)):
    """A benchmark with these documents."""
    documents = {
        name: Document(name, text, metadata={"tags": tags, "popularity": popularity})
        for name, (text, tags, popularity, _) in shelf.items()
    }
    vectors = {name: vector for name, (*_, vector) in shelf.items() if vector is not None}
    dataset = BenchmarkDataset("shop", queries={query: Query(query) for query in queries}, documents=documents)
    dataset.qrels = {query: {"a": 1} for query in queries}
    return dataset.with_document_data(vectors=vectors)


def score(metric, *lists):
    """The value of these lists; each is a text whose characters are ids."""
    run = {f"q{place}": list(ids) for place, ids in enumerate(lists)}
    return assay.evaluate(shop(queries=tuple(run)), run, [metric]).summary[metric]


# metric, its score, and the lists, one for each query
WORKED_OUT = [
    ("ild@2", 0.0, ("ab",)),  # one direction
    ("ild@2", 1.0, ("ac",)),
    ("ild@2", 2.0, ("ad",)),
    ("ild@3", (1 + 2 + 1) / 3, ("acd",)),
    ("ild@3", 1.0, ("acf",)),  # a document without a vector does not count
    ("ild@3", 1.0, ("ace",)),  # nor one whose vector is zero
    ("ild@2", NAN, ("ae",)),
    ("ild@5", 0.0, ("a",)),  # a single document has no pair
    ("ild@5", 0.0, ("",)),
    ("ild@1", 0.0, ("ac",)),
    ("ild(by=tags)@2", 0.5, ("ab",)),
    ("ild(by=tags)@2", 1 - 1 / 3, ("ad",)),
    ("ild(by=tags)@3", (1 / 2 + 1 + 1) / 3, ("abc",)),
    ("ild(by=tags)@3", 0.5, ("abe",)),
    ("ild(by=tags)@3", NAN, ("aef",)),
    ("ild(by=tags)@3", 0.0, ("",)),
    ("tag_entropy@1", 1.0, ("a",)),  # two tags, once each
    ("tag_entropy@1", 0.0, ("b",)),
    ("tag_entropy@2", -(2 / 3 * math.log2(2 / 3) + 1 / 3 * math.log2(1 / 3)), ("ab",)),
    ("tag_entropy@4", math.log2(6) - 3 * (2 * math.log2(2)) / 6, ("abcd",)),  # each of three tags twice
    ("tag_entropy@2", NAN, ("ef",)),
    ("tag_entropy@2", 0.0, ("",)),
    ("novelty@1", -math.log2(8 / 15), ("a",)),
    ("novelty@2", (-math.log2(8 / 15) - math.log2(4 / 15)) / 2, ("ab",)),
    ("novelty@1", math.log2(15), ("e",)),  # 0 counts like the least popular document
    ("novelty@2", -math.log2(8 / 15), ("af",)),  # one whose popularity is unknown does not count
    ("novelty@2", NAN, ("f",)),
    ("novelty@2", 0.0, ("",)),
    ("near_duplicates@2", 0.5, ("ab",)),
    ("near_duplicates(threshold=0.6)@2", 0.0, ("ab",)),
    ("near_duplicates(threshold=1)@2", 0.5, ("cd",)),  # case and punctuation do not count
    ("near_duplicates@4", 0.5, ("abcd",)),
    ("near_duplicates@3", 0.5, ("abe",)),  # a document without a text does not count
    ("near_duplicates(threshold=0.6, words=1)@2", 0.5, ("ab",)),  # 4 of 6 words
    ("near_duplicates@2", 0.0, ("f",)),
    ("near_duplicates@1", NAN, ("e",)),
    ("near_duplicates@1", NAN, ("",)),
    ("catalogue_coverage@2", 2 / 6, ("ab", "ba")),
    ("catalogue_coverage@1", 2 / 6, ("ab", "ba")),
    ("catalogue_coverage@2", 4 / 6, ("ab", "cd")),
    ("catalogue_coverage@2", 2 / 6, ("ax", "by")),  # documents outside the catalogue do not count
    ("catalogue_coverage@2", 0.0, ("", "")),
    ("exposure_gini@6", 0.0, ("abcdef",)),
    ("exposure_gini@1", 5 / 6, ("a", "a")),
    ("exposure_gini@2", 16 * 2 / (2 * 6 * 4), ("ab", "ab")),  # 16 pairs of a 2 and a 0
    ("exposure_gini@2", NAN, ("", "")),
    ("exposure_entropy@2", 1.0, ("ab", "ba")),
    ("exposure_entropy@2", 2.0, ("ab", "cd")),
    ("exposure_entropy@1", 0.0, ("a", "a")),
    ("exposure_entropy@2", 1.5, ("ab", "ac")),
    ("exposure_entropy@2", NAN, ("", "")),
]


@pytest.mark.parametrize(("metric", "expected", "lists"), WORKED_OUT)
def test_worked_out_by_hand(metric, expected, lists):
    actual = score(metric, *lists)
    assert actual == close(expected, nan_ok=True)


ONE_LIST = st.builds(lambda ids, n: "".join(ids[:n]), st.permutations(list(SHELF)), st.integers(0, 6))
CUTOFFS = st.integers(1, 7)


def shown(lists, k):
    """How often each document of the catalogue is among the first k."""
    counts = Counter(name for ids in lists for name in ids[:k])
    return np.array([counts[name] for name in SHELF])


def gini(counts):
    """Half of the relative mean absolute difference, pair by pair."""
    pairs = sum(abs(one - other) for one in counts for other in counts)
    return pairs / (2 * len(counts) * counts.sum()) if counts.sum() else NAN


@given(st.lists(ONE_LIST, min_size=1, max_size=6), CUTOFFS)
def test_exposure_equals_plain_loops_and_scipy(lists, k):
    counts = shown(lists, k)
    in_bits = entropy(counts, base=2) if counts.sum() else NAN
    expected = {f"catalogue_coverage@{k}": (counts > 0).mean(), f"exposure_gini@{k}": gini(counts)}
    expected[f"exposure_entropy@{k}"] = in_bits
    for metric, value in expected.items():
        actual = score(metric, *lists)
        assert actual == close(value, nan_ok=True), metric


@given(st.permutations("abcd"), st.integers(2, 5))
def test_distances_equal_scipy(ids, k):
    vectors = np.array([SHELF[name][3] for name in ids[:k]])
    assert score(f"ild@{k}", "".join(ids)) == close(pdist(vectors, "cosine").mean())
    names = sorted({tag for name in ids for tag in SHELF[name][1].split("|")})
    has = np.array([[tag in SHELF[name][1].split("|") for tag in names] for name in ids[:k]])
    assert score(f"ild(by=tags)@{k}", "".join(ids)) == close(pdist(has, "jaccard").mean())


@given(st.lists(st.text("ab ", max_size=14), min_size=1, max_size=6), st.floats(0.01, 1), st.integers(1, 3), CUTOFFS)
def test_near_duplicates_equal_sets_of_shingles(texts, threshold, words, k):
    def shingles(text):
        parts = text.split()
        return {tuple(parts[place : place + words]) for place in range(max(len(parts) - words + 1, 1))} if parts else set()

    sets = [shingles(text) for text in texts[:k]]
    repeats = [
        any(one and len(one & other) / len(one | other) >= threshold - 1e-9 for other in sets[:place])
        for place, one in enumerate(sets)
    ]
    expected = sum(repeats) / sum(map(bool, sets)) if any(sets) else NAN
    documents = {f"d{place}": text for place, text in enumerate(texts)}
    dataset = BenchmarkDataset(
        "texts", queries={"q": Query("q")}, documents={k: Document(k, t) for k, t in documents.items()}
    )
    dataset.qrels = {"q": {"d0": 1}}
    metric = parse_metric(f"near_duplicates(threshold={threshold!r}, words={words})@{k}")
    if not any(text.strip() for text in texts):
        with pytest.raises(UsageError):
            assay.evaluate(dataset, {"q": list(documents)}, [metric])
        return
    actual = assay.evaluate(dataset, {"q": list(documents)}, [metric]).summary[metric.name]
    assert actual == close(expected, nan_ok=True)


@given(st.permutations("abcd"), CUTOFFS)
def test_laws(ids, k):
    """The order within the first k changes nothing; a copy makes a list less varied; metrics stay in their range."""
    first, rest = ids[:k], ids[k:]
    for name in ("ild", "ild(by=tags)", "tag_entropy", "novelty", "near_duplicates"):
        metric = f"{name}@{k}"
        value = score(metric, "".join(ids))
        assert score(metric, "".join([*reversed(first), *rest])) == close(value)
        low, high = parse_metric(metric).metric.range
        assert low <= value <= high


def test_what_repeats_the_first_document_need_not_repeat_the_second():
    texts = {"a": "one two three four", "b": "one two", "c": "three four"}
    shelf = {name: (text, "t", 1, (1.0,)) for name, text in texts.items()}
    result = assay.evaluate(shop(shelf), {"q": ["a", "b", "c"]}, ["near_duplicates(words=1)@3"])
    assert result.summary == {"near_duplicates(words=1)@3": close(2 / 3)}


def test_every_pair_has_the_same_weight():
    pairs = [score("ild@2", one + other) for one, other in combinations("abcd", 2)]
    assert score("ild@4", "abcd") == close(sum(pairs) / len(pairs))


def test_a_threshold_of_zero_means_nothing():
    with pytest.raises(BadParameter):
        parse_metric("near_duplicates(threshold=0)@10")


@pytest.mark.parametrize("metric", ["ild@5", "ild(by=tags)@5", "tag_entropy@5", "novelty@5", "near_duplicates@5"])
def test_what_documents_lack_is_an_error_before_anything_runs(metric):
    calls = []
    dataset = BenchmarkDataset("bare", queries={"q": Query("q", "?")}, documents={"a": Document("a")}, qrels={"q": {"a": 1}})
    with pytest.raises(UsageError):
        assay.run(dataset, lambda _text, _k: calls.append(1) or ["a"], [metric])
    assert not calls


def test_plain_judgments_know_no_documents():
    with pytest.raises(AssayError):
        assay.evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["catalogue_coverage@5"])


@pytest.mark.parametrize("metric", ["exposure_gini@2", "exposure_entropy@2", "catalogue_coverage@2", "near_duplicates@2"])
def test_showing_more_documents_and_fewer_copies_is_better(metric):
    """The better system shows all documents in turn, the other one always shows the same two, whose texts are alike."""
    queries = [f"q{place}" for place in range(6)]
    varied = {query: ["acefbd"[place], "cefbda"[place]] for place, query in enumerate(queries)}
    same = {query: ["a", "b"] for query in queries}
    dataset = shop(queries=tuple(queries))
    for runs, is_up in (({"same": same, "varied": varied}, True), ({"varied": varied, "same": same}, False)):
        (pair,) = assay.compare(dataset, runs, metric).pairs
        assert (pair.improvement > 0) is is_up


class Shelf:
    """Documents whose texts are given, and nothing else."""

    def __init__(self, texts):
        self.by_id = {f"d{place}": text for place, text in enumerate(texts)}
        self.n_catalogue = len(texts)

    def texts(self, ids):
        return [self.by_id[name] for name in ids]


def lists_of(texts, n_lists, k):
    """Lists that show the documents in turn, k in each."""
    lists = [[f"d{(place * k + rank) % len(texts)}" for rank in range(k)] for place in range(n_lists)]
    return ResultLists.of(tuple(map(str, range(n_lists))), lists, Shelf(texts))


def peak_of(function):
    """The most bytes that a call needs at once."""
    tracemalloc.start()
    function()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("n_texts", [10, pytest.param(1, marks=pytest.mark.slow)], ids=["different", "copies"])
def test_near_duplicates_need_no_more_memory_for_more_lists(n_texts):
    """With 300 lists of 10 texts of 400 words, the shingles of all lists do not fit into one block."""
    texts = [" ".join(f"w{number * 1000 + place}" for place in range(400)) for number in range(n_texts)] * (10 // n_texts)
    some, many = lists_of(texts, 300, 10), lists_of(texts, 900, 10)
    peaks = []
    for lists in (some, many):
        lists.documents.shingles(3)
        peaks.append(peak_of(lambda lists=lists: lists.repeats_earlier(0.5, 3)))
    assert peaks[1] < 1.5 * peaks[0]
    is_repeat, has_text = many.repeats_earlier(0.5, 3)
    assert is_repeat.sum() == (0 if n_texts == 10 else 9 * 900)
    assert has_text.all()


def test_shingles_need_little_memory():
    texts = [" ".join(f"w{(number * 7919 + place * place) % 5000}" for place in range(1000)) for number in range(200)]
    documents = lists_of(texts, 20, 10).documents
    assert peak_of(lambda: documents.shingles(3)) < 60 * 1000 * 200  # 8 bytes for a word, 8 for a shingle, and copies


def test_a_list_that_does_not_fit_into_a_block_is_compared_whole():
    """2,000 documents of 600 words have 1.2 million shingles. Every third text is that of the document before the last."""
    texts = [
        " ".join(f"w{place + 1000 * (number - 2 * (number % 3 == 2))}" for place in range(600)) for number in range(2000)
    ]
    lists = ResultLists.of(("a", "b", "c"), [["d0", "d2"], [f"d{number}" for number in range(2000)], ["d1"]], Shelf(texts))
    is_repeat, _ = lists.repeats_earlier(1.0, 3)
    expected = [False, True, *(number % 3 == 2 for number in range(2000)), False]
    assert is_repeat.tolist() == expected
