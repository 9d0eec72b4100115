"""The program: which command runs, and which exit code and message an end has."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len

from assay._version import __version__
from assay.cli.exit_codes import EXIT_CODES
from assay.errors import AssayError

from .conftest import SCRIPT

STYLE = re.compile(r"\x1b\[[0-9;]*m")
MODULE = (sys.executable, "-m", "assay")


# In process


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(assay, flag):
    assert assay(flag) == (0, f"assay {__version__}\n", "")


def test_alone_it_prints_its_help(assay):
    code, out, err = assay()
    assert (code, err) == (0, "")
    assert out == assay("--help").out
    for words in ("score", "score runs against judgments", "metrics", "explain a number", "exit codes: 0 fine"):
        assert words in out


@pytest.mark.parametrize(
    ("command", "flags"),
    [
        ("score", ["--profile", "--ties", "--missing", "--rel", "--judged-only", "--tie-band", "--residuals"]),
        ("why", ["--expected", "--profile", "--ties", "--top"]),
        ("metrics", ["-f"]),
    ],
)
def test_help_of_a_command(assay, command, flags):
    code, out, err = assay(command, "--help")
    assert (code, err) == (0, "")
    assert f"assay {command} " in out
    assert "examples:" in out
    for flag in flags:
        assert flag in out


@pytest.mark.parametrize("arguments", [["scroe"], ["--frobnicate"], ["score", "--frobnicate"]])
def test_a_command_or_flag_nobody_knows(assay, arguments):
    code, out, err = assay(*arguments)
    assert (code, out) == (2, "")
    assert arguments[-1] in err
    assert " ".join(["assay", *arguments[:-1]]) + " --help" in err


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["score", "q", "r", "--tie-bands"], "--tie-band"),
        (["score", "q", "r", "--profle=beir"], "--profile"),
        (["why", "q", "r", "--expcted", "0.3"], "--expected"),
        (["conformance", "--cases", "--tolrance", "1"], "--tolerance"),
        (["--versoin"], "--version"),
    ],
)
def test_a_misspelt_flag(assay, arguments, meant):
    code, out, err = assay(*arguments)
    assert (code, out) == (2, "")
    assert f". Did you mean {meant}?\n" in err


@pytest.mark.parametrize("flag", ["--bogus", "--outer", "--xyz"])
def test_what_is_like_nothing_gets_no_suggestion(assay, flag):
    err = assay("score", "q", "r", flag).err
    assert f"unrecognized: {flag}\n" in err
    assert "Did you mean" not in err


def test_several_misspelt_flags_and_one_that_is_like_nothing(assay):
    err = assay("score", "q", "r", "--tie-bands", "--residuls", "--xyz").err
    assert "unrecognized: --tie-bands --residuls --xyz. Did you mean --tie-band and --residuals?\n" in err


def test_an_interrupt(assay, files, monkeypatch):
    monkeypatch.setattr("assay.evaluation.scoring.evaluate_settings", raising(KeyboardInterrupt))
    assert assay("score", "qrels.txt", "good.run") == (130, "", "interrupted\n")


def test_a_bug_keeps_its_traceback(assay, files, monkeypatch):
    monkeypatch.setattr("assay.evaluation.scoring.evaluate_settings", raising(ZeroDivisionError("one too many")))
    code, out, err = assay("score", "qrels.txt", "good.run")
    assert (code, out) == (70, "")
    assert err.startswith("Traceback (most recent call last):")
    assert "ZeroDivisionError: one too many" in err
    assert err.endswith("error: this is a bug in assay; please report it with the lines above\n")


def raising(error):
    def fail(*_, **__):
        raise error

    return fail


# As a process of its own


@pytest.mark.parametrize("program", [(SCRIPT,), MODULE], ids=["assay", "python -m assay"])
def test_both_ways_to_start_it(process, files, program):
    assert process("--version", program=program) == (0, f"assay {__version__}\n", "")
    assert process("score", "qrels.txt", "good.run", "-m", "map", "-f", "csv", "--ci", "none", program=program) == (
        0,
        "run,queries,map\ngood,2,1.0\n",
        "",
    )
    assert process("score", "no", "no", "-m", "no", program=program)[:2] == (2, "")


def test_a_pipe_gets_no_colour_and_no_wrapping(process, files):
    for arguments in (["score", "qrels.txt", "good.run", "poor.run"], ["metrics"], ["score", "--help"]):
        code, out, err = process(*arguments, env={"COLUMNS": "60"})
        assert (code, err) == (0, "")
        assert "\x1b" not in out
        assert arguments[-1] == "--help" or max(map(len, out.splitlines())) > 60


def test_a_run_through_a_pipe(process, files):
    done = process("score", "qrels.txt", "-", "-m", "map", "-f", "json", input=(files / "good.run").read_bytes())
    assert json.loads(done.out)["results"][0]["summary"] == {"map": 1.0}


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["score", "qrels.txt", "good.run"]], ids=" ".join)
def test_a_reader_that_has_seen_enough(environment, files, arguments, unbuffered):
    """As in: assay score … --per-query | head -1, where head is gone before the first line."""
    ours, theirs = os.pipe()
    os.close(ours)
    env = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run([SCRIPT, *arguments], stdout=theirs, stderr=subprocess.PIPE, env=env, check=False)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, b"")


def test_head(environment, files):
    (files / "long.qrels").write_text("".join(f"q{number} 0 d 1\n" for number in range(20_000)))
    (files / "long.run").write_text("".join(f"q{number} Q0 d 1 1 t\n" for number in range(20_000)))
    command = f"'{SCRIPT}' score long.qrels long.run -m map --per-query -f csv --ci none | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"run,query,map\n", b"")


def test_a_real_interrupt(environment, files):
    """Standard input never ends; what was written is more than a pipe holds, so it is being read when the signal comes."""
    with subprocess.Popen(
        [SCRIPT, "score", "qrels.txt", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        child.stdin.write(b"q1 Q0 d1 1 9 t\n" * 100_000)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate()
    assert (child.returncode, out, err) == (130, b"", b"interrupted\n")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_an_output_that_lacks_some_letters(environment, files, encoding):
    """As on Windows, where the output of a pipe is cp1252: · is there, ≥ and ∞ are not."""
    env = os.environ | {"PYTHONIOENCODING": encoding}
    for arguments in (["score", "qrels.txt", "good.run", "--rel", "1"], ["metrics", "dcg"]):
        done = subprocess.run([SCRIPT, *arguments], capture_output=True, env=env, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"dcg" in done.stdout


# In a terminal, 80 columns wide


def test_the_default_table_in_a_terminal(terminal, files):
    code, out, _ = terminal("score", "qrels.txt", "good.run", "poor.run")
    assert code == 0
    assert "\x1b[1;32m" in out
    lines = STYLE.sub("", out).splitlines()
    assert max(map(cell_len, lines)) <= 80
    words = set(" ".join(lines).split())
    assert {
        "good",
        "poor",
        "ndcg@10",
        "recall@10",
        "precision@5",
        "mrr",
        "hit@5",
        "map",
        "judged@10",
        "1.0000",
        "0.1250",
    } <= words


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "qrels.txt", "good.run", "poor.run", "-m", "official", "-q"],
        ["metrics"],
        ["metrics", "ndcg"],
        ["score", "--help"],
        ["score", "qrels.txt", "good.run", "poor.run", "-m", "ndcg@10", "mrr", "--tie-band", "--residuals"],
        ["why", "qrels.txt", "poor.run", "-m", "ndcg@10"],
        ["why", "qrels.txt", "poor.run", "-m", "map", "--expected", "0.25"],
    ],
    ids=" ".join,
)
def test_no_line_is_wider_than_the_terminal(terminal, files, arguments):
    code, out, _ = terminal(*arguments)
    assert code == 0
    assert [line for line in STYLE.sub("", out).splitlines() if cell_len(line) > 80] == []


@pytest.mark.parametrize("arguments", [["score", "qrels.txt", "good.run", "poor.run", "-m", "map"], ["metrics"], ["--help"]])
def test_colour_can_be_declined(terminal, files, arguments):
    code, out, _ = terminal(*arguments, env={"NO_COLOR": "1"})
    assert code == 0
    assert out
    assert "\x1b" not in out


@pytest.mark.parametrize("arguments", [["score", "qrels.txt", "good.run", "-m", "map"], ["metrics"]], ids=" ".join)
def test_a_terminal_that_does_not_know_its_width(terminal, files, arguments):
    code, out, _ = terminal(*arguments, columns=0)
    assert code == 0
    assert "map" in out


def test_errors_in_a_terminal(terminal, files):
    assert terminal("score", "qrels.txt", "no.run") == (3, "\x1b[1;31merror:\x1b[0m no.run: no such file\n", "")
    assert terminal("score", "qrels.txt", "no.run", env={"NO_COLOR": "1"}) == (3, "error: no.run: no such file\n", "")


# Exit codes


DOCS = Path(__file__).parents[2] / "docs"


def codes_of(page, section):
    """Code → what it means, in the table of a page below these words."""
    table = re.findall(
        r"^\| (\d+) \| (.+) \|$", (DOCS / page).read_text().partition(section)[2].partition("\n#")[0], re.MULTILINE
    )
    return {int(code): means for code, means in table}


def test_the_docs_list_every_exit_code_and_no_other():
    listed = codes_of("tour.md", "Every command ends with one of these exit codes")
    assert list(listed) == list(EXIT_CODES)
    assert all(listed[code].startswith(means) for code, means in EXIT_CODES.items())
    assert set(codes_of("running.md", "### Exit codes")) == set(EXIT_CODES) - {1}


def test_the_help_page_lists_every_exit_code(assay):
    listed = assay("--help").out.partition("exit codes: ")[2].replace("\n", " · ").split(" · ")
    assert [one.strip() for one in listed if one.strip()] == [f"{code} {means}" for code, means in EXIT_CODES.items()]


def test_the_codes_of_errors_are_listed():
    classes, codes = [AssayError], set()
    while classes:
        one = classes.pop()
        classes += one.__subclasses__()
        codes.add(one.exit_code)
    assert codes <= set(EXIT_CODES)


@pytest.mark.parametrize(
    "words", [["score", "--metric", "map"], ["eval", "--qui"], ["serve", "--token-fil", "t"], ["--vers"]]
)
def test_no_flag_is_read_from_its_beginning(assay, words):
    done = assay(*words)
    assert (done.code, done.out) == (2, "")
    assert "unrecognized: --" in done.err
