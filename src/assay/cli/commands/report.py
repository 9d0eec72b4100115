"""assay report: results as one HTML page that can be opened offline, shared or printed."""

from __future__ import annotations

import argparse
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli.commands.compare import add_comparison_arguments, check_baseline, compare_best, make_comparison_options
from assay.cli.gate_inputs import RULE_HELP, best_so_far, read_rules
from assay.cli.inputs import InputRules, add_input_arguments, parse_inputs
from assay.cli.loading import LoadedResults, load_results
from assay.cli.output_options import FORMATS, add_by_argument, add_output_arguments
from assay.cli.program import Command, Group
from assay.cli.terminal import write_notes
from assay.errors import UsageError
from assay.masking import mask
from assay.text import counted

if TYPE_CHECKING:
    from assay.comparison import ComparisonOptions
    from assay.evaluation import Result
    from assay.metrics import BoundMetric
    from assay.monitoring import GateReport
    from assay.reports import BenchmarkReport, Page


CHART_KINDS = ("svg", "png", "pdf")
HTML = "html"
PAGE_ENDINGS = (".html", ".htm")
RULES = InputRules(
    metrics="metrics to compare; the verdict is about the first one", has_default=True, keep_rankings=lambda _: True
)
UNUSED = "note: --datasets {}: no result was evaluated on this benchmark, or it has changed since. Its texts are not shown"
MAX_QUERIES_SHOWN = 10
"""The number of queries with the largest losses and gains, in text formats."""


