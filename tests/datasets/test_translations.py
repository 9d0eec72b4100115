"""Translations: Babelon tables, read row by row."""

import gzip

import pytest

from assay import DataError
from assay.ontology import TermRecord, build_ontology
from assay.ontology.translations import Translated, read_translation, read_translations

from ._cases import BOM, write

HEAD = "source_language\ttranslation_language\tsubject_id\tpredicate_id\tsource_value\ttranslation_value\ttranslation_status"


def row(value, term="HP:0001250", predicate="rdfs:label", language="de", status="OFFICIAL"):
    return f"en\t{language}\t{term}\t{predicate}\tSeizure\t{value}\t{status}"


def table(path, *rows, head=HEAD):
    return write(path, "\n".join([head, *rows]) + "\n")


def test_labels_synonyms_and_definitions_are_kept_apart(tmp_path):
    file = table(
        tmp_path / "hp-de.babelon.tsv",
        row("Krampfanfall"),
        row("Anfall", predicate="oio:hasExactSynonym"),
        row("epileptischer  Anfall", predicate="http://www.geneontology.org/formats/oboInOwl#hasRelatedSynonym"),
        row("Eine vorübergehende Störung.", predicate="IAO:0000115"),
        row("egal", predicate="dc:creator"),
        row("Fieber", "HP:0001945"),
    )
    found = read_translations(file)
    assert list(found) == ["de"]
    assert (found["de"].language, found["de"].source) == ("de", "hp-de.babelon.tsv")
    assert found["de"].terms == {
        "HP:0001250": Translated(
            "Krampfanfall", ["Anfall", "epileptischer Anfall"], "Eine vorübergehende Störung.", is_official=True
        ),
        "HP:0001945": Translated("Fieber", is_official=True),
    }


def test_languages_are_told_apart_and_regions_belong_to_them(tmp_path):
    file = table(tmp_path / "a.tsv", row("Krampfanfall", language="de-AT"), row("Crise", language="FR"))
    assert {code: one.terms["HP:0001250"].label for code, one in read_translations(file).items()} == {
        "de": "Krampfanfall",
        "fr": "Crise",
    }


@pytest.mark.parametrize("empty", [row(""), row("  "), row("Seizure", status="NOT_TRANSLATED")])
def test_rows_that_only_keep_a_place_are_passed_over(tmp_path, empty):
    file = table(tmp_path / "a.tsv", empty, row("Fieber", "HP:0001945"))
    assert list(read_translations(file)["de"].terms) == ["HP:0001945"]


def test_a_second_label_is_a_synonym_and_the_same_one_is_nothing_new(tmp_path):
    file = table(tmp_path / "a.tsv", row("Krampf"), row("Anfall"), row("Krampf"), row("Anfall", predicate="skos:altLabel"))
    assert read_translations(file)["de"].terms["HP:0001250"] == Translated("Krampf", ["Anfall"], is_official=True)


def test_an_equal_synonym_before_the_label_is_nothing_new(tmp_path):
    file = table(tmp_path / "a.tsv", row("Krampf", predicate="oio:hasExactSynonym"), row("Krampf"))
    assert read_translations(file)["de"].terms["HP:0001250"] == Translated("Krampf", is_official=True)


@pytest.mark.parametrize(
    ("statuses", "label"),
    [
        (("CANDIDATE", "OFFICIAL"), "Anfall"),
        (("OFFICIAL", "CANDIDATE"), "Krampf"),
        (("OFFICIAL", "OFFICIAL"), "Krampf"),
        (("CANDIDATE", ""), "Krampf"),
    ],
)
def test_the_official_label_goes_before_others(tmp_path, statuses, label):
    rows = [row(text, status=status) for text, status in zip(("Krampf", "Anfall"), statuses, strict=True)]
    one = read_translations(table(tmp_path / "a.tsv", *rows))["de"].terms["HP:0001250"]
    assert {one.label, *one.synonyms} == {"Krampf", "Anfall"}
    assert one.label == label


def test_a_value_of_any_length(tmp_path):
    """A module for tables would refuse it."""
    long = "x" * 200_000
    file = table(tmp_path / "a.tsv", row(long, predicate="IAO:0000115"))
    assert read_translations(file)["de"].terms["HP:0001250"].definition == long


