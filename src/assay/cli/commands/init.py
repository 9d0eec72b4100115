"""assay init: write a plan, rules for the gate and a GitHub workflow for the data in a folder."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.program import Command
from assay.errors import UsageError
from assay.text import printable

if TYPE_CHECKING:
    from assay.cli.starter_files import Starter
    from assay.datasets import FoundData

EXAMPLES = """\
  assay init
  assay init ./my-project --force"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Where to look, and whether to overwrite."""
    parser.add_argument("folder", nargs="?", default=".", help="folder to look in and to write to (default: this folder)")
    parser.add_argument("--force", action="store_true", help="overwrite files that exist")


def run_init(options: argparse.Namespace) -> int:
    """Look for data, write the files, and say what to run next. A file that exists is kept unless --force is given."""
    from assay.cli.starter_files import make_starter
    from assay.datasets import find_data

    folder = Path(options.folder)
    if not folder.is_dir():
        raise UsageError(f"{printable(str(folder))} is not a folder")
    data = find_data(folder)
    starter = make_starter(data, folder)
    kept = [name for name in starter.files if (folder / name).exists() and not options.force]
    written = [name for name in starter.files if name not in kept]
    _write(folder, {name: starter.files[name] for name in written})
    sys.stdout.write(_text(folder, data, written, kept, starter))
    return 0


def _write(folder: Path, files: dict[str, str]) -> None:
    from assay.atomic_write import atomic_write

    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(folder / name) as file:
            file.write(text.encode())


def _text(folder: Path, data: FoundData, written: list[str], kept: list[str], starter: Starter) -> str:
    from assay.cli.starter_files import PURPOSES, describe_benchmark, next_commands

    def place(path: Path) -> str:
        return path.relative_to(folder).as_posix()

    data_rows = [(place(benchmark.path), describe_benchmark(benchmark)) for benchmark in data.benchmarks]
    data_rows += [(place(run.path), "run file") for run in data.runs]
    blocks = [
        _block("Found", data_rows or [("no data", "the plan uses the bundled example; put your own data into it")]),
        _block("Not readable", [(fault, "") for fault in data.faults]),
        _block("Wrote", [(name, PURPOSES[name]) for name in written]),
        _block("Kept", [(name, "it exists; --force overwrites it") for name in kept]),
        _block("Next", next_commands(starter, folder)),
    ]
    return "\n".join(filter(None, blocks))


def _block(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """A heading and aligned rows; nothing without rows."""
    lines = [(printable(name), printable(text)) for name, text in rows]
    width = max((len(name) for name, _ in lines), default=0)
    body = "".join(f"  {name.ljust(width)}   {text}".rstrip() + "\n" for name, text in lines)
    return f"{title}\n{body}" if lines else ""


COMMAND = Command(
    "init", "write a plan, gate rules and a GitHub workflow for the data in a folder", add_arguments, run_init, EXAMPLES
)
