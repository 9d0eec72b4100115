"""Command: the record every command file ends in; and a parser whose errors are ours."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from assay.errors import UnknownName, UsageError, near_matches


@dataclass(frozen=True)
class Command:
    """One command: its name, what it does in one line, its arguments, and the function that runs it."""

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    examples: str = ""
    also_takes: str = ""
    """The option that words left over go to: argparse loses files that follow a flag, as in `score q.txt -q r.txt`."""
    computes: bool = False
    """Whether it does something that takes time and choices, and so has `-v`, which tells of both."""


class Parser(argparse.ArgumentParser):
    """Raises UsageError instead of exiting, with the command to ask for help. Flags are written out in full."""

    def __init__(self, *words: Any, **how: Any) -> None:
        super().__init__(*words, **{"allow_abbrev": False, **how})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where to read on."""
        shape = re.match(r"argument COMMAND: invalid choice: '(.+?)' \(choose from (.+)\)", message)
        if shape:
            known = re.findall(r"[a-z]+", shape[2])
            hint = f"there are {', '.join(known)}; assay --help"
            raise UnknownName("command", shape[1], near_matches(shape[1], known), hint)
        raise UsageError(f"{message}\n  {self.prog} --help shows how it is written")
