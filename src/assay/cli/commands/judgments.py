"""assay judgments: grades and notes of a store; list, export, import or withdraw them, or measure how far judges agree."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from assay.cli.judging.calibration import add_calibration_arguments, calibrate_judge
from assay.cli.judging.disagreements import LONGEST_TEXT, Disagreements
from assay.cli.judging.export import export_judgments
from assay.cli.judging.imports import add_import_arguments, check_import_options, import_judgments
from assay.cli.judging.probing import add_probe_arguments, check_probe_options, probe_from_options
from assay.cli.judging.status import judging_overview
from assay.cli.output_options import add_store_argument, open_store
from assay.cli.program import Command, Group
from assay.cli.terminal import text_here
from assay.errors import NothingSelected, UnknownName, UsageError, near_matches
from assay.serialize import dumps
from assay.text import counted, percent, printable

if TYPE_CHECKING:
    from assay.store import JudgeAgreement, Judgment, PanelAgreement, Store, Undecided

EXAMPLES = """\
  assay judgments --benchmark rag-template
  assay judgments export -o qrels.txt --benchmark rag-template
  assay judgments export -o next.json --merged --benchmark rag-template
  assay judgments import qrels.txt --judge NIST --benchmark rag-template --dry-run
  assay judgments import ana.csv --pool pool.jsonl --judge Ana
  assay judgments status
  assay judgments agreement
  assay judgments disagreements --benchmark rag-template
  assay judgments calibrate --judge gpt-4o-mini
  assay judgments probe --benchmark rag-template --with "openai(model=gpt-4o-mini)" --price 0.15 0.60
  assay judgments withdraw --judge Ana --query q01 --document p171"""
SCHEMA = "assay.judgments/1"
ACTIONS = (*("list", "export", "import", "agreement", "disagreements", "calibrate", "probe", "withdraw", "notes", "status"),)
IDENTIFYING_FLAGS = ("judge", "query", "document")
"""The flags that say which grade is withdrawn; and --benchmark, if several benchmarks have that pair."""
PLURAL = {"query": "queries"}
MAX_NAMES_SHOWN = 10
Do = Callable[["Sequence[Judgment]", argparse.Namespace], str]
"""What an action prints about judgments."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The action, and which judgments."""
    parser.add_argument(
        "action",
        nargs="?",
        default="list",
        metavar="|".join(ACTIONS),
        help="list: list judgments (default); export: write them as TREC qrels; import: store those of a file; agreement: "
        "show Cohen's κ for each pair of judges and Krippendorff's α for more than two; disagreements: list the pairs that "
        "people graded differently, and who settled them; calibrate: compare a model with people; probe: let a judge grade "
        "changed pairs; withdraw: remove one judgment; notes: list notes on queries; "
        "status: show what is judged, by whom, and what the next 100 judgments would tell",
    )
    parser.add_argument(
        "file",
        nargs="?",
        metavar="FILE",
        help="import: file with judgments; probe: pool with texts; calibrate: outcomes of probe -f json",
    )
    _add_selection(parser)
    add_import_arguments(parser)
    _add_export_arguments(parser)
    add_calibration_arguments(parser)
    add_probe_arguments(parser)
    add_store_argument(parser)


def _add_selection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--benchmark", metavar="BENCHMARK", help="only judgments on this benchmark; import: its name")
    parser.add_argument("--judge", metavar="NAME", help="only judgments by this judge; import: who judged")
    parser.add_argument("--query", metavar="ID", help="only judgments for this query")
    parser.add_argument("--document", metavar="ID", help="only judgments of this document")
    parser.add_argument("--settled", action="store_true", help="only grades that settle a disagreement")
    parser.add_argument(
        "--kind",
        "--layer",
        choices=("people", "model", "rule"),
        metavar="KIND",
        help="only judgments of this kind: people, model or rule (default: all; export and import: people)",
    )


