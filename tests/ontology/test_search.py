"""search_terms: by the words of labels and synonyms, best first."""

from assay.ontology.search import search_terms

from ._small import small


def found(phrase, most=10):
    ontology = small()
    return [ontology.ids[match.number] for match in search_terms(ontology, phrase, most)]


def test_the_whole_name_comes_first_then_labels_and_short_names():
    assert found("fever") == ["X:B", "X:E", "X:C"]
    assert found("head pain") == ["X:A", "X:C"]
    assert found("Pain, head") == ["X:A", "X:C"]


def test_synonyms_are_names_too():
    ontology = small()
    (match,) = search_terms(ontology, "pyrexia")
    assert (ontology.ids[match.number], match.name, match.is_label) == ("X:B", "Pyrexia", False)


def test_the_beginning_of_a_word_is_enough():
    assert found("feveri hea") == ["X:C"]
    assert found("ever") == ["X:R"]


def test_nothing_to_find():
    assert found("cough") == []
    assert found("  ?") == []


def test_so_many_at_most():
    assert found("fever", 2) == ["X:B", "X:E"]
    assert found("fever", None) == ["X:B", "X:E", "X:C"]
