"""assay ontology: show, search, similarity and check, in a small ontology and in HPO."""

import json

import pytest

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


def test_show(onto):
    done = onto("show", "X:2")
    assert done.code == 0
    assert done.out == (
        "X:2  Fever\n"
        "  definition    Too warm.\n"
        "  synonyms      Pyrexia (exact)\n"
        "  parents       X:1  Everything\n"
        "  children      X:3  High fever\n"
        "  depth         1 of 2, the longest way to a root; 1 term below\n"
        "  alternatives  X:20\n"
        "  ontology      x 2026-01-02\n"
    )


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
    assert "in common     X:2  Fever, depth 1; 1 step apart; the ontology is 2 deep" in done.out
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


@pytest.fixture
def cases(tmp_path):
    """Test cases with these expected ids and descriptions."""

    def write(*given):
        listed = [
            {"case_id": f"c{number}", "text": "hot", "expected_hpo_ids": ids, "description": said}
            for number, (ids, said) in enumerate(given)
        ]
        (tmp_path / "cases.json").write_text(json.dumps(listed))
        return tmp_path / "cases.json"

    return write


def test_check_finds_nothing(onto, tmp_path):
    (tmp_path / "qrels.txt").write_text("q1 0 X:2 1\nq1 0 X:77 0\n")
    done = onto("check", tmp_path / "qrels.txt")
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


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One cache for the tests below, so that HPO is parsed once."""
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture
def hpo(assay, shared, monkeypatch):
    """`assay ontology …` in HPO."""
    monkeypatch.setenv("ASSAY_CACHE", shared)
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


def test_it_fits_a_terminal(terminal, shared):
    for words in (("show", "HP:0001250"), ("similarity", "HP:0001250", "HP:0002197"), ("search", "seizure")):
        done = terminal("ontology", *words, columns=60, env={"ASSAY_CACHE": shared})
        assert done.code == 0
        shown = done.out.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")
        assert max(map(len, shown.splitlines())) <= 60
