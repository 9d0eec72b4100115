"""Help lists the commands without importing them, and has the same text with and without colours."""

import re
import subprocess
import sys

import pytest

STYLE = re.compile(r"\x1b\[[0-9;]*m")
HEAVY = ("numpy", "rich", "importlib.metadata", "assay.cli.commands.score")
LISTED = re.compile(r"^complete -c assay -n __fish_use_subcommand -f -a (\S+) -d (?:'(.*)'|(\S+))$", re.MULTILINE)


def test_the_list_is_that_of_the_commands(assay, monkeypatch):
    """The script for fish is built from the commands themselves."""
    monkeypatch.setenv("COLUMNS", "200")
    expected = {name: quoted or word for name, quoted, word in LISTED.findall(assay("completion", "fish").out)}
    lines = re.findall(r"^  ([a-z]+) +(\S.*)$", assay("--help").out.partition("Options:")[0], re.MULTILINE)
    assert len(expected) > 20
    assert dict(lines) == expected


def test_help_imports_nothing_heavy():
    code = f"import sys, assay.cli; assay.cli.main(['--help']); sys.exit(repr([n for n in {HEAVY} if n in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"
    assert "score runs against judgments" in done.stdout


@pytest.mark.parametrize("command", ["", "score", "eval", "datasets", "chunk", "serve", "results"])
def test_plain_help_is_the_coloured_help_without_its_colours(command, assay, screen, monkeypatch):
    coloured = screen(*filter(None, [command]), "--help", columns=80).out
    assert "\x1b[" in coloured
    monkeypatch.setenv("COLUMNS", "80")
    plain = assay(*filter(None, [command]), "--help").out
    assert [line.rstrip() for line in STYLE.sub("", coloured).splitlines()] == plain.splitlines()
