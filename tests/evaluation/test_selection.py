"""Selection: which queries are asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import BadParameter
from assay.errors import NothingSelected
from assay.execution.selection import Selection, parse_range, parse_where
from assay.model.records import Query

LEVELS = ("easy", "hard")
QUERIES = {
    f"q{n}": Query(f"q{n}", difficulty=LEVELS[n % 2], metadata={"language": "de" if n < 6 else "en", "year": 2000 + n})
    for n in range(10)
}


def chosen(**how):
    return list(Selection(**how).apply(QUERIES))


def ids(*numbers):
    return [f"q{n}" for n in numbers]


def test_nothing_chosen_is_everything():
    assert chosen() == list(QUERIES)


def test_the_first_few():
    assert chosen(limit=3) == ids(0, 1, 2)
    assert chosen(limit=99) == list(QUERIES)


@pytest.mark.parametrize(
    ("text", "found"),
    [("0:3", ids(0, 1, 2)), ("7:", ids(7, 8, 9)), (":2", ids(0, 1)), (" 3 : 5 ", ids(3, 4)), ("8:99", ids(8, 9))],
)
def test_by_place(text, found):
    assert chosen(range=parse_range(text)) == found


def test_by_tags_all_of_which_must_fit_and_any_of_their_values():
    assert chosen(where=parse_where(["language=de", "difficulty=hard"])) == ids(1, 3, 5)
    assert chosen(where=parse_where(["language=de,en", "difficulty=hard"])) == ids(1, 3, 5, 7, 9)
    assert chosen(where=parse_where(["year=2003", "year=2004"])) == ids(3, 4)


@given(st.integers(1, 12), st.integers(0, 2**40))
def test_a_sample_is_the_same_for_a_seed_and_keeps_the_order(n, seed):
    found = chosen(sample=n, seed=seed)
    assert found == chosen(sample=n, seed=seed)
    assert found == [query for query in QUERIES if query in set(found)]
    assert len(found) == min(n, 10)


def test_seeds_differ():
    assert len({tuple(chosen(sample=5, seed=seed)) for seed in range(20)}) > 10


def test_first_tags_then_range_then_sample_then_limit():
    found = chosen(where={"difficulty": ["hard"]}, range=(1, 5), sample=3, seed=1, limit=2)
    assert len(found) == 2
    assert set(found) <= set(ids(3, 5, 7, 9))


def test_only_those_that_failed():
    assert chosen(only=frozenset(ids(4, 2, 77))) == ids(2, 4)


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"where": {"difficulty": ["medium"]}}, r"^no query has difficulty=medium; difficulty has easy, hard$"),
        ({"where": {"language": ["dee"]}}, r"^no query has language=dee; language has de, en\. Did you mean de\?$"),
        ({"where": {"year": ["1999"]}}, r"^no query has year=1999; year has 2000, 2001, .*2009$"),
        (
            {"where": {"langage": ["de"]}},
            r"^no query has the tag langage; there are difficulty, language, year\. Did you mean language\?$",
        ),
        ({"where": {"language": ["en"], "difficulty": ["easy"], "year": ["2001"]}}, "none has all of these tags together"),
        ({"where": {"difficulty": ["easy"]}, "range": (50, None)}, "of 10 is left after the range 50:: places are 0 to 9"),
        ({"only": frozenset({"q99"})}, "is left after the selection"),
        ({"range": (5, 5)}, "is left after the selection"),
    ],
)
def test_nothing_left_is_told_with_the_reason(how, why):
    with pytest.raises(NothingSelected, match=why) as caught:
        chosen(**how)
    assert caught.value.exit_code == 5


@pytest.mark.parametrize("text", ["", ":", "5", "a:b", "-3:4", "1:2:3", "1.5:2"])
def test_what_is_no_range(text):
    with pytest.raises(BadParameter, match="start:end, such as 0:500"):
        parse_range(text)


def test_a_value_that_no_query_has_is_refused_though_others_fit():
    mistyped = Selection({"language": ["de", "eng"]})
    assert len(mistyped.apply(QUERIES)) == 6
    with pytest.raises(NothingSelected, match=r"no query has language=eng; language has de, en\. Did you mean en\?"):
        mistyped.check_tags([QUERIES])
    Selection({"language": ["de", "en"], "difficulty": ["hard"]}).check_tags([QUERIES])
    Selection().check_tags([QUERIES])


def test_all_tags_and_values_that_are_wrong_are_told():
    with pytest.raises(NothingSelected) as caught:
        Selection({"language": ["dee", "enn"], "colour": ["red"]}).apply(QUERIES)
    assert [line.strip().partition(";")[0] for line in str(caught.value).split("\n")] == [
        "no query has language=dee",
        "no query has language=enn",
        "no query has the tag colour",
    ]


def test_a_value_of_another_benchmark_is_known():
    more = {"x": Query("x", metadata={"language": "fr"})}
    Selection({"language": ["de", "fr"]}).check_tags([QUERIES, more])


def test_many_values_are_not_all_listed():
    many = {f"q{n}": Query(f"q{n}", domain=f"domain {n:02}") for n in range(25)}
    with pytest.raises(NothingSelected, match=r"domain has domain 00, .*domain 09 and 15 more"):
        Selection({"domain": ["x"]}).apply(many)


def test_queries_without_tags_are_told():
    with pytest.raises(NothingSelected, match="no query has the tag language; queries have no tags at all"):
        Selection({"language": ["de"]}).apply({"q": Query("q")})


@pytest.mark.parametrize("text", ["language", "=de", "language=", " = ", "language=de,", "language=,"])
def test_what_is_no_tag(text):
    with pytest.raises(BadParameter, match="name=value, such as language=de"):
        parse_where([text])


def test_it_is_written_down_as_it_was_chosen():
    assert Selection().to_dict() == {}
    every = Selection({"a": ["b"]}, (None, 5), 3, 7, 2, frozenset({"y", "x"}))
    assert every.to_dict() == {
        "where": {"a": ["b"]},
        "range": ":5",
        "sample": 3,
        "seed": 7,
        "limit": 2,
        "only": ["x", "y"],
    }
