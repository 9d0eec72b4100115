"""assay judgments: grades that people gave on the web pages; list them, write them as qrels, see how far judges agree."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli._command import Command
from assay.cli._store import add_store_argument, open_store
from assay.cli._terminal import may_colour, terminal_width
from assay.errors import NothingSelected, UsageError, near_matches
from assay.text import counted, printable

if TYPE_CHECKING:
    from assay.store.judge_agreement import JudgeAgreement
    from assay.store.judgments import Judgment

EXAMPLES = """\
  assay judgments --benchmark rag-template
  assay judgments export -o qrels.txt --benchmark rag-template
  assay judgments agreement"""
SCHEMA = "assay.judgments/1"
ACTIONS = ("list", "export", "agreement")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to do with which judgments."""
    parser.add_argument(
        "action",
        nargs="?",
        default="list",
        metavar="list|export|agreement",
        help="list them (the default); write them as TREC qrels; Cohen's κ of every two judges",
    )
    parser.add_argument("--benchmark", metavar="NAME", help="those about this benchmark")
    parser.add_argument("--judge", metavar="NAME", help="those of this judge")
    parser.add_argument("-o", "--output", metavar="FILE", help="export: the file that is written")
    parser.add_argument("-f", "--format", default="table", choices=("table", "json", "csv"), help="table, json or csv")
    add_store_argument(parser)


def run_judgments(options: argparse.Namespace) -> int:
    """Dispatch; what is written wrongly shows before the store is opened."""
    if options.action not in ACTIONS:
        near = near_matches(options.action, ACTIONS)
        raise UsageError(
            f"write assay judgments {'|'.join(ACTIONS)}, not {options.action!r}{f': {near[0]}?' if near else ''}"
        )
    if bool(options.output) != (options.action == "export"):
        raise UsageError("write assay judgments export -o qrels.txt; -o is for export, and export needs it")
    with open_store(options) as store:
        found = store.judgments.find(options.benchmark, judge=options.judge)
        if not found:
            _refuse_none(store.judgments.find(), options, str(store.place))
    do = {"list": _list, "export": _export, "agreement": _agreement}[options.action]
    sys.stdout.write(do(found, options))
    return 0


def _refuse_none(every: Sequence[Judgment], options: argparse.Namespace, place: str) -> None:
    """Say what there is instead, or how judgments come about."""
    if not every:
        raise NothingSelected(f"nobody has judged anything in {place} yet; assay serve shows queries where people can")
    asked = {name: getattr(options, name) for name in ("benchmark", "judge") if getattr(options, name)}
    known = {name: sorted({getattr(one, name) for one in every}) for name in asked}
    meant = [near for name, value in asked.items() for near in near_matches(value, known[name])]
    said = " and ".join(f"{name} {value}" for name, value in asked.items())
    there = "; ".join(f"{name}s: {', '.join(names)}" for name, names in known.items())
    raise NothingSelected(f"no judgment has {said}{f'. Did you mean {meant[0]}?' if meant else ''} ({there})")


def _list(found: Sequence[Judgment], options: argparse.Namespace) -> str:
    if options.format == "json":
        return _json([one.to_dict() for one in found])
    if options.format == "csv":
        return _csv([one.to_dict() for one in found])
    head = ["benchmark", "query", "document", "grade", "judge", "judged (UTC)", "note"]
    rows = [
        [one.benchmark, one.query, one.document, f"{one.grade:g}", one.judge, one.judged[:16].replace("T", " "), one.note]
        for one in found
    ]
    return _table(head, rows, {0, 1, 2, 4, 5, 6}) + f"\n{counted(len(found), 'judgment')}\n"


def _export(found: Sequence[Judgment], options: argparse.Namespace) -> str:
    """One grade for each pair: of several judges the median, and of two in the middle the lower one."""
    from assay.datasets._write import write_qrels
    from assay.store.judgments import combined

    benchmarks = sorted({one.benchmark for one in found})
    if len(benchmarks) > 1:
        raise UsageError(f"qrels are of one benchmark: add --benchmark with one of {', '.join(benchmarks)}")
    grades = combined(found)
    file = Path(options.output)
    if file.is_dir() or not file.parent.exists():
        raise UsageError(f"{file}: a file in a folder that exists is needed")
    write_qrels(grades, file)
    n_pairs, n_judges = sum(map(len, grades.values())), len({one.judge for one in found})
    several = f" by {counted(n_judges, 'judge')}; where they differ, the median" if n_judges > 1 else ""
    return printable(f"{counted(n_pairs, 'grade')} for {counted(len(grades), 'query')} written to {file}{several}") + "\n"


def _agreement(found: Sequence[Judgment], options: argparse.Namespace) -> str:
    from assay.store.judge_agreement import judge_agreements

    agreements = judge_agreements(found)
    if options.format == "json":
        return _json([one.to_dict() for one in agreements], "agreement")
    if options.format == "csv":
        return _csv([one.to_dict() for one in agreements])
    if not agreements:
        return f"no two judges have graded the same pair yet ({counted(len(found), 'judgment')})\n"
    rows = [[f"{one.a} and {one.b}", f"{one.n_pairs:,}", f"{one.same:.0%}", *_kappas(one)] for one in agreements]
    table = _table(["judges", "pairs", "same grade", "κ", "κ weighted"], rows, {0})
    return f"{table}\nκ: 1 is full agreement, 0 what chance would give; weighted, near grades differ less than far ones\n"


def _kappas(one: JudgeAgreement) -> list[str]:
    return [f"{kappa:.3f}" if kappa == kappa else "–" for kappa in (one.kappa, one.weighted_kappa)]


def _json(plain: Any, name: str = "judgments") -> str:
    return json.dumps({"schema": SCHEMA, name: plain}, ensure_ascii=False, indent=2) + "\n"


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    """A line for each, the names of the columns first; no text that a spreadsheet would take for a formula."""
    from assay.reports._csv_rows import csv_of
    from assay.web._csv import neutral

    return csv_of([{name: neutral(one) if isinstance(one, str) else one for name, one in row.items()} for row in rows])


def _table(head: list[str], rows: Sequence[Sequence[str]], texts: set[int]) -> str:
    from assay.reports._cells import Cell, Table
    from assay.reports._layout import Style, fitted

    cells = [[Cell(printable(text)) for text in row] for row in rows]
    return "\n\n".join(fitted(Table(head, cells, frozenset(texts)), Style(terminal_width(), may_colour()))) + "\n"


COMMAND = Command(
    "judgments",
    "list the grades that people gave, export them, or see how far judges agree",
    add_arguments,
    run_judgments,
    EXAMPLES,
)
