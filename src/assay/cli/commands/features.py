"""assay features: which features help a model for learning to rank, by permutation or by leaving them out."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

from assay.cli.commands.compare import add_comparison_arguments, make_comparison_options
from assay.cli.output_options import ENDINGS, FORMATS, PAGE, add_output_arguments, check_output, write_and_print
from assay.cli.program import Command, Group
from assay.cli.scoring_options import add_policy_arguments, integer_parser, make_profile
from assay.cli.terminal import write_notes
from assay.errors import UsageError
from assay.grammar import WrittenName

EXAMPLES = """\
  assay features "lightgbm(model=model.txt)" Fold1
  assay features xgboost:model.json test.txt -m ndcg@5 --features 1-20 45
  assay features sklearn:my_module:model Fold1:vali --by leaving-out --correction benjamini_hochberg
  assay features lightgbm:model.txt Fold1 -o features.html -o features.csv"""
ENDINGS_WITH_PAGES = f"{ENDINGS} {PAGE}"
METHODS = ("permutation", "leaving-out")
SHOWN = 20
"""Features in the table, unless all are requested."""
SECONDS_BETWEEN_LINES = 5.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The model, the data, the metric, how features are changed, and the comparison."""
    parser.add_argument("model", type=WrittenName, help="provider that ranks by features, such as lightgbm(model=model.txt)")
    parser.add_argument("dataset", help="file or folder in the format letor")
    parser.add_argument(
        "-m", "--metric", type=WrittenName, default="ndcg@10", metavar="METRIC", help="metric (default: ndcg@10)"
    )
    group = parser.add_argument_group("features")
    group.add_argument(
        "--by",
        choices=METHODS,
        default=METHODS[0],
        help="permutation: the values of a feature in a random order within each query; leaving-out: the mean of the query "
        "for all its documents (default: permutation)",
    )
    group.add_argument(
        "--features", nargs="+", type=parse_numbers, metavar="N", help="numbers or ranges of features, such as 3 10-20"
    )
    group.add_argument(
        "--repeats",
        type=integer_parser(1000, 1),
        default=5,
        metavar="N",
        help="random orders for each feature; scores are means over them (default: 5)",
    )
    group.add_argument("--all", action="store_true", help=f"show all features, not only the {SHOWN} with the largest losses")
    add_comparison_arguments(parser)
    add_policy_arguments(parser)
    add_output_arguments(parser, FORMATS, choices=FORMATS, endings=ENDINGS_WITH_PAGES)


def parse_numbers(text: str) -> range:
    """A number, or a range such as 10-20."""
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()) or len(text) > 20 or (dash and int(last) < int(first)):
        raise argparse.ArgumentTypeError(f"must be a number or a range such as 10-20, not {text!r}")
    return range(int(first), int(last or first) + 1)


def run_features(options: argparse.Namespace) -> int:
    """Score the model with each feature changed, and print the losses."""
    check_output(options.output, ENDINGS_WITH_PAGES, options.file_format)
    if options.baseline is not None or options.intersect:
        raise UsageError("the baseline is the model with all features, so --baseline and --intersect cannot be used here")
    from assay.learning_to_rank import feature_importance
    from assay.reports import render_features

    how = make_comparison_options(options).to_dict()
    settings = {name: how[name] for name in ("test", "correction", "alpha", "interval", "tolerance", "rope", "seed")}
    importance = feature_importance(
        options.dataset,
        options.model,
        options.metric,
        method=options.by,
        features=None if options.features is None else [number for some in options.features for number in some],
        repeats=options.repeats,
        profile=make_profile(options),
        watch=_watcher(quiet=options.quiet),
        **settings,
    )
    most = None if options.all else SHOWN
    write_and_print(options, lambda form, style: render_features(importance, form, style, most))
    write_notes(options, *(f"note: {note}" for note in importance.notes))
    return 0


def _watcher(*, quiet: bool) -> Callable[[int, int], None]:
    """Writes a line from time to time if the computation takes long."""
    last = time.monotonic()

    def watch(n_done: int, n_all: int) -> None:
        nonlocal last
        if not quiet and time.monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = time.monotonic()
            sys.stderr.write(f"{n_done:,} of {n_all:,} rankings scored\n")

    return watch


COMMAND = Command(
    "features",
    "show which features help a model for learning to rank",
    add_arguments,
    run_features,
    EXAMPLES,
    computes=True,
    group=Group.COMPARE,
)
