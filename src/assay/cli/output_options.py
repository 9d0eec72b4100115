"""Options for output: formats and files, slices, and the store."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.terminal import terminal_width, use_colour
from assay.errors import AssayError, UnknownName, UsageError
from assay.extras import is_installed
from assay.grammar import WrittenName
from assay.text import some_of

if TYPE_CHECKING:
    from assay.comparison import Comparison, Sliced, WorstSlices
    from assay.evaluation import Result
    from assay.metrics import BoundMetric
    from assay.reports import ComparisonExtras, Style
    from assay.store import Store


FORMATS = ("table", "json", "csv", "markdown", "latex")
ENDINGS = ".json .csv .md .tex .txt"
PARQUET = ".parquet"
PAGE = ".html"
"""The file extension of commands that also write an HTML page."""
TEXT_FORMATS = ("table", "json")
TEXT_ENDINGS = ".json .txt"
"""Formats and file extensions of commands that print text or JSON."""
SINCE_HELP = (
    "results that are at most this old: 30d (days), 12w (weeks), 6h (hours) or 45m (minutes); "
    "or since a day such as 2026-11-01"
)
"""The end of the help of --since."""


class FormatAction(argparse.Action):
    """`-f`: the format of the output; if it is given, also of files without a known extension (`file_format`)."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:  # noqa: ARG002 (as argparse calls it)
        """Set both: the default of the output is not the default of files."""
        namespace.format = namespace.file_format = values


def add_format(
    group: argparse._ActionsContainer, text: str, choices: Sequence[str] | None = None, default: str = "table"
) -> None:
    """The option for the output format."""
    group.add_argument("-f", "--format", action=FormatAction, default=default, choices=choices, metavar="FORMAT", help=text)
    group.set_defaults(file_format="")


def add_text_or_json(parser: argparse.ArgumentParser) -> None:
    """`-f` of a command that prints text for people, or JSON for programs."""
    parser.add_argument(
        "-f",
        "--format",
        default="text",
        choices=("text", "json"),
        metavar="FORMAT",
        help="output format: text or json (default: text)",
    )


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
    """The options for the output format, for output files, and for less output on standard error.

    A command with fewer formats passes its file `endings`; a command that writes other files passes the help of `output`.
    """
    show = parser.add_argument_group("output")
    text = (
        formats
        if isinstance(formats, str)
        else f"output format: {', '.join(formats[:-1])} or {formats[-1]} (default: {default})"
    )
    add_format(show, text, choices, default)
    add_output(show, endings, output)
    if has_per_query:
        show.add_argument("--per-query", action="store_true", help="show the scores of every query, not only the summary")
    add_quiet(show)
    return show


def add_output(group: argparse._ActionsContainer, endings: str = ENDINGS, text: str = "") -> None:
    """The option for output files; a command with fewer formats passes its file extensions."""
    group.add_argument(
        "-o",
        "--output",
        action="append",
        default=[],
        metavar="FILE",
        help=text or f"also write to this file, in the format of its extension: {endings}; may be repeated",
    )


def add_quiet(group: argparse._ActionsContainer) -> None:
    """The option for less output on standard error."""
    group.add_argument("-q", "--quiet", action="store_true", help="print only errors and warnings on standard error")


def check_output(paths: Sequence[str], endings: str = ENDINGS, form: str = "") -> None:
    """Refuse files that cannot be written, before anything is read. Without files, nothing is imported."""
    if not paths:
        return
    from assay.reports import check_endings, check_html_packages, check_outputs

    check_endings(paths, endings.split(), form)
    check_outputs([path for path in paths if not is_parquet(path) and not is_page(path)], form=form)
    check_outputs(filter(is_parquet, paths), [PARQUET])
    if pages := [path for path in paths if is_page(path)]:
        check_outputs(pages, [PAGE])
        check_html_packages()


def formats_of_files(paths: Sequence[str], form: str = "") -> list[str]:
    """The format of each file: by its extension, else the format of -f."""
    if not paths:
        return []
    from assay.reports import form_of

    forms = {PARQUET: "csv", PAGE: "html"}
    return [forms.get(Path(path).suffix.lower()) or form_of(Path(path), form) for path in paths]


def is_page(path: str) -> bool:
    """Whether a file is an HTML page."""
    return path.lower().endswith(PAGE)


def is_parquet(path: str) -> bool:
    """Whether a file is for the same table as CSV, as Parquet."""
    return path.lower().endswith(PARQUET)


def write_output(
    options: argparse.Namespace, render: Callable[[str], str], write_parquet: Callable[[Path], None] | None = None
) -> None:
    """Write each output file in its format; `render` returns the text for a format, `write_parquet` writes a table."""
    from assay.atomic_write import atomic_write
    from assay.masking import mask

    for path, form in zip(options.output, formats_of_files(options.output, options.file_format), strict=True):
        if write_parquet is not None and is_parquet(path):
            write_parquet(Path(path))
            continue
        with atomic_write(Path(path)) as file:
            file.write(mask(render(form)).encode("utf-8", "surrogatepass"))