EXAMPLES = """\
  assay report latest -o report.html
  assay report latest -o report.html --datasets my-benchmark
  assay report main latest -o change.html -o change.md --gate gate.yaml
  assay report before.json after.json -o cmp.html -o table.tex -o figures/ --charts pdf
  assay report qrels.txt bm25.run dense.run -m ndcg@10 map -o runs.html --title "Two runs" """


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The results, the comparison, and the output."""
    add_input_arguments(parser, RULES)
    add_comparison_arguments(parser)
    add_by_argument(parser.add_argument_group("slices"))
    parser.add_argument(
        "--datasets",
        nargs="+",
        default=[],
        metavar="PATH",
        help="benchmarks whose texts and small images the page may show, if the result has the same fingerprint",
    )
    gate = parser.add_argument_group("gate")
    gate.add_argument(
        "--gate",
        action="append",
        default=[],
        metavar="FILE",
        help="file of rules to check, such as gate.yaml; the report shows the verdicts; may be repeated",
    )
    gate.add_argument("--rule", action="append", default=[], metavar="RULE", help=RULE_HELP)
    show = add_output_arguments(
        parser,
        "also print the report in this format: table, json, csv, markdown, latex or html",
        "write the report to this file, in the format of its extension: .html .json .csv .md .tex .txt; or write its charts "
        "to a folder, if the name ends in /; may be repeated",
        default="",
        choices=(*FORMATS, HTML),
    )
    show.add_argument("--charts", choices=CHART_KINDS, help="format of the charts in a folder (default: svg)")
    show.add_argument("--title", default="", metavar="TEXT", help="title of the page")


def run_report(options: argparse.Namespace) -> int:
    """Options are checked before anything is read; nothing is written unless everything worked."""
    how = make_comparison_options(options)
    check_files(options)
    if options.dataset and options.datasets:
        raise UsageError("--dataset scores again and shows the texts of its benchmark. To show texts only, use --datasets")
    inputs = parse_inputs(options, RULES)
    check_baseline(options, inputs)
    load = cache(lambda: load_results(options, inputs))
    rules = _read_rules(options, load)
    sources = load()
    matters = _benchmark_reports(options, sources, how)
    gate = _gate(options, sources, rules)
    matters = [replace(report, gate=gate) for report in matters]
    if written := write_files(options, matters):
        write_notes(options, f"wrote {', '.join(written)}")
    write_notes(options, *sources.newer_judgments)
    return 0


def _benchmark_reports(options: argparse.Namespace, sources: LoadedResults, how: ComparisonOptions) -> list[BenchmarkReport]:
    """A part of the page for each benchmark; several systems on one are compared."""
    from assay.reports import BenchmarkReport, anchor_of
    from assay.web import CardSources

    cards = CardSources(options.dataset, options.datasets, options.dataset_format)
    write_notes(options, *(UNUSED.format(path) for path in cards.unused(sources.results)))
    texts, groups = cards.content, sources.groups
    reports = []
    for place, group in enumerate(groups, 1):
        name = anchor_of(str(place), group[0].benchmark) if len(groups) > 1 else ""
        by = tuple(options.by or ())
        working = [result for result in group if not result.is_total_failure] or group[:1]
        failed = tuple(result for result in group if result not in working)
        comparison, shown = None, tuple(working)
        if working[0].rows_are != "query":  # users of logs are compared by assay experiment
            shown = tuple(working)
        elif len(working) == 1:
            shown = (_with_asked_metrics(options, working[0]),)
        else:
            comparison = compare_best(options, working, how)
            shown = tuple(result for result in working if result.name in comparison.names)
        reports.append(
            BenchmarkReport(
                shown,
                comparison,
                by,
                group=name,
                words_of=texts.words_of,
                expected_of=texts.expected_of,
                pictures_of=texts.pictures_of,
                failed=failed,
            )
        )
    return reports


def _with_asked_metrics(options: argparse.Namespace, result: Result) -> Result:
    """The result with the requested metrics first, followed by its additional metrics."""
    if not options.metrics:
        return result
    from assay.comparison import shared_metrics

    metrics = shared_metrics([result], options.metrics)
    beside = tuple(metric for metric in result.metrics if metric.name in result.beside and metric not in metrics)
    return result.subset(metrics=(*metrics, *beside))


def _read_rules(options: argparse.Namespace, load: Callable[[], LoadedResults]) -> Sequence[object]:
    if not options.gate and not options.rule:
        return ()
    from assay.monitoring import metrics_of

    def recorded() -> list[BoundMetric]:
        return metrics_of(load().results)

    return read_rules(options.gate, options.rule, recorded)


def _gate(options: argparse.Namespace, sources: LoadedResults, rules: Sequence[object]) -> GateReport | None:
    """The verdicts of the rules on the last source, compared with the first if there are two. The exit code ignores them."""
    if not rules:
        return None
    from assay.monitoring import Rule, gate

    if not sources.lookups:
        raise UsageError("rules need stored or saved results, not runs, as in assay report main latest --gate gate.yaml")
    now = sources.lookups[-1]
    before = sources.lookups[0] if len(sources.lookups) > 1 else None
    known = [rule for rule in rules if isinstance(rule, Rule)]
    name = before.label if before else "the baseline"
    best = best_so_far(options, known, now)
    return gate(now.results, before.results if before else None, known, name=name, best=best)


def check_files(options: argparse.Namespace) -> None:
    """Refuse files that cannot be written, and a report without any output."""
    from assay.reports import ENDINGS, check_html_packages, check_outputs

    outputs, known = options.output, (*ENDINGS, *PAGE_ENDINGS)
    if not outputs and not options.format:
        files = options.files or ["latest"]
        raise UsageError(f"say where to write the report: {options.prog} {shlex.join(files)} -o report.html")
    if options.charts and not any(map(is_folder, outputs)):
        raise UsageError(f"--charts {options.charts} needs a folder for the charts. Add one, such as -o figures/")
    if HTML in (options.format, *(_form(output, options) for output in outputs)) or any(map(is_folder, outputs)):
        check_html_packages()
    for output in outputs:
        if is_folder(output):
            _check_folder(output)
            continue
        if not _form(output, options):
            names = ", ".join((PAGE_ENDINGS[0], *ENDINGS))
            raise UsageError(
                f"-o {output}: the file extension must be one of {names}. The name of a folder for charts ends in /"
            )
        check_outputs([output], known, options.file_format)
    if len({Path(output).absolute() for output in outputs}) < len(outputs):
        raise UsageError("-o: the same file is given twice. Remove one of them")


def _form(output: str, options: argparse.Namespace) -> str:
    """The format of a file."""
    from assay.reports import ENDINGS, form_of

    return form_of(Path(output), options.file_format, ENDINGS | dict.fromkeys(PAGE_ENDINGS, HTML))


def is_folder(output: str) -> bool:
    """Whether it is a folder for charts: it ends in / or exists as a folder."""
    return output.endswith("/") or Path(output).is_dir()


def _check_folder(output: str) -> None:
    from assay.reports import check_writable

    if Path(output).exists() and not Path(output).is_dir():
        raise UsageError(f"-o {output}: this must be a folder for charts, but a file has this name")
    check_writable(Path(output) / "chart", output)


def write_files(options: argparse.Namespace, matters: Sequence[BenchmarkReport]) -> list[str]:
    """Write all output files and return their names. The page is computed only once."""
    from assay.atomic_write import atomic_write
    from assay.reports import make_page, render_page

    find_page = cache(lambda: make_page(matters, options.title))

    def render(form: str) -> str:
        return render_page(find_page()) if form == HTML else _render_text(options, matters, form)

    written = []
    for output in options.output:
        if is_folder(output):
            n = _write_charts(Path(output), find_page(), options.charts or CHART_KINDS[0])
            written.append(f"{output} ({counted(n, 'chart')})")
            continue
        with atomic_write(Path(output)) as file:
            file.write(
                mask(render(_form(output, options))).encode(
                    "utf-8", "surrogatepass" if output.endswith(".json") else "replace"
                )
            )
        written.append(output)
    if options.format:
        sys.stdout.write(render(options.format))
    return written


def _write_charts(folder: Path, page: Page, kind: str) -> int:
    """One file for each chart, numbered in the order of the page."""
    from assay.atomic_write import atomic_write
    from assay.charts import render

    figures = [(group.anchor, figure) for group in page.groups for figure in group.figures]
    for number, (anchor, figure) in enumerate(figures, 1):
        front = f"{anchor}-" if len(page.groups) > 1 else ""
        name = re.sub(r"[^\w.@-]+", "_", f"{number:02}-{front}{figure.name}")[:100]
        with atomic_write(folder / f"{name}.{kind}", is_text=False) as file:
            file.write(render(figure.drawing, kind))
    return len(figures)


def _render_text(options: argparse.Namespace, matters: Sequence[BenchmarkReport], form: str) -> str:
    """The report in a text format: comparisons if there are any, else the results."""
    from assay.reports import (
        ComparisonExtras,
        ComparisonReport,
        EvaluationDisplay,
        overlap_of,
        render_comparisons,
        render_evaluation,
    )

    opening = _render_overview(matters, form)
    compared = [report.comparison for report in matters if report.comparison is not None]
    if not compared:
        results = [result for report in matters for result in report.results]
        return opening + render_evaluation(results, form, EvaluationDisplay(by=options.by or ()))
    from assay.comparison import compare_slices

    extras = [
        ComparisonExtras(
            compare_slices(comparison, options.by) if options.by else None, agreement=overlap_of(comparison.results)
        )
        for comparison in compared
    ]
    report = ComparisonReport(compared, MAX_QUERIES_SHOWN, MAX_QUERIES_SHOWN, extras=extras)
    return opening + render_comparisons(report, form)


def _render_overview(matters: Sequence[BenchmarkReport], form: str) -> str:
    """An overview of all systems on all benchmarks, if there are several; not for formats that programs read."""
    from assay.reports import PROGRAM_FORMATS, cross_benchmark_section, render_sections

    section = cross_benchmark_section(matters) if form not in PROGRAM_FORMATS else None
    return f"{render_sections([section], form)}\n" if section else ""


COMMAND = Command(
    "report",
    "write a report of results as an HTML page",
    add_arguments,
    run_report,
    EXAMPLES,
    computes=True,
    group=Group.SHOW,
)
