"""assay score, asked for what cannot be: exit 2, before any data is read, with the right command."""

import shlex

import pytest

pytestmark = pytest.mark.usefixtures("files")


def test_a_rule_that_is_not_there_is_answered_with_those_that_are(assay, files):
    err = assay("score", "qrels.txt", "good.run", "--ties", "docid-dsc").err
    said = "argument --ties: no rule is called 'docid-dsc'. Did you mean docid_desc or docid_asc?   (there are docid_desc, "
    assert said in err
    assert err.count("docid_asc") == 2
    assert "docid-asc" not in err
    assert assay("score", "qrels.txt", "good.run", "--ties", "docid-asc").code == 0


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
        assay("score", "-f", "csv", "--ci", "none", "--ties", "docid_asc", "qrels.txt", "good.run", "-m", "map").out
        == "run,queries,map\ngood,2,1.0\n"
    )
    assert (
        assay("score", "-f", "csv", "--ci", "none", "-m", "map", "--", "qrels.txt", "good.run").out
        == "run,queries,map\ngood,2,1.0\n"
    )


@pytest.mark.parametrize("word", ["more.run", "-", "good.run", "folder/x"])
def test_a_file_among_the_metrics_is_explained(assay, word):
    code, out, err = assay("score", "qrels.txt", "good.run", "-m", "map", word)
    assert (code, out) == (2, "")
    assert f"assay score qrels.txt good.run {word} -m map" in err
