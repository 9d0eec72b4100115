"""assay why, called in process."""

import json
import re

import pytest

from assay.evaluation.profiles import PROFILES

from ._tied import NDCG, TIED_QRELS, TIED_RUN

pytestmark = pytest.mark.usefixtures("files")


def saved(assay, path, *arguments):
    code, out, err = assay("score", *arguments, "-f", "json")
    assert (code, err) == (0, "")
    path.write_text(out)
    return path.name


# A number and where it comes from


def test_the_case_of_the_design(assay, tied):
    code, out, err = assay("why", "q", "r", "-m", "mrr@10", "--expected", "0.3333")
    assert (code, err) == (0, "")
    assert out == (
        "mrr@10: assay says 0.2500. 0.3333 is what ranx and beir give.\n"
        "Reason: equal scores in the order given. It changes 1 query of 1.\n"
        "  query 1: 0.2500 → 0.3333; 4 documents share a score\n"
        "\n"
        "      mrr@10   who, or with what\n"
        "      0.2500   assay, mteb\n"
        "  →   0.3333   ranx, beir; equal scores in the order given; equal scores as ranx's unstable sort leaves them\n"
        "      0.5000   equal scores in the reverse of the order given (ranx with plain dicts)\n"
        "      0.5208   the mean over all orders of equal scores\n"
        "      1.0000   ir_measures; equal scores by ascending id\n"
        "\n"
        "Reproduce: assay score q r -m mrr@10 --profile ranx\n"
        "       or: assay score q r -m mrr@10 --profile beir\n"
        "       or: assay score q r -m mrr@10 --ties input_order\n"
    )


@pytest.mark.parametrize("number", ["33.33%", "33.33", ".3333", "0.333333"])
def test_however_the_number_is_written(assay, tied, number):
    assert "is what ranx and beir give" in assay("why", "q", "r", "-m", "mrr@10", "-e", number).out


def test_our_own_number(assay, tied):
    assert assay("why", "q", "r", "-m", "mrr@10", "-e", "0.25").out == "mrr@10: assay says 0.2500: that is your number.\n"


def test_a_number_that_nothing_gives(assay, tied):
    code, out, _ = assay("why", "q", "r", "-m", "mrr", "-e", "0.9")
    assert code == 0
    assert "No tool, no convention and no two conventions together give 0.9 for these files." in out
    assert "Nearest: 1.0000 (equal scores by ascending id)." in out
    assert "sentence-transformers" in out


def test_flags_hold_for_every_tool(assay, files):
    (files / "q").write_text("1 0 a 1\n1 0 b 2\n")
    (files / "r").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    out = assay("why", "q", "r", "-m", "mrr@10", "--rel", "2").out
    assert out.startswith("mrr@10: assay says 0.5000 (1 query); so does every tool that scores it.\n")
    (metric,) = json.loads(assay("why", "q", "r", "-m", "mrr@10", "--rel", "2", "-f", "json").out)["metrics"]
    ways = {figure["tool"]: figure["reproduce"] for figure in metric["tools"]}
    assert ways["beir"] == "assay score q r -m mrr@10 --profile beir --rel 2"


def test_files_after_the_metrics_are_told_apart(assay, tied):
    code, out, err = assay("why", "-m", "ndcg@10", "q", "r")
    assert (code, out) == (2, "")
    assert "Put files first:\n  assay why q r -m ndcg@10\n" in err


def test_ids_that_never_match_are_told_first(assay, tied):
    (tied / "other").write_text("1 0 z 1\n")
    hint = "not one retrieved document occurs in the judgments: the run has ids like 'd3', the judgments like 'z'."
    assert assay("why", "other", "r", "-m", "mrr").out.startswith(hint)
    assert hint in assay("score", "other", "r", "-m", "mrr").out


