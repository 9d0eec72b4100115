"""assay status: what got worse since the last run and since the baseline, series by series."""

from __future__ import annotations

import argparse
import sys

from assay.cli.output_options import add_store_argument, open_store
from assay.cli.program import Command, Group
from assay.cli.streams import write_json
from assay.cli.terminal import text_here
from assay.errors import NothingSelected

EXAMPLES = """\
  assay status
  assay status --store results.db
  assay status -f json"""
SCHEMA = "assay.status/1"
EMPTY = "nothing is stored yet. To store a first result: assay eval --benchmarks rag-template --providers bm25"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The store, and output."""
    add_store_argument(parser)
    parser.add_argument(
        "-f",
        "--format",
        default="table",
        choices=("table", "json"),
        metavar="FORMAT",
        help="output format: table or json (default: table)",
    )


def run_status(options: argparse.Namespace) -> int:
    """Print the overview of the store."""
    from assay.monitoring import OverviewReader
    from assay.reports import overview_sections

    with open_store(options) as store:
        overview = OverviewReader().read(store)
    if options.format == "json":
        write_json({"schema": SCHEMA, **overview.to_dict()})
        return 0
    if not overview.series:
        raise NothingSelected(EMPTY)
    sys.stdout.write(f"{overview.heading}.\n\n{text_here(overview_sections(overview))}")
    return 0


COMMAND = Command(
    "status", "show what got worse since the last run", add_arguments, run_status, EXAMPLES, group=Group.FOLLOW
)
