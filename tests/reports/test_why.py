"""What `assay why` says: verdicts, figures that are whole, commands that can be pasted, and nothing that does harm."""

import json
import re
import shlex

import pytest
from rich.cells import cell_len

import assay
from assay.evaluation.differences import differences_between
from assay.evaluation.saved import result_from_dict
from assay.evaluation.why import why
from assay.reports._layout import Style
from assay.reports._why import Asked, differences_to_dict, render_differences, render_why, why_to_dict

from ._results import HOSTILE, controls

TIED = ({"1": {"d1": 1}}, {"1": {"d3": 5.0, "d4": 5.0, "d1": 5.0, "d2": 5.0}})
MISSING = ({"1": {"a": 1, "b": 2}, "2": {"c": 1}}, {"1": {"a": 2.0, "b": 1.0}})
FILES = Asked(("q", "r"))
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def said(data, metric, expected=None, asked=FILES, width=None, colour=False, **how):
    return render_why(why(*data, metric, expected, **how), asked, Style(width, colour))


# Verdicts


def test_tools_are_listed_as_people_list_them():
    assert "0.3333 is what ranx and beir give." in said(TIED, "mrr@10", "0.3333")
    assert "1 is what ir_measures gives." in said(TIED, "mrr@10", "1.0")
    assert "No tool gives 0.5208 by itself." in said(TIED, "mrr@10", "0.5208")


def test_the_number_is_repeated_as_it_was_given():
    assert "0.333333 is what" in said(TIED, "mrr@10", "0.333333")
    assert "0.3333 is what" in said(TIED, "mrr@10", "33.33%")
    assert "0.123456789 for these files" in said(TIED, "mrr@10", "0.123456789")


def test_our_own_number_is_said_to_be_that():
    assert said(TIED, "mrr@10", "25%") == "mrr@10: assay says 0.2500: that is your number.\n"


def test_where_nothing_matches_the_nearest_is_named_and_everything_is_shown():
    text = said(TIED, "mrr@10", "0.4")
    assert text.startswith(
        "mrr@10: assay says 0.2500. No tool, no convention and no two conventions together give 0.4 for these files. "
        "Nearest: 0.3333 (equal scores in the order given). Are these the files that number came from?\n\nmrr@10: assay says"
    )


def test_where_nothing_could_be_otherwise_there_is_no_nearest():
    text = said(({"1": {"a": 1}}, {"1": {"a": 1.0}}), "mrr", "0.4")
    assert "Nearest" not in text
    assert "so does every tool that scores it." in text
    assert "one convention changed" not in text


def test_the_reason_names_queries_and_what_became_of_them():
    text = said(MISSING, "mrr", "1.0")
    assert (
        "Reason: queries missing from the run are left out. It changes 1 query of 2.\n  query 2: 0.0000 → not counted\n"
        in text
    )
    back = said(MISSING, "mrr", "0.5", policy=assay.Policy(missing="skip"))
    assert "  query 2: not counted → 0.0000\n" in back
    assert "share a score" not in text


def test_failing_and_lacking_tools_are_told_apart():
    text = said(({"1": {"a": 0.5}}, {"1": {"a": 1.0}}), "rbp(p=0.5)")
    assert re.search(r"trec_eval-10 +fails +.*whole numbers", text)
    assert re.search(r"pytrec_eval +– +has no rbp", text)
    n_failing = len(re.findall(r"^  \S+ +fails", text, re.MULTILINE))
    assert f", {n_failing} fail" in text.splitlines()[0]


# Commands


@pytest.mark.parametrize(
    ("metric", "how", "commands"),
    [
        ("mrr@10", {}, {"-m mrr@10 --ties docid_asc", "-m mrr@10 --judged-only", "-m mrr@10 --profile beir"}),
        ("ndcg@10", {}, {"-m 'ndcg(discount=jk2002)@10'", "-m ndcg@10 --profile ranx"}),
        (
            "mrr@10",
            {"policy": assay.Policy(missing="skip", rel=1, judged_only=True)},
            {"-m mrr@10 --missing skip --rel 1", "-m mrr@10 --profile ir_measures"},
        ),
        ("mrr@10", {"profile": "beir"}, {"-m mrr@10 --extra error --drop-self", "-m mrr@10 --profile trec_eval-9"}),
        ("ndcg(gain=linear)@10", {}, {"-m 'ndcg(gain=linear)@10' --profile ranx"}),
    ],
)
def test_every_command_is_complete(metric, how, commands):
    """It says everything that is not our default, so it prints the figure by itself."""
    (explanation,) = why(*TIED, metric, **how)
    found = why_to_dict(explanation, FILES)
    given = {figure["reproduce"] for figure in (*found["tools"], *found["conventions"])} - {None}
    assert {f"assay score q r {command}" for command in commands} <= given
    assert not any("without" in command or "None" in command or "False" in command for command in given)


def test_files_are_quoted():
    text = said(TIED, "mrr@10", "0.3333", Asked(("my qrels.txt", "it's.run")))
    (command,) = re.findall(r"Reproduce: (.*)", text)
    assert shlex.split(command) == ["assay", "score", "my qrels.txt", "it's.run", "-m", "mrr@10", "--profile", "ranx"]


# How it looks


