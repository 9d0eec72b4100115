"""assay bless: make a stored evaluation the baseline that others are measured against."""

from __future__ import annotations

import argparse
import sys

from assay.cli._command import Command
from assay.cli._store import add_store_argument, open_store
from assay.text import printable

EXAMPLES = """\
  assay bless latest --as main
  assay bless 2026-11-15-rag-template-7f3a#bm25 --as release-1.0"""
USUAL = "main"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which evaluation, and under which name."""
    parser.add_argument("reference", metavar="REFERENCE", help="latest, latest~1, an id or its beginning, another baseline")
    parser.add_argument("--as", dest="name", default=USUAL, metavar="NAME", help="name of the baseline (default: main)")
    add_store_argument(parser)


def run_bless(options: argparse.Namespace) -> int:
    """A baseline stays what it is until somebody blesses another evaluation."""
    with open_store(options) as store:
        done = store.bless(options.reference, options.name)
    before = f"; it was {done.before}" if done.before not in (None, done.evaluation) else ""
    sys.stdout.write(printable(f"baseline {done.name} is {done.evaluation}{before}") + "\n")
    return 0


COMMAND = Command("bless", "make a stored evaluation the baseline", add_arguments, run_bless, EXAMPLES)
