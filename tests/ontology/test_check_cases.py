"""check_cases: ids that exist, are current, and are what the description says."""

import pytest

from assay.ontology.search import Case, check_cases

from ._small import small


def faults(*expected, description="", text=""):
    return check_cases(small(), [Case("c1", text, expected, description)])


def test_all_is_well():
    assert faults("X:A", "X:B", description="Head pain with fever") == []
    assert faults("X:A") == []


def test_an_unknown_id_comes_with_a_suggestion():
    (fault,) = faults("X:Q", description="Fever", text="heiß")
    assert (fault.severity, fault.code, fault.suggestion) == ("error", "unknown", "X:B (Fever)?")
    assert faults("X:Q", text="pyrexia")[0].suggestion == "X:B (Fever)?"
    assert faults("X:Q")[0].suggestion == ""


@pytest.mark.parametrize(
    ("description", "suggestion"),
    [
        ("German for Feverish head pain, as a doctor writes it", "X:C (Feverish head pain)?"),
        ("Layperson's word for Headache, not for fever", "X:A (Head pain)?"),
        ("Layperson's word for ache", "X:A (Head pain)?"),
        ("a fevers word", ""),
    ],
)
def test_the_longest_name_in_a_description_is_suggested(description, suggestion):
    assert faults("X:Q", description=description)[0].suggestion == suggestion


def test_a_description_with_a_synonym_of_the_term_itself_suggests_no_other():
    (fault,) = faults("X:B", description="Pyrexia, said otherwise")
    assert (fault.code, fault.suggestion) == ("label", "")


def test_texts_that_are_the_same():
    cases = [Case("c1", "Too  hot", ("X:B",)), Case("c2", "too hot", ("X:B",)), Case("c3", "", ()), Case("c4", "", ())]
    (fault,) = check_cases(small(), cases)
    assert fault.to_dict() == {
        "case": "c2",
        "severity": "warning",
        "code": "text",
        "what": "the text is that of c1 as well",
    }


def test_obsolete_ids():
    (fault,) = faults("X:OLD")
    assert (fault.severity, fault.code, fault.suggestion) == ("error", "replaced", "write X:A")
    (fault,) = faults("X:GONE", text="fever")
    assert (fault.severity, fault.code) == ("error", "obsolete")
    assert "consider X:B" in fault.what


def test_other_spellings_and_alternative_ids():
    assert [(one.severity, one.suggestion) for one in faults("X:ALT", "X_A")] == [("warning", "write X:A")] * 2


def test_a_description_that_names_another_term():
    (fault,) = faults("X:B", description="Head pain")
    assert fault.to_dict() == {
        "case": "c1",
        "id": "X:B",
        "severity": "warning",
        "code": "label",
        "what": "the description does not state the label of X:B: Fever",
        "suggestion": "X:A (Head pain)?",
    }


def test_a_label_is_stated_by_whole_words_only():
    assert faults("X:B", description="Feverish")[0].code == "label"
    assert faults("X:B", description="He had FEVER.") == []
