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


def said(data, metric, expected=None, asked=FILES, **how):
    return render_why(why(*data, metric, expected, **how), asked, Style())


BEIR = {"profile": "beir"}
PERFECT = ({"1": {"a": 1}}, {"1": {"a": 1.0}})
SELF = ({"1": {"1": 1, "a": 1}}, {"1": {"1": 2.0, "b": 1.5, "a": 1.0}})
CASES = {
    "two tools give it": (TIED, "mrr@10", "0.3333"),
    "one tool gives it": (TIED, "mrr@10", "1.0"),
    "no profile gives it by itself": (TIED, "mrr@10", "0.5208"),
    "six digits": (TIED, "mrr@10", "0.333333"),
    "per cent": (TIED, "mrr@10", "33.33%"),
    "per cent without the sign": (TIED, "mrr@10", "33.33"),
    "nine digits": (UNTIED, "mrr@10", "0.123456789"),
    "zeros at the end": (TIED, "mrr@10", "0.5000"),
    "our own": (TIED, "mrr@10", "25%"),
    "our own, cut off": (UNTIED, "mrr", "0.33333"),
    "our own, cut off rather than rounded": (
        ({"1": {"a": 1, "b": 1}}, {"1": {"x": 3.0, "b": 2.0, "a": 1.0}}),
        "precision@3",
        "0.666",
    ),
    "nothing matches": (MISSING, "mrr", "0.900"),
    "nothing comes nearer": (MISSING, "mrr", "0.510"),
    "nothing could be otherwise": (PERFECT, "mrr", "0.4"),
    "every tool says so": (PERFECT, "mrr", None),
    "one digit fits many things": (TIED, "mrr@10", "0.5"),
    "within a band": (TIED, "mrr@10", "0.700"),
    "no number": (TIED, "mrr@10", None),
    "counts": (MISSING, "num_q", None),
    "one tool says something else": (TIED, "ndcg@10", None),
    "no other tool has it": (TIED, "q_measure", None),
    "tie rules that come to the same": (({"1": {"a": 1}}, {"1": {"a": 1.0, "b": 1.0}}), "mrr", None),
    "tie rules that do not": (({"1": {"b": 1}}, {"1": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.5}}), "mrr", None),
    "from another tool": (TIED, "mrr@10", None, BEIR),
    "what no flag says": (SELF, "mrr@10", None, BEIR),
    "queries left out": (MISSING, "mrr", "1.0"),
    "queries not left out": (MISSING, "mrr", "0.5", {"policy": assay.Policy(missing="skip")}),
    "tools that fail and tools that lack it": (({"1": {"a": 0.5}}, {"1": {"a": 1.0}}), "rbp(p=0.5)", None),
}
"""Data, metric, the number of somebody else, and conventions to start from."""


def test_verdicts(snapshots):
    texts = {name: said(*case[:3], **(case[3] if len(case) > 3 else {})) for name, case in CASES.items()}
    snapshots.check("reports/why", "".join(f"## {name}\n{text}\n" for name, text in texts.items()))


def test_what_no_flag_says_is_said_in_python():
    (found,) = why(*SELF, "mrr@10", "1.000", **BEIR)
    kept = next(one for one in found.matches if one.conventions and "drop_self" in one.conventions[0].policy)
    assert FILES.way(kept) == "assay score q r -m mrr@10 --ties input_order --extra error"
    in_python = "assay.evaluate(qrels, run, 'mrr@10', profile=assay.find_profile('beir').adjusted(drop_self=False))"
    assert ExplanationOptions().way(kept) == in_python


# Commands


COMMANDS = (
    ("mrr@10", {}, {"mrr@10 --ties docid_asc", "mrr@10 --judged-only", "mrr@10 --profile beir"}),
    ("ndcg@10", {}, {"'ndcg(discount=jk2002)@10'", "ndcg@10 --profile ranx"}),
    (
        "mrr@10",
        {"policy": assay.Policy(missing="skip", rel=1, judged_only=True)},
        {"mrr@10 --missing skip --rel 1", "mrr@10 --profile ir_measures --missing skip --rel 1 --judged-only"},
    ),
    ("mrr@10", BEIR, {"mrr@10 --profile beir --ties docid_asc", "mrr@10 --profile mteb", "mrr@10"}),
    ("rbp", {}, {"rbp --profile trec_eval-10", "rbp --profile ranx"}),
    ("ndcg(gain=linear)@10", {}, {"'ndcg(gain=linear)@10' --profile ranx"}),
)


def test_every_command_is_complete():
    """It says everything that is not our default, so it prints the figure by itself."""
    for metric, how, commands in COMMANDS:
        (explanation,) = why(*TIED, metric, **how)
        found = why_to_dict(explanation, FILES)
        given = {figure["reproduce"] for figure in (*found["tools"], *found["conventions"])} - {None}
        assert {f"assay score q r -m {command}" for command in commands} <= given, metric
        assert not any("without" in command or "None" in command or "False" in command for command in given), metric


def test_files_are_quoted():
    text = said(TIED, "mrr@10", "0.3333", ExplanationOptions(("my qrels.txt", "it's.run")))
    (command,) = re.findall(r"Reproduce: (.*)", text)
    assert shlex.split(command) == ["assay", "score", "my qrels.txt", "it's.run", "-m", "mrr@10", "--profile", "ranx"]


# How it looks


