"""Ontologies as OBO, OWL and OBO Graphs, and the files beside them: annotations and translations."""

from __future__ import annotations

import json

from assay.ontology.reading import parse_ontology, read_annotations
from assay.ontology.translations import read_translations
from fuzz.component import Component
from fuzz.files import write_file

OBO = b"""format-version: 1.2
data-version: hp/releases/2024-01-01
ontology: hp

[Term]
id: HP:0000001
name: All

[Term]
id: HP:0000118
name: Phenotypic abnormality
def: "Any." [HPO:x]
synonym: "Organ abnormality" EXACT []
alt_id: HP:0000999
is_a: HP:0000001 ! All

[Term]
id: HP:0000002
name: old
is_obsolete: true
replaced_by: HP:0000118
"""
OWL = b"""<?xml version="1.0"?>
<rdf:RDF xmlns="http://x.org/hp.owl#" xml:base="http://x.org/hp.owl"
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#"
 xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#">
<owl:Ontology rdf:about="http://purl.obolibrary.org/obo/hp.owl"/>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/HP_0000001"><rdfs:label>All</rdfs:label></owl:Class>
<owl:Class rdf:about="http://purl.obolibrary.org/obo/HP_0000118">
<rdfs:subClassOf rdf:resource="http://purl.obolibrary.org/obo/HP_0000001"/>
<oboInOwl:hasExactSynonym>Organ</oboInOwl:hasExactSynonym>
<rdfs:label>Phenotypic abnormality</rdfs:label></owl:Class>
</rdf:RDF>
"""
TERM = "http://purl.obolibrary.org/obo/HP_"
GRAPH = {
    "graphs": [
        {
            "id": "http://purl.obolibrary.org/obo/hp.json",
            "meta": {"version": "http://purl.obolibrary.org/obo/hp/releases/2024-01-01/hp.json"},
            "nodes": [
                {"id": f"{TERM}0000001", "lbl": "All", "type": "CLASS"},
                {
                    "id": f"{TERM}0000118",
                    "lbl": "Phenotypic abnormality",
                    "type": "CLASS",
                    "meta": {"synonyms": [{"pred": "hasExactSynonym", "val": "Organ"}], "definition": {"val": "Any."}},
                },
            ],
            "edges": [{"sub": f"{TERM}0000118", "pred": "is_a", "obj": f"{TERM}0000001"}],
        }
    ]
}
ANNOTATIONS = b"""#description: HPO annotations
database_id\tdisease_name\tqualifier\thpo_id\treference
OMIM:1\tX\t\tHP:0000118\tPMID:1
OMIM:2\tY\tNOT\tHP:0000001\tPMID:2
"""
COLUMNS = b"subject_id predicate_id source_language source_value translation_language translation_value translation_status"
TRANSLATIONS = (
    COLUMNS.replace(b" ", b"\t")
    + b"""
HP:0000118\trdfs:label\ten\tPhenotypic abnormality\tde\tPh\xc3\xa4notyp\tOFFICIAL
HP:0000118\tIAO:0000115\ten\tAny.\tde\tIrgendeine.\tCANDIDATE
"""
)
WORDS = tuple(
    b"HP:0000001 HP:0000118 is_a: alt_id: replaced_by: is_obsolete: [Term] [Typedef] EXACT id: name: ! owl:Class".split()
)


def _parse(data: bytes) -> object:
    ontology = parse_ontology(data, "hp.obo")
    return [ontology.find(one) for one in ontology.ids[:3]]


COMPONENTS = (
    Component("ontology_obo", _parse, lambda: [OBO], tokens=WORDS),
    Component("ontology_owl", _parse, lambda: [OWL], tokens=WORDS),
    Component("ontology_graphs", _parse, lambda: [json.dumps(GRAPH).encode()], "json", tokens=WORDS),
    Component(
        "annotations", lambda data: read_annotations(write_file("phenotype.hpoa", data)), lambda: [ANNOTATIONS], tokens=WORDS
    ),
    Component(
        "translations", lambda data: read_translations(write_file("hp-de.tsv", data)), lambda: [TRANSLATIONS], tokens=WORDS
    ),
)
