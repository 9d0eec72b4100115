"""assay ontology: show, search, similarity and check, in a small ontology and in HPO."""

import json
import shlex

import pytest

from assay.datasets import bundled

OBO = """\
format-version: 1.2
data-version: 2026-01-02
ontology: x

[Term]
id: X:1
name: Everything

[Term]
id: X:2
name: Fever
def: "Too warm." []
alt_id: X:20
synonym: "Pyrexia" EXACT []
is_a: X:1

[Term]
id: X:3
name: High fever
is_a: X:2

[Term]
id: X:4
name: Chill
is_a: X:1

[Term]
id: X:8
name: obsolete Shiver
is_obsolete: true
consider: X:4

[Term]
id: X:9
name: obsolete Heat
is_obsolete: true
replaced_by: X:2
"""


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A folder with a small ontology, with ids that are longer in another, and files that name its terms."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    described = {"query_id": "a", "query": "hot", "relevant_ids": ["X:2"], "metadata": {"description": "Fever"}}
    for name, text in {
        "x.obo": OBO,
        "lost.obo": OBO.replace("is_a: X:2\n", "is_a: X:2\nis_a: X:404\n"),
        "long.obo": OBO.replace("X:", "X:001"),
        "bad.obo": "hello",
        "some.tsv": "a\tX:3\nb\tX:4\n",
        "qrels.txt": "q1 0 X:2 1\nq1 0 X:77 0\n",
        "queries.jsonl": json.dumps(described),
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


@pytest.mark.usefixtures("small")
def test_terms_are_shown_and_found(transcript):
    transcript("ontology/terms")


@pytest.mark.usefixtures("small")
def test_similarity(transcript):
    transcript("ontology/similarity")


@pytest.mark.usefixtures("small")
def test_files_and_words_that_are_wrong(transcript):
    transcript("ontology/wrong")


@pytest.mark.usefixtures("small")
def test_as_json(assay):
    def plain(*words):
        return json.loads(assay("ontology", *words, "--ontology", "x.obo", "-f", "json").out)

    one = plain("show", "X:2")
    assert (one["id"], one["synonyms"]) == ("X:2", [{"text": "Pyrexia", "scope": "exact"}])
    assert (one["depth"], one["max_depth"], one["num_descendants"]) == (1, 2, 1)
    assert [each["id"] for each in plain("show", "X:2", "X:3", "X:0")] == ["X:2", "X:3"]
    assert plain("search", "pyrexia")["terms"] == [{"id": "X:2", "label": "Fever", "found": "Pyrexia"}]
    assert plain("check", "qrels.txt")["num_undescribed"] == 1
    hint = assay("ontology", "show", "high feverish", "--ontology", "x.obo").err.rpartition("(")[2].partition(")")[0]
    assert assay(*shlex.split(hint)[1:]).code == 0, "a hint can be pasted"


@pytest.mark.slow
@pytest.mark.usefixtures("parsed_hpo")
def test_hpo(assay, hpo_cache, tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(hpo_cache))
    done = assay("ontology", "show", "HP:0001250")
    assert (done.code, done.out.startswith("HP:0001250  Seizure\n")) == (0, True)
    assert "HP:0012638  Abnormal nervous system physiology" in done.out
    assert "HP:0001250" in assay("ontology", "search", "epileptic seizure").out
    words = ("similarity", "HP:0001250", "HP:0002197", "--formula", "hybrid", "-f", "json")
    found = json.loads(assay("ontology", *words).out)
    a, b, deepest = found["a"]["depth"], found["b"]["depth"], found["max_depth"]
    assert found["lowest_common_ancestor"]["id"] == "HP:0001250"
    assert found["similarity"]["hybrid"] == pytest.approx(0.7 * a / deepest + 0.3 * (1 - 1 / (a + b)))
    expected = {"HP:0001250": "High fever", "HP:0002279": "Seizure", "HP:9999999": "Seizure"}
    expected["HP:0000057"] = "Clitoral hypertrophy"
    cases = [
        {"case_id": term, "text": "hot", "expected_hpo_ids": [term], "description": said} for term, said in expected.items()
    ]
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    done = assay("ontology", "check", tmp_path / "cases.json")
    assert (done.code, "2 errors, 2 warnings" in done.out) == (3, True)
    assert "HP:0000057 is obsolete, replaced by HP:0008665 (Clitoral hypertrophy); write HP:0008665" in done.out
    assert "HP:9999999 is not a term of hp; HP:0001250 (Seizure)?" in done.out


@pytest.mark.slow
@pytest.mark.usefixtures("parsed_hpo")
def test_check_suggests_terms_that_descriptions_name(assay, hpo_cache, tmp_path, monkeypatch):
    """The first 50 German cases with ids that nobody knows: their descriptions are sentences, with the label inside."""
    monkeypatch.setenv("ASSAY_CACHE", str(hpo_cache))
    cases = json.loads(bundled()["hpo-de"].read_text(encoding="utf-8"))["test_cases"]
    listed = [case for case in cases if len(case["expected_hpo_ids"]) == 1]
    right = {case["case_id"]: case["expected_hpo_ids"][0] for case in listed[:50]}
    wrong = [{**case, "expected_hpo_ids": [f"HP:99{number:05}"]} for number, case in enumerate(listed[:50])]
    (tmp_path / "wrong.json").write_text(json.dumps(wrong), encoding="utf-8")
    faults = json.loads(assay("ontology", "check", tmp_path / "wrong.json", "-f", "json").out)["faults"]
    suggested = {fault["case"]: fault.get("suggestion", "").partition(" ")[0] for fault in faults}
    assert suggested.keys() == right.keys()
    assert sum(suggested[case] == right[case] for case in right) >= 48
