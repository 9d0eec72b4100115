"""WordIndex: every count it gives is that of plain sets and loops."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.relevance import words
from assay.relevance.words import Bags, WordIndex, count_shared, phrase_of
from assay.text import words_of

from ._cases import TEXTS, bag, bm25

MANY = st.lists(TEXTS | st.text(max_size=6), max_size=8)


def test_texts_are_numbered_once_documents_first():
    index = WordIndex(["a b", "c", "a b"], ["x", "c", "x"])
    assert index.number == {"a b": 0, "c": 1, "x": 2}
    assert (len(index), index.n_documents, index.texts) == (3, 2, ["a b", "c", "x"])
    assert index.numbers(["x", "a b", "x"]).tolist() == [2, 0, 2]
    assert index.n_distinct.tolist() == [2, 1, 1]


def test_others_keep_their_order_and_their_repetitions():
    index = WordIndex(["a b", "c"], ["x", "c", "x", "a b", "y"])
    assert index.of_others.tolist() == [2, 1, 2, 0, 3]


@given(MANY)
def test_counts_are_how_often_each_word_occurs_in_its_text(texts):
    index = WordIndex(texts)
    names = list(index.vocabulary)
    owner = np.repeat(np.arange(len(index)), index.n_distinct)
    rows = zip(owner.tolist(), index.words.tolist(), index.counts.tolist(), strict=True)
    assert {(text, names[word]): times for text, word, times in rows} == {
        (number, word): times for text, number in index.number.items() for word, times in Counter(words_of(text)).items()
    }
    assert index.n_words.tolist() == [len(words_of(text)) for text in index.texts]


@pytest.mark.parametrize("swapped", [False, True])
@given(data=st.data())
def test_it_does_not_matter_whose_words_are_marked(swapped, data):
    """Sets of numbers below 9, some of them empty, and pairs of them: the size of plain intersections, either way."""
    sets = st.lists(st.sets(st.integers(0, 8)), min_size=1, max_size=5)
    left, right = data.draw(sets), data.draw(sets)
    pair = st.tuples(st.integers(0, len(left) - 1), st.integers(0, len(right) - 1))
    pairs = data.draw(st.lists(pair, max_size=10))
    one, other = (np.array([both[side] for both in pairs], dtype=np.int64) for side in (0, 1))
    sides = [(bags_of(left), one), (bags_of(right), other)]
    (looked_up, mine), (marked, theirs) = sides[::-1] if swapped else sides
    assert count_shared(looked_up, marked, mine, theirs, 9).tolist() == [len(left[a] & right[b]) for a, b in pairs]


def bags_of(sets):
    return Bags(
        np.array([word for one in sets for word in one], dtype=np.int64), np.array(list(map(len, sets)), dtype=np.int64)
    )


def test_repetitions_are_counted_but_not_shared():
    index = WordIndex(["to be or not to be"])
    assert (index.n_distinct.tolist(), index.n_words.tolist()) == ([4], [6])
    assert index.shared_with_all("be be to").tolist() == [2]


def test_each_distinct_text_is_taken_apart_once(monkeypatch):
    taken = []
    monkeypatch.setattr(words, "words_of", lambda text: taken.append(text) or words_of(text))
    WordIndex(["a b", "c", "a b"], ["c", "d", "a b"])
    assert taken == ["a b", "c", "d"]


@given(MANY, TEXTS | st.text(max_size=6))
def test_shared_with_all_is_the_size_of_plain_intersections(texts, wanted):
    index = WordIndex(texts)
    assert index.shared_with_all(wanted).tolist() == [len(bag(wanted) & bag(text)) for text in dict.fromkeys(texts)]


@pytest.mark.parametrize("block", [1, 2, 64])
@given(texts=MANY.filter(bool), wanted=st.lists(TEXTS | st.text(max_size=6), min_size=1, max_size=6), data=st.data())
def test_shared_of_pairs_is_the_size_of_plain_intersections(block, texts, wanted, data):
    index = WordIndex(texts)
    pair = st.tuples(st.integers(0, len(wanted) - 1), st.integers(0, len(index) - 1))
    pairs = data.draw(st.lists(pair, max_size=12))
    query, text = (np.array([one[side] for one in pairs], dtype=np.int64) for side in (0, 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "BLOCK", block)
        found = index.shared(wanted, query, text)
    assert found.tolist() == [len(bag(wanted[one]) & bag(index.texts[other])) for one, other in pairs]


@given(MANY, MANY, TEXTS | st.text(max_size=6))
def test_bm25_is_the_plain_formula(documents, others, wanted):
    documents = list(dict.fromkeys(documents))
    others = [text for text in dict.fromkeys(others) if text not in documents]
    scores, best = WordIndex(documents, others).bm25(wanted)
    plain, plain_best = bm25(documents, others, wanted)
    assert scores.tolist() == pytest.approx(plain)
    assert best == pytest.approx(plain_best)


@given(MANY, MANY, MANY, TEXTS | st.text(max_size=6))
def test_what_was_retrieved_besides_changes_no_bm25_score(documents, some, more, wanted):
    few, many = WordIndex(documents, some), WordIndex(documents, [*more, *some])
    texts = [*documents, *some]
    assert few.bm25(wanted)[0][few.numbers(texts)].tolist() == many.bm25(wanted)[0][many.numbers(texts)].tolist()
    assert few.bm25(wanted)[1] == many.bm25(wanted)[1]


def test_bm25_without_documents_has_no_rare_words_and_no_long_texts():
    scores, best = WordIndex([], ["cat", "cat in a very long text", "the cat and the dog", "cat cat"]).bm25("cat dog bird")
    assert scores.tolist() == pytest.approx([1.0, 1.0, 2.0, 2 * 2.2 / 3.2])
    assert best == 3.0


def test_bm25_of_documents_without_words():
    scores, best = WordIndex([""], ["cat"]).bm25("cat")
    assert (scores.tolist(), best) == (pytest.approx([0.0, best]), pytest.approx(np.log1p(3.0)))


def test_bm25_by_hand():
    scores, best = WordIndex(["cat", "dog"]).bm25("cat bird")
    rarity, rarest = np.log1p((2 - 1 + 0.5) / 1.5), np.log1p(2.5 / 0.5)
    assert scores.tolist() == pytest.approx([rarity, 0.0])  # of mean length, with the word once: factor 1
    assert best == pytest.approx(rarity + rarest)


@given(MANY)
def test_a_phrase_is_the_words_between_blanks(texts):
    index = WordIndex(texts)
    for text, number in index.number.items():
        assert index.phrase(number) == index.phrase(number) == phrase_of(text) == f" {' '.join(words_of(text))} "


def test_an_index_of_nothing():
    index = WordIndex([])
    nothing = np.zeros(0, dtype=np.int64)
    assert (len(index), index.n_documents) == (0, 0)
    assert index.shared_with_all("a").tolist() == index.shared(["a"], nothing, nothing).tolist() == []
    assert index.bm25("a")[0].tolist() == []
