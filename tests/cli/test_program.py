"""The program: which command runs, which exit code and message an end has; as a process, and in a terminal."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assay import __version__
from assay.errors import AssayError
from assay.text import display_width

from .conftest import SCRIPT

STYLE = re.compile(r"\x1b\[[0-9;]*m")
MODULE = (sys.executable, "-m", "assay")
DOCS = Path(__file__).parents[2] / "docs"


def test_version_and_help(assay):
    for flag in ("--version", "-V"):
        assert assay(flag) == (0, f"assay {__version__}\n", "")
    done = assay()
    assert done == assay("--help")
    for words in ("score", "score runs against judgments", "metrics", "explain a number", "exit codes: 0 fine"):
        assert words in done.out
    for command in ("score", "why", "metrics", "datasets"):
        done = assay(command, "--help")
        assert (done.code, f"assay {command} " in done.out, "examples:" in done.out) == (0, True, True), command


def test_commands_and_flags_nobody_knows(assay, told):
    lines = ["scroe", "--frobnicate", "score --frobnicate", "score q r --tie-bands", "score q r --profle=beir"]
    lines += [
        "why q r --expcted 0.3",
        "conformance --cases --tolrance 1",
        "--versoin",
        "score q r --xyz",
        "score q r --outer",
    ]
    lines += ["score q r --tie-bands --residuls --xyz", "score --metric map", "eval --qui", "serve --token-fil t", "--vers"]
    told("program/unknown", "\n".join(lines))
    for line in lines:
        assert assay(*line.split())[:2] == (2, ""), line


def test_a_bug_keeps_its_traceback(assay, files, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("one too many")

    monkeypatch.setattr(Path, "is_file", fail)
    code, out, err = assay("score", "qrels.txt", "good.run")
    assert (code, out, err.startswith("Traceback (most recent call last):")) == (70, "", True)
    assert "ZeroDivisionError: one too many" in err
    assert err.endswith("error: this is a bug in assay; please report it with the lines above\n")


def listed_codes(assay):
    """Code → what it means, on the help page."""
    listed = assay("--help").out.partition("exit codes: ")[2].replace("\n", " · ").split(" · ")
    return {int(one.split()[0]): one.strip().partition(" ")[2] for one in listed if one.strip()}


def codes_of(page, section):
    """Code → what it means, in the table of a page below these words."""
    text = (DOCS / page).read_text().partition(section)[2].partition("\n#")[0]
    return {int(code): means for code, means in re.findall(r"^\| (\d+) \| (.+) \|$", text, re.MULTILINE)}


def test_help_docs_and_errors_have_the_same_exit_codes(assay):
    codes = listed_codes(assay)
    page = codes_of("tour.md", "Every command ends with one of these exit codes")
    assert list(page) == list(codes)
    assert all(page[code].startswith(means) for code, means in codes.items())
    assert set(codes_of("running.md", "### Exit codes")) == set(codes) - {1}
    classes, found = [AssayError], set()
    while classes:
        one = classes.pop()
        classes += one.__subclasses__()
        found.add(one.exit_code)
    assert found <= set(codes)


# As a process of its own


def test_both_ways_to_start_it(process, files):
    for program in ((SCRIPT,), MODULE):
        done = process(
            "score", "qrels.txt", "-", "-m", "map", "-f", "json", program=program, input=(files / "good.run").read_bytes()
        )
        assert json.loads(done.out)["results"][0]["summary"] == {"map": 1.0}, program


@pytest.mark.slow
def test_a_pipe_gets_no_colour_and_no_wrapping(process, files):
    for words in (["score", "qrels.txt", "good.run", "poor.run"], ["metrics"], ["score", "--help"]):
        code, out, err = process(*words, env={"COLUMNS": "60"})
        assert (code, err, "\x1b" in out) == (0, "", False), words
        assert words[-1] == "--help" or max(map(len, out.splitlines())) > 60, words


@pytest.mark.slow
def test_a_reader_that_has_seen_enough(environment, files):
    """As in: assay score … --per-query | head -1, where head is gone before the first line."""
    for unbuffered in ("", "1"):
        for words in (["--version"], ["--help"], ["score", "qrels.txt", "good.run"]):
            ours, theirs = os.pipe()
            os.close(ours)
            env = os.environ | {"PYTHONUNBUFFERED": unbuffered}
            done = subprocess.run([SCRIPT, *words], stdout=theirs, stderr=subprocess.PIPE, env=env, check=False)
            os.close(theirs)
            assert (done.returncode, done.stderr) == (0, b""), words
    (files / "long.qrels").write_text("".join(f"q{number} 0 d 1\n" for number in range(20_000)))
    (files / "long.run").write_text("".join(f"q{number} Q0 d 1 1 t\n" for number in range(20_000)))
    command = f"'{SCRIPT}' score long.qrels long.run -m map --per-query -f csv --ci none | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"run,query,map\n", b"")


def test_an_interrupt(environment, files):
    """Standard input never ends; what was written is more than a pipe holds, so it is being read when the signal comes."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([SCRIPT, "score", "qrels.txt", "-"], **pipes) as child:
        child.stdin.write(b"q1 Q0 d1 1 9 t\n" * 100_000)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate()
    assert (child.returncode, out, err) == (130, b"", b"interrupted\n")


@pytest.mark.slow
def test_an_output_that_lacks_some_letters(environment, files):
    """As on Windows, where the output of a pipe is cp1252: · is there, ≥ and ∞ are not."""
    for encoding in ("ascii", "cp1252"):
        env = os.environ | {"PYTHONIOENCODING": encoding}
        for words in (["score", "qrels.txt", "good.run", "--rel", "1"], ["metrics", "dcg"]):
            done = subprocess.run([SCRIPT, *words], capture_output=True, env=env, check=False)
            assert (done.returncode, done.stderr, b"dcg" in done.stdout) == (0, b"", True), (encoding, words)


# In a terminal, 80 columns wide


def test_the_default_table_and_an_error_in_a_terminal(terminal, files):
    code, out, _ = terminal("score", "qrels.txt", "good.run", "poor.run")
    lines = STYLE.sub("", out).splitlines()
    assert (code, "\x1b[1;32m" in out, max(map(display_width, lines)) <= 80) == (0, True, True)
    expected = "good poor ndcg@10 recall@10 precision@5 mrr hit@5 map judged@10 1.0000 0.1250"
    assert set(expected.split()) <= set(" ".join(lines).split())
    assert terminal("score", "qrels.txt", "no.run") == (3, "\x1b[1;31merror:\x1b[0m no.run: no such file\n", "")


@pytest.mark.slow
def test_no_line_is_wider_than_the_terminal_and_colour_can_be_declined(terminal, files):
    commands = ["score qrels.txt good.run poor.run -m official --per-query", "metrics", "metrics ndcg", "score --help"]
    commands += [
        "score qrels.txt good.run poor.run -m ndcg@10 mrr --tie-band --residuals",
        "why qrels.txt poor.run -m ndcg@10",
    ]
    commands += ["why qrels.txt poor.run -m map --expected 0.25", "scoer"]
    for command in commands:
        shown = terminal(*command.split(), env={"NO_COLOR": "1"}).out
        assert ([line for line in shown.splitlines() if display_width(line) > 80], "\x1b" in shown) == ([], False), command
    for command in ("score qrels.txt good.run -m map", "metrics"):
        assert "map" in terminal(*command.split(), columns=0).out, "a terminal that does not know its width"
