"""Reading ontologies: OBO, OWL and OBO Graphs, the real HPO, annotations, and packages that are missing."""

import gzip
import sys
import warnings

import numpy as np
import pytest

import assay
from assay import DataError, UsageError
from assay.ontology import Synonym, all_similarities


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of the test's own."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


OBO = """\
format-version: 1.2
data-version: x/releases/2026-01-02
ontology: x

[Term]
id: X:1
name: Everything

[Term]
id: X:2
name: Fièvre
def: "Too warm." [me:1]
alt_id: X:20
synonym: "Pyrexia" EXACT []
synonym: "Heat" BROAD []
is_a: X:1 ! Everything

[Term]
id: X:3
name: High fever
is_a: X:2
is_a: X:1

[Term]
id: X:9
name: obsolete Chill
is_obsolete: true
replaced_by: X:2
"""
OWL = """\
<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#"
    xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:oboInOwl="http://www.geneontology.org/formats/oboInOwl#">
  <owl:Ontology rdf:about="http://purl.obolibrary.org/obo/x.owl"/>
  <owl:Class rdf:about="http://purl.obolibrary.org/obo/X_1"><rdfs:label>Everything</rdfs:label></owl:Class>
  <owl:Class rdf:about="http://purl.obolibrary.org/obo/X_2">
    <rdfs:label>Fièvre</rdfs:label>
    <rdfs:subClassOf rdf:resource="http://purl.obolibrary.org/obo/X_1"/>
    <oboInOwl:hasExactSynonym>Pyrexia</oboInOwl:hasExactSynonym>
    <oboInOwl:hasBroadSynonym>Heat</oboInOwl:hasBroadSynonym>
  </owl:Class>
  <owl:Class rdf:about="http://purl.obolibrary.org/obo/X_3">
    <rdfs:label>High fever</rdfs:label>
    <rdfs:subClassOf rdf:resource="http://purl.obolibrary.org/obo/X_2"/>
    <rdfs:subClassOf rdf:resource="http://purl.obolibrary.org/obo/X_1"/>
  </owl:Class>
</rdf:RDF>
"""
GRAPHS = """\
{"graphs": [{"id": "http://purl.obolibrary.org/obo/x.owl", "nodes": [
  {"id": "http://purl.obolibrary.org/obo/X_1", "lbl": "Everything", "type": "CLASS"},
  {"id": "http://purl.obolibrary.org/obo/X_2", "lbl": "Fièvre", "type": "CLASS", "meta": {"synonyms": [
    {"pred": "hasExactSynonym", "val": "Pyrexia"}, {"pred": "hasBroadSynonym", "val": "Heat"}]}},
  {"id": "http://purl.obolibrary.org/obo/X_3", "lbl": "High fever", "type": "CLASS"}],
 "edges": [
  {"sub": "http://purl.obolibrary.org/obo/X_2", "pred": "is_a", "obj": "http://purl.obolibrary.org/obo/X_1"},
  {"sub": "http://purl.obolibrary.org/obo/X_3", "pred": "is_a", "obj": "http://purl.obolibrary.org/obo/X_2"},
  {"sub": "http://purl.obolibrary.org/obo/X_3", "pred": "is_a", "obj": "http://purl.obolibrary.org/obo/X_1"}]}]}
"""
ADDRESS = "http://purl.obolibrary.org/obo/"
LOST = {
    "x.obo": OBO.replace("is_a: X:2\n", "is_a: X:2\nis_a: X:404 ! who knows\n"),
    "x.owl": OWL.replace(
        f'<rdfs:subClassOf rdf:resource="{ADDRESS}X_2"/>',
        f'<rdfs:subClassOf rdf:resource="{ADDRESS}X_2"/><rdfs:subClassOf rdf:resource="{ADDRESS}X_404"/>',
    ),
    "x.json": GRAPHS.replace('"edges": [', f'"edges": [{{"sub": "{ADDRESS}X_3", "pred": "is_a", "obj": "{ADDRESS}X_404"}},'),
}


def written(folder, name, content):
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder / name


def test_the_three_kinds_of_files(tmp_path):
    for name, content in {"x.obo": OBO, "x.owl": OWL, "x.json": GRAPHS, "x.obo.gz": gzip.compress(OBO.encode())}.items():
        ontology = assay.load_ontology(written(tmp_path, name, content))
        assert ontology.ids == ("X:1", "X:2", "X:3"), name
        assert ontology.labels == ("Everything", "Fièvre", "High fever"), name
        assert (ontology.depth.tolist(), ontology.parents_of(2).tolist()) == ([0, 1, 2], [0, 1]), name
        assert ontology.synonyms_of(1) == (Synonym("Pyrexia"), Synonym("Heat", "BROAD")), name
        assert (ontology.name, ontology.source) == ("x", name)


