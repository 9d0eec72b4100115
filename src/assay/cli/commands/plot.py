"""assay plot: a chart of results as a file, and its description in words."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.commands.history import describe_no_history
from assay.cli.inputs import InputRules, add_input_arguments, parse_inputs
from assay.cli.loading import load_results
from assay.cli.output_options import SINCE_HELP, add_output_arguments, open_store, stored_metric
from assay.cli.program import Command, Group
from assay.cli.scoring_options import integer_parser
from assay.cli.terminal import terminal_width, text_here, write_notes
from assay.errors import NothingSelected, UsageError
from assay.grammar import WrittenName
from assay.text import wrapped

if TYPE_CHECKING:
    from assay.charts import Chart, Drawing

EXAMPLES = """\
  assay plot
  assay plot bars latest -m ndcg@10 -o bars.svg
  assay plot paired_scatter before.json after.json -m mrr -o scatter.png --theme dark
  assay plot by_k "results.json#hpo-en" -m recall@10 --k 1 3 5 10 -o by_k.pdf -o by_k.csv
  assay plot slices main latest --by difficulty -o slices.svg
  assay plot critical_difference qrels.txt bm25.run dense.run hybrid.run -m map -o ranks.svg
  assay plot history -m ndcg@10 --benchmark hpo-en --since 90d -o history.svg"""
RULES = InputRules(
    metrics="metrics to draw (default: the first metric of the results)", has_default=True, keep_rankings=lambda _: True
)
MAX_CUTOFF = 10_000
FLAGS = {"metrics": "-m", "by": "--by", "k": "--k", "benchmark": "--benchmark", "provider": "--provider", "since": "--since"}
HISTORY_FLAGS = ("benchmark", "provider", "since")
HISTORY_METRIC = "ndcg@10"
WORDS = "table"
PRINTED_FORMATS = (WORDS, "svg", "json", "csv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The kind of chart, its data, its size and colours, and the output."""
    parser.add_argument("kind", nargs="?", metavar="KIND", help="kind of chart, such as bars; without it, list the kinds")
    add_input_arguments(parser, RULES)
    group = parser.add_argument_group("chart")
    group.add_argument("--by", metavar="TAG", help="slices: tag to split the queries by, such as difficulty or language")
    group.add_argument(
        "--k", nargs="+", type=integer_parser(MAX_CUTOFF**2, 1), metavar="K", help="by_k: cutoffs, such as 1 3 5 10"
    )
    group.add_argument("--benchmark", metavar="BENCHMARK", help="history: show only results on this benchmark")
    group.add_argument("--provider", metavar="PROVIDER", help="history: show only results of this provider")
    group.add_argument("--since", metavar="AGE", help=f"history: show only {SINCE_HELP}")
    show = add_output_arguments(
        parser,
        "output format: table (a description in words), svg, json or csv (default: table)",
        "write the chart to this file, in the format of its extension: .svg .png .pdf .json (Vega-Lite) .csv (the data); "
        "may be repeated",
        choices=PRINTED_FORMATS,
    )
    show.add_argument("--title", default="", metavar="TEXT", help="title above the chart")
    show.add_argument("--theme", choices=("light", "dark"), default="light", help="colours of the chart (default: light)")
    show.add_argument(
        "--width", type=integer_parser(MAX_CUTOFF, 50), metavar="POINTS", help="width of the plot, without its labels"
    )
    show.add_argument(
        "--height", type=integer_parser(MAX_CUTOFF, 50), metavar="POINTS", help="height of the plot, without its labels"
    )


def run_plot(options: argparse.Namespace) -> int:
    """Names and files are checked before anything is read. The files are written, and the chart is described in words."""
    from assay.charts import find_chart, require

    if options.kind is None:
        return _list_kinds(options)
    chart = find_chart(options.kind)
    _check_flags(chart, options)
    for ending in (*_printed_kind(options), *_endings(options)):
        require(ending)
    drawing = _draw_history(options) if chart.needs_series else _draw_results(chart, options)
    drawing = drawing.sized(options.width, options.height)
    _write(drawing, options)
    sys.stdout.write(_printed(drawing, options))
    if options.output:
        write_notes(options, f"wrote {', '.join(options.output)}")
    return 0


def _printed(drawing: Drawing, options: argparse.Namespace) -> str:
    """The chart in words, or in the format of -f."""
    from assay.charts import render

    if options.format == WORDS:
        width = terminal_width()
        return (wrapped(drawing.alt, width) if width else drawing.alt) + "\n"
    return render(drawing, options.format, options.theme).decode().rstrip("\n") + "\n"


def _printed_kind(options: argparse.Namespace) -> list[str]:
    """The format that is printed, if it is not words."""
    return [] if options.format == WORDS else [options.format]


