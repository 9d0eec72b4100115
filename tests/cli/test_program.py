"""The program: which command runs, which exit code and message an end has; as a process, and its signals."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assay import __version__
from assay.cli import main
from assay.errors import AssayError

from .conftest import SCRIPT

MODULE = (sys.executable, "-m", "assay")
DOCS = Path(__file__).parents[2] / "docs"


def test_version_and_help(assay):
    for flag in ("--version", "-V"):
        assert assay(flag) == (0, f"assay {__version__}\n", "")
    assert assay("version") == assay("--version")
    assert assay("help") == assay("--help")
    assert assay("help", "why") == assay("why", "--help")
    assert assay().out.startswith("Measure how well")
    done = assay("why", "--help")
    assert (done.code, "assay why " in done.out, "examples:" in done.out) == (0, True, True)


def test_commands_and_flags_nobody_knows(transcript):
    transcript("program/unknown")


def test_a_bug_keeps_its_traceback(assay, files, monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError("one too many")

    monkeypatch.setattr(Path, "is_file", fail)
    code, out, err = assay("score", "qrels.txt", "good.run")
    assert (code, out, err.startswith("Traceback (most recent call last):")) == (70, "", True)
    assert "ZeroDivisionError: one too many" in err
    assert err.endswith("error: this is a bug in assay. Please report it with the lines above\n")


def codes_of(page, section):
    """Code → what it means, in the table of a page below these words."""
    text = (DOCS / page).read_text().partition(section)[2].partition("\n#")[0]
    return {int(code): means for code, means in re.findall(r"^\| (\d+) \| (.+) \|$", text, re.MULTILINE)}


def test_help_docs_and_errors_have_the_same_exit_codes(assay):
    listed = assay("--help").out.partition("exit codes: ")[2].replace("\n", " · ").split(" · ")
    codes = {int(one.split()[0]): one.strip().partition(" ")[2] for one in listed if one.strip()}
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


def test_as_a_module(process, files):
    run = (files / "good.run").read_bytes()
    done = process("score", "qrels.txt", "-", "-m", "map", "-f", "json", program=MODULE, input=run)
    assert json.loads(done.out)["results"][0]["summary"] == {"map": 1.0}


def test_a_pipe_gets_no_colour_and_no_wrapping(assay, files, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    for words in (["score", "qrels.txt", "good.run", "poor.run"], ["metrics"]):
        code, out, err = assay(*words)
        assert (code, err, "\x1b" in out, max(map(len, out.splitlines())) > 60) == (0, "", False, True), words


@pytest.mark.slow
def test_a_reader_that_has_seen_enough(environment, files):
    (files / "long.qrels").write_text("".join(f"q{number} 0 d 1\n" for number in range(20_000)))
    (files / "long.run").write_text("".join(f"q{number} Q0 d 1 1 t\n" for number in range(20_000)))
    command = f"'{SCRIPT}' score long.qrels long.run -m map --per-query -f csv --ci none | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"run,query,map\n", b"")


def test_in_ascii_every_sign_has_a_stand_in_and_letters_of_the_user_are_written_out(process, files):
    (files / "qrels.txt").write_text("é 0 d1 1\n", encoding="utf-8")
    (files / "good.run").write_text("é Q0 d1 1 1 t\n", encoding="utf-8")
    ascii_alone = {"PYTHONUTF8": "0", "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0"}
    done = process(
        "score", "qrels.txt", "good.run", "-m", "map", "--per-query", "--rel", "1", program=MODULE, env=ascii_alone
    )
    assert (done.code, done.out.isascii(), "grade >= 1" in done.out, "\\xe9" in done.out) == (0, True, True, True)


@pytest.mark.slow
def test_an_output_that_lacks_some_letters(environment, files):
    """As on Windows, where the output of a pipe is cp1252: · is there, ≥ and ∞ are not."""
    for words in (["score", "qrels.txt", "good.run", "--rel", "1"], ["metrics", "dcg"]):
        env = os.environ | {"PYTHONIOENCODING": "cp1252"}
        done = subprocess.run([SCRIPT, *words], capture_output=True, env=env, check=False)
        assert (done.returncode, done.stderr, b"dcg" in done.stdout) == (0, b"", True), words


def reading(copies, **how):
    """A program that reads standard input, which stays open, so it is certain to be reading it when a signal comes."""
    command = [SCRIPT, "score", "qrels.txt", "-", "-m", "map", "--format", "json"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    program = subprocess.Popen(command, env=os.environ | {"TMPDIR": str(copies)}, **pipes, **how)
    program.stdin.write(b"q1 Q0 d1 1 9 good\n" + b"\n" * 400_000)  # far more than a pipe holds, so the copy has begun
    program.stdin.flush()
    return program


def check_interrupt(copies, number):
    """It ends with the code of the signal, and what was copied from standard input is gone."""
    with reading(copies) as program:
        program.send_signal(number)
        _, said = program.communicate()
    assert (program.returncode, said, list(copies.iterdir())) == (128 + number, b"interrupted\n", []), number


@pytest.mark.usefixtures("environment", "files")
def test_an_interrupt(tmp_path_factory):
    check_interrupt(tmp_path_factory.mktemp("copies"), signal.SIGINT)


@pytest.mark.slow
@pytest.mark.usefixtures("environment", "files")
def test_other_signals(tmp_path_factory):
    copies = tmp_path_factory.mktemp("copies")
    for number in (signal.SIGHUP, signal.SIGTERM):
        check_interrupt(copies, number)
    with reading(copies, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as program:
        program.send_signal(signal.SIGHUP)  # as under nohup
        said, _ = program.communicate()
    assert (program.returncode, bool(json.loads(said))) == (0, True)


def test_in_another_thread_it_runs_without_signals(capsys):
    found = []
    thread = threading.Thread(target=lambda: found.append(main(["--version"])))
    thread.start()
    thread.join()
    assert found == [0]


SHOWS_WAITING_TIME = """
import os, sys
from assay import cli

seen = []
cli._run = lambda arguments: seen.append((os.environ.get(cli.WAITING_TIME), "numpy" in sys.modules)) or 0
cli.main(["metrics"])
print(*seen, os.environ.get(cli.WAITING_TIME))
"""


@pytest.mark.parametrize(("chosen", "shown"), [(None, "('4', False) None"), ("20", "('20', False) 20")])
def test_idle_threads_of_the_matrix_library_sleep_unless_the_user_chose_a_time(chosen, shown):
    """The variable is set before NumPy is imported, and removed at the end."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_THREAD_TIMEOUT"}
    environment |= {"OPENBLAS_THREAD_TIMEOUT": chosen} if chosen else {}
    command = [sys.executable, "-c", SHOWS_WAITING_TIME]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == shown
