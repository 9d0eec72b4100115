"""The list of commands for help, read from the source of their files, because importing all commands takes long.

Each file in `commands` ends with its `Command(…)` records. Name, help and group are literals there.
"""

from __future__ import annotations

import ast
import os
import re
from importlib import import_module
from typing import NamedTuple

RECORD = re.compile(r"^\w+ = Command\(", re.MULTILINE)


class ListedCommand(NamedTuple):
    """What help says about a command: its name, what it does in one line, and the name of its group."""

    name: str
    help: str
    group: str


def list_commands(folder: str) -> list[ListedCommand]:
    """The commands in the files of a package, by name; none if their source is not there."""
    path = import_module(folder).__path__[0]
    try:
        files = [name for name in os.listdir(path) if name.endswith(".py") and not name.startswith("_")]  # noqa: PTH208
    except OSError:
        return []
    return sorted(command for name in files for command in _commands_in(f"{path}/{name}"))


def _commands_in(path: str) -> list[ListedCommand]:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123 (pathlib takes longer to import than the files to read)
        text = file.read()
    first = RECORD.search(text)
    body = ast.parse(text[first.start() :]).body if first else []
    calls = [node.value for node in body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    return [_listed(call) for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Command"]


def _listed(call: ast.Call) -> ListedCommand:
    name, text = (ast.literal_eval(argument) for argument in call.args[:2])
    group = next(keyword.value for keyword in call.keywords if keyword.arg == "group")
    return ListedCommand(name, text, group.attr if isinstance(group, ast.Attribute) else "")
