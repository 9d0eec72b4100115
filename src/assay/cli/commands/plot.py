"""assay plot: a chart of results as a file, and what it says in words."""

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
from assay.cli.output_options import add_output_arguments, open_store, stored_metric
from assay.cli.program import Command
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
RULES = InputRules(metrics="what is drawn (default: the first)", has_default=True, keep_rankings=lambda _: True)
MAX_CUTOFF = 10_000
FLAGS = {"metrics": "-m", "by": "--by", "k": "--k", "benchmark": "--benchmark", "provider": "--provider", "since": "--since"}
HISTORY_FLAGS = ("benchmark", "provider", "since")
HISTORY_METRIC = "ndcg@10"
WORDS = "table"
PRINTED_FORMATS = (WORDS, "svg", "json", "csv")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The kind of chart, what it is drawn of, its size and colours, and where it goes."""
    parser.add_argument("kind", nargs="?", metavar="KIND", help="such as bars; without it the kinds are listed")
    add_input_arguments(parser, RULES)
    group = parser.add_argument_group("chart")
    group.add_argument("--by", metavar="TAG", help="slices: the tag, such as difficulty or language")
    group.add_argument(
        "--k", nargs="+", type=integer_parser(MAX_CUTOFF**2, 1), metavar="K", help="by_k: the cutoffs, such as 1 3 5 10"
    )
    group.add_argument("--benchmark", metavar="BENCHMARK", help="history: only this one")
    group.add_argument("--provider", metavar="PROVIDER", help="history: only this one")
    group.add_argument("--since", metavar="AGE", help="history: such as 30d, 12w, 6h or 2026-11-01")
    show = add_output_arguments(
        parser,
        "what is printed: table (the chart in words), svg, json or csv (default: table)",
        "svg, png, pdf, json (Vega-Lite) or csv (the rows behind it); may be repeated",
        choices=PRINTED_FORMATS,
    )
    show.add_argument("--title", default="", metavar="TEXT", help="what stands above it")
    show.add_argument("--theme", choices=("light", "dark"), default="light", help="light (default) or dark")
    show.add_argument(
        "--width", type=integer_parser(MAX_CUTOFF, 50), metavar="POINTS", help="of the plot, without its labels"
    )
    show.add_argument(
        "--height", type=integer_parser(MAX_CUTOFF, 50), metavar="POINTS", help="of the plot, without its labels"
    )


def run_plot(options: argparse.Namespace) -> int:
    """Names and files are checked before anything is read. The words of the chart are printed, the files are written."""
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
    """The chart in words, or in the format that was asked for."""
    from assay.charts import render

    if options.format == WORDS:
        width = terminal_width()
        return (wrapped(drawing.alt, width) if width else drawing.alt) + "\n"
    return render(drawing, options.format, options.theme).decode().rstrip("\n") + "\n"


def _printed_kind(options: argparse.Namespace) -> list[str]:
    """The kind of what is printed, where that is not words."""
    return [] if options.format == WORDS else [options.format]


def _list_kinds(options: argparse.Namespace) -> int:
    from assay.charts import all_charts
    from assay.reports import Table, cells, table_section, text_columns

    if options.files or options.output or any(getattr(options, name) for name in FLAGS):
        raise UsageError(f"which chart? Its kind comes first: {options.prog} bars latest -m ndcg@10 -o bars.svg")
    rows = tuple(cells(chart.name, chart.needs, chart.meaning.rstrip(".")) for chart in all_charts().values())
    sys.stdout.write(text_here([table_section(Table(text_columns("chart", "drawn of", "what it shows", prose=True), rows))]))
    return 0


def _check_flags(chart: Chart, options: argparse.Namespace) -> None:
    """Check that the chart has a use for each flag that is given."""
    used = {"metric": "metrics", "cutoffs": "k"}
    mine = {used.get(name, name) for name in chart.takes}
    mine |= {"metrics", *HISTORY_FLAGS} if chart.needs_series else set()
    if strange := [flag for name, flag in FLAGS.items() if name not in mine and getattr(options, name)]:
        raise UsageError(f"{', '.join(strange)}: {chart.name} has no use for it")
    if "metric" in chart.takes and len(options.metrics or ()) > 1:
        raise UsageError(f"{chart.name} shows one metric, not {' '.join(options.metrics)}; heat_map shows several")
    if "by" in chart.takes and not options.by:
        raise UsageError(f"{chart.name} need a tag: {options.prog} {chart.name} latest --by difficulty")
    if chart.needs_series and options.files:
        raise UsageError(
            f"{chart.name} is about all evaluations of the store, not {' '.join(options.files)}; "
            "choose by --benchmark, --provider and --since"
        )


def _endings(options: argparse.Namespace) -> list[str]:
    """The kind of each file; what cannot be written is refused."""
    from assay.charts import renderings
    from assay.reports import form_of

    known, outputs = {f".{name}": name for name in renderings()}, options.output
    for output in outputs:
        if form_of(Path(output), options.file_format, known) not in known.values():
            raise UsageError(f"-o {output}: the ending tells the format; there are {', '.join(known.values())}")
        if Path(output).is_dir():
            raise UsageError(f"-o {output}: a file is needed; there is a folder of that name")
        if outputs.count(output) > 1:
            raise UsageError(f"-o {output}: given twice, and the second would replace the first")
    return [form_of(Path(output), options.file_format, known) for output in outputs]


def _draw_results(chart: Chart, options: argparse.Namespace) -> Drawing:
    """A chart of results: those of all benchmarks together, unless queries are looked at one by one."""
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
    """A chart of the store's series, with the baselines there are."""
    from assay.charts import draw
    from assay.monitoring import series_of

    bound = stored_metric((options.metrics or [WrittenName(HISTORY_METRIC)])[0], options)
    metric = bound.name
    with open_store(options) as store:
        series = series_of(store.history(metric, options.benchmark, options.provider, options.since), bound)
        if not series:
            raise NothingSelected(describe_no_history(options, metric, store.list()))
        _check_one_benchmark([line.benchmark for line in series])
        blessed = store.baselines()
    names: dict[str, str] = {}
    for name, evaluation in blessed.items():  # one that stands for a single result is marked by the series itself
        names[evaluation] = ", ".join(filter(None, (names.get(evaluation), name)))
    return draw("history", series=tuple(series), baselines=names, title=options.title)


def _check_one_benchmark(benchmarks: Sequence[str]) -> None:
    """Figures of different benchmarks have no common axis: which line is higher would say nothing."""
    names = list(dict.fromkeys(benchmarks))
    if len(names) > 1:
        first = shlex.join(["--benchmark", names[0]])
        raise UsageError(
            f"history shows one benchmark, for others have another scale: {first}; there are {', '.join(names)}"
        )


def _write(drawing: Drawing, options: argparse.Namespace) -> None:
    """Every file whole or not at all; all are made before the first is written."""
    from assay.atomic_write import atomic_write
    from assay.charts import render

    made = [render(drawing, kind, options.theme) for kind in _endings(options)]
    for output, content in zip(options.output, made, strict=True):
        with atomic_write(Path(output), is_text=False) as file:
            file.write(content)


COMMAND = Command("plot", "draw a chart of results", add_arguments, run_plot, EXAMPLES, computes=True)
