"""Move and rename modules and definitions by table.

python -m tools.move move TABLE [PLACE …] [--renames TABLE]    carry out rows whose new path is in one of the places
python -m tools.move rename TABLE                              rename definitions: module, old name, new name
python -m tools.move doors                                     change imports across packages to front doors; write stubs
python -m tools.move check TABLE                               check that every module has exactly one row
python -m tools.move verify TABLE [--quick]                    check that nothing refers to a removed name; run ruff and mypy
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools.move.checks import dangling, import_all, lint
from tools.move.doors import open_doors, private_imports
from tools.move.moving import move
from tools.move.report import Report
from tools.move.repository import Repository
from tools.move.tables import TableError, incomplete, read_moves, read_renames, select


def main(argv: list[str] | None = None) -> int:
    """Carry out one operation; 1 if a person must act before going on."""
    options = _parser().parse_args(argv)
    repository, report = Repository(options.root.resolve()), Report()
    try:
        wrong = _operation(options, repository, report)
    except TableError as error:
        wrong = [str(error)]
    if str(report):
        print(report)
        if options.report:
            options.report.write_text(str(report), encoding="utf-8")
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


def _operation(options: argparse.Namespace, repository: Repository, report: Report) -> list[str]:
    if options.operation == "move":
        renames = read_renames(options.renames) if options.renames else {}
        move(repository, select(read_moves(options.table), options.places), renames, report, dry=options.dry_run)
    elif options.operation == "rename":
        move(repository, [], read_renames(options.table), report)
    elif options.operation == "doors":
        return open_doors(repository, report)
    elif options.operation == "check":
        return incomplete(read_moves(options.table), repository)
    else:
        for one in private_imports(repository):
            report.add("Imports across packages that do not use the front door", one)
        wrong = dangling(repository, read_moves(options.table) if options.table else [])
        if not options.quick:
            python = repository.root / ".venv" / "bin" / "python"
            wrong += [import_all(repository, str(python)), lint(repository)]
        return [one for one in wrong if one]
    return []


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.move", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the repository (default: the current folder)")
    parser.add_argument("--report", type=Path, help="also write the report to this file")
    operations = parser.add_subparsers(dest="operation", required=True)
    moving = operations.add_parser("move", help="move and join modules by table")
    moving.add_argument("table", type=Path)
    moving.add_argument("places", nargs="*", help="only rows whose new path is one of these or inside it")
    moving.add_argument(
        "--renames", type=Path, help="table of names that change: module before the move, old name, new name"
    )
    moving.add_argument("--dry-run", action="store_true", help="only list name clashes")
    operations.add_parser("rename", help="rename definitions by table").add_argument("table", type=Path)
    operations.add_parser("doors", help="change imports across packages to front doors")
    operations.add_parser("check", help="check that the table is complete").add_argument("table", type=Path)
    verifying = operations.add_parser("verify", help="check that all references exist")
    verifying.add_argument("table", type=Path, nargs="?")
    verifying.add_argument("--quick", action="store_true", help="skip imports, ruff and mypy")
    return parser


if __name__ == "__main__":
    sys.exit(main())