def test_without_a_number_every_tool_is_surveyed(assay, tied):
    code, out, err = assay("why", "q", "r", "-m", "ndcg@10")
    assert (code, err) == (0, "")
    assert out.startswith(f"ndcg@10: assay says {NDCG} (1 query); 1 of 8 tools says something else, 1 is undefined.\n")
    figures = dict(
        line.split()[:2] for line in out.splitlines() if line.startswith("  ") and line.split()[0] in (*PROFILES, "assay")
    )
    assert figures == dict.fromkeys(("assay", *PROFILES), NDCG) | {"ranx": "0.5000", "sentence-transformers": "undefined"}
    assert re.search(r"--ties docid_asc +1\.0000 +equal scores by ascending id \(1 query: 1\)", out)
    assert re.search(r"-m 'ndcg\(discount=jk2002\)@10' +0\.5000", out)


def test_several_metrics_without_a_number(assay, tied):
    out = assay("why", "q", "r", "-m", "ndcg@10", "map").out
    assert "ndcg@10: assay says" in out
    assert "\n\nmap: assay says" in out


def test_everything_as_json(assay, tied):
    content = json.loads(assay("why", "q", "r", "-m", "mrr@10", "-e", "0.3333", "-f", "json").out)
    assert content["schema"] == "assay.why/1"
    (metric,) = content["metrics"]
    assert (metric["metric"], metric["value"], metric["expected"]) == ("mrr@10", 0.25, 0.3333)
    assert [figure["tool"] for figure in metric["tools"]] == list(PROFILES)
    assert {figure["tool"] for figure in metric["matches"]} == {None, "ranx", "beir"}
    (beir,) = [figure for figure in metric["tools"] if figure["tool"] == "beir"]
    assert beir == {
        "tool": "beir",
        "value": pytest.approx(1 / 3),
        "with_option": False,
        "band": None,
        "fault": None,
        "is_lacking": False,
        "is_undefined": False,
        "conventions": ["equal scores in the order given"],
        "reproduce": "assay score q r -m mrr@10 --profile beir",
        "n_queries_changed": 1,
        "queries": [{"query": "1", "ours": 0.25, "theirs": pytest.approx(1 / 3)}],
    }
    (sentence,) = [figure for figure in metric["tools"] if figure["tool"] == "sentence-transformers"]
    assert (sentence["value"], sentence["band"], sentence["reproduce"]) == (None, [0.25, 1.0], None)
    assert "no rule to order them" in sentence["fault"]


def test_how_many_queries_are_shown(assay, files):
    (files / "many.q").write_text("".join(f"{n} 0 a 1\n" for n in range(9)))
    (files / "many.r").write_text("".join(f"{n} Q0 a 1 1 t\n{n} Q0 b 2 1 t\n" for n in range(9)))
    for top, shown in (("0", 0), ("2", 2), ("9", 9), ("50", 9)):
        arguments = ("why", "many.q", "many.r", "-m", "mrr", "-e", "1.0", "--top", top)
        out = assay(*arguments).out
        assert out.count("\n  query ") == shown
        assert ("… and" in out) == (0 < shown < 9)
        (metric,) = json.loads(assay(*arguments, "-f", "json").out)["metrics"]
        assert {len(figure["queries"]) for figure in metric["matches"]} == {shown}
        assert {figure["n_queries_changed"] for figure in metric["matches"]} == {9}


def test_digits(assay, tied):
    assert "assay says 0.25. 0.33 is what" in assay("why", "q", "r", "-m", "mrr@10", "-e", "0.33", "--digits", "2").out
    assert "0.333333" in assay("why", "q", "r", "-m", "mrr@10", "-e", "0.333333").out


def test_a_run_from_standard_input(assay, tied, stdin):
    stdin(TIED_RUN)
    code, out, err = assay("why", "q", "-", "-m", "mrr@10", "-e", "0.3333")
    assert (code, err) == (0, "")
    assert "0.3333 is what ranx and beir give." in out
    assert "assay score q - -m mrr@10 --profile ranx" in out


def test_conventions_to_start_from(assay, tied):
    out = assay("why", "q", "r", "-m", "mrr@10", "--ties", "docid_asc").out
    assert out.startswith("mrr@10: assay says 1.0000")
    assert "--ties docid_desc" in out
    assert "--ties docid_asc" not in out
    assert assay("why", "q", "r", "-m", "mrr@10", "--profile", "beir").out.startswith("mrr@10: beir says 0.3333")
    assert "assay says 0.2500" in assay("why", "q", "r", "-m", "mrr@10", "--duplicates", "keep-best").out


