"""assay score, called in process."""

import csv
import gzip
import io
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import assay as library
from assay.cli.score import FORMATS
from assay.metrics._parse import parse_metric

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture
def stdin(monkeypatch):
    """Set what standard input holds."""
    return lambda text: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


# What it shows


def test_two_runs(assay):
    code, out, err = assay("score", "qrels.txt", "good.run", "poor.run", "-m", "map", "mrr@10", "num_rel_ret")
    assert (code, err) == (0, "")
    assert out == (
        "2 judged queries · level: grade > 0 · ties: docid_desc\n"
        "\n"
        "  run       map         95 % CI   mrr@10   num_rel_ret   judged@10\n"
        "  good   1.0000   0.342 – 1.000   1.0000             3      1.0000\n"
        "  poor   0.1250   0.000 – 0.250   0.2500             1      0.5000\n"
        "\n"
        "poor: 1 query missing from the run, scored as an empty ranking (q2).\n"
    )


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("per_query", [(), ("--per-query",)])
def test_the_first_command_of_the_readme_in_every_format(assay, name, per_query):
    metrics = ("ndcg@10", "map", "mrr@10", "recall@100")
    code, out, err = assay("score", "qrels.txt", "good.run", "poor.run", "-m", *metrics, *per_query, "--format", name)
    assert code == 0
    note = "note: poor: 1 query missing from the run, scored as an empty ranking (q2).\n"
    assert err == (note if name in ("csv", "trec") else "")
    assert "\x1b" not in out
    assert ("q1" in out) == (bool(per_query) or name in ("html", "json"))
    for metric in metrics:
        spelled = parse_metric(metric).trec_name if name == "trec" else metric
        assert spelled in out


def test_policies_are_flags(assay):
    arguments = ("-m", "ndcg@10", "--ties", "docid_asc", "--missing", "skip", "--rel", "2", "--judged-only")
    code, out, err = assay("score", "qrels.txt", "poor.run", *arguments, "--format", "json")
    assert (code, err) == (0, "")
    (result,) = json.loads(out)["results"]
    assert result["policy"] == {
        "ties": "docid_asc",
        "precision": "float64",
        "missing": "skip",
        "extra": "skip",
        "no_relevant": "zero",
        "rel": 2.0,
        "judged_only": True,
        "negatives": "unjudged",
        "drop_self": False,
        "max_grade": 2.0,
        "duplicates": "error",
    }
    assert list(result["per_query"]) == ["q1"]


def test_without_metrics_it_is_the_group_rag(assay):
    out = assay("score", "qrels.txt", "good.run", "--format", "csv", "--digits", "2").out
    assert out == "run,ndcg@10,recall@10,precision@5,mrr,hit@5,map\ngood,1.00,1.00,0.30,1.00,1.00,1.00\n"


@pytest.mark.slow
def test_the_figures_are_those_of_the_library(assay):
    for system in ("bm25", "dense"):
        arguments = (
            EXAMPLES / "qrels.txt",
            EXAMPLES / f"{system}.run",
            "-m",
            "all_trec",
            "--format",
            "json",
            "--ci",
            "none",
        )
        (found,) = json.loads(assay("score", *arguments).out)["results"]
        assert (
            found == library.evaluate(EXAMPLES / "qrels.txt", EXAMPLES / f"{system}.run", "all_trec", name=system).to_dict()
        )


@pytest.mark.parametrize(
    ("metrics", "beside"),
    [(["map"], ["judged@10"]), (["recall@3", "P@5"], ["judged@10"]), (["judged@10", "map"], ["judged@10"])],
)
def test_judged_stands_beside_every_table(assay, metrics, beside):
    head = assay("score", "qrels.txt", "good.run", "-m", *metrics).out.splitlines()[2]
    assert [name for name in head.split() if name.startswith("judged")] == beside
    assert "judged" not in assay("score", "qrels.txt", "good.run", "-m", *metrics, "--judged-only").out.splitlines()[2] or (
        "judged@10" in metrics
    )
    (result,) = json.loads(assay("score", "qrels.txt", "good.run", "-m", "map", "-f", "json").out)["results"]
    assert list(result["summary"]) == ["map"]
    assert {name for scores in result["per_query"].values() for name in scores} == {"map"}


