"""Options about reading data: documents from elsewhere, names of columns, bad records, and search logs."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import LENIENT_SHARE, Leniency, UnknownName, UsageError, lenient_reading, near_matches, parse_share
from assay.grammar import WrittenName
from assay.text import printable

if TYPE_CHECKING:
    from assay.files import Reading

SHARE = re.compile(r"[0-9.]+ ?%?")
READING_FLAGS = ("documents", "columns", "lenient", "as_of", "vectors", "popularity")


def add_documents_argument(group: argparse._ActionsContainer) -> None:
    """The option of every command that needs texts of documents."""
    group.add_argument(
        "--documents",
        metavar="PATH",
        help="documents of a benchmark that has none: a table (CSV, JSON lines, Parquet), or a folder of .md or .txt files",
    )


def add_reading_arguments(group: argparse._ActionsContainer) -> None:
    """The options of every command that reads benchmarks, judgments or runs."""
    add_documents_argument(group)
    group.add_argument(
        "--columns",
        metavar="ROLE=NAME,…",
        help="names of columns that are not recognised, such as query=q,text=body; assay datasets formats lists the roles",
    )
    add_as_of_argument(group)
    add_document_data_arguments(group)
    group.add_argument(
        "--lenient",
        action="store_const",
        const=LENIENT_SHARE,
        help="leave out bad records, up to 1 %% of a file, and list them; without it, a bad record is an error",
    )
    group.add_argument(
        "--lenient-share",
        dest="lenient",
        type=_parse_share,
        metavar="SHARE",
        help="leave out bad records up to this share of a file, such as 5%%",
    )


def add_as_of_argument(group: argparse._ActionsContainer) -> None:
    """The option of every command that scores benchmarks."""
    group.add_argument(
        "--as-of",
        metavar="query|TIME",
        help="leave out documents that are younger than their query, or than a time such as 2024-05-01, and their judgments",
    )


def add_document_data_arguments(group: argparse._ActionsContainer) -> None:
    """The options of every command that scores benchmarks by metrics of result lists."""
    group.add_argument(
        "--vectors",
        metavar="FILE|MODEL",
        help="vectors of the documents for ild: a .npz, .npy, .parquet, .csv or .jsonl file, or an installed model",
    )
    group.add_argument(
        "--popularity",
        metavar="FILE",
        help="popularity of the documents for novelty: a table with ids and numbers, such as views (default: the column "
        "popularity, views or clicks of the documents)",
    )


def add_log_arguments(read: argparse._ArgumentGroup) -> None:
    """The options of every command that reads search logs: how columns are called, and where ranks start."""
    read.add_argument(
        "--columns",
        metavar="ROLE=NAME,…",
        help="names of columns that are not recognised, such as rank=slot,clicked=hit; assay datasets formats lists the "
        "roles",
    )
    read.add_argument(
        "--first-rank",
        type=int,
        choices=(0, 1),
        default=1,
        metavar="RANK",
        help="the first rank of the log, 0 or 1 (default: 1)",
    )


def log_source(options: argparse.Namespace) -> str | Sequence[str]:
    """The log: one file, or a list of its parts."""
    return options.files[0] if len(options.files) == 1 else list(options.files)


def add_log_metrics(group: argparse._ArgumentGroup, about: str) -> None:
    """The metrics of search logs."""
    group.add_argument("-m", "--metrics", nargs="+", action="extend", type=WrittenName, metavar="METRIC", help=about)


def check_log_action(
    options: argparse.Namespace, command: str, actions: Sequence[str], of_action: Mapping[str, str]
) -> None:
    """Raise for an unknown action, a missing log, or an option of another action. `of_action`: option → its action."""
    if options.action not in actions:
        near = near_matches(options.action, actions)
        raise UnknownName("action", options.action, near, f"choose from {', '.join(actions)}")
    if not options.files:
        example = f"assay {command} {options.action} logs.parquet"
        raise UsageError(f"assay {command} {options.action} needs a search log, such as: {example}")
    for name, action in of_action.items():
        if getattr(options, name) is not None and options.action != action:
            raise UsageError(f"--{name.replace('_', '-')} is for assay {command} {action}")


def _parse_share(text: str) -> float:
    """A share: 5% or 0.05."""
    try:
        return parse_share(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a share such as 5% or 0.05, found {text!r}") from None


@contextmanager
def as_options_say(options: argparse.Namespace) -> Iterator[Reading | None]:
    """Let every reader of a command follow its options; None if it has no options about reading."""
    documents, columns, share, as_of, vectors, popularity = (getattr(options, name, None) for name in READING_FLAGS)
    if all(value is None for value in (documents, columns, share, as_of, vectors, popularity)):
        yield None
        return
    from assay.files import Reading, parse_columns, reading_with

    moment = None
    if as_of is not None:
        from assay.datasets import parse_as_of

        moment = parse_as_of(as_of)
    leniency = nullcontext() if share is None else lenient_reading(Leniency(share))
    settings = Reading(parse_columns(columns), documents, moment, vectors, popularity)
    with reading_with(settings) as reading, leniency:
        yield reading


def check_lenient(words: Sequence[str]) -> None:
    """Refuse a share after --lenient, which would be read as a file."""
    for flag, word in pairwise(words):
        if flag == "--lenient" and SHARE.fullmatch(word) and not Path(word).exists():
            raise UsageError(f"--lenient has no value, but {word} comes after it. To set the share: --lenient-share {word}")


def check_reading(reading: Reading) -> None:
    """At the end of a command, raise for a column that no table has, and note options that had nothing to read."""
    if reading.as_of is not None and not reading.is_time_used:
        sys.stderr.write(printable(f"note: no benchmark was read, so --as-of {reading.as_of} has no effect") + "\n")
    for flag, value in (("vectors", reading.vectors), ("popularity", reading.popularity)):
        if value is not None and not reading.is_time_used:
            sys.stderr.write(printable(f"note: no benchmark was read, so --{flag} {value} has no effect") + "\n")
    if reading.has_tables:
        reading.check_columns_used()
    elif reading.columns:
        names = ",".join(f"{role}={column}" for role, column in reading.columns.items())
        sys.stderr.write(printable(f"note: no table was read, so --columns {names} has no effect") + "\n")
