"""assay experiment: compare the variants of an A/B test, or two interleaved rankings, by what users did."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.output_options import (
    ENDINGS,
    FORMATS,
    add_output_arguments,
    add_store_argument,
    save_results,
    write_and_print,
)
from assay.cli.program import Command, Group
from assay.cli.reading_options import add_log_arguments, add_log_metrics, check_log_action, log_source
from assay.cli.scoring_options import LEVEL_HELP, integer_parser, parse_digits, parse_level, parse_number
from assay.cli.terminal import write_notes
from assay.errors import GateFailed, UsageError

if TYPE_CHECKING:
    from assay.experiments import Experiment, ExperimentOptions, InterleavingOutcome
    from assay.reports import Style

EXAMPLES = """\
  assay experiment compare logs.parquet -m ctr@10 abandonment
  assay experiment compare before.parquet logs.parquet --start 2026-03-02 --split control=90,dense=10
  assay experiment compare logs.parquet -m satisfied_click@10 --sequential
  assay experiment compare logs.parquet --fail-if-worse -f markdown
  assay experiment interleaving clicks.parquet --names bm25 dense"""
ACTIONS = ("compare", "interleaving")
PAGE = ".html"
ENDINGS_WITH_PAGES = f"{ENDINGS} {PAGE}"
MOST = 10**9
OF_ACTION = {
    **dict.fromkeys(("metrics", "by", "control", "split", "start", "sequential", "window", "correction"), "compare"),
    **dict.fromkeys(("correct_metrics", "digits"), "compare"),
    **dict.fromkeys(("names", "test"), "interleaving"),
}
"""Option → the action that it is for."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The action, the files, and the options of each action."""
    parser.add_argument(
        "action", metavar="|".join(ACTIONS), help="compare: variants of an A/B test; interleaving: two interleaved rankings"
    )
    parser.add_argument(
        "files",
        nargs="*",
        default=[],
        metavar="file",
        help="a search log: Parquet, JSON lines, CSV; several files are one log",
    )
    read = parser.add_argument_group("reading")
    add_log_arguments(read)
    read.add_argument(
        "--most-per-hour",
        type=integer_parser(MOST, 1),
        metavar="N",
        help="leave out users with more searches in an hour, who are probably programs",
    )
    compare = parser.add_argument_group("compare")
    _add_comparison_arguments(compare)
    _add_sequential_arguments(compare)
    _add_interleaving_arguments(parser.add_argument_group("interleaving"))
    decide = parser.add_argument_group("decision")
    decide.add_argument("--level", type=parse_level, metavar="LEVEL", help=f"{LEVEL_HELP}; alpha is 1 - level")
    decide.add_argument("--alpha", type=parse_number, metavar="ALPHA", help="largest significant p (default: 0.05)")
    decide.add_argument(
        "--fail-if-worse",
        action="store_true",
        help="exit with 1 if a variant (or the second ranking) is shown to be worse, or if there is no verdict",
    )
    parser.add_argument("--name", metavar="NAME", help="name of the experiment")
    parser.add_argument("--save", action="store_true", help="save the outcome in the store, for history, gate and reports")
    add_store_argument(parser)
    show = add_output_arguments(parser, FORMATS, choices=FORMATS, endings=ENDINGS_WITH_PAGES)
    show.add_argument("--digits", type=parse_digits, metavar="N", help="number of decimals (default: 3; csv and json: all)")


def _add_comparison_arguments(group: argparse._ArgumentGroup) -> None:
    """What to compare, and how."""
    add_log_metrics(group, "metrics of search logs; the verdict is about the first one (default: ctr@10 and others)")
    group.add_argument("--by", metavar="COLUMN", help="the column with the variant (default: variant, or a similar name)")
    group.add_argument(
        "--control", metavar="NAME", help="the variant that others are compared with (default: control, or the first name)"
    )
    group.add_argument(
        "--split", metavar="SHARES", help="expected shares of users, such as control=90,dense=10 (default: equal shares)"
    )
    group.add_argument(
        "--start", metavar="TIME", help="start of the experiment; earlier searches are used to reduce the variance (CUPED)"
    )
    group.add_argument("--correction", metavar="NAME", help="correction of p for many comparisons (default: holm)")
    group.add_argument(
        "--correct-metrics",
        action="store_true",
        default=None,
        help="test every metric, and correct p over all of them (default: only the first metric decides)",
    )