def test_more_than_eight_metrics_go_down_the_page(assay):
    lines = assay("score", "qrels.txt", "good.run", "poor.run", "-m", "official").out.splitlines()
    assert lines[2].split() == ["metric", "good", "poor"]
    assert ["num_q", "2", "2"] in [line.split() for line in lines]


@pytest.mark.parametrize(("digits", "figure"), [("0", "0"), ("2", "0.12"), ("17", "0.12500000000000000")])
@pytest.mark.parametrize("name", ["table", "csv", "markdown", "latex", "trec"])
def test_digits(assay, digits, figure, name):
    out = assay("score", "qrels.txt", "poor.run", "-m", "map", "--digits", digits, "-f", name).out
    assert figure in re.split(r"[\s,]+", out)


def test_digits_in_json(assay):
    out = assay("score", "qrels.txt", "poor.run", "-m", "map", "ndcg", "--digits", "2", "-f", "json").out
    (result,) = json.loads(out)["results"]
    assert result["summary"] == {"map": 0.12, "ndcg": 0.24}


def test_timings_are_told_on_standard_error(assay):
    code, out, err = assay("score", "qrels.txt", "good.run", "-m", "map", "-v", "-f", "csv")
    assert (code, out) == (0, "run,map\ngood,1.0\n")
    assert re.fullmatch(r"qrels\.txt: 4 judgments in \d+\.\d\d s\ngood\.run: scored in \d+\.\d\d s\n", err)


# Sorting


def test_runs_are_sorted_best_first(assay):
    def order(*arguments):
        return [line.partition(",")[0] for line in assay("score", "qrels.txt", *arguments, "-f", "csv").out.splitlines()[1:]]

    assert order("poor.run", "good.run", "-m", "map") == ["poor", "good"]
    assert order("poor.run", "good.run", "-m", "map", "--sort", "AP") == ["good", "poor"]
    assert order("poor.run", "good.run", "-m", "rbp_residual", "--sort", "rbp_residual") == ["good", "poor"]


def test_queries_are_sorted_too(assay, files):
    (files / "q2.run").write_text("q1 Q0 d2 1 9 x\nq1 Q0 d1 2 8 x\nq2 Q0 d4 1 7 x\n")
    out = assay("score", "qrels.txt", "q2.run", "-m", "mrr", "--sort", "mrr", "-q", "-f", "csv").out
    assert out == "run,query,mrr\nq2,q2,1.0\nq2,q1,0.5\nq2,all,0.75\n"


def test_a_table_can_be_sorted_by_what_stands_beside_it(assay):
    lines = assay("score", "qrels.txt", "poor.run", "good.run", "-m", "map", "--sort", "judged@10").out.splitlines()
    assert [line.split()[0] for line in lines[3:5]] == ["good", "poor"]


def test_a_metric_to_sort_by_must_be_asked_for(assay):
    code, out, err = assay("score", "nowhere", "nothing", "-m", "map", "--sort", "ndcg@10")
    assert (code, out) == (2, "")
    assert err == "error: --sort ndcg@10: add it to -m to sort by it\n"


@pytest.mark.parametrize("metric", ["nonsense", "recall@5,10", "ndcg@0"])
def test_a_metric_to_sort_by_must_be_one_metric(assay, metric):
    assert assay("score", "nowhere", "nothing", "--sort", metric)[:2] == (2, "")


@pytest.mark.parametrize("metric", ["runid", "relstring"])
def test_text_cannot_be_sorted_by(assay, metric):
    code, out, err = assay("score", "qrels.txt", "good.run", "-m", "map", metric, "--sort", metric)
    assert (code, out) == (2, "")
    assert metric in err