def write_and_print(options: argparse.Namespace, render: Callable[[str, Style], str]) -> None:
    """Write the output files, then print. Only the printed text is fitted to the terminal."""
    from assay.reports import Style

    write_output(options, lambda form: render(form, Style()))
    sys.stdout.write(render(options.format, Style(terminal_width(), use_colour())))


def add_slice_arguments(parser: argparse.ArgumentParser) -> None:
    """The options for slices of the queries, and for how far rankings agree."""
    group = parser.add_argument_group("slices and agreement")
    add_by_argument(group)
    group.add_argument("--slices", action="store_true", help="search all tags and pairs of tags for the worst slices")
    group.add_argument(
        "--agreement",
        action="store_true",
        help="show how similar the rankings are, how many relevant documents were gained and lost, why scores vary, and how "
        "stable the order of the systems is",
    )


TAGS_OF_QUERIES = (
    "split the queries by a tag: language, difficulty, type, domain, length …; language*difficulty combines two tags"
)


def add_by_argument(group: argparse._ArgumentGroup, what: str = TAGS_OF_QUERIES, metavar: str = "TAG") -> None:
    """The option for slices by tag, or by a column of a search log."""
    group.add_argument(
        "--by",
        nargs="+",
        action="extend",
        metavar=metavar,
        help=what,
    )


def check_slices(options: argparse.Namespace, forms: Sequence[str]) -> None:
    """Refuse impossible combinations before anything is read."""
    from assay.reports import check_fits_csv

    check_fits_csv(forms, [f"--{name}" for name in ("slices", "agreement") if getattr(options, name)])
    check_by(options)


def check_by(options: argparse.Namespace) -> None:
    """Check that --by names tags, not files, before anything is read."""
    from assay.model import asked_for

    if options.by is None:
        return
    if files := [word for word in options.by if Path(word).is_file()]:
        raise UsageError(f"--by reads everything after it as a tag: {some_of(files)}. Put the files first")
    asked_for(options.by)


def sliced(options: argparse.Namespace, results: Sequence[Result]) -> Sequence[Sliced]:
    """The values by each requested tag, with the requested intervals; empty without --by."""
    if not options.by:
        return ()
    from assay.comparison import slice_results

    interval, level = options.ci or "auto", options.level or 0.95
    return slice_results(results, options.by, interval=interval, level=level, seed=options.ci_seed, cluster=options.cluster)


def slice_analyses(options: argparse.Namespace, comparisons: Sequence[Comparison]) -> list[ComparisonExtras]:
    """The analyses by slice for each comparison."""
    from assay.comparison import compare_slices, rank_agreements, system_stability
    from assay.reports import ComparisonExtras, overlap_of

    return [
        ComparisonExtras(
            compare_slices(comparison, options.by) if options.by else None,
            _find_worst_slices(comparison) if options.slices else None,
            rank_agreements(comparison.results, comparison.how) if options.agreement else overlap_of(comparison.results),
            system_stability(comparison) if options.agreement else (),
        )
        for comparison in comparisons
    ]


def _find_worst_slices(comparison: Comparison) -> WorstSlices:
    """The worst slices of two systems compare the second with the first. Of more systems without a baseline, each is
    compared with its own scores on the other queries.
    """
    from assay.comparison import worst_slices

    baseline = comparison.how.baseline
    if baseline is None and len(comparison.names) == 2:
        baseline = comparison.names[0]
    return worst_slices(comparison.results, how=replace(comparison.how, baseline=baseline))


def report_file() -> str:
    """The file that hints name for a report: HTML if its packages are installed, else Markdown."""
    return "report.html" if is_installed("report") else "report.md"


def add_store_argument(parser: argparse._ActionsContainer) -> None:
    """`--store`: a file, or a database by URL."""
    parser.add_argument(
        "--store",
        type=_parse_store,
        metavar="URL",
        help="store to use: results.db, sqlite:///… or postgresql://… (default: $ASSAY_STORE, else .assay/assay.db)",
    )


def _parse_store(text: str) -> str:
    """The given store. A password in it is masked from now on, and a note says how to keep it out of the command."""
    if "@" in text or "?" in text:
        from assay.store import VARIABLE, add_passwords

        if add_passwords(text):
            sys.stderr.write(
                "note: --store contains a password, which other users can see in the list of processes. "
                f"Set the environment variable {VARIABLE} to this URL, and leave out --store\n"
            )
    return text


def save_results(options: argparse.Namespace, results: Sequence[Result]) -> None:
    """Save results in the store, which is created if needed, and say under which name."""
    from assay.store import keep, parse_location

    stored = keep(results, url=options.store)
    if not options.quiet:
        sys.stderr.write(f"saved as {stored} in {parse_location(options.store)}\n")


def open_store(options: argparse.Namespace) -> Store:
    """Open the existing store; no store is created."""
    from assay.store import Store

    return Store.open(options.store, create=False)


def stored_metric(name: WrittenName, options: argparse.Namespace) -> BoundMetric:
    """The metric as the user wrote it; an unknown metric is looked up by its exact name in stored results."""
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
    """Fail before the evaluation starts if its results could not be stored."""
    if not options.no_store:
        from assay.store import Store

        with Store.open(options.store) as store:
            store.refuse_read_only()
