"""Providers of a plan: values to try, labels, and names that tell them apart."""

import pytest

from assay import BadParameter, UnknownName
from assay.execution.plan_file import PlanFaults
from assay.execution.plan_parts import expand_provider, parse_providers
from assay.grammar import mark_written


def names(given):
    return [provider.name for provider in expand_provider(mark_written(given))]


def all_of(given):
    faults = PlanFaults("plan")
    found = parse_providers(mark_written(given), "plan", faults)
    faults.raise_if_any()
    return [provider.name for provider in found]


def test_a_list_means_try_each():
    given = {"bm25": {"k1": [0.9, 1.2], "b": [0.4, 0.75]}}
    assert len(set(names(given))) == 4
    assert [dict(one.params)["k1"] for one in expand_provider(mark_written(given))] == [0.9, 0.9, 1.2, 1.2]
    assert expand_provider(mark_written({"name": "bm25", "k1": [0.9, 1.2]})) == expand_provider(
        mark_written({"bm25": {"k1": [0.9, 1.2]}})
    )
    assert expand_provider(mark_written({"bm25": None})) == expand_provider(mark_written("bm25"))


def test_lists_in_parts_are_tried_too():
    part = {"bm25": {"k1": [0.9, 1.2]}}
    assert names({"hybrid": {"providers": [part, "dense"]}}) == [
        "hybrid(bm25(k1=0.9), dense)",
        "hybrid(bm25(k1=1.2), dense)",
    ]
    assert names({"hybrid": {"providers": ["bm25", "tfidf_chars"]}}) == ["hybrid(bm25, tfidf_chars)"]
    assert len(names({"hybrid": {"providers": [part, part], "rank_constant": [10, 60]}})) == 8
    deep = {"rerank": {"providers": [{"hybrid": {"providers": [part, "dense"]}}], "function": "m:f", "depth": [5, 10]}}
    assert names(deep)[-1] == "rerank(hybrid(bm25(k1=1.2), dense), function='m:f', depth=10)"
    assert len(names(deep)) == 4


def test_what_is_a_list_itself_is_left_whole():
    (provider,) = expand_provider(
        mark_written({"hybrid": {"providers": ["bm25", "dense"], "method": "weighted", "weights": [0.7, 0.3]}})
    )
    assert provider.params["weights"] == (0.7, 0.3)


def test_a_label_is_the_name():
    for given in (
        "BM25 tuned=bm25(k1=0.9)",
        {"name": "bm25", "label": "BM25 tuned", "k1": 0.9},
        {"bm25": {"label": "BM25 tuned", "k1": 0.9}},
    ):
        (provider,) = expand_provider(mark_written(given))
        assert provider.name == "BM25 tuned"
        assert provider.params["k1"] == 0.9
        assert provider.fingerprint == expand_provider(mark_written("bm25(k1=0.9)"))[0].fingerprint
        assert provider.configuration == expand_provider(mark_written("bm25(k1=0.9)"))[0].configuration


@pytest.mark.parametrize(
    ("text", "name", "function"),
    [
        ("mine=python:module:function", "mine", "module:function"),
        (" mine = python(function='module:function')", "mine", "module:function"),
        ("python(function='module:function')", "python:module:function", "module:function"),
    ],
)
def test_what_is_no_label_on_the_command_line(text, name, function):
    (provider,) = expand_provider(mark_written(text))
    assert (provider.name, provider.params["function"]) == (name, function)


def test_a_label_for_several_says_which():
    assert names({"name": "bm25", "label": "tuned", "k1": [0.9, 1.2]}) == ["tuned (k1=0.9)", "tuned (k1=1.2)"]
    part = {"bm25": {"k1": [0.9, 1.2]}}
    assert names({"hybrid": {"label": "both", "providers": [part, "dense"]}}) == ["both (k1=0.9)", "both (k1=1.2)"]
    assert names({"name": "bm25", "label": "tuned", "k1": [0.9]}) == ["tuned"]


@pytest.mark.parametrize("label", ["", " ", 3, True, ["a"], "two\nlines", "\x1b[31m"])
def test_what_is_no_label(label):
    with pytest.raises(BadParameter, match="a label is some text on one line"):
        expand_provider(mark_written({"name": "bm25", "label": label}))


def test_a_label_without_a_name_is_told():
    with pytest.raises(BadParameter, match="a label is some text on one line"):
        expand_provider(mark_written("=bm25"))


def test_parts_have_no_label():
    with pytest.raises(BadParameter, match="hybrid: a label belongs to the whole provider, not to a part of it"):
        expand_provider(mark_written({"hybrid": {"providers": [{"name": "bm25", "label": "x"}, "dense"]}}))


def test_two_of_one_name_are_refused():
    with pytest.raises(BadParameter, match="plan: two providers are called tuned; give each a label of its own"):
        all_of(["tuned=bm25(k1=0.9)", "tuned=bm25(k1=1.2)"])
    with pytest.raises(BadParameter, match="two providers are called bm25;"):
        all_of(["bm25", "bm25=tfidf_chars"])
    with pytest.raises(BadParameter, match="two providers are called http"):
        all_of([{"http": {"url": "http://127.0.0.1:9/?token=aaaa"}}, {"http": {"url": "http://127.0.0.1:9/?token=bbbb"}}])


def test_the_same_twice_is_once_and_labels_make_two():
    assert all_of(["bm25", {"bm25": {}}, "bm25()"]) == ["bm25"]
    assert all_of(["a=bm25", "a=bm25", "b=bm25", "bm25"]) == ["a", "b", "bm25"]


def test_a_map_of_several_names_means_each():
    assert all_of({"bm25": {"k1": 0.9}, "tfidf_chars": None}) == ["bm25(k1=0.9)", "tfidf_chars"]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"bm25": {"k1": []}}, r"bm25: k1 is an empty list; give at least one, as in k1: \[0.9, 1.2\]"),
        ({"hybrid": {"providers": []}}, "hybrid: providers is an empty list; give at least one, as in"),
        ({"hybrid": {"providers": [{"bm25": {"k1": []}}, "dense"]}}, "bm25: k1 is an empty list"),
        ({"bm25": None, "k1": 0.9}, r"not bm25, k1; parameters are indented below it, as in \{bm25: \{k1: 0.9\}\}"),
        ({}, "not an empty one"),
        ({"bm25": 3}, r"the parameters of bm25 are a map, as in \{bm25: \{…\}\}, not 3"),
        (["bm25"], "a provider is a name such as bm25, or a map with one name, not a list"),
        (None, "a provider is a name such as bm25"),
        (3, "not 3"),
        ({"hybrid": {"providers": [3, "dense"]}}, "a provider is a name such as bm25, or a map with one name, not 3"),
    ],
)
def test_what_is_no_provider_is_told(given, told):
    with pytest.raises(BadParameter, match=told):
        expand_provider(mark_written(given))


def test_unknown_names_come_first():
    with pytest.raises(UnknownName, match=r"Did you mean bm25\?"):
        expand_provider(mark_written({"bm52": 3}))
    with pytest.raises(UnknownName, match=r"Did you mean bm25\?"):
        expand_provider(mark_written({"hybrid": {"providers": [{"bm52": {"k1": [1, 2]}}, "dense"]}}))


def test_everything_wrong_is_noted():
    faults = PlanFaults("plan")
    found = parse_providers(mark_written(["bm52", "bm25", {"bm25": {"k1": []}}, "dens"]), "plan", faults)
    assert [provider.name for provider in found] == ["bm25"]
    assert len(faults) == 3