def test_runs_without_scores_are_sorted_last(assay, files):
    (files / "none.run").write_text("q9 Q0 d1 1 1 none\n")
    for order in (
        ["none.run", "poor.run", "good.run"],
        ["good.run", "none.run", "poor.run"],
        ["poor.run", "good.run", "none.run"],
    ):
        out = assay("score", "qrels.txt", *order, "-m", "map", "--missing", "skip", "--sort", "map", "-f", "csv").out
        assert [line.partition(",")[0] for line in out.splitlines()] == ["run", "good", "poor", "none"]


# Names of runs


def test_runs_of_one_stem_go_by_their_paths(assay, files):
    for folder in ("a", "b"):
        (files / folder).mkdir()
        (files / folder / "x.run").write_text((files / "good.run").read_text())
    out = assay("score", "qrels.txt", "a/x.run", "b/x.run", "good.run", "-m", "map", "-f", "csv").out
    assert out == "run,map\na/x.run,1.0\nb/x.run,1.0\ngood.run,1.0\n"


def test_the_same_run_twice_is_numbered(assay):
    out = assay("score", "qrels.txt", "good.run", "good.run", "-m", "map", "-f", "csv").out
    assert out == "run,map\ngood.run (1),1.0\ngood.run (2),1.0\n"


@pytest.mark.parametrize("name", ["good.run.gz", "good.trec.gz", "good.txt", "good"])
def test_endings_are_no_part_of_the_name(assay, files, name):
    text = (files / "good.run").read_bytes()
    (files / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    assert assay("score", "qrels.txt", name, "-m", "map", "-f", "csv").out == "run,map\ngood,1.0\n"


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("evil", ["\x1b[31mred\x1b[0m.run", "new\nline.run", "a|b & \\x %.run", "[red]x.run", "東京🎉.run"])
def test_hostile_file_names(assay, files, name, evil):
    (files / evil).write_text((files / "poor.run").read_text())
    code, out, err = assay("score", "qrels.txt", evil, "-m", "map", "-f", name, "-q")
    assert code == 0
    assert err.count("\n") == (name in ("csv", "trec"))
    assert "\x1b" not in err
    assert "\x1b" not in out
    tame = assay("score", "qrels.txt", "poor.run", "-m", "map", "-f", name, "-q").out
    if name == "csv":
        assert len(list(csv.reader(io.StringIO(out, newline="")))) == tame.count("\n")
    else:
        assert out.count("\n") == tame.count("\n")


# Standard input


def test_a_run_from_standard_input(assay, files, stdin):
    stdin((files / "good.run").read_text())
    assert assay("score", "qrels.txt", "-", "-m", "map", "-f", "csv") == (0, "run,map\n<stdin>,1.0\n", "")


def test_judgments_from_standard_input(assay, files, stdin):
    stdin((files / "qrels.txt").read_text())
    assert assay("score", "-", "good.run", "poor.run", "-m", "map", "-f", "csv").out == "run,map\ngood,1.0\npoor,0.125\n"


@pytest.mark.parametrize("arguments", [("-", "-"), ("qrels.txt", "-", "-"), ("qrels.txt", "-", "good.run", "-")])
def test_standard_input_can_be_read_once(assay, arguments):
    assert assay("score", *arguments) == (2, "", "error: standard input (-) can be read once only\n")


def test_empty_standard_input_is_an_empty_run(assay, stdin):
    stdin("")
    assert assay("score", "qrels.txt", "-") == (3, "", "error: <stdin>: the file holds no rankings\n")


# Requests that are wrong: exit 2, before any data is read


@pytest.mark.parametrize(
    ("metric", "said"),
    [
        ("ncdg@10", "no metric is called 'ncdg@10'. Did you mean ndcg@10"),
        ("P@0", "k is a whole number from 1 up, not '0'"),
        ("map(foo=1)", "map has no parameter 'foo'"),
        ("", "is not a metric"),
    ],
)
def test_a_metric_that_is_wrong_is_told_before_files_are_touched(assay, metric, said):
    code, out, err = assay("score", "no-such-qrels", "no-such-run", "-m", "map", metric)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert said in err


@pytest.mark.parametrize(
    "flags",
    [
        ("--ties", "random"),
        ("--missing", "never"),
        ("--extra", "zero"),
        ("--no-relevant", "never"),
        ("--precision", "float16"),
        ("--negatives", "zero"),
        ("--profile", "trec-eval"),
        ("--duplicates", "drop"),
        ("--rel", "high"),
        ("--rel", "nan"),
        ("--rel", "inf"),
        ("--max-grade", "x"),
        ("--max-grade", "-1"),
        ("--max-grade", "0"),
        ("--digits", "-1"),
        ("--digits", "18"),
        ("--digits", "two"),
        ("--digits", "²"),
        ("--format", "xml"),
        ("--sort",),
        ("-m",),
        ("--frobnicate",),
    ],
    ids=" ".join,
)
def test_a_flag_that_is_wrong_is_told_before_files_are_touched(assay, flags):
    code, out, err = assay("score", "no-such-qrels", "no-such-run", *flags)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert "no such file" not in err
    assert flags[-1].strip("-") in err or flags[0].strip("-").replace("-", "_") in err


@pytest.mark.parametrize("arguments", [(), ("qrels.txt",), ("-m", "map"), ("qrels.txt", "-m", "map")])
def test_judgments_and_a_run_are_needed(assay, arguments):
    code, out, err = assay("score", *arguments)
    assert (code, out) == (2, "")
    assert err == "error: judgments and at least one run are needed: assay score qrels.txt run.txt -m ndcg@10\n"


def test_files_after_the_metrics_are_explained_with_the_right_command(assay):
    code, out, err = assay("score", "-m", "ndcg@10", "map", "qrels.txt", "good.run")
    assert (code, out) == (2, "")
    assert err == (
        "error: what follows -m is taken as a metric: qrels.txt good.run. Put files first:\n"
        "  assay score qrels.txt good.run -m ndcg@10 map\n"
    )


@pytest.mark.parametrize(
    ("arguments", "right"),
    [
        (["qrels.txt", "-m", "map", "good.run"], "qrels.txt good.run -m map"),
        (["-m", "map", "no/such.qrels", "good.run"], "no/such.qrels good.run -m map"),
        (["--metrics", "qrels.txt", "good.run"], "qrels.txt good.run -m ndcg@10"),
        (["-m", "rbp(p=0.8)", "qrels.txt", "my good.run"], "qrels.txt 'my good.run' -m 'rbp(p=0.8)'"),
    ],
)
def test_the_right_command_can_be_pasted(assay, files, arguments, right):
    (files / "my good.run").write_text((files / "good.run").read_text())
    code, out, err = assay("score", *arguments)
    assert (code, out) == (2, "")
    assert shlex.split(err.splitlines()[-1]) == ["assay", "score", *shlex.split(right)]


@pytest.mark.parametrize(
    "arguments",
    [
        ["qrels.txt", "-q", "good.run"],
        ["qrels.txt", "--ties", "docid_asc", "good.run"],
        ["qrels.txt", "good.run", "-q", "poor.run"],
    ],
    ids=" ".join,
)
def test_options_between_files_work_or_are_explained(assay, arguments):
    code, out, err = assay("score", *arguments, "-m", "map")
    assert (code == 0 and "good" in out) or (code == 2 and "assay score qrels.txt good.run" in err)


def test_options_before_files_work_where_they_take_one_value(assay):
    assert (
        assay("score", "-f", "csv", "--ties", "docid_asc", "qrels.txt", "good.run", "-m", "map").out == "run,map\ngood,1.0\n"
    )
    assert assay("score", "-f", "csv", "-m", "map", "--", "qrels.txt", "good.run").out == "run,map\ngood,1.0\n"


# Data that are wrong: exit 3, and nothing on standard output


@pytest.mark.parametrize(
    ("arguments", "name"), [(("no.qrels", "good.run"), "no.qrels"), (("qrels.txt", "no.run"), "no.run")]
)
def test_a_file_that_is_not_there(assay, arguments, name):
    assert assay("score", *arguments) == (3, "", f"error: {name}: no such file\n")


def test_a_folder_is_not_a_file(assay):
    assert assay("score", "qrels.txt", ".") == (3, "", "error: .: is a folder, not a file\n")


def test_the_second_run_is_looked_for_before_the_first_is_read(assay, files):
    (files / "bad.run").write_text("not a run\n")
    assert assay("score", "qrels.txt", "bad.run", "no.run") == (3, "", "error: no.run: no such file\n")


def test_swapped_files_are_recognised(assay):
    code, out, err = assay("score", "good.run", "qrels.txt")
    assert (code, out) == (3, "")
    assert "good.run: this looks like a run" in err
    assert "judgments come first, then runs" in err


def test_judgments_given_as_a_run_are_recognised(assay):
    code, out, err = assay("score", "qrels.txt", "good.run", "qrels.txt")
    assert (code, out) == (3, "")
    assert "qrels.txt: this looks like judgments" in err


@pytest.mark.parametrize("content", ["", "\n\n", "# a comment\n", "\ufeff"])
@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_run(assay, files, content, name):
    (files / "empty.run").write_text(content)
    assert assay("score", "qrels.txt", "empty.run", "-f", name) == (3, "", "error: empty.run: the file holds no rankings\n")


def test_empty_judgments(assay, files):
    (files / "empty.qrels").write_text("")
    assert assay("score", "empty.qrels", "good.run") == (3, "", "error: empty.qrels: the file holds no judgments\n")


def test_faults_are_listed_by_file_and_line(assay, files):
    (files / "bad.run").write_text(
        "q1 Q0 d1\nq1 Q0 d1 1 nan t\nq1 Q0 d2 2 high t\nq1 Q0 d3 3 1 t\nq1 Q0 d3 4 0.5 t\nq1 Q0 d4 1 1 t\n"
    )
    code, out, err = assay("score", "qrels.txt", "bad.run")
    assert (code, out) == (3, "")
    assert err == (
        "error: bad.run: 4 faults\n"
        "  bad.run:1: expected 6 columns (query Q0 document rank score tag), found 3\n"
        "  bad.run:2: score 'nan' is not a number that can be ranked\n"
        "  bad.run:3: score 'high' is not a number\n"
        "  bad.run:5: document d3 appears twice for query q1 (first at line 4); "
        "--duplicates keep-best uses the better score\n"
    )


def test_faults_in_judgments_are_listed_by_file_and_line(assay, files):
    (files / "bad.qrels").write_text("q1 0 d1 1\nq1 0 d1\nq1 0 d2 high\n")
    code, out, err = assay("score", "bad.qrels", "good.run")
    assert (code, out) == (3, "")
    assert err == (
        "error: bad.qrels: 2 faults\n"
        "  bad.qrels:2: expected 4 columns (query iteration document grade), found 3\n"
        "  bad.qrels:3: grade 'high' is not a number\n"
    )


def test_twenty_faults_are_enough(assay, files):
    (files / "bad.run").write_text("q1 Q0 d1 1 nonsense here\n" * 1000)
    err = assay("score", "qrels.txt", "bad.run").err.splitlines()
    assert err[0] == "error: bad.run: 20 or more faults"
    assert len(err) == 21
    assert err[-1].startswith("  bad.run:20: ")


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_is_half_written(assay, files, name):
    (files / "bad.run").write_text("q1 Q0 d1 1 x t\n")
    code, out, err = assay("score", "qrels.txt", "good.run", "bad.run", "-f", name)
    assert (code, out) == (3, "")
    assert "bad.run:1:" in err


def test_faults_show_no_control_characters(assay, files):
    (files / "bad.run").write_text("q1 Q0 d\x1b[31m1 1 1 t\nq1 Q0 d\x1b[31m1 2 1 t\nq1 Q0 d2 1 \x1b]0;x\x07 t\n")
    code, out, err = assay("score", "qrels.txt", "bad.run")
    assert (code, out) == (3, "")
    assert not {"\x1b", "\x07"} & set(err)


def test_a_file_name_in_an_error_shows_no_control_characters(assay):
    code, out, err = assay("score", "qrels.txt", "\x1b[2Jgone.run")
    assert (code, out) == (3, "")
    assert "\x1b" not in err


def test_a_file_that_may_not_be_read_is_no_bug(assay, monkeypatch):
    open_file = Path.open

    def refuse(path, *how, **more):
        if path.name == "qrels.txt":
            raise PermissionError(13, "Permission denied", str(path))
        return open_file(path, *how, **more)

    monkeypatch.setattr(Path, "open", refuse)
    code, out, err = assay("score", "qrels.txt", "good.run")
    assert (code, out) == (3, "")
    assert err == "error: qrels.txt: cannot be read: Permission denied\n"


@pytest.mark.parametrize("piped", ["judgments", "run"])
def test_a_pipe_is_read_whole_or_refused(assay, files, piped):
    """As in: assay score qrels.txt <(zcat run.gz). It cannot be read twice, and half of it gives wrong figures."""
    qrels, run = "".join(f"q{n} 0 d 1\n" for n in range(2000)), "".join(f"q{n} Q0 d 1 1 t\n" for n in range(2000))
    (files / "long.qrels").write_text(qrels)
    (files / "long.run").write_text(run)
    ours, theirs = os.pipe()
    os.write(theirs, (qrels if piped == "judgments" else run).encode())
    os.close(theirs)
    sources = (f"/dev/fd/{ours}", "long.run") if piped == "judgments" else ("long.qrels", f"/dev/fd/{ours}")
    code, out, err = assay("score", *sources, "-m", "num_rel_ret", "-f", "trec")
    os.close(ours)
    assert (code, out.split()) == (0, ["num_rel_ret", "all", "2000"]) or (code == 3 and "pipe" in err)


def test_ids_that_cannot_be_written_are_no_bug(files, process):
    (files / "odd.json").write_text(r'{"q\ud800": {"d1": 1}}')
    code, _, err = process("score", "odd.json", "odd.json", "-m", "map", "-q")
    assert code in (0, 3)
    assert "Traceback" not in err


# Policies


@pytest.mark.parametrize("word", ["keep-best", "keep_best"])
def test_duplicates_can_keep_the_best(assay, files, word):
    (files / "twice.run").write_text("q1 Q0 d1 1 1 t\nq1 Q0 d2 2 5 t\nq1 Q0 d1 3 9 t\n")
    arguments = ("score", "qrels.txt", "twice.run", "-m", "mrr", "-f", "json")
    assert assay(*arguments)[:2] == (3, "")
    (result,) = json.loads(assay(*arguments, "--duplicates", word).out)["results"]
    assert result["per_query"]["q1"] == {"mrr": 1.0}
    assert result["policy"]["duplicates"] == "keep_best"


@pytest.mark.parametrize(("ties", "mrr"), [("docid_desc", 1 / 3), ("docid_asc", 1.0), ("input_order", 1 / 2)])
def test_ties(assay, files, ties, mrr):
    (files / "one.qrels").write_text("q 0 a 1\n")
    (files / "tied.run").write_text("q Q0 c 1 5 t\nq Q0 a 2 5 t\nq Q0 b 3 5 t\n")
    out = assay("score", "one.qrels", "tied.run", "-m", "mrr", "--ties", ties, "-f", "csv").out
    assert float(out.split(",")[-1]) == pytest.approx(mrr)


@pytest.mark.parametrize(("missing", "code", "out"), [("zero", 0, "poor,0.125"), ("skip", 0, "poor,0.25"), ("error", 3, "")])
def test_missing(assay, missing, code, out):
    done = assay("score", "qrels.txt", "poor.run", "-m", "map", "--missing", missing, "-f", "csv")
    assert done.code == code
    assert done.out == (f"run,map\n{out}\n" if out else "")
    assert "q2" in done.err
    assert done.err.startswith("error: poor.run:" if code else "note: poor:")


def test_extra(assay, files):
    (files / "extra.run").write_text((files / "good.run").read_text() + "q9 Q0 d1 1 1 t\n")
    assert "extra: 1 query of the run without judgments, left out." in assay("score", "qrels.txt", "extra.run").out
    code, out, err = assay("score", "qrels.txt", "extra.run", "--extra", "error")
    assert (code, out) == (3, "")
    assert "extra.run: 1 query of the run without judgments: q9" in err


def test_no_relevant(assay):
    arguments = ("score", "qrels.txt", "good.run", "-m", "mrr", "--rel", "2", "-f", "csv")
    assert assay(*arguments).out == "run,mrr\ngood,0.5\n"
    assert assay(*arguments, "--no-relevant", "skip").out == "run,mrr\ngood,1.0\n"


def test_nothing_scored_is_no_error(assay):
    arguments = ("score", "qrels.txt", "good.run", "-m", "map", "--rel", "9", "--no-relevant", "skip")
    code, out, err = assay(*arguments)
    assert (code, err) == (0, "")
    assert "good: 0 of 2 judged queries are scored." in out
    assert json.loads(assay(*arguments, "-f", "json").out)["results"][0]["summary"] == {"map": None}


def test_max_grade(assay):
    arguments = ("score", "qrels.txt", "good.run", "-m", "err@1", "-f", "csv")
    assert assay(*arguments).out == f"run,err@1\ngood,{(3 / 4 + 1 / 4) / 2}\n"
    assert assay(*arguments, "--max-grade", "3").out == f"run,err@1\ngood,{(3 / 8 + 1 / 8) / 2}\n"


def test_judged_only(assay, files):
    (files / "gaps.run").write_text("q1 Q0 x 1 9 t\nq1 Q0 y 2 8 t\nq1 Q0 d1 3 7 t\nq2 Q0 d4 1 1 t\n")
    arguments = ("score", "qrels.txt", "gaps.run", "-m", "mrr", "-f", "csv")
    assert float(assay(*arguments).out.split(",")[-1]) == pytest.approx((1 / 3 + 1) / 2)
    assert assay(*arguments, "--judged-only").out == "run,mrr\ngaps,1.0\n"


# What reviewers ran into


def test_metrics_may_be_given_in_several_goes(assay):
    assert assay("score", "qrels.txt", "good.run", "-m", "map", "-m", "mrr", "P@1", "-f", "csv").out.startswith(
        "run,map,mrr,precision@1\n"
    )


@pytest.mark.parametrize("word", ["more.run", "-", "good.run", "folder/x"])
def test_a_file_among_the_metrics_is_explained(assay, word):
    code, out, err = assay("score", "qrels.txt", "good.run", "-m", "map", word)
    assert (code, out) == (2, "")
    assert f"assay score qrels.txt good.run {word} -m map" in err


def test_text_without_per_query_is_announced(assay):
    assert "add --per-query" in assay("score", "qrels.txt", "good.run", "-m", "relstring", "map").err
    assert assay("score", "qrels.txt", "good.run", "-m", "relstring", "-q").err == ""


def test_a_level_that_gains_do_not_heed_is_said_so(assay):
    out = assay("score", "qrels.txt", "good.run", "-m", "ndcg@10", "map", "--rel", "2").out
    assert "the level does not change ndcg@10, which weighs every grade; ndcg(rel=2)@10 does." in out
    assert "level does not" not in assay("score", "qrels.txt", "good.run", "-m", "ndcg(rel=2)@10", "--rel", "2").out


def test_output_that_cannot_be_written_is_no_bug(files):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "assay", "score", "qrels.txt", "good.run"], stdout=full, stderr=subprocess.PIPE, cwd=files
        )
    assert done.returncode == 2
    assert b"No space left" in done.stderr