def _add_export_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", metavar="FILE", help="export: file to write")
    parser.add_argument(
        "--merged",
        action="store_true",
        help="export: the judgments of the benchmark with these grades; a file that ends in .json is the whole benchmark",
    )
    parser.add_argument(
        "--dataset",
        metavar="DATASET",
        help="export: the data of the benchmark; adds --merged; probe: its texts; import: with --pool, to notice texts that "
        "have changed",
    )
    parser.add_argument("--new-version", metavar="VERSION", help="export: the version of the new benchmark")
    parser.add_argument(
        "-f",
        "--format",
        default="table",
        choices=("table", "json", "csv"),
        metavar="FORMAT",
        help="output format: table, json or csv (default: table)",
    )


def run_judgments(options: argparse.Namespace) -> int:
    """Run the action; the options are checked before the store is opened."""
    if options.action not in ACTIONS:
        near = near_matches(options.action, ACTIONS)
        raise UnknownName("action", options.action, near, f"choose from {', '.join(ACTIONS)}")
    if bool(options.output) != (options.action == "export"):
        what = "export needs -o" if options.action == "export" else "-o is for export"
        raise UsageError(f"{what}: assay judgments export -o qrels.txt")
    if options.action == "withdraw" and not all(getattr(options, name) for name in IDENTIFYING_FLAGS):
        raise UsageError(f"withdraw removes one grade. Add {' '.join(f'--{name} …' for name in IDENTIFYING_FLAGS)}")
    check_import_options(options)
    check_probe_options(options)
    sys.stdout.write(probe_from_options(options) if options.action == "probe" else _from_store(options))
    return 0


def _from_store(options: argparse.Namespace) -> str:
    """What an action says that reads or changes the store."""
    with open_store(options) as store:
        if options.action in WHOLE:
            return WHOLE[options.action](store, options)
        who = None if options.judge is None else _stored_judge_name(options.judge)
        if options.action == "calibrate":
            return calibrate_judge(store, options, who)
        options.kind = options.kind or ("people" if options.action == "export" else None)
        judgments = _selected(store, options, who)
        undecided = _undecided(store, options, who)
        if not judgments and not undecided:
            _raise_nothing_selected(store.judgments.find(), options, str(store.place))
        if options.action == "withdraw":
            return _withdraw(store, judgments)
        if options.action == "export":
            return export_judgments(store, judgments, options)
    do: Do = {"agreement": _agreement, "disagreements": _disagreements}.get(options.action, partial(_list, undecided))
    return do(judgments, options)


def _selected(store: Store, options: argparse.Namespace, who: str | None) -> Sequence[Judgment]:
    """The judgments that the options select."""
    by = None if options.action == "disagreements" else who
    every = store.judgments.find(options.benchmark, options.query, options.document, by, options.kind)
    return [judgment for judgment in every if judgment.is_settled or not options.settled]


def _undecided(store: Store, options: argparse.Namespace, who: str | None) -> Sequence[Undecided]:
    """The pairs that people could not grade, of the same selection."""
    if options.action != "list" or options.settled or options.kind not in (None, "people"):
        return ()
    return store.judgments.undecided(options.benchmark, options.query, options.document, who)


def _notes(store: Store, options: argparse.Namespace) -> str:
    """The notes and tags of queries."""
    notes = store.query_notes.find(options.benchmark, options.query)
    if options.format == "json":
        return _json([note.to_dict() for note in notes], "notes")
    if options.format == "csv":
        return _csv([note.to_dict() for note in notes])
    if not notes:
        raise NothingSelected(f"{store.place} has no such notes on queries. To write some on a web page: assay serve")
    head = ["benchmark", "query", "kind", "text", "author", "written (UTC)"]
    rows = [
        [note.benchmark, note.query, note.kind, note.text, note.author, note.written[:16].replace("T", " ")]
        for note in notes
    ]
    return _table(head, rows, set(range(len(head)))) + f"\n{counted(len(notes), 'note')}\n"


