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