# Files that are something else


def test_a_saved_result_is_no_run(assay, files):
    (files / "a.json").write_text(assay("score", "qrels.txt", "good.run", "-f", "json").out)
    for arguments in (["qrels.txt", "a.json"], ["a.json", "good.run"], ["qrels.txt", "good.run", "a.json"]):
        code, out, err = assay("score", *arguments)
        assert (code, out) == (2, "")
        assert err.startswith("error: a.json is a saved result, not judgments or a run; assay why compares results:\n")


PROSE = "# Title\n\n" + "Some words that nobody would take for rows of a run.\nShort.\n" * 10 + "q1 Q0 d1 1 9 t\n" * 5


def test_prose_is_no_run_and_no_judgments(assay, files):
    (files / "prose.md").write_text(PROSE)
    code, out, err = assay("score", "qrels.txt", "prose.md")
    assert (code, out) == (3, "")
    assert err == (
        "error: prose.md does not look like a run: 20 of its first 20 lines cannot be read\n"
        "  prose.md:3: score 'would' is not a number\n"
        "  prose.md:4: expected 6 columns (query Q0 document rank score tag), found 1\n"
        "  prose.md:5: score 'would' is not a number\n"
        "  …\n"
    )
    assert assay("score", "prose.md", "good.run").err.startswith(
        "error: prose.md does not look like judgments: 20 of its first"
    )


