"""Flags that say which benchmark is scored, and who decides about relevance."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from assay.cli._terms import add_ontology_arguments
from assay.errors import UsageError

if TYPE_CHECKING:
    from assay.evaluation import Relevance
    from assay.ontology import Ontology
    from assay.relevance import BoundResolver

UNITS = ("as_retrieved", "chunk", "document")


def add_relevance_arguments(parser: argparse.ArgumentParser, run_help: str = "more runs") -> None:
    """The dataset and the resolver, and runs beside what a command takes anyway."""
    group = parser.add_argument_group("relevance")
    group.add_argument("--dataset", metavar="DATASET", help="a benchmark by path or name, instead of judgments")
    group.add_argument("--dataset-format", metavar="NAME", help="its format, where it is not recognised")
    group.add_argument("--run", dest="more_runs", nargs="+", action="extend", default=[], metavar="RUN", help=run_help)
    group.add_argument(
        "--relevance",
        metavar="RESOLVER",
        help="auto, qrels, pack, span, token, coverage, substring, lexical, ontology, hybrid; such as token(threshold=0.5)",
    )
    group.add_argument(
        "--f1-threshold", type=_share, metavar="F1", help="lowest F1 that token takes as relevant (default: 0.3)"
    )
    add_unit_arguments(group)
    add_ontology_arguments(group, "for max_ont_sim and relevance by ontology; reads ids under other names for all metrics")


def add_unit_arguments(group: argparse._ActionsContainer) -> None:
    """Whether chunks or their documents are judged, and which document a chunk belongs to."""
    group.add_argument(
        "--unit",
        choices=list(dict.fromkeys(spelling for unit in UNITS for spelling in (unit, unit.replace("_", "-")))),
        metavar="|".join(UNITS),
        help="where chunks are retrieved and documents judged; chunk: credit each document once, document: roll chunks up",
    )
    group.add_argument(
        "--id-map", metavar="FILE", help="which document a chunk belongs to: JSON, or lines of chunk and document"
    )


def relevance_of(options: argparse.Namespace) -> Relevance:
    """Who decides, as the flags say."""
    from assay.evaluation import Relevance
    from assay.relevance import parse_resolver

    by = options.relevance or "auto"
    defaults = {} if options.f1_threshold is None else {"threshold": options.f1_threshold}
    if by.strip() != "auto" and defaults:
        _refuse_threshold(parse_resolver(by), by)
    unit = unit_of(options) or "as_retrieved"
    return Relevance(by, unit, options.id_map, defaults, options.ontology, options.annotations)


def unit_of(options: argparse.Namespace) -> str | None:
    """The unit that flags say, `document` where there is a map of ids and nothing else was said; None: not said."""
    if options.id_map and (options.unit or "").startswith("as"):
        raise UsageError("--id-map is for --unit chunk or document; with as_retrieved ids are compared as they are")
    return (options.unit or "document").replace("-", "_") if options.unit or options.id_map else None


def ontology_of(options: argparse.Namespace) -> Ontology | None:
    """The ontology that flags give for judgments in a file; None: HPO, where a metric needs it."""
    from assay.evaluation import known_ontology

    if options.ontology is None and options.annotations is None:
        return None
    return known_ontology(options.ontology, options.annotations)


def _refuse_threshold(resolver: BoundResolver, text: str) -> None:
    """--f1-threshold sets what token takes as relevant, unless that is said already."""
    if resolver.name != "token":
        has_own = "threshold" in resolver.params
        instead = f"; write --relevance '{resolver.name}(threshold=…)'" if has_own else ""
        raise UsageError(f"--f1-threshold belongs to token, not to {resolver.name}{instead}")
    if "threshold" in text:
        raise UsageError(f"--f1-threshold and {text} both set the threshold; give one")


def refuse_without_dataset(options: argparse.Namespace) -> None:
    """Flags that make sense only with a dataset."""
    flags = ("relevance", "f1_threshold", "unit", "id_map", "dataset_format")
    given = [f"--{name.replace('_', '-')}" for name in flags if getattr(options, name) is not None]
    if given and not options.dataset:
        raise UsageError(f"{', '.join(given)} needs --dataset; judgments in a file decide by ids alone")


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"a number from 0 to 1, not {text!r}")
    return value