@pytest.mark.parametrize("width", [40, 60, 80])
@pytest.mark.parametrize("expected", [None, "0.3333", "0.4307", "0.99"])
@pytest.mark.parametrize("metric", ["mrr@10", "ndcg@10"])
def test_no_figure_is_cut_in_a_narrow_terminal(metric, expected, width):
    (explanation,) = why(*TIED, metric, expected)
    text = said(TIED, metric, expected, width=width)
    lines = [line for line in text.splitlines() if not line.startswith(("Reproduce:", "       or:"))]
    assert [line for line in lines if cell_len(line) > width] == []
    for line in lines:
        numbers = re.findall(r"\d+\.\d+", line)
        assert all(len(number.partition(".")[2]) == 4 for number in numbers if number not in (expected, "0.3"))
    if expected is None:
        words = text.split()
        assert {f"{figure.value:.4f}" for figure in explanation.singles} <= set(words)


def test_colour_only_repeats_what_is_there():
    coloured = said(TIED, "mrr@10", "0.3333", colour=True)
    assert "\x1b[1;32m0.3333\x1b[0m" in coloured
    assert STYLE.sub("", coloured) == said(TIED, "mrr@10", "0.3333")


def test_json_holds_no_nan():
    (explanation,) = why(*TIED, "mrr@10", policy=assay.Policy(rel=9, no_relevant="skip"))
    json.dumps(why_to_dict(explanation, FILES), allow_nan=False)
    assert "assay says –" in render_why([explanation], FILES, Style())


# Hostile text


@pytest.mark.parametrize("width", [None, 40, 80])
@pytest.mark.parametrize("expected", [None, "1.0", "0.987"])
def test_ids_and_files_do_no_harm(expected, width):
    qrels = {query: {"a": 1} for query in HOSTILE}
    run = {query: {"a": 1.0, "b": 1.0, query: 1.0} for query in HOSTILE[1:]}
    asked = Asked(("\x1b[2Jq", "r\x9b"), n_queries=99)
    assert controls(said((qrels, run), "mrr", expected, asked, width)) == set()


def result(qrels, run, name, **how):
    return assay.evaluate(qrels, run, ["mrr", "map"], name=name, **how)


def test_results_with_hostile_names_do_no_harm():
    qrels = {query: {"a": 1} for query in HOSTILE}
    for name in HOSTILE:
        first = result(qrels, {query: {"a": 1.0} for query in HOSTILE[::2]}, name)
        second = result(qrels, {query: {"b": 2.0, "a": 1.0} for query in HOSTILE}, name, policy=assay.Policy(missing="skip"))
        for width in (None, 40):
            found = differences_between(first, second)
            assert controls(render_differences(found, Asked(("a", "b"), n_queries=99), Style(width))) == set()


# Two results


def two_results():
    first = result(*MISSING, "one")
    second = result({**MISSING[0], "2": {"c": 0}}, MISSING[1], "two", policy=assay.Policy(missing="skip", ties="docid_asc"))
    return [result_from_dict(one.to_dict()) for one in (first, second)]


def test_differences_in_words_and_figures():
    text = render_differences(differences_between(*two_results()), FILES, Style())
    assert text.startswith(
        "2 of 2 shared metrics differ between one and two. "
        "The rankings are the same: judged documents stand at the same places in both.\n"
    )
    assert re.search(r"judgments +[0-9a-f]{16} +[0-9a-f]{16}\n", text)
    assert re.search(r"ties +equal scores by descending id +equal scores by ascending id\n", text)
    assert re.search(r"queries only there +1: 2 +–\n", text)
    assert re.search(r"mrr +0\.5000 +1\.0000 +0\.5000 +1\.0000 +1\.0000 +0\n", text)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_differences_in_a_narrow_terminal(width):
    text = render_differences(differences_between(*two_results()), FILES, Style(width))
    assert [line for line in text.splitlines() if cell_len(line) > width] == []
    assert {"0.5000", "1.0000"} <= set(text.split())
    assert all(re.fullmatch(r"-?\d\.\d{4}", word) for word in text.split() if re.fullmatch(r"-?\d+\.\d+", word))


def test_differences_as_json():
    content = differences_to_dict(differences_between(*two_results()))
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert list(content) == ["first", "second", "findings", "same_rankings", "metrics"]
    assert [one["what"] for one in content["findings"]] == ["judgments", "ties", "missing", "queries only there"]
    assert content["findings"][3] == {"what": "queries only there", "first": "1: 2", "second": "–"}
    assert content["metrics"]["mrr"] == {
        "first": 0.5,
        "second": 1.0,
        "first_shared": 1.0,
        "second_shared": 1.0,
        "moved": {},
    }


def test_definitions_of_several_metrics_are_all_in_the_json():
    one = assay.evaluate(*MISSING, ["map@10", "ndcg@10", "mrr"], name="x")
    two = assay.evaluate(*MISSING, ["map(norm=min)@10", "ndcg(gain=exp)@10", "recall@5"], name="x")
    text = json.dumps(differences_to_dict(differences_between(one, two)))
    for name in ("map@10", "map(norm=min)@10", "ndcg@10", "ndcg(gain=exp)@10", "mrr", "recall@5"):
        assert f'"{name}"' in text