ONTOLOGY = build_ontology(
    [
        TermRecord("HP:0001250", "Seizure", alternatives=("HP:0002279",)),
        TermRecord("HP:0001945", "Fever"),
        TermRecord("HP:0000009", is_obsolete=True, replaced_by=("HP:0001945",)),
    ]
)


@pytest.mark.parametrize("spelling", ["HP_0001250", "http://purl.obolibrary.org/obo/HP_0001250", "HP:0002279"])
def test_other_ids_of_a_term_are_resolved(tmp_path, spelling):
    found = read_translation(table(tmp_path / "a.tsv", row("Krampf", spelling)), "de").resolved(ONTOLOGY)
    assert (found.language, found.source) == ("de", "a.tsv")
    assert found.terms == {"HP:0001250": Translated("Krampf", is_official=True)}


def test_what_several_ids_say_of_one_term_is_put_together(tmp_path):
    file = table(
        tmp_path / "a.tsv",
        row("Krampfleiden", "HP:0002279"),
        row("Ein Anfall.", "HP:0002279", "IAO:0000115"),
        row("Krampf"),
        row("Anfall", predicate="oio:hasExactSynonym"),
        row("Wärme", "HP:0000009"),
        row("Unbekanntes", "HP:0000404"),
    )
    given = read_translation(file, "de")
    assert given.resolved(ONTOLOGY).terms == {
        "HP:0001250": Translated("Krampf", ["Anfall", "Krampfleiden"], "Ein Anfall.", is_official=True),
        "HP:0001945": Translated("Wärme", is_official=True),
        "HP:0000404": Translated("Unbekanntes", is_official=True),
    }
    assert given.terms["HP:0001250"].synonyms == ["Anfall"]  # what was given stays as it was


def test_quotes_are_letters_and_line_ends_and_marks_do_not_matter(tmp_path):
    text = "\r\n".join([HEAD, row('"Fieber'), row("Husten", "HP:0012735")])
    plain = write(tmp_path / "a.tsv", BOM + text.encode())
    packed = write(tmp_path / "a.tsv.gz", gzip.compress(text.encode()))
    for file in (plain, packed):
        terms = read_translation(file, "de").terms
        assert {term: one.label for term, one in terms.items()} == {"HP:0001250": '"Fieber', "HP:0012735": "Husten"}


def test_a_row_may_be_short(tmp_path):
    file = table(tmp_path / "a.tsv", "en\tde\tHP:0001250", row("Fieber", "HP:0001945"))
    assert list(read_translations(file)["de"].terms) == ["HP:0001945"]


def test_a_language_that_is_not_there_names_those_that_are(tmp_path):
    file = table(tmp_path / "a.tsv", row("Crise", language="fr"), row("Convulsión", language="es"))
    with pytest.raises(DataError, match=r"expected labels with the translation_language de, found labels in es, fr"):
        read_translation(file, "de")


def test_a_language_with_synonyms_alone_has_no_labels(tmp_path):
    file = table(tmp_path / "a.tsv", row("Anfall", predicate="oio:hasExactSynonym"))
    with pytest.raises(DataError, match="found no labels"):
        read_translation(file, "de")


def test_another_table_says_which_columns_are_missing(tmp_path):
    file = write(tmp_path / "a.tsv", "id\tlabel\nHP:0001250\tKrampfanfall\n")
    with pytest.raises(DataError, match=r"a\.tsv:1: expected a Babelon table with the columns .*, found id, label"):
        read_translations(file)
    with pytest.raises(DataError, match="found nothing"):
        read_translations(write(tmp_path / "b.tsv", ""))


def test_rows_without_a_term_are_faults_with_their_line(tmp_path):
    file = table(tmp_path / "a.tsv", row("Fieber"), row("Husten", term=""), row("Husten", language=""))
    with pytest.raises(DataError) as error:
        read_translations(file)
    assert [fault.partition(": ")[0].rpartition(":")[2] for fault in error.value.faults] == ["3", "4"]


def test_other_encodings_are_refused(tmp_path):
    file = write(tmp_path / "a.tsv", f"{HEAD}\n{row('Anfälle')}\n".encode("latin-1"))
    with pytest.raises(DataError, match="expected UTF-8"):
        read_translations(file)
