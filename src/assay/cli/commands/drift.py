"""assay drift: how much a run has changed since an earlier run, without judgments."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli.output_options import TEXT_ENDINGS, add_format, add_output, check_output, write_and_print
from assay.cli.program import Command, Group
from assay.cli.scoring_options import integer_parser
from assay.errors import Hint, UsageError
from assay.text import counted, printable, wrapped

if TYPE_CHECKING:
    from assay.monitoring import Drift

EXAMPLES = """\
  assay drift yesterday.run today.run
  assay drift yesterday.run today.run --k 20 -f json"""
TWO_RUNS = Hint("", "give two runs, because this command reads no judgments")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Two runs."""
    parser.add_argument("before", help="earlier run, such as yesterday's")
    parser.add_argument("now", help="current run")
    parser.add_argument(
        "--k", type=integer_parser(1_000_000), default=10, metavar="K", help="number of ranks to compare (default: 10)"
    )
    add_format(parser, "output format: table or json (default: table)", ("table", "json"))
    add_output(parser, TEXT_ENDINGS)


def run_drift(options: argparse.Namespace) -> int:
    """Show what changed. Whether a change is good or bad can only be seen with judgments."""
    from assay.cli.file_errors import describe_file_error
    from assay.errors import DataError
    from assay.files import as_source
    from assay.model import Run
    from assay.monitoring import measure_drift
    from assay.reports import json_text

    check_output(options.output, TEXT_ENDINGS, options.file_format)
    if not options.k:
        raise UsageError("--k must be a whole number of at least 1, not '0'")
    runs = []
    for source in (as_source(options.before), as_source(options.now)):
        try:
            runs.append(Run(source))
        except DataError as error:
            raise describe_file_error(error, source, "a run", TWO_RUNS) from None
    drift = measure_drift(runs[0], runs[1], options.k)
    write_and_print(
        options, lambda form, style: json_text(drift.to_dict()) if form == "json" else _render(drift, style.width)
    )
    return 0


def _render(drift: Drift, width: int | None = None) -> str:
    """What changed first, then all values. Values go below their names if the lines would be too wide."""
    verdict = "; ".join(drift.findings)
    rows = (
        (f"similarity of rankings (RBO, p = 0.9); overlap@{drift.k}", f"{drift.rbo:.3f}; {100 * drift.overlap:.1f} %"),
        ("new ids; ids no longer retrieved", f"{100 * drift.churn:.1f} %; {100 * drift.gone:.1f} %"),
        ("queries without results", f"{100 * drift.empty_before:.1f} % → {100 * drift.empty_now:.1f} %"),
        ("median of the best scores", f"{drift.median_before:.4g} → {drift.median_now:.4g}"),
        ("distance between the scores (Kolmogorov–Smirnov)", f"{drift.shift:.3f} (p {_p_text(drift.p_shift)})"),
    )
    widest = max(len(name) for name, _ in rows)
    lines = [
        f"{'The run has changed: ' + verdict if verdict else 'The run has not changed noticeably'}.",
        f"{counted(drift.n_queries, 'query')} in both runs"
        + (f", {drift.only_before:,} only in the earlier run" if drift.only_before else "")
        + (f", {drift.only_now:,} only in the current run" if drift.only_now else ""),
        "",
    ]
    lines += [line for name, value in rows for line in _row(name, value, widest, width)]
    if drift.least_alike:
        named = ", ".join(f"{printable(query)} ({figure:.2f})" for query, figure in drift.least_alike)
        lines += ["", f"Least similar rankings (RBO): {named}"]
    return "\n".join(wrapped(line, width) if width and len(line) > width else line for line in lines) + "\n"


def _row(name: str, value: str, widest: int, width: int | None) -> list[str]:
    if width and 5 + widest + len(value) > width:
        return [f"  {name}", f"    {value}"]
    return [f"  {name:{widest}}   {value}"]


def _p_text(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


COMMAND = Command(
    "drift",
    "show what changed between two runs, without judgments",
    add_arguments,
    run_drift,
    EXAMPLES,
    computes=True,
    group=Group.COMPARE,
)
