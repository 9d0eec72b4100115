"""The option that says where evaluations are kept."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from assay.errors import AssayError, UnknownName
from assay.grammar import WrittenName

if TYPE_CHECKING:
    from assay.metrics import BoundMetric
    from assay.store import Store


def add_store_argument(parser: argparse._ActionsContainer) -> None:
    """`--store`: a file, or a database by URL."""
    parser.add_argument(
        "--store",
        type=_store,
        metavar="URL",
        help="results.db, sqlite:///… or postgresql://… (default: ASSAY_STORE, else .assay/assay.db)",
    )


def _store(text: str) -> str:
    """What was given; a password in it is masked from now on, and a note says how to keep it out of the command."""
    if "@" in text or "?" in text:
        from assay.store import VARIABLE, add_passwords

        if add_passwords(text):
            sys.stderr.write(
                f"note: --store holds a password, which lists of processes show; set the variable {VARIABLE} to that URL, "
                "and leave out --store\n"
            )
    return text


def open_store(options: argparse.Namespace) -> Store:
    """The store that is there; none is made."""
    from assay.store import Store

    return Store.open(options.store, create=False)


def stored_metric(name: WrittenName, options: argparse.Namespace) -> BoundMetric:
    """The metric as the user wrote it; one that is not known here is looked for in stored results by that very name."""
    from assay.metrics import parse_metric

    try:
        return parse_metric(name)
    except UnknownName as unknown:
        try:
            with open_store(options) as store:
                return store.metric(str(name))
        except AssayError:
            raise unknown from None


def check_store(options: argparse.Namespace) -> None:
    """Fail before anything is asked where results could not be kept."""
    if not options.no_store:
        from assay.store import Store

        with Store.open(options.store) as store:
            store.refuse_read_only()
