"""assay completion: the scripts, run by real shells."""

import fcntl
import io
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import termios
from contextlib import redirect_stdout

import pytest

from assay.charts import all_charts
from assay.cli import main
from assay.datasets import all_formats
from assay.metrics import all_metrics
from assay.providers import all_providers

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "-n", "source ./script"),
    "zsh": (["zsh", "-f", "-i"], "-n", "autoload -U compinit; compinit -u -D; source ./script"),
    "fish": (["fish", "--no-config", "-i"], "--no-execute", "source ./script"),
}
"""How each shell starts without anybody's settings, how it only reads a script, and how it takes one."""
OFFERED = {
    "xyz": [],
    "completion f": ["fish"],
    "score q.txt r.run --ti": ["--ties", "--tie-band"],
    "score --ties = docid_a": ["docid_asc"],
    "datasets ch": ["check"],
    "datasets --dataset-format beir ''": ["formats", "show", "check", "convert"],  # an option with one value takes no second
    "datasets --help sh": ["show"],
    "score exa": [],  # nothing is offered, and bash then offers files, for it was told to
    "eval --ties docid_asc pl": [],
}
"""What is typed after assay → what is offered."""
CATALOGS = {
    "eval --metrics ''": all_metrics(),
    "eval --metrics map --providers bm25 ''": all_providers(),
    "datasets --dataset-format ''": all_formats(),
    "plot ''": all_charts(),
}
"""What is typed → the catalog whose names are offered, all of them."""
COMPLETED = {
    "assay scor": "assay score",
    "assay score --tie-b": "assay score --tie-band",
    "assay score --ties docid_a": "assay score --ties docid_asc",
    "assay eval --metrics map ndcg_r": "assay eval --metrics map ndcg_rel",
    "assay eval --benchmarks rag": "assay eval --benchmarks rag-template",
    "assay score exam": "assay score examined.run",
}
"""What is typed before Tab → the line then."""


def printed(*words):
    with redirect_stdout(io.StringIO()) as out:
        assert main(list(words)) == 0
    return out.getvalue()


@pytest.fixture(scope="module")
def scripts():
    """Shell → its script."""
    return {shell: printed("completion", shell) for shell in SHELLS}


@pytest.fixture
def complete(scripts, tmp_path):
    """Lines that somebody types after assay → what bash offers for the last word of each."""

    def offered(lines):
        calls = (
            f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _assay; echo ${{COMPREPLY[@]}}"
            for words in (["assay", *shlex.split(line)] for line in lines)
        )
        command = ["bash", "--norc", "-uc", "\n".join((scripts["bash"], *calls))]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return dict(zip(lines, map(str.split, done.stdout.splitlines()), strict=True))

    return offered


def test_what_bash_offers(complete):
    assert complete(OFFERED) == OFFERED
    assert complete(CATALOGS) == {line: " ".join(names).split() for line, names in CATALOGS.items()}
    (offered,) = complete(["''"]).values()
    assert {"score", "eval", "compare", "completion", "--help", "--version"} <= set(offered)


def test_every_flag_of_a_command_is_offered(complete):
    for line, offered in complete(["eval -", "gate -", "why -"]).items():
        usage = printed(line.split()[0], "--help").partition("\n\n")[0]
        flags = set(re.findall(r"(?<=[\[ ])--?[a-z][\w-]*", usage))
        assert (len(flags) > 5, flags - set(offered)) == (True, set()), line


def test_no_text_can_end_the_quotes_around_it(scripts):
    for line in scripts["fish"].splitlines():
        assert shlex.split(line)[:3] == ["complete", "-c", "assay"]


@pytest.mark.parametrize("shell", SHELLS)
def test_what_somebody_types_is_completed(shell, scripts, tmp_path):
    """In a real shell behind a pseudo-terminal, by the key Tab."""
    if not shutil.which(shell):
        if "all" in os.environ.get("ASSAY_TEST_REQUIRE", "").split(","):
            pytest.fail(f"ASSAY_TEST_REQUIRE=all, but {shell} is missing")
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(scripts[shell])
    (tmp_path / "examined.run").touch()
    command, check, setup = SHELLS[shell]
    done = subprocess.run([shell, check, tmp_path / "script"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    with Terminal(command, tmp_path) as terminal:
        terminal.type(f"{setup}\necho rea''dy\n")
        terminal.wait_for("ready\r\n")
        for typed, completed in COMPLETED.items():
            terminal.type(f"{typed}\t")
            terminal.wait_for(completed)
            terminal.type("\x15")


class Terminal:
    """A program behind a pseudo-terminal of 200 columns; ended at the end."""

    def __init__(self, command, folder):
        self.shown = ""
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            environment = {"HOME": str(folder), "TERM": "dumb", "LC_ALL": "C.UTF-8", "PS1": "$ "}
            os.execvpe(command[0], command, {"PATH": os.environ["PATH"], **environment})
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
        self.shown = ""
