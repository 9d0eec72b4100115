"""Near duplicates: the same as comparing every query with every other, without doing so."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from assay.datasets.preflight.queries import near_duplicates
from assay.model.records import Query
from assay.text import words_of

LONG = "a b c d e f g h i"


def pairs(*texts, scopes=None):
    scopes = scopes or [None] * len(texts)
    queries = [Query(str(n), text, scope=scope) for n, (text, scope) in enumerate(zip(texts, scopes, strict=True))]
    return [(query, earlier) for query, earlier, _ in near_duplicates(queries)]


def test_order_case_punctuation_and_repetition_do_not_matter():
    assert pairs("Who was Ada?", "ada WAS who", "was was Ada, who!") == [("1", "0"), ("2", "0")]


def test_nine_of_ten_words_are_enough_and_eight_of_nine_are_not():
    assert pairs(LONG, f"{LONG} j") == [("1", "0")]
    assert pairs("a b c d e f g h", LONG) == []


def test_short_queries_must_have_the_same_words():
    assert pairs("a b c", "a b d") == []


def test_queries_without_words_are_not_compared():
    assert pairs("?", "!", "") == []


def test_the_same_question_about_another_conversation_is_another_question():
    assert pairs("who was Ada", "who was Ada", scopes=["x", "y"]) == []
    assert pairs("who was Ada", "who was Ada", scopes=["x", "x"]) == [("1", "0")]


def test_likeness_is_told():
    [pair] = near_duplicates([Query("0", LONG), Query("1", f"{LONG} j")])
    assert pair.likeness == 0.9


@given(st.lists(st.lists(st.sampled_from("abcdefghijklm"), min_size=1, max_size=13), max_size=12))
def test_every_pair_is_found(texts):
    sets = [frozenset(words_of(" ".join(words))) for words in texts]
    wanted = set()
    for (_, one), (number, other) in combinations(enumerate(sets), 2):
        share = len(one & other) / len(one | other)
        if share >= 0.9:
            wanted.add(str(number))
    found = {query for query, _ in pairs(*map(" ".join, texts))}
    first = {str(min(n for n, other in enumerate(sets) if other == one)) for one in sets}
    assert found <= wanted
    assert wanted & first <= found