def _status(store: Store, options: argparse.Namespace) -> str:
    return judging_overview(store, options, SCHEMA)


WHOLE: dict[str, Callable[[Store, argparse.Namespace], str]] = {
    "import": import_judgments,
    "notes": _notes,
    "status": _status,
}
"""The actions that are not about a selection of judgments."""


def _stored_judge_name(name: str) -> str:
    from assay.store import judge_name

    return judge_name(name)


def _withdraw(store: Store, judgments: Sequence[Judgment]) -> str:
    """Withdraw one grade, and say which."""
    for flag in ("benchmark", "kind"):
        if len(several := sorted({getattr(judgment, flag) for judgment in judgments})) > 1:
            raise UsageError(f"several {flag}s have this grade. Add --{flag}   (choose from {', '.join(several)})")
    own = [judgment for judgment in judgments if not judgment.is_settled]  # --settled is for the other one
    (judgment,) = own or judgments
    if not store.judgments.withdraw(judgment):
        raise NothingSelected("someone else has just withdrawn this grade")
    graded = f"document {judgment.document} and query {judgment.query} on {judgment.benchmark}"
    what = "settled grade" if judgment.is_settled else "grade"
    return printable(f"withdrawn: {what} {judgment.grade:g} by {judgment.judge} for {graded}") + "\n"


def _raise_nothing_selected(every: Sequence[Judgment], options: argparse.Namespace, place: str) -> None:
    """Say which judgments exist, or how to create some."""
    if not every:
        raise NothingSelected(f"{place} has no judgments yet. To judge documents on a web page: assay serve")
    asked = {name: getattr(options, name) for name in ("benchmark", *IDENTIFYING_FLAGS, "kind") if getattr(options, name)}
    known = {name: sorted({getattr(judgment, name) for judgment in every}) for name in asked}
    unknown = {name: value for name, value in asked.items() if value not in known[name]}
    meant = [near for name, value in unknown.items() for near in near_matches(value, known[name])]
    conditions = " ".join(f"--{name} {value}" for name, value in asked.items())
    there = "; ".join(f"{PLURAL.get(name, f'{name}s')}: {_first_names(names)}" for name, names in known.items())
    raise NothingSelected(f"no judgment matches {conditions}.{f' Did you mean {meant[0]}?' if meant else ''}   ({there})")


def _first_names(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMES_SHOWN]) + (", …" if len(names) > MAX_NAMES_SHOWN else "")


def _list(undecided: Sequence[Undecided], judgments: Sequence[Judgment], options: argparse.Namespace) -> str:
    if options.format == "json":
        return _json([judgment.to_dict() for judgment in judgments], undecided=[pair.to_dict() for pair in undecided])
    if options.format == "csv":
        return _csv([judgment.to_dict() for judgment in judgments])
    head = ["benchmark", "query", "document", "grade", "judge", "kind", "judged (UTC)", "reason"]
    rows = [
        [
            judgment.benchmark,
            judgment.query,
            judgment.document,
            f"{judgment.grade:g}",
            judgment.judge,
            f"{judgment.kind}, settled" if judgment.is_settled else judgment.kind,
            judgment.judged[:16].replace("T", " "),
            judgment.reason,
        ]
        for judgment in judgments
    ]
    table = _table(head, rows, {0, 1, 2, 4, 5, 6, 7}) + "\n" if rows else ""
    pairs = f"; {counted(len(undecided), 'pair')} left undecided" if undecided else ""
    return f"{table}{counted(len(judgments), 'judgment')}{pairs}\n"