def _list_kinds(options: argparse.Namespace) -> int:
    from assay.charts import all_charts
    from assay.reports import Table, cells, table_section, text_columns

    if options.files or options.output or any(getattr(options, name) for name in FLAGS):
        raise UsageError(f"give the kind of chart first: {options.prog} bars latest -m ndcg@10 -o bars.svg")
    rows = tuple(cells(chart.name, chart.needs, chart.meaning.rstrip(".")) for chart in all_charts().values())
    sys.stdout.write(text_here([table_section(Table(text_columns("chart", "input", "what it shows", prose=True), rows))]))
    return 0


def _check_flags(chart: Chart, options: argparse.Namespace) -> None:
    """Check that the chart uses each flag that is given."""
    used = {"metric": "metrics", "cutoffs": "k"}
    mine = {used.get(name, name) for name in chart.takes}
    mine |= {"metrics", *HISTORY_FLAGS} if chart.needs_series else set()
    if strange := [flag for name, flag in FLAGS.items() if name not in mine and getattr(options, name)]:
        raise UsageError(f"the chart {chart.name} does not use {' and '.join(strange)}. Leave this out")
    if "metric" in chart.takes and len(options.metrics or ()) > 1:
        raise UsageError(
            f"the chart {chart.name} shows one metric, not {' '.join(options.metrics)}. To show several, use heat_map"
        )
    if "by" in chart.takes and not options.by:
        raise UsageError(f"the chart {chart.name} needs a tag: {options.prog} {chart.name} latest --by difficulty")
    if chart.needs_series and options.files:
        raise UsageError(
            f"the chart {chart.name} shows all evaluations in the store, not {' '.join(options.files)}. "
            "Select with --benchmark, --provider and --since"
        )


def _endings(options: argparse.Namespace) -> list[str]:
    """The format of each file; files that cannot be written are refused."""
    from assay.charts import renderings
    from assay.reports import form_of

    known, outputs = {f".{name}": name for name in renderings()}, options.output
    for output in outputs:
        if form_of(Path(output), options.file_format, known) not in known.values():
            names = ", ".join(known)
            raise UsageError(f"-o {output}: the file extension must be one of {names}")
        if Path(output).is_dir():
            raise UsageError(f"-o {output}: this must be a file, but a folder has this name")
        if outputs.count(output) > 1:
            raise UsageError(f"-o {output}: the same file is given twice. Remove one of them")
    return [form_of(Path(output), options.file_format, known) for output in outputs]


def _draw_results(chart: Chart, options: argparse.Namespace) -> Drawing:
    """A chart of results, of all benchmarks together unless it shows single queries."""
    from assay.charts import Subject
    from assay.comparison import asked_metrics

    options.prog = f"{options.prog} {chart.name}"
    results = tuple(load_results(options, parse_inputs(options, RULES)).results)
    asked = [metric.name for metric in asked_metrics(results, options.metrics)] if options.metrics else []
    about: dict[str, Any] = {"by": options.by or "", "cutoffs": tuple(options.k or ()), "title": options.title}
    if "metrics" in chart.takes:
        about["metrics"] = tuple(asked)
    elif "metric" in chart.takes:
        about["metric"] = (asked or [""])[0]
    return chart.draw(Subject(results, **about))


def _draw_history(options: argparse.Namespace) -> Drawing:
    """A chart of the series in the store, with the baselines."""
    from assay.charts import draw
    from assay.monitoring import read_series

    bound = stored_metric((options.metrics or [WrittenName(HISTORY_METRIC)])[0], options)
    with open_store(options) as store:
        series = read_series(store, bound, options.benchmark, options.provider, options.since)
        if not series:
            raise NothingSelected(describe_no_history(options, bound.name, store.list()))
        _check_one_benchmark([line.benchmark for line in series])
        names: dict[str, str] = {}
        for name, evaluation in store.baselines().items():  # a baseline that is a single result is marked by the series
            names[evaluation] = ", ".join(filter(None, (names.get(evaluation), name)))
        return draw("history", series=tuple(series), baselines=names, title=options.title)


def _check_one_benchmark(benchmarks: Sequence[str]) -> None:
    """Refuse several benchmarks, because their values cannot be compared on one axis."""
    names = list(dict.fromkeys(benchmarks))
    if len(names) > 1:
        first = shlex.join(["--benchmark", names[0]])
        raise UsageError(
            f"the chart history shows one benchmark, because values of different benchmarks are not comparable. "
            f"Add {first}   (choose from {', '.join(names)})"
        )


def _write(drawing: Drawing, options: argparse.Namespace) -> None:
    """Write every file completely or not at all. All are rendered before the first is written."""
    from assay.atomic_write import atomic_write
    from assay.charts import render

    made = [render(drawing, kind, options.theme) for kind in _endings(options)]
    for output, content in zip(options.output, made, strict=True):
        with atomic_write(Path(output), is_text=False) as file:
            file.write(content)


COMMAND = Command("plot", "draw a chart of results", add_arguments, run_plot, EXAMPLES, computes=True, group=Group.SHOW)
