"""assay chunkers: the list, and one of them."""

import json

from assay.chunkers import all_chunkers


def test_all_of_them(assay):
    done = assay("chunkers")
    assert done.code == 0
    for name, chunker in all_chunkers().items():
        assert name in done.out
        assert chunker.meaning in done.out


def test_one_of_them_with_its_parameters_and_edge_cases(assay):
    done = assay("chunkers", "syntax_tree")
    assert done.code == 0
    assert done.out.startswith("syntax_tree: functions and classes kept whole")
    assert "A file in a language without a grammar is cut into lines." in done.out
    for param in all_chunkers()["syntax_tree"].params:
        assert param.name in done.out


def test_a_default_is_shown_as_it_is_written(assay):
    assert r'["\n\n", "\n", ". ", " "]' in assay("chunkers", "recursive").out


def test_parameters_and_hyphens_do_no_harm(assay):
    assert assay("chunkers", "fixed-lines(size=3)").out == assay("chunkers", "fixed_lines").out


def test_as_json(assay):
    every = json.loads(assay("chunkers", "-f", "json").out)
    assert [one["name"] for one in every] == list(all_chunkers())
    one = json.loads(assay("chunkers", "fixed_lines", "-f", "json").out)
    assert [(param["name"], param["default"]) for param in one["parameters"]] == [("size", 1500), ("overlap", 0)]


def test_a_name_nobody_knows(assay):
    done = assay("chunkers", "syntaxtree")
    assert done.code == 2
    assert "Did you mean syntax_tree?" in done.err


def test_it_fits_a_terminal(terminal):
    done = terminal("chunkers", "recursive", columns=60)
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 60
