"""Terms: the ontology that metrics or relevance need, which ids queries expect, and what to say about ids nobody knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from assay.datasets._read_ontology import default_ontology, read_ontology
from assay.errors import UsageError
from assay.metrics._metric import BoundMetric
from assay.model.run import Run
from assay.model.similarity import Expected
from assay.ontology._notes import notes_on_ids
from assay.ontology._ontology import Ontology

HPO = "HP:"
"""How ids of the Human Phenotype Ontology begin, which needs no file."""


def ontology_for(
    given: Ontology | str | Path | None,
    qrels: Mapping[str, Mapping[str, float]],
    metrics: Iterable[BoundMetric],
    by: str = "auto",
) -> Ontology | None:
    """The ontology that was given, where somebody needs one; HPO where none was, and its terms are judged."""
    asking = [metric.name for metric in metrics if metric.metric.view == "similarity"]
    if by.partition("(")[0].strip() == "ontology":
        asking.append(f"relevance by {by}")
    if not asking:
        return None
    if isinstance(given, Ontology):
        return given
    if given is None:
        judged = next((doc for one in qrels.values() for doc in one), "")
        if not judged.upper().startswith(HPO):
            raise UsageError(f"{asking[0]} needs an ontology, for documents like {judged!r}: --ontology FILE (OBO or OWL)")
    file = default_ontology() if given is None else Path(given)
    return _read(str(file), file.stat().st_mtime_ns if file.is_file() else 0)


@lru_cache(maxsize=4)
def _read(file: str, _: int) -> Ontology:
    """Read once for all results of an evaluation, unless the file changes."""
    return read_ontology(file)


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
    """What a reader should know about ids that are obsolete, or no terms."""
    if terms is None or not isinstance(ontology := terms[1].terms, Ontology):
        return []
    return [
        *notes_on_ids(ontology, chain.from_iterable(terms[1].ids.values()), "expected"),
        *notes_on_ids(ontology, chain.from_iterable(terms[0].rankings), "retrieved"),
    ]


def describe_ontology(ontology: Ontology) -> dict[str, str]:
    """Name, version and a hash of its file, as results record them."""
    return {"name": ontology.name, "version": ontology.version, "source": ontology.source, "digest": ontology.digest}