def test_no_figure_is_cut_in_a_narrow_terminal():
    for metric, expected in (("mrr@10", None), ("mrr@10", "0.3333"), ("ndcg@10", "0.99")):
        (explanation,) = found = why(*TIED, metric, expected)
        for width in (40, 80):
            text, case = render_why(found, FILES, Style(width)), (metric, expected, width)
            lines = [line for line in text.splitlines() if not line.startswith(("Reproduce:", "       or:"))]
            assert [line for line in lines if cell_len(line) > width] == [], case
            numbers = set(re.findall(r"\d+\.\d+", "\n".join(lines))) - {expected, "0.3"}
            assert all(len(number.partition(".")[2]) == 4 for number in numbers), case
            if expected is None:
                assert {f"{figure.value:.4f}" for figure in explanation.singles} <= set(text.split()), case
    for width in (40, 80):
        text = render_differences(differences_between(*two_results()), FILES, Style(width))
        assert [line for line in text.splitlines() if cell_len(line) > width] == []
        assert {"0.5000", "1.0000"} <= set(text.split()), width


def test_json_holds_no_nan():
    (explanation,) = why(*TIED, "mrr@10", policy=assay.Policy(rel=9, no_relevant="skip"))
    json.dumps(why_to_dict(explanation, FILES), allow_nan=False)
    assert "assay gives –" in render_why([explanation], FILES, Style())


# Hostile text


def test_ids_names_and_files_do_no_harm():
    qrels = {query: {"a": 1} for query in HOSTILE}
    run = {query: {"a": 1.0, "b": 1.0, query: 1.0} for query in HOSTILE[1:]}
    asked = ExplanationOptions(("\x1b[2Jq", "r\x9b"), n_queries=99)
    for expected in (None, "0.987"):
        found = why(qrels, run, "mrr", expected)
        for width in (None, 40):
            assert controls(render_why(found, asked, Style(width))) == set(), (expected, width)
    for name in HOSTILE:
        first = result(qrels, {query: {"a": 1.0} for query in HOSTILE[::2]}, name)
        second = result(qrels, {query: {"b": 2.0, "a": 1.0} for query in HOSTILE}, name, policy=assay.Policy(missing="skip"))
        found = differences_between(first, second)
        for width in (None, 40):
            assert controls(render_differences(found, ExplanationOptions(("a", "b"), n_queries=99), Style(width))) == set()


def result(qrels, run, name, **how):
    return assay.evaluate(qrels, run, ["mrr", "map"], name=name, **how)


# Two results


def two_results():
    first = result(*MISSING, "one")
    second = result({**MISSING[0], "2": {"c": 0}}, MISSING[1], "two", policy=assay.Policy(missing="skip", ties="docid_asc"))
    return [result_from_dict(one.to_dict()) for one in (first, second)]


def test_differences_in_words_and_figures(snapshots):
    one, other = (assay.evaluate(*MISSING, metric, name="x") for metric in ("mrr", "ndcg@10"))
    pairs = {
        "other queries count": two_results(),
        "no metric is shared": (other, assay.evaluate(*MISSING, "ndcg(gain=exp)@10", name="x")),
        "other rankings, the same figure": (
            one,
            assay.evaluate(MISSING[0], {"1": {"a": 2.0, "z": 1.5, "b": 1.0}}, "mrr", name="y"),
        ),
        "other judgments, the same figure": (
            one,
            assay.evaluate({**MISSING[0], "1": {"a": 1, "b": 2, "c": 0}}, MISSING[1], "mrr", name="y"),
        ),
    }
    texts = {name: render_differences(differences_between(*pair), FILES, Style()) for name, pair in pairs.items()}
    snapshots.check("reports/differences", "".join(f"## {name}\n{text}\n" for name, text in texts.items()))


def test_differences_as_json(snapshots):
    content = differences_to_dict(differences_between(*two_results()), FILES)
    snapshots.check("reports/differences_json", json.dumps(content, allow_nan=False, indent=1))


# In Python


def test_explanations_print_as_the_command_does(snapshots):
    found = assay.why(*TIED, "mrr@10", "0.3333")
    assert isinstance(found, list)
    assert [one.metric.name for one in found] == ["mrr@10"]
    one = assay.evaluate(*TIED, "mrr", name="one")
    two = assay.evaluate(*TIED, "mrr", name="two", policy=assay.Policy(ties="docid_asc"))
    both = assay.why(one, two)
    assert [finding.what for finding in both.findings] == ["ties"]
    cases = {
        "a number": found,
        "no number": assay.why(*TIED, "mrr@10"),
        "two metrics": assay.why(*TIED, ["map", "mrr"]),
        "two results": both,
    }
    text = "".join(f"## {name}\n{shown!r}\n{shown}\n\n" for name, shown in cases.items())
    snapshots.check("reports/explanations", text)


def test_every_call_that_is_printed_gives_the_number():
    for how in ({}, {"profile": "beir"}, {"policy": assay.Policy(missing="skip")}):
        found = assay.why(*TIED, "ndcg@10", "0.5000", **how)
        calls = [line.split(": ", 1)[1] for line in str(found).splitlines() if "evaluate" in line]
        assert calls
        for call in calls:
            (value,) = eval(call, {"assay": assay, "qrels": TIED[0], "run": TIED[1]}).summary.values()
            assert value == pytest.approx(0.5)


def test_a_question_that_is_wrong(snapshots):
    (qrels, run), result = TIED, assay.evaluate(*TIED, "mrr")
    cases = {
        "a result and a run": (result, run),
        "judgments and a result": (qrels, result),
        "a metric of two results": (result, result, "map"),
        "no metric": (qrels, run),
    }
    snapshots.check_errors(
        "reports/wrong_questions", {name: lambda asked=asked: assay.why(*asked) for name, asked in cases.items()}
    )
