"""Resolvers: found by name, with parameters in brackets; and what they may read."""

import pytest

from assay import BadParameter, UnknownName
from assay.model.records import Hit, Query
from assay.relevance.resolver import all_resolvers, parse_resolver

from ._cases import ground

NAMES = ["coverage", "hybrid", "lexical", "ontology", "pack", "qrels", "span", "substring", "token"]
DEFAULTS = {
    "coverage": {"threshold": 0.7},
    "hybrid": {"method": "first", "threshold": 0.5, "weights": (1.0, 1.0, 1.0, 1.0)},
    "lexical": {"threshold": 0.5},
    "ontology": {"formula": "hybrid", "threshold": 0.4, "by": "graded"},
    "pack": {},
    "qrels": {},
    "span": {"unit": "gold", "rule": "any", "threshold": 0.5, "base": 1},
    "substring": {},
    "token": {"threshold": 0.3},
}


def test_the_resolvers_are_these():
    assert [*all_resolvers()][: len(NAMES)] == NAMES
    assert all(name == one.name and one.meaning for name, one in all_resolvers().items())


@pytest.mark.parametrize("name", NAMES)
def test_a_name_alone_has_the_defaults(name):
    bound = parse_resolver(name)
    assert (bound.name, bound.params) == (name, DEFAULTS[name])


@pytest.mark.parametrize(
    ("text", "defaults", "params"),
    [
        ("token(threshold=0.5)", {}, {"threshold": 0.5}),
        ("token", {"threshold": 0.1}, {"threshold": 0.1}),
        ("token(threshold=0.5)", {"threshold": 0.1}, {"threshold": 0.5}),
        ("qrels", {"threshold": 0.1}, {}),
        (
            " hybrid ( method = weighted ) ",
            {"threshold": 0.1},
            {"method": "weighted", "threshold": 0.1, "weights": (1.0, 1.0, 1.0, 1.0)},
        ),
        (
            "hybrid(weights=[2, 1, 0, 1], threshold=0.2)",
            {"weights": (1.0, 0.0, 0.0, 0.0)},
            {"method": "first", "threshold": 0.2, "weights": (2.0, 1.0, 0.0, 1.0)},
        ),
    ],
)
def test_what_is_written_comes_before_what_is_assumed(text, defaults, params):
    assert parse_resolver(text, **defaults).params == params


def test_an_unknown_name_suggests():
    with pytest.raises(UnknownName) as error:
        parse_resolver("tokn")
    assert "no resolver is called 'tokn'. Did you mean token?" in str(error.value)
    assert f"there are auto, {', '.join(NAMES)}" in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("token(threshold=2)", "threshold is a number from 0 to 1, not '2'"),
        ("token(treshold=1)", "token has no parameter 'treshold' (it has: threshold). Did you mean threshold?"),
        ("qrels(threshold=1)", "qrels has no parameter 'threshold' (it has: none)"),
        ("token(0.5)", "write parameters as name=value"),
        ("token(", "is not a name"),
    ],
)
def test_parameters_that_do_not_exist_are_refused(text, said):
    with pytest.raises(BadParameter) as error:
        parse_resolver(text)
    assert said in str(error.value)


# Ground: what a resolver may read

DOCUMENTS = {"a": "one", "b": "two", "c": "one", "far": "one"}
SCOPES = {"near": ["a", "b", "c"], "far": ["far"]}
NEAR, ANYWHERE, NOWHERE = Query("q", scope="near"), Query("q"), Query("q", scope="nowhere")


@pytest.fixture
def made():
    return ground(NEAR, [Hit("a"), Hit("b", text="other words"), Hit("x")], documents=DOCUMENTS, scopes=SCOPES)


def test_a_hit_says_what_it_brought_or_what_the_document_says(made):
    assert [made.text_of(hit) for hit in made.hits["q"]] == ["one", "other words", ""]


def test_scope_numbers_are_those_of_the_texts_a_query_may_search(made):
    number = made.words.number
    assert set(made.scope_numbers(NEAR).tolist()) == {number["one"], number["two"]}
    assert set(made.scope_numbers(ANYWHERE).tolist()) == {number["one"], number["two"]}
    assert made.scope_numbers(NOWHERE).tolist() == []


def test_documents_with_a_text_are_those_of_the_scope(made):
    one = made.words.number["one"]
    assert made.documents_with(one, NEAR) == ["a", "c"]
    assert made.documents_with(one, ANYWHERE) == ["a", "c", "far"]
    assert made.documents_with(one, NOWHERE) == []


@pytest.mark.parametrize(
    ("query", "doc", "may"),
    [
        (NEAR, "a", True),
        (NEAR, "far", False),
        (NEAR, "x", True),
        (ANYWHERE, "far", True),
        (NOWHERE, "far", False),
        (NOWHERE, "a", False),
        (NOWHERE, "x", True),
    ],
)
def test_a_document_of_another_scope_may_not_be_found(made, query, doc, may):
    assert made.may_find(Hit(doc), query) == may


def test_where_no_document_has_a_group_scopes_say_nothing():
    made = ground(NOWHERE, ["a"], documents=DOCUMENTS)
    assert made.may_find(Hit("a"), NOWHERE)


@pytest.mark.parametrize(
    ("hit", "has"), [(Hit("a"), True), (Hit("x"), False), (Hit("x", text="words"), True), (Hit("x", text=""), False)]
)
def test_a_hit_has_a_text_where_it_brought_one_or_is_a_document(made, hit, has):
    assert made.has_text(hit) == has


def test_documents_of_a_scope_that_are_not_at_hand_are_passed_over():
    made = ground(NEAR, [], documents={"a": "one"}, scopes={"near": ["a", "gone"]})
    assert len(made.scope_numbers(NEAR)) == 1
    assert made.documents_with(0, NEAR) == ["a"]