def _disagreements(judgments: Sequence[Judgment], options: argparse.Namespace) -> str:
    """The pairs that people graded differently."""
    from assay.store import disagreements

    people = [judgment for judgment in judgments if judgment.kind == "people"]
    differing = disagreements(people)
    if options.judge is not None:
        who = _stored_judge_name(options.judge)
        differing = [pair for pair in differing if who in {judgment.judge for judgment in pair.grades}]
    shown = Disagreements(differing, options)
    if options.format == "json":
        return _json(shown.to_dicts(), "disagreements")
    if options.format == "csv":
        return _csv([dict(zip(shown.head, row, strict=True)) for row in shown.rows()])
    if not differing:
        return f"people do not disagree about any pair ({counted(len(people), 'judgment')})\n"
    texts = {place for place, title in enumerate(shown.head) if title != "counts"}
    return f"{_table(shown.head, shown.rows(LONGEST_TEXT), texts)}\n{shown.closing_line}\n"


def _agreement(judgments: Sequence[Judgment], options: argparse.Namespace) -> str:
    from assay.store import judge_agreements, panel_agreement

    agreements, panel = judge_agreements(judgments), panel_agreement(judgments)
    if options.format == "json":
        plain = [agreement.to_dict() for agreement in agreements]
        return _json(plain, "agreement", alpha=panel.to_dict() if panel else None)
    if options.format == "csv":
        return _csv([agreement.to_dict() for agreement in agreements])
    if not agreements:
        return f"no two judges have graded the same pair yet ({counted(len(judgments), 'judgment')})\n"
    rows = [
        [f"{agreement.a} and {agreement.b}", f"{agreement.n_pairs:,}", percent(agreement.same), *_kappas(agreement)]
        for agreement in agreements
    ]
    table = _table(["judges", "pairs", "same grade", "κ", "κ weighted"], rows, {0})
    note = (
        "κ, α: 1 is full agreement, 0 is agreement by chance; in brackets: the 95 % interval. "
        "Weighted κ counts a small difference between grades less than a large one."
    )
    return "\n".join([table, *([_alphas(panel)] if panel and panel.n_judges > 2 else []), note]) + "\n"


def _alphas(panel: PanelAgreement) -> str:
    """Krippendorff's α of all judges together, for three ways to read grades."""
    rows = [
        [what, _with_ends(*getattr(panel, scale))]
        for scale, what in (("nominal", "equal or not"), ("ordinal", "ordered"), ("interval", "by distance"))
    ]
    title = f"Krippendorff's α of {panel.n_judges:,} judges over {counted(panel.n_pairs, 'pair')} with several grades"
    return _table(["grades", "α"], rows, {0}, title)


def _kappas(agreement: JudgeAgreement) -> list[str]:
    return [
        _with_ends(agreement.kappa, agreement.kappa_low, agreement.kappa_high),
        _with_ends(agreement.weighted_kappa, agreement.weighted_low, agreement.weighted_high),
    ]


def _with_ends(value: float, low: float, high: float) -> str:
    """`0.556 [0.12, 0.86]`; a dash if it is undefined."""
    if value != value:
        return "–"
    return f"{value:.3f}" if low != low else f"{value:.3f} [{low:.2f}, {high:.2f}]"


def _json(plain: Any, name: str = "judgments", **more: Any) -> str:
    return dumps({"schema": SCHEMA, name: plain, **more}, indent=2) + "\n"


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    """A line for each row, after a line with the column names; no text that a spreadsheet would run as a formula."""
    from assay.reports import render_sections, table_from_rows, table_section

    return render_sections([table_section(table_from_rows(rows))], "csv")


def _table(head: list[str], rows: Sequence[Sequence[str]], texts: set[int], title: str = "") -> str:
    from assay.reports import Column, Table, cells, table_section

    heads = tuple(Column(title, kind="text" if place in texts else "number") for place, title in enumerate(head))
    return text_here([table_section(Table(heads, tuple(cells(*row) for row in rows), title=title))])


COMMAND = Command(
    "judgments",
    "list, export, import or withdraw judgments, or show how well judges agree",
    add_arguments,
    run_judgments,
    EXAMPLES,
    group=Group.DATA,
)
