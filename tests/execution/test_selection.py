"""Selection: which queries are asked."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import BadParameter, NothingSelected, Query
from assay.execution import Selection, parse_range, parse_where

LEVELS = ("easy", "hard")
QUERIES = {
    f"q{n}": Query(f"q{n}", difficulty=LEVELS[n % 2], metadata={"language": "de" if n < 6 else "en", "year": 2000 + n})
    for n in range(10)
}


def chosen(**options):
    return "".join(query[1:] for query in Selection(**options).apply(QUERIES))


def test_queries_are_chosen_by_place_and_tags():
    assert chosen() == chosen(limit=99) == "0123456789"
    assert chosen(limit=3) == "012"
    for text, found in {"0:3": "012", "7:": "789", ":2": "01", " 3 : 5 ": "34", "8:99": "89"}.items():
        assert chosen(range=parse_range(text)) == found, text
    for tags, found in [
        (["language=de", "difficulty=hard"], "135"),
        (["language=de,en", "difficulty=hard"], "13579"),
        (["year=2003", "year=2004"], "34"),
    ]:
        assert chosen(where=parse_where(tags)) == found, tags
    assert chosen(only=frozenset({"q4", "q2", "q77"})) == "24"
    several = chosen(where={"difficulty": ["hard"]}, range=(1, 5), sample=3, seed=1, limit=2)  # in this order
    assert len(several) == 2
    assert set(several) <= set("3579")


@given(st.integers(1, 12), st.integers(0, 2**40))
def test_a_sample_is_the_same_for_a_seed_and_keeps_the_order(n, seed):
    found = chosen(sample=n, seed=seed)
    assert found == chosen(sample=n, seed=seed) == "".join(sorted(found))
    assert len(found) == min(n, 10)
    assert len({chosen(sample=5, seed=seed + more) for more in range(20)}) > 10


def test_nothing_left_is_told_with_the_reason(snapshots):
    many = {f"q{n}": Query(f"q{n}", domain=f"domain {n:02}") for n in range(25)}
    options = {
        "a value": {"where": {"difficulty": ["medium"]}},
        "a tag": {"where": {"langage": ["de"]}},
        "tags together": {"where": {"language": ["en"], "difficulty": ["easy"], "year": ["2001"]}},
        "a range": {"where": {"difficulty": ["easy"]}, "range": (50, None)},
        "none that failed": {"only": frozenset({"q99"})},
        "several": {"where": {"language": ["dee", "enn"], "colour": ["red"]}},
    }
    cases = {case: partial(chosen, **some) for case, some in options.items()}
    cases["many values"] = partial(Selection({"domain": ["x"]}).apply, many)
    cases["one value of two"] = partial(Selection({"language": ["de", "eng"]}).check_tags, [QUERIES])
    cases["no range"] = partial(parse_range, "5")
    cases["no tag"] = partial(parse_where, ["language"])
    snapshots.check_errors("execution/selection", cases)
    for text in (":", "a:b", "-3:4", "1:2:3", "1.5:2"):
        with pytest.raises(BadParameter):
            parse_range(text)
    for text in ("=de", "language=", "language=de,", "language=,"):
        with pytest.raises(BadParameter):
            parse_where([text])
    with pytest.raises(NothingSelected) as error:
        chosen(range=(5, 5))
    assert error.value.exit_code == 5
    assert len(Selection({"language": ["de", "eng"]}).apply(QUERIES)) == 6
    more = {"x": Query("x", metadata={"language": "fr"})}  # a value of another benchmark is known
    for selection in (Selection({"language": ["de", "fr"]}), Selection({"difficulty": ["hard"]}), Selection()):
        selection.check_tags([QUERIES, more])


def test_it_is_written_down_as_it_was_chosen():
    every = Selection({"a": ["b"]}, (None, 5), 3, 7, 2, frozenset({"y", "x"}))
    written = {"where": {"a": ["b"]}, "range": ":5", "sample": 3, "seed": 7, "limit": 2, "only": ["x", "y"]}
    assert every.to_dict() == written
