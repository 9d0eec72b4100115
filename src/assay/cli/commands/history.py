"""assay history: what got worse in every series; or the values of a metric over time, and where they changed."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from assay.cli.output_options import SINCE_HELP, add_store_argument, open_store, stored_metric
from assay.cli.program import Command, Group
from assay.cli.terminal import terminal_width, text_here
from assay.errors import NothingSelected, UsageError, near_matches
from assay.grammar import WrittenName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.monitoring import Series, SeriesOverview
    from assay.store import Entry

MAX_NAMES_SHOWN = 10
EXAMPLES = """\
  assay history
  assay history -m ndcg@10 --benchmark hpo-en
  assay history -m latency_p95 --provider dense --since 30d
  assay history -m mrr -f csv > history.csv"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which series, and output."""
    parser.add_argument(
        "-m",
        "--metric",
        type=WrittenName,
        metavar="METRIC",
        help="metric to draw over time; without it, show what got worse in each series, by its first metric",
    )
    parser.add_argument("--benchmark", metavar="BENCHMARK", help="show only results on this benchmark")
    parser.add_argument("--provider", metavar="PROVIDER", help="show only results of this provider")
    parser.add_argument(
        "--since",
        metavar="AGE",
        help=f"show only {SINCE_HELP}",
    )
    add_store_argument(parser)
    parser.add_argument(
        "-f",
        "--format",
        default="table",
        choices=("table", "json", "csv"),
        metavar="FORMAT",
        help="output format: table, json or csv (default: table)",
    )


def run_history(options: argparse.Namespace) -> int:
    """The metric is checked before the store is opened, unless its name is only known from stored results."""
    if options.metric is None:
        return _show_overview(options)
    from assay.monitoring import read_series

    bound = stored_metric(options.metric, options)
    with open_store(options) as store:
        series = read_series(store, bound, options.benchmark, options.provider, options.since)
        if not series:
            raise NothingSelected(describe_no_history(options, bound.name, store.list()))
        text = _rendered(series, bound.name, options.format)  # marks need the scores in the store
    sys.stdout.write(text)
    return 0


def _rendered(series: Sequence[Series], metric: str, output_format: str) -> str:
    from assay.reports import history_sections, json_text, render_history, render_sections

    if output_format == "json":
        return json_text({"schema": "assay.history/1", "metric": metric, "series": [line.to_dict() for line in series]})
    if output_format == "csv":
        return render_sections(history_sections(series), "csv")
    return render_history(series, metric, terminal_width())


def _show_overview(options: argparse.Namespace) -> int:
    """What got worse since the last run and since the baseline, for each series."""
    from assay.monitoring import Overview, OverviewReader
    from assay.reports import json_text, overview_sections, render_sections

    if options.since:
        raise UsageError("--since needs a metric: assay history -m ndcg@10 --since 30d")
    with open_store(options) as store:
        chosen = [line for line in OverviewReader().read(store).series if _is_chosen(line, options)]
        if not chosen:
            raise NothingSelected(describe_no_history(options, "", store.list()))
    overview = Overview(tuple(chosen))
    if options.format == "json":
        sys.stdout.write(json_text({"schema": "assay.status/1", **overview.to_dict()}))
    elif options.format == "csv":
        sys.stdout.write(render_sections(overview_sections(overview)[:1], "csv"))
    else:
        sys.stdout.write(f"{overview.heading}.\n\n{text_here(overview_sections(overview))}")
    return 0


def _is_chosen(line: SeriesOverview, options: argparse.Namespace) -> bool:
    return options.benchmark in (None, line.benchmark) and options.provider in (None, line.provider)


def describe_no_history(options: argparse.Namespace, metric: str, entries: Sequence[Entry]) -> str:
    """What was requested, similar names, and the names that exist."""
    filters = {"of provider": options.provider, "on benchmark": options.benchmark, "since": options.since}
    conditions = "".join(f" {word} {value}" for word, value in filters.items() if value)
    known = {
        "benchmark": list(dict.fromkeys(entry.benchmark for entry in entries)),
        "provider": list(dict.fromkeys(entry.provider for entry in entries)),
        "metric": list(dict.fromkeys(name for entry in entries for name in entry.figures)),
    }
    asked = {"benchmark": options.benchmark, "provider": options.provider, "metric": metric}
    lacking = [kind for kind, name in asked.items() if name and name not in known[kind]]
    what = metric or "a value"
    if not entries or not lacking:
        return f"no stored result{conditions} has {what}. To list the stored results: assay results"
    kind = lacking[0]
    near = near_matches(str(asked[kind]), known[kind])
    meant = f" Did you mean {' or '.join(near)}?" if near else ""
    names = sorted(known[kind])
    there = ", ".join(names[:MAX_NAMES_SHOWN]) + (" …" if len(names) > MAX_NAMES_SHOWN else "")
    return f"no stored result{conditions} has {what}.{meant}   (stored {kind}s: {there})"


COMMAND = Command(
    "history",
    "show what got worse, and how a metric changed over time",
    add_arguments,
    run_history,
    EXAMPLES,
    group=Group.FOLLOW,
)
