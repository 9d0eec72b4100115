"""assay datasets: list benchmarks and formats, show or check a benchmark, or convert it to another format."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from assay.cli.output_options import add_text_or_json
from assay.cli.program import Command, Group
from assay.cli.reading_options import add_reading_arguments
from assay.cli.streams import write_json
from assay.cli.terminal import terminal_width, text_here, use_colour
from assay.errors import DataError, UsageError, near_matches
from assay.model import grade_word
from assay.text import printable

EXAMPLES = """\
  assay datasets
  assay datasets formats
  assay datasets show rag-template
  assay datasets show hpo-de:tiny
  assay datasets check ./my-beir --run bm25.run
  assay datasets convert ./my-beir my.json --to json"""
ACTIONS = {"formats": 0, "show": 1, "check": 1, "convert": 2}
"""Action → number of paths that it needs."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The action, and the benchmarks."""
    parser.add_argument(
        "action",
        nargs="?",
        metavar="formats|show|check|convert",
        help="formats lists what a benchmark can be and how its columns may be called; show, check and convert are about "
        "one benchmark; without an action, list the benchmarks and formats",
    )
    parser.add_argument(
        "paths", nargs="*", metavar="dataset", help="path or name of a benchmark; convert: source and target"
    )
    parser.add_argument("--to", metavar="FORMAT", help="convert: format to write")
    parser.add_argument("--dataset-format", metavar="NAME", help="format of the benchmark, if it is not recognised")
    add_reading_arguments(parser)
    parser.add_argument("--run", dest="checked_run", metavar="RUN", help="check: run to check against the benchmark")
    add_text_or_json(parser)


def run_datasets(options: argparse.Namespace) -> int:
    """Run the action; the number of paths is checked before anything is read."""
    if options.action is None:
        _check_flags(options)
        return _list(options)
    if options.action not in ACTIONS:
        near = near_matches(options.action, ACTIONS)
        hint = f" Did you mean {near[0]}?" if near else f" To show a benchmark: assay datasets show {options.action}"
        raise UsageError(f"assay datasets has no action {options.action!r}.{hint}   (choose from {', '.join(ACTIONS)})")
    if len(options.paths) != ACTIONS[options.action]:
        expected = {0: "nothing more", 1: "one benchmark", 2: "source and target"}[ACTIONS[options.action]]
        raise UsageError(f"assay datasets {options.action}: expected {expected}, found {len(options.paths) or 'nothing'}")
    _check_flags(options)
    actions = {"formats": _formats, "show": _show, "check": _check, "convert": _convert}
    return actions[options.action](options)


def _check_flags(options: argparse.Namespace) -> None:
    if options.to and options.action != "convert":
        raise UsageError("--to is for assay datasets convert")
    if options.checked_run and options.action != "check":
        raise UsageError("--run is for assay datasets check")


def _list(options: argparse.Namespace) -> int:
    from assay.datasets import all_formats, bundled, load_bundled
    from assay.reports import dataset_list_sections, datasets_to_dict

    named = {name: load_bundled(name) for name in bundled()}
    if options.format == "json":
        return write_json(datasets_to_dict(named, all_formats()))
    sys.stdout.write(text_here(dataset_list_sections(named, all_formats())))
    return 0


def _formats(options: argparse.Namespace) -> int:
    from assay.datasets import all_formats
    from assay.files import TABLE_COLUMNS
    from assay.reports import format_sections, formats_to_dict

    if options.format == "json":
        return write_json(formats_to_dict(all_formats(), TABLE_COLUMNS))
    sys.stdout.write(text_here(format_sections(all_formats(), TABLE_COLUMNS)))
    return 0


def _show(options: argparse.Namespace) -> int:
    from assay.datasets import PARTS, load_dataset
    from assay.reports import statistics_sections

    dataset = load_dataset(options.paths[0], options.dataset_format)
    content = {**dataset.get_statistics(), "fingerprints": {part: dataset.fingerprint(part) for part in PARTS}}
    if options.format == "json":
        content["grade_distribution"] = {grade_word(grade): count for grade, count in content["grade_distribution"].items()}
        content["repairs"] = [
            {"place": repair.place, "what": repair.what, "is_loss": repair.is_loss, "code": repair.code}
            for repair in dataset.repairs
        ]
        return write_json(content)
    sys.stdout.write(text_here(statistics_sections(content, dataset.repairs)))
    return 0


def _check(options: argparse.Namespace) -> int:
    from assay.datasets import BenchmarkDataset, check_dataset, load_dataset, unreadable
    from assay.evaluation import domain_findings
    from assay.files import as_source
    from assay.reports import finding_sections, findings_to_dict

    try:
        dataset = load_dataset(options.paths[0], options.dataset_format)
    except DataError as error:
        dataset, findings = BenchmarkDataset(str(options.paths[0])), unreadable(error)
    else:
        findings = check_dataset(dataset, as_source(options.checked_run) if options.checked_run else None)
        findings += domain_findings(dataset)
    if options.format == "json":
        write_json(findings_to_dict(findings, dataset))
    else:
        sys.stdout.write(text_here(finding_sections(findings, dataset)))
    return 3 if any(finding.severity == "error" for finding in findings) else 0


def _convert(options: argparse.Namespace) -> int:
    from assay.datasets import check_target, describe_losses, find_format, load_dataset
    from assay.reports import describe_repairs

    source, target = options.paths
    if not options.to:
        raise UsageError("say which format to write: assay datasets convert SOURCE TARGET --to json")
    written = find_format(options.to)
    write = written.writer()
    check_target(written, Path(target))
    dataset = load_dataset(source, options.dataset_format)
    write(dataset, Path(target))
    sys.stdout.write(f"{printable(repr(dataset))}\nwritten to {printable(target)} as {written.name}\n")
    if lost := describe_losses(dataset, load_dataset(target, written.name)):
        sys.stdout.write(f"not written: {', '.join(lost)}\n")
    if dataset.repairs:
        what = describe_repairs(dataset.repairs)
        sys.stdout.write(f"{what} {printable(source)}. For details: assay datasets show {printable(source)}\n")
    return 0


def _style() -> Any:
    from assay.reports import Style

    return Style(terminal_width(), use_colour())


COMMAND = Command(
    "datasets", "list, show, check or convert benchmarks", add_arguments, run_datasets, EXAMPLES, group=Group.DATA
)