def test_options_between_files(assay, tied):
    assert assay("why", "q", "-e", "0.25", "r", "-m", "mrr").out == assay("why", "q", "r", "-m", "mrr", "-e", "0.25").out


# Requests that are wrong


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["q", "r"], "say what to explain: assay why qrels.txt run.txt -m ndcg@10"),
        (["-", "-", "-m", "map"], "standard input (-) can be read once only"),
        (["q", "r", "-m", "mrr", "--expected", "abc"], "the expected value is a number such as 0.3333 or 33.3%, not 'abc'"),
        (["q", "r", "-m", "mrr", "--expected", ""], "the expected value is a number such as 0.3333 or 33.3%, not ''"),
        (
            ["q", "r", "-m", "mrr", "map", "-e", "0.3"],
            "the expected value is the number of one metric; give one, not 2 (mrr map)",
        ),
        (["q", "r", "-m", "mrr", "--top", "-1"], "--top"),
        (["q", "r", "-m", "mrr", "--top", "many"], "a whole number from 0 to 1,000,000, not 'many'"),
        (["q", "r", "-m", "mrr", "--digits", "-1"], "--digits"),
        (["q", "r", "-m", "mrr", "--digits", "99"], "a whole number from 0 to 17, not '99'"),
        (["q", "r", "-m", "mrr", "--digits", "²"], "a whole number from 0 to 17, not '²'"),
        (["q", "r", "-m", "mrr", "--format", "csv"], "'csv'"),
        (["q", "r", "-m", "mrr", "--profile", "trec_eval"], "no profile is called 'trec_eval'. Did you mean trec_eval-9"),
        (["q", "r", "-m", "mrr", "--profile", "BEIR"], "Did you mean beir?"),
        (["q", "r", "-m", "ncdg"], "no metric is called 'ncdg'. Did you mean ndcg"),
        (["q", "r", "-m", "relstring"], "relstring@10 is text, which has no figure to explain"),
        (["q", "r", "-m", "mrr", "--frobnicate"], "--frobnicate"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_request_that_is_wrong(assay, tied, arguments, said):
    code, out, err = assay("why", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert said in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["gone", "r", "-m", "map"], "gone: no such file"),
        (["q", "gone", "-m", "map"], "gone: no such file"),
        (["r", "q", "-m", "map"], "this looks like a run"),
        (["q", "r", "-m", "map", "--missing", "error"], None),
    ],
)
def test_data_that_are_wrong(assay, tied, arguments, said):
    (tied / "q").write_text(TIED_QRELS + "2 0 d1 1\n")
    code, out, err = assay("why", *arguments)
    assert (code, out) == (3, "")
    assert (said or "1 judged query is missing from the run: 2") in err


# Two results


def test_a_result_and_itself(assay, files):
    name = saved(assay, files / "a.json", "qrels.txt", "good.run", "-m", "map", "mrr")
    code, out, err = assay("why", name, name)
    assert (code, err) == (0, "")
    assert out == (
        "all 2 shared figures are the same between good and good. "
        "The rankings are the same: judged documents stand at the same places in both.\n"
        "\n"
        "  metric    first   second   difference   first, shared   second, shared   queries moved\n"
        "  map      1.0000   1.0000       0.0000          1.0000           1.0000               0\n"
        "  mrr      1.0000   1.0000       0.0000          1.0000           1.0000               0\n"
    )
    assert json.loads(assay("why", name, name, "-f", "json").out)["results"][0]["findings"] == []


def test_two_results(assay, files):
    saved(assay, files / "a.json", "qrels.txt", "good.run", "-m", "map", "map@10")
    saved(assay, files / "b.json", "qrels.txt", "poor.run", "-m", "map", "map(norm=min)@10", "--missing", "skip")
    code, out, err = assay("why", "a.json", "b.json")
    assert (code, err) == (0, "")
    assert out.startswith("the shared metric differs between good and poor. Reason: the rankings differ.\n")
    for words in ("rankings", "missing", "definition", "map(norm=min)@10", "queries only there", "1: q2"):
        assert words in out
    assert re.search(r"map +1\.0000 +0\.2500 +−0\.7500 +1\.0000 +0\.2500 +1\n", out)
    assert "map moved most: q1 1.0000 → 0.2500" in out
    (content,) = json.loads(assay("why", "a.json", "b.json", "-f", "json").out)["results"]
    assert content["metrics"]["map"]["moved"] == {"q1": [1.0, 0.25]}
    assert not content["same_rankings"]


