"""The grammar of names: calls come apart, parameters are read, and what cannot be read says what is expected."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import BadParameter
from assay.grammar import (
    Param,
    changed_settings,
    cutoff,
    depth,
    flag,
    fraction,
    fractions,
    not_negative,
    number,
    numbers,
    one_of,
    parse_setting,
    parse_settings,
    persistence,
    positive,
    show,
    split_arguments,
    split_call,
    written,
)

CALLS = {
    "token": ("token", []),
    "  token  ": ("token", []),
    "token()": ("token", []),
    "token( )": ("token", []),
    "token(threshold=0.5)": ("token", [("threshold", "0.5")]),
    "token (threshold = 0.5 )": ("token", [("threshold", "0.5")]),
    "hybrid(method=weighted, threshold=.4)": ("hybrid", [("method", "weighted"), ("threshold", ".4")]),
    "m(a=[1, 2], b={1: 2, 3: 4}, c=(5, 6))": ("m", [("a", "[1, 2]"), ("b", "{1: 2, 3: 4}"), ("c", "(5, 6)")]),
    "m(a='x', b=)": ("m", [("a", "'x'"), ("b", "")]),
    "m(a=b=c)": ("m", [("a", "b=c")]),
    "m(a=1,)": ("m", [("a", "1")]),
    "m(\n  a=1,\n  b=2\n)": ("m", [("a", "1"), ("b", "2")]),
    "python:my_module:search": ("python:my_module:search", []),
}


@pytest.mark.parametrize(("text", "wanted"), CALLS.items(), ids=CALLS)
def test_a_call_comes_apart(text, wanted):
    assert split_call(text) == wanted


@pytest.mark.parametrize("text", ["", "  ", "token(", "token)", "(a=1)", "two words", "token(a=1) more", "a(b)(c)x"])
def test_what_is_no_name_is_refused(text):
    with pytest.raises(BadParameter, match=r"is not a name; write name or name\(parameter=value\)|write parameters as"):
        split_call(text)


def test_a_parameter_has_a_name():
    with pytest.raises(BadParameter, match=r"token\(0.5\): write parameters as name=value, not '0.5'"):
        split_call("token(0.5)")


ARGUMENTS = {
    "": [],
    " , ,": [],
    "bm25, dense, method=rrf": ["bm25", "dense", "method=rrf"],
    "bm25(k1=0.9, b=0.4), dense": ["bm25(k1=0.9, b=0.4)", "dense"],
    "a=[1, 2],b": ["a=[1, 2]", "b"],
    "{1: 2, 3: 4}": ["{1: 2, 3: 4}"],
}


@pytest.mark.parametrize(("inside", "wanted"), ARGUMENTS.items(), ids=ARGUMENTS)
def test_arguments_stand_between_commas_unless_brackets_hold_them(inside, wanted):
    assert split_arguments(inside) == wanted


@pytest.mark.parametrize("inside", ["[1, 2", "1, 2]", "{1: 2", "bm25(k1=1", ")", "a=[1, 2, b=3"])
def test_brackets_must_match(inside):
    with pytest.raises(BadParameter, match=r"the brackets in .* do not match"):
        split_arguments(inside)


@given(st.lists(st.text("abc=1.[]{}", min_size=1, max_size=4).filter(lambda part: not set(part) & set("[]{}")), max_size=5))
def test_joined_arguments_come_apart_again(parts):
    assert split_arguments(", ".join(parts)) == parts


THRESHOLD = Param("threshold", fraction, 0.3, "lowest that counts", ("f1_threshold",))
METHOD = Param("method", one_of("first", "weighted"), "first", "which")


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("threshold", "0.5", {"threshold": 0.5}),
        ("THRESHOLD", "1", {"threshold": 1.0}),
        ("f1_threshold", "'0.25'", {"threshold": 0.25}),
        ("method", '"Weighted"', {"method": "weighted"}),
    ],
)
def test_a_setting_is_read_by_the_parameter_that_answers(name, value, wanted):
    assert parse_setting("call", "token", [THRESHOLD, METHOD], name, value) == wanted


@pytest.mark.parametrize(
    ("params", "name", "value", "said"),
    [
        ([THRESHOLD], "threshold", "2", "call: threshold is a number from 0 to 1, not '2'"),
        ([METHOD], "method", "last", "call: method is one of first, weighted, not 'last'"),
        (
            [THRESHOLD, METHOD],
            "treshold",
            "1",
            "call: token has no parameter 'treshold' (it has: threshold, method). Did you mean threshold?",
        ),
        ([], "x", "1", "call: token has no parameter 'x' (it has: none)."),
    ],
)
def test_what_cannot_be_set_says_what_can(params, name, value, said):
    with pytest.raises(BadParameter) as error:
        parse_setting("call", "token", params, name, value)
    assert str(error.value) == said


def test_choices_of_a_parameter():
    assert METHOD.choices == ("first", "weighted")
    assert THRESHOLD.choices == ()


GOOD = [
    (cutoff, "1", 1),
    (cutoff, "1000000000", 10**9),
    (depth, "10000000", 10**7),
    (number, "-1e3", -1000.0),
    (number, " 2 ", 2.0),
    (positive, "1e-9", 1e-9),
    (not_negative, "0", 0.0),
    (fraction, "0", 0.0),
    (fraction, "1", 1.0),
    (persistence, "0.8", 0.8),
    (flag, "TRUE", True),
    (flag, "0", False),
    (numbers, "1,-1, 0", (1.0, -1.0, 0.0)),
    (numbers, "[1, 2]", (1.0, 2.0)),
    (fractions, "0,0.5,1", (0.0, 0.5, 1.0)),
    (one_of("a", "b", c_d="b"), "C-D", "b"),
]


@pytest.mark.parametrize(("parse", "text", "wanted"), GOOD, ids=lambda value: getattr(value, "__name__", str(value)))
def test_values_are_read(parse, text, wanted):
    found = parse(text)
    assert found == wanted
    assert type(found) is type(wanted)


BAD = [
    *((cutoff, text, "a whole number from 1 up") for text in ("0", "-1", "1.5", "", "٣", "x", "000")),
    *((cutoff, text, "at most 1,000,000,000") for text in ("1000000001", "99999999999")),
    (depth, "10000001", "at most 10,000,000"),
    *((number, text, "a number") for text in ("x", "", "1,5")),
    *((number, text, "a finite number") for text in ("nan", "inf", "1_0")),
    (positive, "0", "a number above 0"),
    (not_negative, "-0.1", "a number from 0 up"),
    *((fraction, text, "a number from 0 to 1") for text in ("-0.1", "1.1")),
    *((persistence, text, "a number between 0 and 1") for text in ("0", "1")),
    (flag, "maybe", "true or false"),
    (numbers, "1,,2", "a number"),
    (fractions, "0,2", "numbers from 0 to 1"),
    (one_of("a", "b"), "c", "one of a, b"),
]


@pytest.mark.parametrize(("parse", "text", "said"), BAD, ids=lambda value: getattr(value, "__name__", str(value)))
def test_what_is_no_value_says_what_is_expected(parse, text, said):
    with pytest.raises(ValueError) as error:
        parse(text)
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (True, "true"),
        (2.0, "2"),
        (0.5, "0.5"),
        (1e300, "1e+300"),
        ((1.0, 2.0), "[1, 2]"),
        (((1, 2.0),), "{1: 2}"),
        ("x", "x"),
    ],
)
def test_values_are_shown_in_their_shortest_form(value, wanted):
    assert show(value) == wanted


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_shown_number_reads_back(value):
    assert math.isclose(number(show(value)), value, rel_tol=0, abs_tol=0)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=4))
def test_shown_numbers_read_back(values):
    assert numbers(show(tuple(values))) == tuple(values)


KNOWN = (Param("k", cutoff, 10, "ranks"), Param("p", number, 0.8, "patience", aliases=("patience",)))


def test_a_name_with_its_settings_reads_back():
    assert written("rrf", {}) == "rrf"
    assert written("rbp", {"p": 0.5, "k": 3.0}) == "rbp(p=0.5, k=3)"
    assert split_call(written("rbp", {"p": 0.5, "k": 3.0})) == ("rbp", [("p", "0.5"), ("k", "3")])


def test_only_what_is_not_at_its_default_is_written():
    assert changed_settings(KNOWN, {"p": 0.8, "k": 10}) == {}
    assert list(changed_settings(KNOWN, {"p": 0.5, "k": 3}).items()) == [("k", 3), ("p", 0.5)]


def test_what_is_not_set_is_at_its_default_and_of_two_the_last_counts():
    assert parse_settings("x", "x", KNOWN, []) == {"k": 10, "p": 0.8}
    assert parse_settings("x", "x", KNOWN, [("P", "0.1"), ("patience", "0.2")]) == {"k": 10, "p": 0.2}
    with pytest.raises(BadParameter, match="x has no parameter 'q'"):
        parse_settings("x(q=1)", "x", KNOWN, [("q", "1")])