def test_a_run_with_many_faults_is_still_a_run(assay, files):
    (files / "broken.run").write_text("".join(f"q1 Q0 d{n} 1 9 t\nq1 Q0 e{n} 1 nan t\nq1 {n}\n" for n in range(30)))
    err = assay("score", "qrels.txt", "broken.run").err
    assert err.startswith("error: broken.run: 20 or more faults\n")
    assert err.count("\n") == 21
    (files / "unscored.run").write_text("".join(f"q1 Q0 d{n} 1 none t\n" for n in range(30)))
    assert assay("score", "qrels.txt", "unscored.run").err.startswith("error: unscored.run: 20 or more faults\n")


def test_beirs_hole_is_explained_under_its_profile(assay, files):
    assert assay("score", "qrels.txt", "good.run", "-m", "hole@10", "-f", "csv").out == "run,unjudged@10\ngood,0.0\n"
    code, _, err = assay("score", "qrels.txt", "good.run", "-m", "hole@10", "--profile", "beir")
    assert code == 3
    assert "calls a document a hole if no query at all has it judged" in err


@pytest.mark.parametrize(
    ("flags", "metrics"),
    [((), {"map", "mrr"}), (("--ci", "none"), None), (("--ci", "t"), {"map", "mrr"}), (("--level", "0.8"), {"map", "mrr"})],
)
def test_json_has_the_intervals_of_all_metrics(assay, flags, metrics):
    done = assay("score", "qrels.txt", "good.run", "-m", "map", "mrr", "-f", "json", *flags)
    (found,) = json.loads(done.out)["results"]
    assert found.get("intervals", {}).keys() == (metrics or set())


@pytest.mark.parametrize("form", ["csv", "markdown", "latex"])
def test_other_formats_have_intervals_when_asked_for(assay, form):
    plain, asked = (assay("score", "qrels.txt", "good.run", "poor.run", "-f", form, *ci).out for ci in ((), ("--ci", "t")))
    assert not re.search("CI|interval", plain)
    assert re.search("CI|interval", asked)
