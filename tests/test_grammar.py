"""The grammar of names: calls come apart, parameters are read, and what cannot be read says what is expected."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
    "  token  ": ("token", []),
    "token( )": ("token", []),
    "token (threshold = 0.5 )": ("token", [("threshold", "0.5")]),
    "m(a=[1, 2], b={1: 2, 3: 4}, c=(5, 6))": ("m", [("a", "[1, 2]"), ("b", "{1: 2, 3: 4}"), ("c", "(5, 6)")]),
    "m(a='x', b=)": ("m", [("a", "'x'"), ("b", "")]),
    "m(a=b=c)": ("m", [("a", "b=c")]),
    "m(\n  a=1,\n)": ("m", [("a", "1")]),
    "python:my_module:search": ("python:my_module:search", []),
}
ARGUMENTS = {" , ,": [], "bm25(k1=0.9, b=0.4), a=b": ["bm25(k1=0.9, b=0.4)", "a=b"], "{1: 2, 3: 4}": ["{1: 2, 3: 4}"]}


def test_a_call_comes_apart():
    """Arguments stand between commas unless brackets hold them."""
    assert {text: split_call(text) for text in CALLS} == CALLS
    assert {inside: split_arguments(inside) for inside in ARGUMENTS} == ARGUMENTS


@given(st.lists(st.text("abc=1.[]{}", min_size=1, max_size=4).filter(lambda part: not set(part) & set("[]{}")), max_size=5))
def test_joined_arguments_come_apart_again(parts):
    assert split_arguments(", ".join(parts)) == parts


THRESHOLD = Param("threshold", fraction, 0.3, "lowest that counts", ("f1_threshold",))
METHOD = Param("method", one_of("first", "weighted"), "first", "which")


def test_a_setting_is_read_by_the_parameter_that_answers():
    for name, value, wanted in [
        ("threshold", "0.5", {"threshold": 0.5}),
        ("THRESHOLD", "1", {"threshold": 1.0}),
        ("f1_threshold", "'0.25'", {"threshold": 0.25}),
        ("method", '"Weighted"', {"method": "weighted"}),
    ]:
        assert parse_setting("call", "token", [THRESHOLD, METHOD], name, value) == wanted
    assert (METHOD.choices, THRESHOLD.choices) == (("first", "weighted"), ())


def test_what_cannot_be_read_says_what_can(snapshots):
    names = ("", "  ", "token(", "token)", "(a=1)", "two words", "token(a=1) more", "a(b)(c)x", "token(0.5)")
    cases = {f"name {text!r}": lambda text=text: split_call(text) for text in names}
    for text in ("[1, 2", "1, 2]", "{1: 2", "bm25(k1=1", ")", "a=[1, 2, b=3"):
        cases[f"arguments {text!r}"] = lambda text=text: split_arguments(text)
    for params, name, value in (
        ([THRESHOLD], "threshold", "2"),
        ([METHOD], "method", "last"),
        ([THRESHOLD, METHOD], "treshold", "1"),
        ([], "x", "1"),
    ):
        setting = (params, name, value)
        cases[f"setting {name}={value}"] = lambda setting=setting: parse_setting("call", "token", *setting)
    cases["settings"] = lambda: parse_settings("x(q=1)", "x", KNOWN, [("q", "1")])
    snapshots.check_errors("errors/grammar", cases)


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


def test_values_are_read():
    for parse, text, wanted in GOOD:
        value = parse(text)
        assert (value, type(value)) == (wanted, type(wanted)), text


BAD = [
    *((cutoff, text, "a whole number of at least 1") for text in ("0", "-1", "1.5", "", "٣", "x", "000")),
    *((cutoff, text, "at most 1,000,000,000") for text in ("1000000001", "99999999999")),
    (depth, "10000001", "at most 10,000,000"),
    *((number, text, "a number") for text in ("x", "", "1,5")),
    *((number, text, "a finite number") for text in ("nan", "inf", "1_0")),
    (positive, "0", "a number above 0"),
    (not_negative, "-0.1", "a number of at least 0"),
    *((fraction, text, "a number from 0 to 1") for text in ("-0.1", "1.1")),
    *((persistence, text, "a number between 0 and 1") for text in ("0", "1")),
    (flag, "maybe", "true or false"),
    (numbers, "1,,2", "a number"),
    (fractions, "0,2", "numbers from 0 to 1"),
    (one_of("a", "b"), "c", "one of a, b"),
]


def test_what_is_no_value_says_what_is_expected():
    for parse, text, said in BAD:
        with pytest.raises(ValueError) as error:
            parse(text)
        assert str(error.value) == said, text


def test_values_are_shown_in_their_shortest_form():
    shown = {"true": True, "2": 2.0, "0.5": 0.5, "1e+300": 1e300, "[1, 2]": (1.0, 2.0), "{1: 2}": ((1, 2.0),)}
    assert {show(value): value for value in shown.values()} == shown


@given(st.floats(allow_nan=False, allow_infinity=False), st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=4))
def test_shown_numbers_read_back(value, values):
    assert math.isclose(number(show(value)), value, rel_tol=0, abs_tol=0)
    assert numbers(show(tuple(values))) == tuple(values)


KNOWN = (Param("k", cutoff, 10, "ranks"), Param("p", number, 0.8, "patience", aliases=("patience",)))


def test_settings_at_their_defaults_are_left_out_and_of_two_the_last_counts():
    assert split_call(written("rbp", {"p": 0.5, "k": 3.0})) == ("rbp", [("p", "0.5"), ("k", "3")])
    assert list(changed_settings(KNOWN, {"p": 0.5, "k": 10}).items()) == [("p", 0.5)]
    assert parse_settings("x", "x", KNOWN, []) == {"k": 10, "p": 0.8}
    assert parse_settings("x", "x", KNOWN, [("P", "0.1"), ("patience", "0.2")]) == {"k": 10, "p": 0.2}
