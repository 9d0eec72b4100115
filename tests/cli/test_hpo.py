"""assay eval and datasets on the HPO benchmarks: from the command line to the table."""

import json

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
SMALL = "too small to publish"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a small ontology, German labels for it, and a file of cases."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.obo").write_text(OBO)
    (tmp_path / "hp-de.babelon.tsv").write_text(BABELON, encoding="utf-8")
    rows = [{"case_id": "c1", "text": "a seizure", "expected_hpo_ids": ["HP:0001250"]}]
    (tmp_path / "mine.json").write_text(json.dumps({"metadata": {"dataset_id": "mine"}, "test_cases": rows}))


def results(done):
    assert done.code == 0, done.err
    return json.loads(done.out)["results"]


def evaluated(assay, *words):
    start = ("eval", "--providers", "bm25", "--metrics", "mrr", "--quiet", "--no-cache", "-f", "json")
    return results(assay(*start, "--ontology", "small.obo", *words))


@pytest.mark.usefixtures("place")
def test_every_result_says_that_it_is_small_and_cross_lingual(assay):
    german, english = evaluated(assay, "--benchmarks", "hpo-de:tiny", "hpo-en:tiny")
    assert [german["benchmark"], english["benchmark"]] == ["hpo-de:tiny", "hpo-en:tiny"]
    assert [SMALL in german["notes"][0], SMALL in english["notes"][0]] == [True, True]
    assert "cross-lingual: queries are German" in german["notes"][1]
    assert not any("cross-lingual" in note for note in english["notes"])


@pytest.mark.usefixtures("place")
def test_labels_go_to_the_benchmark_of_their_language(assay):
    words = ("--benchmarks", "hpo-de:tiny", "hpo-fr:tiny", "--labels", "hp-de.babelon.tsv")
    german, french = evaluated(assay, *words)
    assert "German labels for 1 of 5 terms" in german["notes"][1]
    assert "cross-lingual: queries are French" in french["notes"][1]
    assert german["summary"]["mrr"] == pytest.approx(1 / 9), "the one query whose German label is there"


@pytest.mark.usefixtures("place")
def test_labels_and_fields_that_nobody_can_use_are_refused(assay):
    start = ("eval", "--providers", "bm25", "--quiet", "--benchmarks")
    done = assay(*start, "hpo-fr:tiny", "--labels", "hp-de.babelon.tsv")
    assert (done.code, "has labels in de, and the benchmarks are in fr" in done.err) == (2, True)
    done = assay(*start, "rag-template", "--labels", "hp-de.babelon.tsv", "--fields", "label")
    assert (done.code, "--labels and --fields: only for HPO cases" in done.err) == (2, True)
    done = assay(*start, "hpo-de:tiny", "--fields", "labels")
    assert (done.code, "Did you mean label?" in done.err) == (2, True)


@pytest.mark.usefixtures("place")
def test_a_file_of_cases_is_searched_in_the_terms(assay):
    (result,) = evaluated(assay, "--benchmarks", "mine.json", "--fields", "label")
    assert result["summary"]["mrr"] == 1.0


@pytest.mark.usefixtures("place")
def test_category_is_a_tag_to_slice_and_to_select_by(assay):
    words = ("eval", "--benchmarks", "hpo-de:tiny", "hpo-en:tiny", "--providers", "bm25", "--metrics", "mrr", "--quiet")
    done = assay(*words, "--ontology", "small.obo", "--by", "category", "language")
    assert done.code == 0, done.err
    assert "bm25 by language*category" in done.out
    assert "query_type" not in done.out
    assert "micro mean" not in done.out
    (result,) = evaluated(assay, "--benchmarks", "hpo-de:tiny", "--where", "category=layperson")
    assert result["counts"]["scored"] == 2


def test_the_list_has_the_sizes_and_needs_no_ontology(assay, monkeypatch):
    monkeypatch.setattr("assay.ontology.reading.find_spec", lambda _: None)
    done = assay("datasets")
    assert "tiny 9, small 50, standard 200, comprehensive 520; terms of HPO" in done.out
    found = json.loads(assay("datasets", "-f", "json").out)["benchmarks"]
    assert found["hpo-fr"]["sizes"] == {"tiny": 9, "small": 50, "standard": 200}
