"""The option that says where evaluations are kept."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.store import Store


def add_store_argument(parser: argparse._ActionsContainer) -> None:
    """`--store`: a file, or a database by URL."""
    parser.add_argument(
        "--store",
        metavar="URL",
        help="results.db, sqlite:///… or postgresql://… (default: ASSAY_STORE, else .assay/assay.db)",
    )


def open_store(options: argparse.Namespace) -> Store:
    """The store that is there; none is made."""
    from assay.store import Store

    return Store.open(options.store, create=False)


def check_store(options: argparse.Namespace) -> None:
    """Fail before anything is asked where results could not be kept."""
    if not options.no_store:
        from assay.store import Store

        with Store.open(options.store) as store:
            store.refuse_read_only()