def _add_sequential_arguments(group: argparse._ArgumentGroup) -> None:
    """How to look at an experiment that still runs."""
    group.add_argument(
        "--sequential",
        action="store_true",
        default=None,
        help="intervals and p that hold at all times, for an experiment that you look at while it runs",
    )
    group.add_argument(
        "--window",
        type=parse_number,
        metavar="HOURS",
        help="sequential: hours after a user's first search in which searches count (default: 24)",
    )


def _add_interleaving_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--names", nargs=2, metavar=("A", "B"), help="names of the first and the second ranking (default: as in the log)"
    )
    group.add_argument(
        "--test",
        metavar="TEST",
        help="t: of the share of searches won; sign: exact test of the users who prefer one (default: t from 30 users on)",
    )


def run_experiment(options: argparse.Namespace) -> int:
    """Options are checked before any file is read; nothing is printed unless everything worked."""
    check_log_action(options, "experiment", ACTIONS, OF_ACTION)
    if options.alpha is not None and options.level is not None:
        raise UsageError("--alpha and --level are two ways to set the same value (alpha = 1 - level). Use one of them")
    if options.window is not None and not options.sequential:
        raise UsageError("--window is for --sequential")
    _check_output(options)
    is_failed = {"compare": _compare, "interleaving": _interleaving}[options.action](options)
    if options.output:
        write_notes(options, f"wrote {', '.join(options.output)}")
    return GateFailed.exit_code if options.fail_if_worse and is_failed else 0


def _check_output(options: argparse.Namespace) -> None:
    """Refuse files that cannot be written."""
    if options.output:
        from assay.reports import check_endings, check_html_packages, check_outputs

        check_endings(options.output, ENDINGS_WITH_PAGES.split(), options.file_format)
        check_outputs(options.output, ENDINGS_WITH_PAGES.split(), options.file_format)
        if _pages(options):
            check_html_packages()


def _pages(options: argparse.Namespace) -> list[str]:
    return [path for path in options.output if path.lower().endswith(PAGE)]


def _write(options: argparse.Namespace, render: Callable[[str, Style], str]) -> None:
    """Write the output files, with HTML pages, then print."""
    from assay.atomic_write import atomic_write
    from assay.masking import mask
    from assay.reports import Style

    pages = _pages(options)
    for path in pages:
        with atomic_write(Path(path)) as file:
            file.write(mask(render("html", Style())).encode("utf-8", "surrogatepass"))
    others = [path for path in options.output if path not in pages]
    write_and_print(argparse.Namespace(**{**vars(options), "output": others}), render)


def _save(options: argparse.Namespace, outcome: Experiment | InterleavingOutcome) -> None:
    """Save the outcome in the store, with a result for each variant."""
    if not options.save:
        return
    from assay.experiments import results_of

    save_results(options, results_of(outcome))


def _alpha(options: argparse.Namespace) -> float:
    if options.level is not None:
        return round(1 - options.level, 12)
    return 0.05 if options.alpha is None else options.alpha


def _how(options: argparse.Namespace) -> ExperimentOptions:
    from assay.experiments import ExperimentOptions

    names = ("control", "split", "start", "sequential", "window", "correction", "correct_metrics")
    fields = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return ExperimentOptions(**fields, alpha=_alpha(options))


def _compare(options: argparse.Namespace) -> bool:
    """Compare variants; whether one is worse, or nothing can be said."""
    from assay.experiments import compare_variants
    from assay.reports import render_experiment

    experiment: Experiment = compare_variants(
        log_source(options),
        options.metrics,
        _how(options),
        by=options.by or "",
        name=options.name or "",
        first_rank=options.first_rank,
        most_per_hour=options.most_per_hour,
    )

    def render(form: str, style: Style) -> str:
        return render_experiment(experiment, form, style, options.digits)

    _write(options, render)
    _save(options, experiment)
    return bool(experiment.withheld) or experiment.is_worse


def _interleaving(options: argparse.Namespace) -> bool:
    """Score interleaved rankings; whether the second one is worse, or nothing can be said."""
    from assay.experiments import score_interleaving
    from assay.reports import render_interleaving

    outcome: InterleavingOutcome = score_interleaving(
        log_source(options),
        names=options.names,
        test=options.test or "auto",
        alpha=_alpha(options),
        name=options.name or "",
        first_rank=options.first_rank,
        most_per_hour=options.most_per_hour,
    )
    _write(options, lambda form, style: render_interleaving(outcome, form, style))
    _save(options, outcome)
    return bool(outcome.withheld) or outcome.better == outcome.a


COMMAND = Command(
    "experiment",
    "compare the variants of an A/B test, or two interleaved rankings, by what users did",
    add_arguments,
    run_experiment,
    EXAMPLES,
    computes=True,
    group=Group.COMPARE,
)
