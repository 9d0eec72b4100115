"""assay doctor: what is installed, which extras are missing, and where the store and the caches are."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from typing import TYPE_CHECKING, Any

from assay.cli.output_options import add_store_argument, add_text_or_json
from assay.cli.program import Command, Group
from assay.cli.streams import write_json
from assay.cli.terminal import text_here
from assay.errors import DataError, StoreError

if TYPE_CHECKING:
    from assay.cli.installation import Installation
    from assay.reports import Section

EXAMPLES = """\
  assay doctor
  assay doctor --format json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The store to look at, and the format."""
    add_store_argument(parser)
    add_text_or_json(parser)


def run_doctor(options: argparse.Namespace) -> int:
    """Print the installation. The exit code is 6 if the store cannot be read, 3 if assay cannot work for another reason."""
    from assay.cli.installation import inspect_installation

    installation = inspect_installation(options.store)
    if options.format == "json":
        write_json(_plain(installation))
    else:
        sys.stdout.write(text_here(_sections(installation)))
    if installation.store.error:
        return StoreError.exit_code
    return DataError.exit_code if installation.faults else 0


def _plain(installation: Installation) -> dict[str, Any]:
    plain = dataclasses.asdict(installation)
    for extra, state in zip(plain["extras"], installation.extras, strict=True):
        extra |= {"missing": state.missing, "install": state.install}
    for folder in plain["caches"]:
        folder["path"] = str(folder["path"])
    return {**plain, "faults": installation.faults}


def _sections(installation: Installation) -> tuple[Section, ...]:
    from assay.cli.installation import describe_folder, describe_store, versions
    from assay.reports import Notes, Section, Table, cells, text_columns

    head = [
        ("assay", f"{installation.version}, in {installation.path}"),
        ("Python", f"{installation.python}, {installation.executable}"),
        ("system", installation.system),
        ("packages", versions(installation.packages)),
        ("store", f"{installation.store.location}: {describe_store(installation.store)}"),
        *((folder.name, f"{folder.path}: {describe_folder(folder)}") for folder in installation.caches),
        *((f"{plug_in.group} plug-in", f"{plug_in.name}, from {plug_in.distribution}") for plug_in in installation.plug_ins),
        *((name, value) for name, value in installation.variables.items()),
    ]
    extras = [(extra.name, extra.state, extra.purpose) for extra in installation.extras]
    return (
        Section(parts=(Table(text_columns("item", "details", prose=True), tuple(cells(*row) for row in head)),)),
        Section(parts=(Table(text_columns("extra", "state", "adds", prose=True), tuple(cells(*row) for row in extras)),)),
        Section(parts=(Notes(_sentences(installation), _commands(installation)),)),
    )


def _sentences(installation: Installation) -> tuple[str, ...]:
    if installation.faults:
        return tuple(f"Problem: {fault}" for fault in installation.faults)
    if any(extra.missing for extra in installation.extras):
        return ("assay works. Some extras are not installed.",)
    return ("assay works, and all extras are installed.",)


def _commands(installation: Installation) -> tuple[str, ...]:
    """A line to paste that installs the first missing extra."""
    return tuple(f"To add an extra:  {extra.install}" for extra in installation.extras if extra.missing)[:1]


COMMAND = Command(
    "doctor",
    "show what is installed, what is missing, and where results are stored",
    add_arguments,
    run_doctor,
    EXAMPLES,
    group=Group.START,
)
