"""The last line of scores: a command that says whether their difference is real."""

import shlex

import pytest

pytestmark = pytest.mark.usefixtures("files")
QUESTION = "Is the difference real?  "


def command(out):
    """The words behind the question, ready to be called."""
    last = out.splitlines()[-1]
    assert last.startswith(QUESTION)
    return shlex.split(last.removeprefix(QUESTION))


def test_two_runs_end_in_a_command_that_compares_them(assay):
    words = command(assay("score", "qrels.txt", "poor.run", "good.run", "-m", "num_q", "map").out)
    assert words == ["assay", "compare", "qrels.txt", "poor.run", "good.run", "-m", "map"]
    done = assay(*words[1:])
    assert (done.code, done.err) == (0, "")
    assert "good" in done.out


def test_the_command_scores_as_this_one_did_and_survives_a_shell(assay, files):
    (files / "my good.run").write_text((files / "good.run").read_text())
    flags = ["--profile", "trec_eval-9", "--rel", "2", "--ties", "docid_asc", "--judged-only"]
    out = assay("score", "qrels.txt", "my good.run", "poor.run", "-m", "P(rel=2)@5", *flags).out
    words = command(out)
    assert words[2:7] == ["qrels.txt", "my good.run", "poor.run", "-m", "precision(rel=2)@5"]
    assert words[7:] == ["--profile", "trec_eval-9", "--ties", "docid_asc", "--rel", "2", "--judged-only", "--intersect"]
    assert assay(*words[1:]).code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("good.run", "-m", "map"),
        ("good.run", "poor.run", "-m", "map", "-f", "csv"),
        ("good.run", "poor.run", "-m", "map", "-f", "markdown"),
        ("good.run", "poor.run", "-m", "num_q"),
    ],
)
def test_there_is_no_such_line_where_nothing_can_be_compared_or_nobody_reads_it(assay, arguments):
    assert QUESTION not in assay("score", "qrels.txt", *arguments).out


def test_there_is_no_question_where_nothing_differs_or_one_query_would_answer_it(assay, files):
    (files / "same.run").write_text((files / "good.run").read_text())
    assert QUESTION not in assay("score", "qrels.txt", "good.run", "same.run", "-m", "map").out
    (files / "one.txt").write_text("q1 0 d1 2\n")
    assert QUESTION not in assay("score", "one.txt", "good.run", "poor.run", "-m", "mrr").out


def test_standard_input_cannot_be_read_again(assay, files, stdin):
    stdin((files / "poor.run").read_text())
    assert QUESTION not in assay("score", "qrels.txt", "good.run", "-", "-m", "map").out
