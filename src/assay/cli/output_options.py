"""Flags about output: formats and files, slices, and the store."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.terminal import terminal_width, use_colour
from assay.errors import AssayError, UnknownName, UsageError
from assay.grammar import WrittenName

if TYPE_CHECKING:
    from assay.comparison import Comparison, WorstSlices
    from assay.metrics import BoundMetric
    from assay.reports import ComparisonExtras, Style
    from assay.store import Store


FORMATS = ("table", "json", "csv", "markdown", "latex")
ENDINGS = ".json .csv .md .tex .txt"
TEXT_FORMATS = ("table", "json")
TEXT_ENDINGS = ".json .txt"
"""Formats and endings of commands that have a text and JSON, and no table."""


class FormatAction(argparse.Action):
    """`-f`: what is printed; and, where it was given, the format of files whose ending tells none (`file_format`)."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:  # noqa: ARG002 (as argparse calls it)
        """Keep it twice: the default of what is printed is no format of files."""
        namespace.format = namespace.file_format = values


def add_format(
    group: argparse._ActionsContainer, text: str, choices: Sequence[str] | None = None, default: str = "table"
) -> None:
    """The flag for the format, `table` unless it is given."""
    group.add_argument("-f", "--format", action=FormatAction, default=default, choices=choices, metavar="FORMAT", help=text)
    group.set_defaults(file_format="")


def add_output_arguments(
    parser: argparse.ArgumentParser,
    formats: str | Sequence[str],
    output: str = "",
    *,
    endings: str = ENDINGS,
    choices: Sequence[str] | None = None,
    default: str = "table",
    has_per_query: bool = False,
) -> argparse._ArgumentGroup:
    """What is printed, files beside it, and less on standard error.

    A command that has fewer formats names the endings it takes, one that writes other files says what goes there.
    """
    show = parser.add_argument_group("output")
    text = formats if isinstance(formats, str) else f"{', '.join(formats)} (default: {default})"
    add_format(show, text, choices, default)
    add_output(show, endings, output)
    if has_per_query:
        show.add_argument("--per-query", action="store_true", help="the scores of every query, not only the summary")
    add_quiet(show)
    return show


def add_output(group: argparse._ActionsContainer, endings: str = ENDINGS, text: str = "") -> None:
    """The flag for files; a command that has fewer formats names the endings it takes."""
    group.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help=text or f"a file too, its format by ending: {endings}; may be repeated",
    )


def add_quiet(group: argparse._ActionsContainer) -> None:
    """The flag for nobody who watches."""
    group.add_argument("-q", "--quiet", action="store_true", help="nothing on standard error but errors and warnings")


def check_output(paths: Sequence[str], endings: str = ENDINGS, form: str = "") -> None:
    """Refuse files that could not be written, before anything is read. Without any, nothing is imported for them."""
    if not paths:
        return
    from assay.reports import check_endings, check_outputs

    check_endings(paths, endings.split(), form)
    check_outputs(paths, form=form)


def formats_of_files(paths: Sequence[str], form: str = "") -> list[str]:
    """The format of each file, told by its ending; where it has none, the one that was given."""
    if not paths:
        return []
    from assay.reports import form_of

    return [form_of(Path(path), form) for path in paths]


def write_output(options: argparse.Namespace, render: Callable[[str], str]) -> None:
    """Write each file that was asked for in its format, as `render` has it for that."""
    from assay.atomic_write import atomic_write
    from assay.masking import mask

    for path, form in zip(options.output, formats_of_files(options.output, options.file_format), strict=True):
        with atomic_write(Path(path)) as file:
            file.write(mask(render(form)).encode("utf-8", "surrogatepass"))


def write_and_print(options: argparse.Namespace, render: Callable[[str, Style], str]) -> None:
    """Write the files that were asked for, then print; only what is printed is fitted to the terminal."""
    from assay.reports import Style

    write_output(options, lambda form: render(form, Style()))
    sys.stdout.write(render(options.format, Style(terminal_width(), use_colour())))


def add_slice_arguments(parser: argparse.ArgumentParser) -> None:
    """What is looked at beside the figures over all queries."""
    group = parser.add_argument_group("slices")
    add_by_argument(group)
    group.add_argument("--slices", action="store_true", help="search all tags and pairs of tags for the worst slices")
    group.add_argument(
        "--agreement", action="store_true", help="how alike systems rank, and relevant documents gained and lost"
    )


def add_by_argument(group: argparse._ArgumentGroup) -> None:
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
    from assay.reports import check_fits_csv

    check_fits_csv(forms, [f"--{name}" for name in ("slices", "agreement") if getattr(options, name)])
    if options.by is None:
        return
    if files := [word for word in options.by if Path(word).is_file()]:
        raise UsageError(f"what follows --by is taken as a tag: {' '.join(files)}. Put files first")
    asked_for(options.by)


def slice_analyses(options: argparse.Namespace, comparisons: Sequence[Comparison]) -> list[ComparisonExtras]:
    """What stands beside each comparison."""
    from assay.comparison import compare_slices, rank_agreements
    from assay.reports import ComparisonExtras

    return [
        ComparisonExtras(
            compare_slices(comparison, options.by) if options.by else None,
            _find_worst_slices(comparison) if options.slices else None,
            rank_agreements(comparison.results, comparison.how) if options.agreement else (),
        )
        for comparison in comparisons
    ]


def _find_worst_slices(comparison: Comparison) -> WorstSlices:
    """Of two systems the second is held against the first; of many, without a baseline, each against itself elsewhere."""
    from assay.comparison import worst_slices

    baseline = comparison.how.baseline
    if baseline is None and len(comparison.names) == 2:
        baseline = comparison.names[0]
    return worst_slices(comparison.results, how=replace(comparison.how, baseline=baseline))


def add_store_argument(parser: argparse._ActionsContainer) -> None:
    """`--store`: a file, or a database by URL."""
    parser.add_argument(
        "--store",
        type=_parse_store,
        metavar="URL",
        help="results.db, sqlite:///… or postgresql://… (default: ASSAY_STORE, else .assay/assay.db)",
    )


def _parse_store(text: str) -> str:
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
