"""Help lists the commands without importing them: what it reads from their files is what the records say."""

import subprocess
import sys

import pytest

from assay.catalog import load_entries
from assay.cli.command_list import list_commands
from assay.cli.plain_help import PlainHelpFormatter
from assay.cli.program import FOLDER, PLUG_INS, Command, Group, build_parser

HEAVY = ("numpy", "rich", "importlib.metadata", "assay.cli.commands.score")


def test_the_list_is_that_of_the_records():
    records = load_entries(FOLDER, Command, PLUG_INS).own.values()
    listed = [(line.name, line.help, Group[line.group]) for line in list_commands(FOLDER)]
    assert listed == [(record.name, record.help, record.group) for record in records]


def test_help_imports_nothing_heavy():
    code = f"import sys, assay.cli; assay.cli.main(['--help']); sys.exit(repr([n for n in {HEAVY} if n in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == "[]"
    assert "score runs against judgments" in done.stdout


@pytest.mark.parametrize("command", ["score", "eval", "datasets", "chunk", "serve", "results"])
def test_plain_help_is_the_coloured_help_without_its_colours(command, monkeypatch):
    """The formatter of rich-argparse prints no colours into a pipe, but the same layout."""
    from rich_argparse import RawDescriptionRichHelpFormatter

    monkeypatch.setenv("COLUMNS", "80")
    texts = []
    for formatter in (PlainHelpFormatter, RawDescriptionRichHelpFormatter):
        parser = build_parser(command)
        sub = parser._subparsers._group_actions[0].choices[command]
        sub.formatter_class = formatter
        texts.append(sub.format_help())
    assert texts[0] == texts[1]