def test_what_only_obo_says_here(tmp_path):
    ontology = assay.load_ontology(written(tmp_path, "x.obo", OBO))
    assert (ontology.version, ontology.definitions[1]) == ("2026-01-02", "Too warm.")
    assert (ontology.find("X:20")[::2], ontology.find("X:9")[::2]) == ((1, "alternative"), (1, "replaced"))
    lost = OBO.replace("replaced_by: X:2\n", "replaced_by: X:404\nconsider: X:405\n")
    assert assay.load_ontology(written(tmp_path, "lost.obo", lost)).find("X:9").kind == "obsolete"
    relation = OBO + "\n[Typedef]\nid: part_of\nname: part of\nis_a: overlaps\n"
    assert len(assay.load_ontology(written(tmp_path, "relation.obo", relation))) == 3
    imports = OBO.replace("ontology: x\n", "ontology: x\nimport: http://127.0.0.1:9/none.owl\n")
    assert len(assay.load_ontology(written(tmp_path, "imports.obo", imports))) == 3, "imports are not fetched"
    nameless = OBO.replace("ontology: x\n", "").replace("data-version: x/releases/2026-01-02\n", "")
    for name in ("mine.v2.obo", "other.obo"):  # though the cache has the same content under the first file's
        ontology = assay.load_ontology(written(tmp_path, name, nameless))
        assert (ontology.name, ontology.version) == (name.partition(".")[0], "")


def test_a_parent_that_nobody_defines_is_left_out_with_a_note(tmp_path):
    for name, content in LOST.items():
        for file in (name, f"again.{name}"):  # parsed, and out of the cache
            ontology = assay.load_ontology(written(tmp_path, file, content))
            assert (ontology.ids, ontology.parents_of(2).tolist()) == (("X:1", "X:2", "X:3"), [0, 1]), file
            assert ontology.notes == ("1 parent is not in the file: X:404",), file
    content = OBO.replace("is_a: X:2\n", "is_a: X:404\n").replace("is_a: X:1\n", "is_a: X:405\n")
    ontology = assay.load_ontology(written(tmp_path, "two.obo", content))
    assert (ontology.notes, ontology.depth.tolist()) == (("2 parents are not in the file: X:404 X:405",), [0, 0, 1])


BAD = {
    "empty": "",
    "prose": "hello",
    "bad line": OBO.replace("id: X:3", "idd X3"),
    "circle": OBO.replace("id: X:1\nname: Everything", "id: X:1\nis_a: X:3"),
    "no term": "format-version: 1.2\nontology: x\n",
    "twice": OBO.replace("id: X:3", "id: X:2"),
    "empty graphs": '{"graphs": []}',
    "no nodes": '{"graphs": [{"id": "x", "nodes": [1]}]}',
    "node twice": '{"graphs": [{"id": "x", "nodes": [{"id": "a"}, {"id": "a"}]}]}',
    "no JSON": "{,",
    "latin": OBO.encode("latin-1"),
}


def test_bad_files(tmp_path, cache, snapshots):
    files = {case: written(tmp_path, f"{number}.obo", content) for number, (case, content) in enumerate(BAD.items())}
    calls = {case: lambda file=file: assay.load_ontology(file) for case, file in files.items()}
    calls["no such file"] = lambda: assay.load_ontology("none.obo")
    calls["an address"] = lambda: assay.load_ontology("http://127.0.0.1:9/hp.obo")
    snapshots.check_errors("ontology/bad_files", calls)
    assert not (cache / "ontologies").exists()


def test_a_file_is_read_once_for_all_until_it_changes(tmp_path):
    file = written(tmp_path, "x.obo", OBO)
    first = assay.load_ontology(file)
    assert assay.load_ontology(str(file)) is first
    written(tmp_path, "x.obo", OBO.replace("High fever", "Hyperpyrexia"))
    assert assay.load_ontology(file).labels[2] == "Hyperpyrexia"
    file.unlink()
    with pytest.raises(DataError):
        assay.load_ontology(file)


HPOA = """\
#description: "HPO annotations"
database_id\tdisease_name\tqualifier\thpo_id\treference
OMIM:1\tOne\t\tX:3\tPMID:1
OMIM:1\tOne\t\tX:1\tPMID:1
OMIM:2\tTwo\tNOT\tX:2\tPMID:2
OMIM:3\tThree\t\tX:2\tPMID:2
"""