def test_results_of_several_runs_are_paired_by_name(assay, files):
    saved(assay, files / "a.json", "qrels.txt", "good.run", "poor.run", "-m", "map")
    saved(assay, files / "b.json", "qrels.txt", "poor.run", "good.run", "-m", "map", "--missing", "skip")
    out = assay("why", "a.json", "b.json").out
    assert out.index("between good of a.json and good of b.json") < out.index("between poor of a.json and poor of b.json")
    assert "between good and poor" in assay("why", "a.json#good", "b.json#poor").out
    assert "between good of a.json#good and good of b.json" in assay("why", "a.json#good", "b.json").out
    saved(assay, files / "c.json", "qrels.txt", "good.run", "good.run", "-m", "map")
    code, _, err = assay("why", "a.json", "c.json")
    assert code == 2
    assert "several results in a file and no name in both; pick one with file.json#name" in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["a.json", "gone.json"], 3, "gone.json: no such file"),
        (["a.json", "other.json"], 3, "other.json: written as assay.result/99, but this version reads assay.result/1"),
        (["a.json", "broken.json"], 3, "broken.json:1: not JSON: Expecting ':' delimiter"),
        (["a.json#goood", "a.json"], 2, "'goood'. Did you mean good?"),
        (["a.json", "a.json", "--expected", "1", "--ties", "docid_asc"], 2, "--expected, --ties has no place here"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_results_that_do_not_fit(assay, files, arguments, code, said):
    saved(assay, files / "a.json", "qrels.txt", "good.run", "-m", "map")
    (files / "other.json").write_text('{"schema": "assay.result/99", "results": []}')
    (files / "broken.json").write_text('{"schema": "assay.result/1", "results"')
    done = assay("why", *arguments)
    assert (done.code, done.out) == (code, "")
    assert said in done.err


# Text that means harm


HOSTILE = "\x1b[31mred\x9b2J\x07"


@pytest.mark.parametrize("name", ["table", "json"])
def test_nothing_raw_reaches_the_terminal(assay, files, name):
    odd = f"run{HOSTILE}"
    (files / "q.json").write_text(json.dumps({HOSTILE: {"a": 1}, "2": {"a": 1}, "x\u2028y": {"b": 1}}))
    (files / odd).write_text(json.dumps({HOSTILE: {"a": 1.0, "b": 1.0}, "2": {"a": 1.0, HOSTILE: 1.0}}))
    (files / "tame").write_text(json.dumps({HOSTILE: {"a": 1.0, "b": 2.0}}))
    outputs = []
    for flags in ((), ("--expected", "1.0"), ("--expected", "0.123"), ("--profile", "ranx")):
        outputs += assay("why", "q.json", odd, "-m", "mrr", "-f", name, *flags)[1:]
    for run, file in ((odd, "a.json"), ("tame", "b.json")):
        for flags in ((), ("--tie-band", "--residuals", "-q")):
            outputs += assay("score", "q.json", run, "-m", "mrr", "-f", name, *flags)[1:]
        (files / file).write_text(assay("score", "q.json", run, "-m", "mrr", "-f", "json").out)
    outputs += assay("why", "a.json", "b.json", "-f", name)[1:]
    outputs += assay("why", "a.json", f"b.json#{HOSTILE}", "-f", name)[1:]
    outputs += assay("why", "a.json", odd, "-f", name)[1:]
    outputs += assay("why", "q.json", odd, "-m", HOSTILE, "-f", name)[1:]
    outputs += assay("why", "q.json", odd, "-m", "map", "-e", HOSTILE, "-f", name)[1:]
    assert sum("red" in output for output in outputs) > 8
    for output in outputs:
        assert not {"\x1b", "\x9b", "\x07", "\u2028"} & set(output)
