"""What the command tests share: small files, a place to evaluate in, the program in process, as a process, in a terminal."""

import fcntl
import io
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import NamedTuple

import pytest

from assay.cli import main
from assay.datasets import BenchmarkDataset
from assay.model import Document, Query

from ._evaluations import SEARCH, N
from ._tied import TIED_QRELS, TIED_RUN

SCRIPT = Path(sys.executable).with_name("assay")
QRELS = "q1 0 d1 2\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d4 1\n"
GOOD = "q1 Q0 d1 1 9 good\nq1 Q0 d3 2 8 good\nq2 Q0 d4 1 7 good\n"
POOR = "q1 Q0 d2 1 9 poor\nq1 Q0 d1 2 8 poor\n"
VOLATILE = {
    r"\d{4}-\d\d-\d\d-([a-z][a-z0-9-]*)-[0-9a-f]{4,}": r"DAY-\1-ID",
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(\+00:00|Z)?": "TIME",
    r"\d{4}-\d\d-\d\d": "DAY",
    r"\d+\.\d+ (m?s)\b": r"0 \1",
}


class Outcome(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The working directory, with judgments and two runs: map is 1 for good.run and 1/8 for poor.run."""
    for name, text in {"qrels.txt": QRELS, "good.run": GOOD, "poor.run": POOR}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def assay(capsys):
    """The program, called in process."""

    def call(*arguments):
        code = main(list(map(str, arguments)))
        return Outcome(code, *capsys.readouterr())

    return call


@pytest.fixture
def transcript(assay, snapshots):
    """The commands of a snapshot say what it says. Its lines `$ assay …` are run, `$ write FILE TEXT` writes a file.

    To add a command, write its line there; `make snapshots` adds what it says.
    """

    def check(name):
        texts = []
        lines = re.findall(r"^\$ (?:assay|write) .*", snapshots.read(name), re.MULTILINE)
        assert any(line.startswith("$ assay ") for line in lines), f"{name} has no command"
        for line in lines:
            _, kind, rest = line.split(" ", 2)
            if kind == "write":
                file, _, text = rest.partition(" ")
                Path(file).parent.mkdir(exist_ok=True)
                Path(file).write_text(text.encode().decode("unicode_escape").encode("latin-1").decode())
                texts.append(f"{line}\n")
                continue
            done = assay(*shlex.split(rest))
            said = done.out + "".join(f"! {error}\n" for error in done.err.splitlines())
            said = without_times(said.replace(sys.executable, "python"))
            texts.append(f"{line}\n{said}{f'exit {done.code}' if done.code else ''}".rstrip() + "\n")
        snapshots.check(name, "\n".join(texts))

    return check


def without_times(text):
    """A text without what changes from day to day."""
    for pattern, word in VOLATILE.items():
        text = re.sub(pattern, word, text)
    return text


@pytest.fixture
def environment(monkeypatch):
    """The environment of child processes, without what would change their output."""
    for name in ("PYTHONUNBUFFERED", "PYTHONIOENCODING", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("PYTHONUTF8", "1")


@pytest.fixture
def process(environment):
    """The program as a process of its own, its output in pipes."""

    def call(*arguments, program=(SCRIPT,), env=(), **how):
        done = subprocess.run([*program, *arguments], capture_output=True, env=os.environ | dict(env), check=False, **how)
        return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


@pytest.fixture
def terminal(environment):
    """The program in a terminal of a given width; standard error comes with the rest."""

    def call(*arguments, columns=80, env=()):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with subprocess.Popen(
            [SCRIPT, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=os.environ | dict(env)
        ) as child:
            os.close(theirs)
            shown = read_all(ours)
        return Outcome(child.returncode, shown.decode().replace("\r\n", "\n"), "")

    return call


@pytest.fixture
def screen(environment, monkeypatch, capsys):
    """The program in process, which is told that it writes to a terminal of a given width."""

    def call(*arguments, columns=80):
        with monkeypatch.context() as patch:
            patch.setenv("COLUMNS", str(columns))
            for stream in (sys.stdout, sys.stderr):
                patch.setattr(stream, "isatty", lambda: True)
            code = main(list(map(str, arguments)))
        return Outcome(code, *capsys.readouterr())

    return call


def read_all(terminal):
    """Everything until the other side hangs up, which a terminal reports as an error."""
    shown = b""
    try:
        while part := os.read(terminal, 65536):
            shown += part
    except OSError:
        pass
    finally:
        os.close(terminal)
    return shown


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a benchmark, a function that retrieves, and a plan."""
    dataset = BenchmarkDataset("small")
    for n in range(N):
        dataset.add_query(Query(f"q{n}", f"q{n}", difficulty="hard" if n % 2 else "easy", metadata={"language": "de"}))
        dataset.add_document(Document(f"d{n}", f"text {n}"))
        dataset.qrels[f"q{n}"] = {f"d{m}": float(m % 3) for m in range(n % 4, N, 5)}
    dataset.save_json(tmp_path / "small.json")
    (tmp_path / "mine.py").write_text(SEARCH)
    (tmp_path / "plan.yaml").write_text(
        "benchmarks: small.json\nproviders: python:mine:search\nmetrics: [mrr, ndcg@10]\nk: 5\nretries: 0\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    yield tmp_path
    sys.modules.pop("mine", None)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty working directory, without a store."""
    for name in ("ASSAY_STORE", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def stdin(monkeypatch):
    """Set what standard input holds."""

    def hold(content):
        encoded = content if isinstance(content, bytes) else content.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(encoded))))

    return hold


@pytest.fixture
def tied(files):
    """Judgments `q` and a run `r` in which four documents have one score."""
    (files / "q").write_text(TIED_QRELS)
    (files / "r").write_text(TIED_RUN)
    return files