def test_annotations(tmp_path, snapshots):
    file = written(tmp_path, "x.obo", OBO)
    assert assay.load_ontology(file).annotated is None
    for content in (HPOA, "# mine\n\na\tX:3\nb\tX:2\nb\tX:1\n"):
        ontology = assay.load_ontology(file, annotations=written(tmp_path, "some.tsv", content))
        assert (ontology.annotated.tolist(), ontology.n_annotated) == ([2, 2, 1], 2), content

    def annotate(content):
        return lambda: assay.load_ontology(file, written(tmp_path, "some.tsv", content))

    snapshots.check_errors(
        "ontology/annotations",
        {
            "two columns": annotate("a\tX:1\nb X:2\n"),
            "five columns": annotate(HPOA + "OMIM:4\tFour\n"),
            "nothing": annotate("# nothing\n"),
            "no file": lambda: assay.load_ontology(file, tmp_path / "none"),
        },
    )


def test_what_is_cached_needs_no_pronto_and_one_that_cannot_be_imported_is_no_bug_of_assay(tmp_path, monkeypatch):
    assay.load_ontology(written(tmp_path, "x.obo", OBO))
    for name in [name for name in sys.modules if name.partition(".")[0] == "pronto"]:
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "pronto").mkdir()
    written(tmp_path / "pronto", "__init__.py", "import fastobo_that_is_not_there")
    monkeypatch.syspath_prepend(tmp_path)  # it is there, and something that it needs is not
    assert len(assay.load_ontology(written(tmp_path, "again.obo", OBO))) == 3
    other = written(tmp_path, "other.obo", OBO.replace("High", "Low"))
    with pytest.raises(UsageError, match=r"pip install 'assay-ir\[hpo\]'"):
        assay.load_ontology(other)
    monkeypatch.setitem(sys.modules, "pronto", None)
    with pytest.raises(UsageError, match="pronto"):
        assay.load_ontology(other)


@pytest.fixture
def hpo(hpo_cache, parsed_hpo, monkeypatch):
    """HPO as the cache has it, which is as it was parsed."""
    monkeypatch.setenv("ASSAY_CACHE", str(hpo_cache))
    cached = assay.load_ontology()
    for name in ("ids", "labels", "definitions", "synonyms", "alternatives", "obsolete", "name", "version", "digest"):
        assert getattr(cached, name) == getattr(parsed_hpo, name), name
    for name in ("synonym_start", "parent_start", "parents", "depth"):
        assert getattr(cached, name).tolist() == getattr(parsed_hpo, name).tolist(), name
    return cached


@pytest.mark.slow
def test_hpo(hpo):
    term = hpo.term(hpo.number["HP:0001250"])
    assert (term.label, term.parents) == ("Seizure", ("HP:0012638",))
    assert ("HP:0002197" in term.children, Synonym("Epileptic seizure") in term.synonyms) == (True, True)
    assert hpo.find("HP:0002279")[0] == hpo.number["HP:0001250"]
    assert [term for term, depth in zip(hpo.ids, hpo.depth, strict=True) if depth == 0] == ["HP:0000001"]
    assert (hpo.notes, len(hpo) > 15_000) == ((), True)
    a, b = np.random.default_rng(1).integers(0, len(hpo), (2, 2000))
    child = np.repeat(np.arange(len(hpo)), np.diff(hpo.parent_start))
    for name, similarity in all_similarities().items():
        values, above = hpo.similarity(name, a, b), hpo.similarity(name, child, hpo.parents)
        assert ((values >= 0) & (values <= 1)).all(), name
        assert not similarity.only_identical or (above < 1).all(), name
        assert above.mean() > values.mean(), name


@pytest.mark.slow
def test_ancestors_against_networkx(hpo):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        networkx = pytest.importorskip("networkx")
    child = np.repeat(np.arange(len(hpo)), np.diff(hpo.parent_start))
    graph = networkx.DiGraph(list(zip(child.tolist(), hpo.parents.tolist(), strict=True)))
    for number in np.random.default_rng(0).integers(0, len(hpo), 200).tolist():
        rows = slice(hpo.ancestors.start[number], hpo.ancestors.start[number + 1])
        steps = networkx.single_source_shortest_path_length(graph, number)
        pairs = zip(hpo.ancestors.ancestor[rows].tolist(), hpo.ancestors.distance[rows].tolist(), strict=True)
        assert dict(pairs) == dict(steps)
        assert networkx.dag_longest_path_length(graph.subgraph(steps)) == hpo.depth[number]
