"""What `assay why` says: verdicts, figures that are whole, commands that can be pasted, and nothing that does harm."""

import json
import re
import shlex

import pytest
from rich.cells import cell_len

import assay
from assay.evaluation import differences_between, result_from_dict
from assay.reports import ExplanationOptions, Style, differences_to_dict, render_differences, render_why, why, why_to_dict

from ._results import HOSTILE, controls

UNTIED = ({"1": {"a": 1}}, {"1": {"b": 3.0, "c": 2.0, "a": 1.0}})
TIED = ({"1": {"d1": 1}}, {"1": {"d3": 5.0, "d4": 5.0, "d1": 5.0, "d2": 5.0}})
MISSING = ({"1": {"a": 1, "b": 2}, "2": {"c": 1}}, {"1": {"a": 2.0, "b": 1.0}})
FILES = ExplanationOptions(("q", "r"))
STYLE = re.compile(r"\x1b\[[0-9;]*m")


def said(data, metric, expected=None, asked=FILES, width=None, colour=False, **how):
    return render_why(why(*data, metric, expected, **how), asked, Style(width, colour))


# Verdicts


def test_tools_are_listed_as_people_list_them():
    assert "0.3333 is what ranx and beir give." in said(TIED, "mrr@10", "0.3333")
    assert "1.0 is what ir_measures gives." in said(TIED, "mrr@10", "1.0")
    assert "No profile gives 0.5208 by itself." in said(TIED, "mrr@10", "0.5208")


def test_the_number_is_repeated_as_it_was_given():
    assert "0.333333 is what" in said(TIED, "mrr@10", "0.333333")
    assert "33.33 % (0.3333) is what" in said(TIED, "mrr@10", "33.33%")
    assert "33.33 % (0.3333) is what" in said(TIED, "mrr@10", "33.33")
    assert "give 0.123456789 for these files" in said(UNTIED, "mrr@10", "0.123456789")
    assert "0.5000 by itself" in said(TIED, "mrr@10", "0.5000")


def test_our_own_number_is_said_to_be_that():
    assert said(TIED, "mrr@10", "25%") == "mrr@10: assay says 0.2500: that is your number.\n"


def test_where_nothing_matches_the_nearest_is_named_and_everything_is_shown():
    text = said(MISSING, "mrr", "0.900")
    assert text.startswith(
        "mrr: assay says 0.5000. No tool, no convention and no two conventions together give 0.900 for these files. "
        "Nearest: 1.0000 (queries missing from the run are left out). Are these the files that number came from?\n\n  tool"
    )
    assert text.count("assay says") == 1
    assert text.index("--missing skip") < text.index("one convention") + 200
    assert "Nothing comes nearer than that." in said(MISSING, "mrr", "0.510")


def test_where_nothing_could_be_otherwise_there_is_no_nearest():
    text = said(({"1": {"a": 1}}, {"1": {"a": 1.0}}), "mrr", "0.4")
    assert "Nothing comes nearer than that." in text
    assert "one convention changed" not in text
    assert "so does every tool that scores it." in said(({"1": {"a": 1}}, {"1": {"a": 1.0}}), "mrr")


def test_a_coarse_number_fits_many_things():
    text = said(TIED, "mrr@10", "0.5")
    assert text.startswith("mrr@10: assay says 0.2500. 0.5 has one digit: 2 things fit.\n")
    assert re.search(r"→ +0\.5000 +equal scores in the reverse", text)
    assert re.search(r"→ +0\.5208 +the mean", text)
    assert "Reproduce: assay score q r -m mrr@10 --ties reverse_order\n" in text


def test_a_band_is_told():
    text = said(TIED, "mrr@10", "0.700")
    assert "0.700 may be what sentence-transformers gives: 0.2500 – 1.0000, undefined.\n" in text
    assert "Reason: equal scores in no defined order." in text
    assert "  query 1: 0.2500 → 0.2500 – 1.0000; 4 documents share a score\n" in text
    assert "Reproduce" not in text
    assert re.search(r"sentence-transformers +undefined +0\.2500 – 1\.0000: equal scores in no", said(TIED, "mrr@10"))


def test_a_number_that_was_cut_off_is_said_to_be():
    assert said(UNTIED, "mrr", "0.33333") == "mrr: assay says 0.3333: that is your number.\n"
    data = ({"1": {"a": 1, "b": 1}}, {"1": {"x": 3.0, "b": 2.0, "a": 1.0}})
    assert said(data, "precision@3", "0.666") == (
        "precision@3: assay says 0.6667: that is your number, cut off rather than rounded.\n"
    )


def test_counts_have_no_decimals():
    text = said(MISSING, "num_q")
    assert text.startswith("num_q: assay says 2 (2 queries); 3 of 4 tools say something else, 1 fails.\n")
    assert re.search(r"trec_eval-9 +1 ", text)


def test_one_tool_says_and_none_has():
    assert "1 of 8 tools says something else, 1 is undefined." in said(TIED, "ndcg@10")
    assert "no other tool has it." in said(TIED, "q_measure")


def test_tie_rules_that_come_to_the_same_share_a_row():
    data = ({"1": {"b": 1}}, {"1": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}})
    assert re.search(r"--ties docid_asc, input_order, reverse_order, ranx +0\.5000", said(data, "mrr")) is None
    assert re.search(r"^  --ties \S+, \S+", said(({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}), "mrr"), re.MULTILINE)


