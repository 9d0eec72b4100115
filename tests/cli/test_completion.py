"""assay completion: the scripts, run by real shells."""

import argparse
import fcntl
import os
import pty
import select
import shlex
import shutil
import signal
import struct
import subprocess
import termios

import pytest

from assay.cli.completion import CATALOGS, command_words
from assay.cli.program import build_parser
from assay.evaluation import PROFILES
from assay.metrics import all_metrics
from assay.providers import all_providers


@pytest.fixture(scope="module")
def scripts():
    """Shell → its script, as it is printed."""
    from assay.cli.completion import SCRIPTS

    commands = command_words(build_parser())
    return {shell: make(commands) for shell, make in SCRIPTS.items()}


@pytest.fixture
def complete(scripts, tmp_path):
    """What bash offers for words; the last one is being typed."""

    def offered(*words):
        line = f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _assay; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        done = subprocess.run(
            [shutil.which("bash"), "--norc", "-uc", f"{scripts['bash']}\n{line}"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr == ""
        return done.stdout.split()

    return offered


def test_the_command_prints_what_a_shell_takes(assay, scripts):
    for shell, script in scripts.items():
        outcome = assay("completion", shell)
        assert (outcome.code, outcome.out, outcome.err) == (0, script, "")
    assert assay("completion", "tcsh").code == 2
    assert assay("completion").code == 2


def test_commands(complete):
    assert complete("assay", "sc") == ["score"]
    assert {"score", "eval", "compare", "completion", "--help", "--version"} <= set(complete("assay", ""))
    assert complete("assay", "xyz") == []


def test_flags(complete):
    assert complete("assay", "score", "q.txt", "r.run", "--ti") == ["--ties", "--tie-band"]
    assert "-m" in complete("assay", "score", "-")
    assert complete("assay", "show", "latest", "--q") == ["--query"]


def test_values_of_an_option(complete):
    assert complete("assay", "score", "--ties", "docid_") == ["docid_desc", "docid_asc"]
    assert complete("assay", "score", "--ties", "=", "docid_a") == ["docid_asc"]
    assert "docid_asc" in complete("assay", "score", "--ties", "=")
    assert complete("assay", "score", "--profile", "") == list(PROFILES)
    assert complete("assay", "completion", "f") == ["fish"]


def test_names_of_catalogs(complete):
    assert complete("assay", "eval", "--metrics", "") == list(all_metrics())
    assert complete("assay", "eval", "-m", "map", "ndc") == [name for name in all_metrics() if name.startswith("ndc")]
    assert complete("assay", "eval", "--metrics", "map", "--providers", "bm25", "") == list(all_providers())
    assert complete("assay", "eval", "--benchmarks", "rag") == ["rag-template"]
    assert complete("assay", "providers", "bm") == ["bm25"]
    assert complete("assay", "datasets", "ch") == ["check"]


def test_files_are_left_to_the_shell(complete):
    """Nothing is offered, and bash then offers files, for it was told to."""
    assert complete("assay", "score", "exa") == []
    assert complete("assay", "score", "-o", "") == []
    assert complete("assay", "eval", "--ties", "docid_asc", "pl") == []


def test_an_option_with_one_value_takes_no_second(complete):
    assert complete("assay", "datasets", "--dataset-format", "beir", "") == ["show", "check", "convert"]
    assert complete("assay", "datasets", "--help", "sh") == ["show"]


def test_every_flag_of_every_command_is_offered(complete):
    (commands,) = (action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    for name in ("eval", "gate", "why"):
        flags = {flag for action in commands.choices[name]._actions for flag in action.option_strings}
        assert set(complete("assay", name, "-")) == flags


def test_every_catalog_belongs_to_an_option():
    (commands,) = (action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction))
    names = {action.dest for sub in commands.choices.values() for action in sub._actions}
    assert {name for group in CATALOGS for name in group.split()} - names == set()
    assert all(list(read()) for read in CATALOGS.values())


def test_no_text_can_end_the_quotes_around_it(scripts):
    for line in scripts["fish"].splitlines():
        assert shlex.split(line)[:3] == ["complete", "-c", "assay"]


@pytest.mark.parametrize(("shell", "check"), [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
def test_the_shell_itself_can_read_it(scripts, shell, check, tmp_path):
    need(shell)
    (tmp_path / "script").write_text(scripts[shell])
    done = subprocess.run([shell, check, tmp_path / "script"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source ./script"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -u -D; source ./script"),
    "fish": (["fish", "--no-config", "-i"], "source ./script"),
}
"""How each shell starts without anybody's settings, and how it takes the script."""


@pytest.mark.parametrize("shell", START)
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("assay scor", "assay score"),
        ("assay score --tie-b", "assay score --tie-band"),
        ("assay score --ties docid_a", "assay score --ties docid_asc"),
        ("assay eval --metrics map ndcg_r", "assay eval --metrics map ndcg_rel"),
        ("assay eval --benchmarks rag", "assay eval --benchmarks rag-template"),
        ("assay score exam", "assay score examined.run"),
    ],
)
def test_what_somebody_types_is_completed(shell, typed, completed, scripts, tmp_path):
    """In a real shell behind a pseudo-terminal, by the key Tab."""
    need(shell)
    (tmp_path / "script").write_text(scripts[shell])
    (tmp_path / "examined.run").touch()
    command, setup = START[shell]
    with Terminal(command, tmp_path) as terminal:
        terminal.type(f"{setup}\necho rea''dy\n")
        terminal.wait_for("ready\r\n")
        terminal.type(f"{typed}\t")
        terminal.wait_for(completed)


def need(shell):
    """Skip, or fail, where a shell is missing."""
    if shutil.which(shell):
        return
    if "all" in os.environ.get("ASSAY_TEST_REQUIRE", "").split(","):
        pytest.fail(f"ASSAY_TEST_REQUIRE=all, but {shell} is missing")
    pytest.skip(f"{shell} is not installed")


class Terminal:
    """A program behind a pseudo-terminal of 200 columns; ended at the end."""

    def __init__(self, command, folder):
        self.shown = ""
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            path = os.environ["PATH"]
            os.execvpe(
                command[0], command, {"PATH": path, "HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8", "PS1": "$ "}
            )
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.file)

    def type(self, text):
        os.write(self.file, text.encode())

    def wait_for(self, text):
        """Read until that is shown; what is written otherwise is told."""
        while text not in self.shown:
            ready, _, _ = select.select([self.file], [], [], 60)
            assert ready, f"{text!r} is not in {self.shown!r}"
            self.shown += os.read(self.file, 1 << 16).decode(errors="replace")
