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
def onto(assay, tmp_path, monkeypatch):
    """`assay ontology … --ontology x.obo`, with a cache of its own."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    (tmp_path / "x.obo").write_text(OBO, encoding="utf-8")
    return lambda *arguments: assay("ontology", *arguments, "--ontology", tmp_path / "x.obo")


def test_show(onto, snapshots):
    done = onto("show", "X:2")
    assert done.code == 0
    snapshots.check("ontology/show", done.out)


def test_show_as_json(onto):
    one = json.loads(onto("show", "X:2", "-f", "json").out)
    assert one["id"] == "X:2"
    assert one["synonyms"] == [{"text": "Pyrexia", "scope": "exact"}]
    assert one["parents"] == [{"id": "X:1", "label": "Everything"}]
    assert (one["depth"], one["max_depth"], one["num_descendants"]) == (1, 2, 1)
    assert [each["id"] for each in json.loads(onto("show", "X:2", "X:3", "-f", "json").out)] == ["X:2", "X:3"]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("X:20", "X:20 is an alternative id of X:2"),
        ("X:9", "X:9 is obsolete, replaced by X:2 (Fever)"),
        ("X_2", ""),
        ("fever", ""),
        ("Pyrexia", ""),
    ],
)
def test_show_by_other_ids_and_by_name(onto, text, note):
    done = onto("show", text)
    assert done.code == 0
    assert done.out.startswith("X:2  Fever\n")
    assert ("  note " in done.out) == bool(note)
    assert note in done.out


def test_terms_that_nobody_knows(onto):
    done = onto("show", "X:8")
    assert (done.code, done.out) == (2, "")
    assert "X:8 (obsolete Shiver) is obsolete and nothing replaces it; consider X:4" in done.err
    done = onto("show", "feve")
    assert done.code == 2
    assert "no term of x is called 'feve'. Did you mean X:2 (Fever) or X:3 (High fever)?" in done.err


def test_terms_that_are_known_are_shown_beside_one_that_is_not(onto):
    """The exit code tells that something is missing; the rest is no less wanted."""
    done = onto("show", "X:2", "X:0", "feve")
    assert done.code == 2
    assert done.out.startswith("X:2  Fever\n")
    assert "no term of x is called 'X:0'" in done.err
    assert "no term of x is called 'feve'" in done.err
    assert "digits" not in onto("show", "X:0").err
    shown = json.loads(onto("show", "X:2", "X:0", "-f", "json").out)
    assert [one["id"] for one in shown] == ["X:2"]


def test_a_hint_can_be_pasted(onto, assay, monkeypatch):
    """It finds what is meant in the same ontology."""
    hint = onto("show", "high feverish").err.rpartition("(")[2].partition(")")[0]
    program, *words = shlex.split(hint)
    assert (program, words[:3]) == ("assay", ["ontology", "search", "high feverish"])
    assert assay(*words).code == 0
    assert "assay ontology search WORDS --ontology" in onto("show", "?").err


def test_ids_with_too_few_digits(assay, tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    (tmp_path / "long.obo").write_text(OBO.replace("X:", "X:001"), encoding="utf-8")
    long = ("--ontology", tmp_path / "long.obo")
    assert "Did you mean X:0012 (Fever)?   (X ids of x have 4 digits)" in assay("ontology", "show", "X:12", *long).err
    assert "Did you mean X:0011 (Everything) or X:0012 (Fever) or" in assay("ontology", "show", "x_001", *long).err
    assert "(X ids of x have 4 digits)" in assay("ontology", "similarity", "X:99999", "X:0012", *long).err


def test_search_for_no_words(onto):
    done = onto("search", "")
    assert (done.code, done.out) == (2, "")
    assert "assay ontology search takes words of a label or synonym, such as seizure; found ''" in done.err
    assert onto("search", "?!").code == 2


def test_what_is_wrong_with_the_file_is_noted(onto, tmp_path):
    assert onto("show", "X:3").err == ""
    (tmp_path / "x.obo").write_text(OBO.replace("is_a: X:2\n", "is_a: X:2\nis_a: X:404\n"), encoding="utf-8")
    done = onto("show", "X:3")
    assert (done.code, done.err) == (0, "note: x.obo: 1 parent is not in the file: X:404\n")


def test_an_address_is_not_fetched(assay):
    done = assay("ontology", "show", "X:1", "--ontology", "https://127.0.0.1:9/x.obo")
    assert (done.code, done.out) == (2, "")
    assert "https://127.0.0.1:9/x.obo: assay downloads nothing" in done.err


def test_search(onto):
    done = onto("search", "fever")
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == ["term", "X:2", "X:3"]
    assert "X:2    Fever   (synonym: Pyrexia)" in onto("search", "pyrex").out
    limited = onto("search", "fever", "--limit", 1)
    assert "X:3" not in limited.out
    assert "2 terms; --limit 2 shows all" in limited.out
    assert onto("search", "cough").out == "no label or synonym of x has these words: cough\n"


def test_search_as_json(onto):
    found = json.loads(onto("search", "pyrexia", "-f", "json").out)
    assert found == {"phrase": "pyrexia", "num_found": 1, "terms": [{"id": "X:2", "label": "Fever", "found": "Pyrexia"}]}


def test_similarity_by_one_formula(onto):
    done = onto("similarity", "X:3", "X:2", "--formula", "hybrid")
    assert done.code == 0
    assert "X:2  Fever, depth 1; 1 step apart; the ontology is 2 deep" in done.out
    assert "hybrid        0.5500" in done.out
    assert "lin" not in done.out


def test_similarity_by_all_of_them(onto):
    found = json.loads(onto("similarity", "X:3", "X:20", "-f", "json").out)
    assert found["similarity"]["simple"] == 0.5
    assert found["similarity"]["wu_palmer"] == pytest.approx(4 / 5)
    assert len(found["similarity"]) == 7
    assert found["lowest_common_ancestor"]["id"] == "X:2"
    assert found["notes"] == ["X:20 is an alternative id of X:2"]
    assert "jaccard" in onto("similarity", "X:3", "X:2", "--formula", "all").out


def test_similarity_by_annotations(onto, tmp_path):
    (tmp_path / "some.tsv").write_text("a\tX:3\nb\tX:4\n")
    done = onto(
        "similarity", "X:3", "X:2", "--formula", "lin(ic=annotations)", "--annotations", tmp_path / "some.tsv", "-f", "json"
    )
    assert json.loads(done.out)["similarity"] == {"lin(ic=annotations)": 1}
    done = onto("similarity", "X:3", "X:2", "--formula", "lin(ic=annotations)")
    assert done.code == 2
    assert "needs an annotation file" in done.err


def test_annotations_are_never_left_aside(onto, tmp_path):
    (tmp_path / "some.tsv").write_text("a\tX:3\nb\tX:4\n")
    for asked in ((), ("--formula", "all")):
        done = onto("similarity", "X:3", "X:2", *asked, "--annotations", tmp_path / "some.tsv", "-f", "json")
        assert json.loads(done.out)["similarity"] == {
            "jiang_conrath(ic=annotations)": 1,
            "lin(ic=annotations)": 1,
            "resnik(ic=annotations)": 1,
        }
    for formula in ("lin", "hybrid", "lin(ic=zhou)"):
        done = onto("similarity", "X:3", "X:2", "--formula", formula, "--annotations", tmp_path / "some.tsv")
        assert (done.code, done.out) == (2, "")
        assert f"{formula} does not read --annotations" in done.err
        assert "lin(ic=annotations) does" in done.err


@pytest.fixture
def cases(tmp_path):
    """Test cases with these expected ids and descriptions."""

    def write(*given):
        listed = [
            {"case_id": f"c{number}", "text": f"hot {number}", "expected_hpo_ids": ids, "description": said}
            for number, (ids, said) in enumerate(given)
        ]
        (tmp_path / "cases.json").write_text(json.dumps(listed))
        return tmp_path / "cases.json"

    return write


def test_check_finds_nothing(onto, tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 X:2 1\nq1 0 X:77 0\n")
    done = onto("check", tmp_path / "qrels.txt")
    said = "1 case, 1 term of x 2026-01-02: all exist and are current; 1 case without a description\n"
    assert (done.code, done.out) == (0, said)
    assert json.loads(onto("check", tmp_path / "qrels.txt", "-f", "json").out)["num_undescribed"] == 1


def test_check_of_cases_that_are_described(onto, tmp_path):
    (tmp_path / "queries.jsonl").write_text(
        '{"query_id": "a", "query": "hot", "relevant_ids": ["X:2"], "metadata": {"description": "Fever"}}\n'
    )
    done = onto("check", tmp_path / "queries.jsonl")
    assert (done.code, done.out) == (0, "1 case, 1 term of x 2026-01-02: all exist, are current and are described\n")


def test_arguments_that_do_not_go_together(assay):
    assert "Did you mean show?" in assay("ontology", "shwo", "X:1").err
    for words in (("similarity", "X:1"), ("check", "a", "b")):
        assert assay("ontology", *words).code == 2
    assert "--formula belongs to assay ontology similarity" in assay("ontology", "show", "X:1", "--formula", "lin").err
    assert "--limit belongs to assay ontology search" in assay("ontology", "show", "X:1", "--limit", "3").err
    assert "a whole number from 1 up" in assay("ontology", "search", "x", "--limit", "0").err
    assert "Did you mean resnik" in assay("ontology", "similarity", "X:1", "X:2", "--formula", "resnick").err


def test_a_file_that_is_no_ontology(assay, tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    (tmp_path / "bad.obo").write_text("hello")
    done = assay("ontology", "show", "X:1", "--ontology", tmp_path / "bad.obo")
    assert done.code == 3
    assert "expected OBO, OWL or OBO Graphs" in done.err


# ---- HPO


@pytest.fixture
def hpo(assay, hpo_cache, parsed_hpo, monkeypatch):
    """`assay ontology …` in HPO."""
    monkeypatch.setenv("ASSAY_CACHE", str(hpo_cache))
    return lambda *arguments: assay("ontology", *arguments)


def test_show_in_hpo(hpo):
    done = hpo("show", "HP:0001250")
    assert done.code == 0
    assert done.out.startswith("HP:0001250  Seizure\n")
    assert "HP:0012638  Abnormal nervous system physiology" in done.out
    assert "HP:0001250" in hpo("search", "epileptic seizure").out


def test_similarity_in_hpo(hpo):
    found = json.loads(hpo("similarity", "HP:0001250", "HP:0002197", "--formula", "hybrid", "-f", "json").out)
    a, b, deepest = found["a"]["depth"], found["b"]["depth"], found["max_depth"]
    assert found["lowest_common_ancestor"]["id"] == "HP:0001250"
    assert found["similarity"]["hybrid"] == pytest.approx(0.7 * a / deepest + 0.3 * (1 - 1 / (a + b)))


def test_check_in_hpo(hpo, cases):
    path = cases(
        (["HP:0001250"], "Seizure"),
        (["HP:0001250"], "High fever"),
        (["HP:0002279"], "Seizure"),
        (["HP:0000057"], "Clitoral hypertrophy"),
        (["HP:9999999"], "Seizure"),
    )
    done = hpo("check", path)
    assert done.code == 3
    assert done.out.startswith("5 cases, 4 terms of hp ")
    assert "2 errors, 2 warnings" in done.out
    assert "HP:0000057 is obsolete, replaced by HP:0008665 (Clitoral hypertrophy); write HP:0008665" in done.out
    assert "HP:9999999 is not a term of hp; HP:0001250 (Seizure)?" in done.out
    found = json.loads(hpo("check", path, "-f", "json").out)
    assert [fault["code"] for fault in found["faults"]] == ["label", "alternative", "replaced", "unknown"]
    assert (found["num_cases"], found["num_errors"]) == (5, 2)


def test_check_suggests_terms_that_descriptions_name(hpo, tmp_path):
    """The first 50 German cases with ids that nobody knows: their descriptions are sentences, with the label inside."""
    cases = json.loads(bundled()["hpo-de"].read_text(encoding="utf-8"))["test_cases"]
    listed = [case for case in cases if len(case["expected_hpo_ids"]) == 1]
    right = {case["case_id"]: case["expected_hpo_ids"][0] for case in listed[:50]}
    wrong = [{**case, "expected_hpo_ids": [f"HP:99{number:05}"]} for number, case in enumerate(listed[:50])]
    (tmp_path / "wrong.json").write_text(json.dumps(wrong), encoding="utf-8")
    faults = json.loads(hpo("check", tmp_path / "wrong.json", "-f", "json").out)["faults"]
    suggested = {fault["case"]: fault.get("suggestion", "").partition(" ")[0] for fault in faults}
    assert suggested.keys() == right.keys()
    assert sum(suggested[case] == right[case] for case in right) >= 48


@pytest.mark.usefixtures("parsed_hpo")
def test_it_fits_a_terminal(terminal, hpo_cache):
    for words in (("show", "HP:0001250"), ("similarity", "HP:0001250", "HP:0002197"), ("search", "seizure")):
        done = terminal("ontology", *words, columns=60, env={"ASSAY_CACHE": str(hpo_cache)})
        assert done.code == 0
        shown = done.out.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")
        assert max(map(len, shown.splitlines())) <= 60