def test_whose_conventions_it_starts_from():
    text = said(TIED, "mrr@10", profile="beir")
    assert text.startswith("mrr@10: beir says 0.3333 (1 query); ")
    assert re.search(r"^  beir +0\.3333\n  assay +0\.2500", text, re.MULTILINE)


def test_what_no_flag_says_is_not_shown_as_one():
    data = ({"1": {"1": 1, "a": 1}}, {"1": {"1": 2.0, "b": 1.5, "a": 1.0}})
    assert re.search(
        r"\(no flag\) +1\.0000 +documents named like their query are kept", said(data, "mrr@10", profile="beir")
    )
    (found,) = why(*data, "mrr@10", "1.000", profile="beir")
    kept = next(one for one in found.matches if one.conventions and "drop_self" in one.conventions[0].policy)
    assert FILES.way(kept) == "assay score q r -m mrr@10 --ties input_order --extra error"
    assert (
        ExplanationOptions().way(kept)
        == "assay.evaluate(qrels, run, 'mrr@10', profile=assay.find_profile('beir').adjusted(drop_self=False))"
    )


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
            {"-m mrr@10 --missing skip --rel 1", "-m mrr@10 --profile ir_measures --missing skip --rel 1 --judged-only"},
        ),
        (
            "mrr@10",
            {"profile": "beir"},
            {"-m mrr@10 --profile beir --ties docid_asc", "-m mrr@10 --profile mteb", "-m mrr@10"},
        ),
        ("rbp", {}, {"-m rbp --profile trec_eval-10", "-m rbp --profile ranx"}),
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
    text = said(TIED, "mrr@10", "0.3333", ExplanationOptions(("my qrels.txt", "it's.run")))
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
    asked = ExplanationOptions(("\x1b[2Jq", "r\x9b"), n_queries=99)
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
            assert controls(render_differences(found, ExplanationOptions(("a", "b"), n_queries=99), Style(width))) == set()


# Two results


def two_results():
    first = result(*MISSING, "one")
    second = result({**MISSING[0], "2": {"c": 0}}, MISSING[1], "two", policy=assay.Policy(missing="skip", ties="docid_asc"))
    return [result_from_dict(one.to_dict()) for one in (first, second)]


def test_differences_in_words_and_figures():
    text = render_differences(differences_between(*two_results()), FILES, Style())
    assert text.startswith(
        "2 of 2 shared metrics differ between one and two. Reason: other queries count. 1 query only in the first: 2. "
        "Over the queries of both the figures are the same.\n"
    )
    assert re.search(r"judgments +one set +another\n", text)
    assert not re.search(r"[0-9a-f]{16}", text)
    assert text.index("without effect here") < text.index("equal scores by descending id")
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
    content = differences_to_dict(differences_between(*two_results()), FILES)
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert [(one["what"], one["matters"]) for one in content["findings"]] == [
        ("judgments", True),
        ("queries only there", True),
        ("ties", False),
        ("missing", True),
    ]
    assert content["findings"][1] == {"what": "queries only there", "first": "1: 2", "second": "–", "matters": True}
    assert (content["same_judgments"], content["same_rankings"]) == (False, None)
    assert content["metrics"]["mrr"] == {
        "first": 0.5,
        "second": 1.0,
        "first_shared": 1.0,
        "second_shared": 1.0,
        "only_first": ["2"],
        "only_second": [],
        "moved": {},
    }


def test_definitions_of_several_metrics_are_all_in_the_json():
    one = assay.evaluate(*MISSING, ["map@10", "ndcg@10", "mrr"], name="x")
    two = assay.evaluate(*MISSING, ["map(norm=min)@10", "ndcg(gain=exp)@10", "recall@5"], name="x")
    text = json.dumps(differences_to_dict(differences_between(one, two), FILES))
    for name in ("map@10", "map(norm=min)@10", "ndcg@10", "ndcg(gain=exp)@10", "mrr", "recall@5"):
        assert f'"{name}"' in text


def test_no_metric_is_shared():
    one, two = (assay.evaluate(*MISSING, metric, name="x") for metric in ("ndcg@10", "ndcg(gain=exp)@10"))
    text = render_differences(differences_between(one, two), FILES, Style())
    assert text.startswith("no metric is shared between x of q and x of r. The rankings are the same")
    pair = f"ndcg@10 {one['ndcg@10']:.4f} against ndcg(gain=exp)@10 {two['ndcg(gain=exp)@10']:.4f}"
    assert f"\n\n{pair}: another definition (a grade is worth 2^grade − 1).\n" in text


def test_figures_that_are_the_same_although_the_data_differ():
    one = assay.evaluate(*MISSING, "mrr", name="x")
    other = assay.evaluate(MISSING[0], {"1": {"a": 2.0, "z": 1.5, "b": 1.0}}, "mrr", name="y")
    assert render_differences(differences_between(one, other), FILES, Style()).startswith(
        "the figure is the same between x and y, although the rankings differ.\n"
    )
    more = assay.evaluate({**MISSING[0], "1": {"a": 1, "b": 2, "c": 0}}, MISSING[1], "mrr", name="y")
    assert render_differences(differences_between(one, more), FILES, Style()).startswith(
        "the figure is the same between x and y, although the judgments differ; whether the rankings do cannot be told.\n"
    )
