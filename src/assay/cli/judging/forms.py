"""Forms for spreadsheets: write the drawn pairs of a pool with their texts, and read what people filled in."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.reading_options import add_documents_argument
from assay.errors import UsageError
from assay.text import printable

if TYPE_CHECKING:
    from assay.files import JudgmentFile
    from assay.judging import Pool

FORM_SUFFIX = ".csv"


def add_form_arguments(parser: argparse.ArgumentParser) -> None:
    """The form, and where its texts are."""
    group = parser.add_argument_group("form for a spreadsheet")
    group.add_argument(
        "--form",
        metavar="FILE",
        help="also write the drawn pairs with their texts as CSV, to fill in; assay judgments import reads it",
    )
    group.add_argument(
        "--dataset",
        dest="texts",
        metavar="DATASET",
        help="benchmark with the texts, for --form and for the commands that follow (default: the one of the results)",
    )
    add_documents_argument(group)


def check_form_options(options: argparse.Namespace) -> None:
    """Check the options before results are read."""
    if options.output and Path(options.output).suffix.lower() == FORM_SUFFIX:
        raise UsageError(
            f"-o {options.output}: the pool is JSON lines, and keeps what estimates need. For a spreadsheet add --form: "
            f"-o {Path(options.output).with_suffix('.jsonl')} --form {options.output}"
        )
    if not options.form:
        _check_texts_exist(options)
        return
    if options.plan:
        raise UsageError("--plan draws nothing, so there is nothing for --form. Leave out one of them")
    path = Path(options.form)
    if path.suffix.lower() != FORM_SUFFIX:
        raise UsageError(f"--form {options.form}: a form is a CSV file, so its name must end in {FORM_SUFFIX}")
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise UsageError(f"--form {options.form}: this must be a file in an existing folder")


def _check_texts_exist(options: argparse.Namespace) -> None:
    """Without a form the texts are only named in the next commands, which should not fail because of a typo."""
    from assay.datasets import has_own_documents

    flagged = {"--dataset": options.texts, "--documents": options.documents}
    for flag, value in flagged.items():
        if value and not Path(value).exists() and not (flag == "--dataset" and has_own_documents(value)):
            raise UsageError(f"{flag} {value}: no such file or folder")


def form_of(options: argparse.Namespace, drawn: Pool, systems: Mapping[str, Any], earlier: Pool | None) -> bytes:
    """The form of a pool; empty without --form. Texts are from the data, and texts of queries also from the results.

    It does not have the pairs of the earlier pool that this one extends.
    """
    if not options.form:
        return b""
    from assay.judging import judging_form

    queries = {query: known.text for system in systems.values() for query, known in _queries(system).items()}
    documents: Mapping[str, Any] = {}
    if options.texts or not options.documents:
        queries, documents = _data(options, drawn, queries)
    else:
        from assay.datasets import load_documents

        documents = load_documents(options.documents)
    return judging_form(drawn, queries, documents, earlier).encode("utf-8-sig", "replace")


def _queries(system: Any) -> Mapping[str, Any]:
    return getattr(system, "queries", None) or {}


def _data(options: argparse.Namespace, drawn: Pool, queries: dict[str, Any]) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """The texts of the named dataset, else of the bundled benchmark that the results are on."""
    from assay.datasets import has_own_documents, load_dataset

    if not options.texts and not has_own_documents(drawn.benchmark):
        what = f"of the benchmark {drawn.benchmark} " if drawn.benchmark else ""
        raise UsageError(f"--form shows texts. Name the data {what}with --dataset, or the documents with --documents")
    dataset = load_dataset(options.texts or drawn.benchmark)
    return {**queries, **dataset.queries}, dataset.documents


def write_form(form: bytes, options: argparse.Namespace) -> None:
    """Write a form, completely or not at all."""
    from assay.atomic_write import atomic_write

    if form:
        with atomic_write(Path(options.form)) as file:
            file.write(form)


def graded_in_pool(file: JudgmentFile, options: argparse.Namespace) -> tuple[JudgmentFile, str]:
    """The grades for the drawn pairs of --pool, and the benchmark of the pool. What is open or left out is said."""
    from assay.datasets import has_own_documents, load_dataset, load_documents
    from assay.judging import filled_form, keep_pool, kept_pool, read_pool_file

    drawn = read_pool_file(Path(options.pool))
    if options.benchmark and drawn.benchmark and options.benchmark != drawn.benchmark:
        raise UsageError(f"the pool was drawn on {drawn.benchmark}, not on {options.benchmark}. Leave out --benchmark")
    documents: Mapping[str, Any] | None = None
    if options.dataset or has_own_documents(drawn.benchmark):
        documents = load_dataset(options.dataset or drawn.benchmark).documents
    elif options.documents:
        documents = load_documents(options.documents)
    earlier = kept_pool(drawn.extends[-1]) if drawn.extends else None
    form = filled_form(drawn, file, documents, earlier)
    for sentence in form.sentences():
        sys.stderr.write(f"note: {printable(sentence)}\n")
    if not options.dry_run:
        keep_pool(drawn)
    return form.file, drawn.benchmark
