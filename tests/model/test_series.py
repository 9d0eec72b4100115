"""series: what a mapping may hold for a query besides lists and mappings."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import assay
from assay import DataError, Hit, Qrels, Run
from assay.model.values import unpacked


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (pd.Series({"a": 2.0, "b": 1.0}), {"a": 2.0, "b": 1.0}),
        (pd.Series([2, 1], index=[10, 20]), {10: 2, 20: 1}),
        (pd.Series(["a", "b"]), ["a", "b"]),
        (pd.Series(["a", "b"], index=["x", "y"]), ["a", "b"]),
        (pd.Series([2.0, 1.0], index=["a", "a"]), [("a", 2.0), ("a", 1.0)]),
        (pd.Series([], dtype=float), []),
        (pd.Index(["a", "b"]), ["a", "b"]),
        (pl.Series(["a", "b"]), ["a", "b"]),
        (iter("ab"), ["a", "b"]),
        ((letter for letter in "ab"), ["a", "b"]),
        (zip("ab", [2.0, 1.0], strict=True), [("a", 2.0), ("b", 1.0)]),
    ],
)
def test_a_series_or_generator_is_a_list_or_a_mapping(given, wanted):
    assert unpacked(given) == wanted


@pytest.mark.parametrize("given", [["a"], {"a": 1}, ("a",), {"a"}, "ab", b"ab", 5, None], ids=repr)
def test_anything_else_stays_as_it_is(given):
    assert unpacked(given) is given


RUN = {"q": {"b": 2.0, "a": 1.0}}
RUNS = {
    "pandas": lambda: {"q": pd.Series({"b": 2.0, "a": 1.0})},
    "pairs that come once": lambda: {"q": zip("ba", [2.0, 1.0], strict=True)},
    "hits": lambda: {"q": [Hit("b", 2.0), Hit("a", 1.0)]},
    "hits that come once": lambda: {"q": (Hit(doc, score) for doc, score in RUN["q"].items())},
    "dicts": lambda: {"q": [{"doc_id": "b", "score": 2}, {"doc_id": "a", "score": 1}]},
    "arrays without dimensions": lambda: {"q": {"b": np.array(2.0), "a": np.array(1)}},
}


@pytest.mark.parametrize("make", RUNS.values(), ids=RUNS)
def test_every_form_of_a_run_reads_the_same(make):
    assert Run(make()) == RUN
    assert assay.evaluate({"q": {"a": 1}}, make(), "mrr")["mrr"] == 0.5


def test_what_comes_twice_in_a_series_is_named():
    with pytest.raises(DataError, match="document a appears twice"):
        Run({"q": pd.Series([2.0, 1.0], index=["a", "a"])})


def test_judgments_in_a_series_or_generator():
    qrels = Qrels(
        {"q": pd.Series({"a": 2, "b": 0}), "r": (doc for doc in "ab"), "s": pl.Series(["c"]), "t": pd.Series(["d"])}
    )
    assert dict(qrels) == {"q": {"a": 2.0, "b": 0.0}, "r": {"a": 1.0, "b": 1.0}, "s": {"c": 1.0}, "t": {"d": 1.0}}


def test_hits_can_be_fused_and_compared():
    """Wherever a run can be given."""
    assert dict(assay.fuse([RUNS["hits"](), RUNS["hits"]()]))["q"].keys() == {"a", "b"}
