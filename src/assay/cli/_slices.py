"""Slices on the command line: figures by tag, the slices that are worst, and how alike systems rank."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.comparison import Comparison, WorstSlices
    from assay.reports import Beside


def add_slice_arguments(parser: argparse.ArgumentParser) -> None:
    """What is looked at beside the figures over all queries."""
    group = parser.add_argument_group("slices")
    add_by(group)
    group.add_argument("--slices", action="store_true", help="search all tags and pairs of tags for the worst slices")
    group.add_argument(
        "--agreement", action="store_true", help="how alike systems rank, and relevant documents gained and lost"
    )


def add_by(group: argparse._ArgumentGroup) -> None:
    """The flag that slices."""
    group.add_argument(
        "--by",
        nargs="+",
        action="extend",
        metavar="TAG",
        help="slice queries by a tag: language, difficulty, type, domain, length …; language*difficulty crosses two",
    )


def check_slices(options: argparse.Namespace, forms: Sequence[str]) -> None:
    """Refuse what cannot be, before anything is read."""
    from assay.model import asked_for
    from assay.reports import refuse_csv

    refuse_csv(forms, [f"--{name}" for name in ("slices", "agreement") if getattr(options, name)])
    if options.by is None:
        return
    if files := [word for word in options.by if Path(word).is_file()]:
        raise UsageError(f"what follows --by is taken as a tag: {' '.join(files)}. Put files first")
    asked_for(options.by)


def beside_of(options: argparse.Namespace, comparisons: Sequence[Comparison]) -> list[Beside]:
    """What stands beside each comparison."""
    from assay.comparison import compare_slices, rank_agreements
    from assay.reports import Beside

    return [
        Beside(
            compare_slices(one, options.by) if options.by else None,
            _worst(one) if options.slices else None,
            rank_agreements(one.results, one.how) if options.agreement else (),
        )
        for one in comparisons
    ]


def _worst(comparison: Comparison) -> WorstSlices:
    """Of two systems the second is held against the first; of many, without a baseline, each against itself elsewhere."""
    from assay.comparison import worst_slices

    baseline = comparison.how.baseline
    if baseline is None and len(comparison.names) == 2:
        baseline = comparison.names[0]
    return worst_slices(comparison.results, how=replace(comparison.how, baseline=baseline))
