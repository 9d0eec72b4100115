"""Next steps: the commands that judge the pairs of a pool and use the grades, with the files that the user named."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from shlex import join, quote
from typing import TYPE_CHECKING

from assay.masking import mask

if TYPE_CHECKING:
    from assay.judging import Pool

UNKNOWN_TEXTS = "DATASET"
"""Stands for the data with the texts in a command, if nobody has named them."""


def steps_after_pool(drawn: Pool, options: argparse.Namespace) -> Iterator[str]:
    """How to judge the pairs, and what to do with the grades."""
    store = f" --store {quote(options.store)}" if options.store and mask(options.store) == options.store else ""
    if not drawn.benchmark:
        yield from _steps_for_runs(drawn, options, store)
        return
    words = _words_for_texts(options, drawn.benchmark)
    yield f"judge      in a browser: {join(['assay', 'serve', *words])}{store}, then open /queue/{drawn.id}"
    if UNKNOWN_TEXTS in words:
        yield f"           {UNKNOWN_TEXTS} is the file or folder with the texts. If documents are elsewhere, add --documents"
    if options.form:
        yield (
            f"or         in a spreadsheet: fill in the grades in {options.form}, then: "
            f"assay judgments import {quote(options.form)} --pool {quote(options.output)} --judge NAME{store}"
        )
    if drawn.unit:
        results = join(options.files) if options.files and len(drawn.systems) > 1 else "latest"
        yield f"then       assay compare {results} --judgments people --pool {quote(options.output)}{store}"


def _steps_for_runs(drawn: Pool, options: argparse.Namespace, store: str) -> Iterator[str]:
    """The same for runs from files: grades and estimates need results in the store, which have queries."""
    named = [word.partition("=") for word in options.files]
    runs = [f"{name if sign else Path(name).stem}=replay:{file or name}" for name, sign, file in named]
    judge = f"in a spreadsheet: fill in the grades in {options.form}" if options.form else "the pairs in this order"
    yield f"judge      {judge}"
    yield (
        "results    store the runs, because grades belong to results; QUERIES is a table with query_id and query: "
        f"assay eval --queries QUERIES --providers {join(runs)} -m {quote(drawn.metric)}{store}"
    )
    grades = quote(options.form) if options.form else "GRADES"
    yield f"then       assay judgments import {grades} --pool {quote(options.output)} --judge NAME{store}"
    if drawn.unit:
        yield f"           assay compare latest --judgments people --pool {quote(options.output)}{store}"


def _words_for_texts(options: argparse.Namespace, benchmark: str) -> list[str]:
    """The options of assay serve that name the texts of a benchmark; DATASET if they are unknown, none if it is bundled."""
    from assay.datasets import has_own_documents

    if not options.texts and has_own_documents(benchmark):
        return []
    if not options.texts and not options.documents:
        return ["--datasets", UNKNOWN_TEXTS]
    documents = ["--documents", options.documents] if options.documents else []
    return ["--datasets", options.texts or "QUERIES", *documents]
