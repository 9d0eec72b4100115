"""hpo_cases: phrases and HPO terms, as a plain list and under the schema."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.datasets.dataset import BenchmarkDataset, Repair
from assay.datasets.format import load_dataset
from assay.model.records import Document, Query, RelevanceJudgment, Span
from assay.ontology.hpo_cases import read_hpo_cases, schema, schema_faults, write_hpo_cases

from ._benchmarks import METADATA, OWN, SAMPLES, TEXTS, WORDS, assert_same, claims, faults
from ._cases import BOM, write

PLAIN = SAMPLES / "hpo" / "german" / "tiny_v1.json"
ENHANCED = SAMPLES / "hpo" / "de" / "enhanced.json"
CASE = {"text": "Seizure", "expected_hpo_ids": ["HP:0001250"]}


def cases(path, *rows, **metadata):
    """A file under the schema."""
    return write(path, json.dumps({"metadata": metadata, "test_cases": rows}))


def test_the_plain_list_reads_as_it_says():
    dataset = load_dataset(PLAIN)
    assert (dataset.format, dataset.name, dataset.metadata) == ("hpo_cases", "tiny_v1", {"language": "de"})
    heart = {"description": "Hypertrophic cardiomyopathy with septal hypertrophy", "language": "de"}
    assert list(dataset.queries.values()) == [
        Query("1", "Hypertrophe Kardiomyopathie mit Septumhypertrophie", metadata=heart),
        Query("2", "Krampfanfälle", metadata={"language": "de"}),
        Query("3", "schlechtes Gehör", metadata={"language": "de"}),
        Query("4", "Fensterbrett", metadata={"language": "de"}),
    ]
    assert dataset.qrels == {
        "1": {"HP:0001639": 1, "HP:0001712": 1},
        "2": {"HP:0001250": 1, "HP:0002133": 1},
        "3": {"HP:0000365": 1},
        "4": {},
    }
    assert dataset.repairs == [Repair("case 3.expected_hpo_ids", "hp:0000365 is written HP:0000365")]


def test_the_schema_form_reads_as_it_says():
    dataset = load_dataset(ENHANCED)
    assert (dataset.name, dataset.version) == ("hpo-de", "2.0")
    assert dataset.metadata == {"language": "de", "description": "Written for these tests"}
    seizures, heart = dataset.queries.values()
    assert seizures.tags == {
        "difficulty": "easy",
        "query_type": "exact_match",
        "domain": "Abnormality of the nervous system",
        "language": "de",
        "description": "German word for seizures",
    }
    assert heart == Query(
        "de_heart_001", "VSD", "abbreviation", "medium", metadata={"source": "ward round", "language": "de"}
    )
    assert dataset.qrels == {
        "de_neuro_001": {"HP:0001250": 1},
        "de_heart_001": {"HP:0001629": 3, "HP:0001671": 1, "HP:0001631": 0},
    }
    assert dataset.repairs == []


@pytest.mark.parametrize("path", [PLAIN, ENHANCED], ids=["plain", "schema"])
def test_nobody_else_claims_it(path):
    assert claims(path) == ["hpo_cases"]


@pytest.mark.parametrize("path", [PLAIN, ENHANCED], ids=["plain", "schema"])
def test_the_samples_survive(path, tmp_path):
    dataset = load_dataset(path)
    write_hpo_cases(dataset, tmp_path / "cases.json")
    assert_same(load_dataset(tmp_path / "cases.json"), dataset)


LANGUAGE = st.sampled_from(["de", "en", "fr", "es", "nl"])
TERMS = st.integers(0, 9_999_999).map("HP:{:07}".format)
MAYBE = st.none() | TEXTS


@st.composite
def hpo_benchmarks(draw):
    """Queries with terms; in one language, in several, or in none."""
    dataset = BenchmarkDataset(draw(TEXTS), draw(TEXTS))
    language = draw(st.none() | LANGUAGE)
    if language:
        dataset.metadata["language"] = language
    difficulty, category = (
        st.sampled_from([None, "easy", "medium", "hard"]),
        st.sampled_from([None, "synonym", "layperson", "complex"]),
    )
    for query_id in draw(st.lists(WORDS, min_size=1, max_size=4, unique=True)):
        drawn = draw(METADATA) or {}
        metadata = {name: value for name, value in drawn.items() if value is not None and name not in OWN}  # are refused
        if language:
            metadata["language"] = language
        evidence = draw(st.none() | st.lists(WORDS, max_size=2))
        labels = draw(category), draw(difficulty), draw(MAYBE)
        dataset.add_query(Query(query_id, draw(TEXTS), *labels, metadata or None, draw(MAYBE), evidence, draw(MAYBE)))
        dataset.qrels[query_id] = draw(st.dictionaries(TERMS, st.integers(-1, 3) | st.floats(-1e6, 1e6), max_size=3))
    return dataset


@settings(max_examples=50)
@given(made=hpo_benchmarks())
def test_written_is_read(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("hpo") / "cases.json"
    write_hpo_cases(made, path)
    assert_same(read_hpo_cases(path), made)
    assert not list(schema_faults(json.loads(path.read_bytes()), schema()))


def test_languages_may_differ_by_case(tmp_path):
    path = cases(tmp_path / "cases.json", {**CASE, "language": "fr"}, CASE, language="en")
    dataset = read_hpo_cases(path)
    assert [query.tags["language"] for query in dataset.queries.values()] == ["fr", "en"]
    write_hpo_cases(dataset, tmp_path / "again.json")
    assert read_hpo_cases(tmp_path / "again.json").queries == dataset.queries


FOLDERS = {
    "de": "de",
    "en": "en",
    "fr": "fr",
    "es": "es",
    "nl": "nl",
    "german": "de",
    "English": "en",
    "french": "fr",
    "spanish": "es",
    "dutch": "nl",
}


@pytest.mark.parametrize(("folder", "language"), FOLDERS.items())
def test_the_folder_names_the_language(tmp_path, folder, language):
    (tmp_path / folder).mkdir()
    assert read_hpo_cases(cases(tmp_path / folder / "cases.json", CASE)).metadata == {"language": language}


def test_the_file_knows_its_language_better_than_the_folder(tmp_path):
    (tmp_path / "german").mkdir()
    dataset = read_hpo_cases(cases(tmp_path / "german" / "cases.json", CASE, language="en"))
    assert dataset.queries["1"].tags["language"] == "en"
    assert dataset.repairs == [Repair("metadata.language", "the file says en, its folder de; the file is believed")]


def test_without_a_language_there_is_none(tmp_path):
    assert read_hpo_cases(cases(tmp_path / "cases.json", CASE)).queries == {"1": Query("1", "Seizure")}


@pytest.mark.parametrize(
    "ids",
    ["HP:0001250;HP:0002133", "HP:0001250; hp_0002133", ["HP:0001250;HP:0002133"], ["HP:0001250", "HP:0002133"]],
    ids=str,
)
def test_ids_of_a_plain_list_come_in_any_shape(tmp_path, ids):
    path = write(tmp_path / "cases.json", json.dumps([{"text": "a", "expected_hpo_ids": ids}]))
    assert read_hpo_cases(path).qrels == {"1": {"HP:0001250": 1, "HP:0002133": 1}}


def test_odd_but_legal(tmp_path):
    case = '{"case_id": 7, "text": "日", "description": null, "expected_hpo_ids": ["HP:0001250", "HP:0001250"]}'
    content = BOM + f"\r\n[\r\n{case}]".encode()
    for name, packed in {"cases.json": content, "cases.json.gz": gzip.compress(content)}.items():
        dataset = load_dataset(write(tmp_path / name, packed))
        assert (dataset.name, dataset.queries, dataset.qrels) == ("cases", {"7": Query("7", "日")}, {"7": {"HP:0001250": 1}})
        assert dataset.repairs == [Repair("case 1 (7).expected_hpo_ids", "HP:0001250 is named twice; it counts once")]


def test_one_case_alone_is_a_list_of_one(tmp_path):
    assert len(load_dataset(write(tmp_path / "case.json", json.dumps(CASE))).queries) == 1


FAULTS = {
    "no text": ({"text": None}, ".text: expected text, found None"),
    "ids joined": ({"expected_hpo_ids": "HP:0001250"}, ".expected_hpo_ids: expected a list, found 'HP:0001250'"),
    "an id": (
        {"expected_hpo_ids": ["HP:0001250", "HP:12"]},
        r".expected_hpo_ids[1]: expected ^HP:\d{7}$ (such as HP:0001250), found 'HP:12'",
    ),
    "a line end": (
        {"expected_hpo_ids": ["HP:0001250\n"]},
        r".expected_hpo_ids[0]: expected ^HP:\d{7}$ (such as HP:0001250), found 'HP:0001250\n'",
    ),
    "difficulty": ({"difficulty": "trivial"}, ".difficulty: expected one of easy, medium, hard, found 'trivial'"),
    "category": (
        {"category": "slang"},
        ".category: expected one of exact_match, synonym, abbreviation, layperson, complex, found 'slang'",
    ),
    "domain": ({"hpo_domain": 7}, ".hpo_domain: expected text, found 7"),
    "language": ({"language": "german"}, ".language: expected one of de, en, fr, es, nl, found 'german'"),
    "a grade": ({"relevance_grades": {"HP:0001250": "x"}}, ".relevance_grades.HP:0001250: expected a number, found 'x'"),
    "a grade of nothing": (
        {"relevance_grades": {"HP:1": 1}},
        r".relevance_grades.HP:1: is not known here; known are ^HP:\d{7}$",
    ),
    "a wrong term with a grade": (
        {"relevance_grades": {"HP:0000001": 2}},
        ".relevance_grades: HP:0000001 has grade 2, but is not among the expected ids",
    ),
    "a right term without": (
        {"relevance_grades": {"HP:0001250": 0}},
        ".relevance_grades: HP:0001250 has grade 0, but is expected",
    ),
}


@pytest.mark.parametrize(("change", "said"), FAULTS.values(), ids=FAULTS)
def test_a_fault_names_case_and_field(tmp_path, change, said):
    path = cases(tmp_path / "cases.json", {"case_id": "first", **CASE}, {"case_id": "second", **CASE, **change})
    assert faults(read_hpo_cases, path) == [f"cases.json: case 2 (second){said}"]


FILES = {
    "missing": ('{"test_cases": [{"text": "a"}]}', "cases.json: case 1.expected_hpo_ids: is missing"),
    "a case": ('{"test_cases": [7]}', "cases.json: case 1: expected an object, found 7"),
    "no case": ('{"test_cases": []}', "cases.json: test_cases: expected at least 1 of them, found 0"),
    "no list": ('{"test_cases": {}}', "cases.json: test_cases: expected a list, found {}"),
    "metadata": ('{"metadata": [], "test_cases": []}', "cases.json: metadata: expected an object, found []"),
    "its language": (
        '{"metadata": {"language": "german"}, "test_cases": [{"text": "a", "expected_hpo_ids": []}]}',
        "cases.json: metadata.language: expected one of de, en, fr, es, nl, found 'german'",
    ),
    "an empty list": ("[]", "cases.json: test_cases: expected at least 1 of them, found 0"),
    "a bad id in a list": (
        '[{"text": "a", "expected_hpo_ids": "HP:1;HP:0001250"}]',
        r"cases.json: case 1.expected_hpo_ids[0]: expected ^HP:\d{7}$ (such as HP:0001250), found 'HP:1'",
    ),
    "no number": (
        '[{"text": "a", "expected_hpo_ids": [7]}]',
        "cases.json: case 1.expected_hpo_ids[0]: expected text, found 7",
    ),
    "text": ('"cases"', "cases.json: expected a list of test cases, found 'cases'"),
    "no JSON": ("[\n{]", "cases.json:2: not JSON: Expecting property name enclosed in double quotes"),
}


@pytest.mark.parametrize(("content", "said"), FILES.values(), ids=FILES)
def test_a_fault_names_its_place(tmp_path, content, said):
    assert faults(read_hpo_cases, write(tmp_path / "cases.json", content))[0] == said


def test_a_case_comes_once(tmp_path):
    path = cases(tmp_path / "cases.json", *[{"case_id": "a", **CASE}] * 2, {**CASE})
    assert faults(read_hpo_cases, path) == ["cases.json: case 2 (a): the case_id a comes twice"]


def test_all_faults_come_together(tmp_path):
    assert len(faults(read_hpo_cases, cases(tmp_path / "cases.json", *[{}] * 30))) == 20


def made(**changes):
    dataset = BenchmarkDataset(queries={"q": Query("q", "a")}, qrels={"q": {"HP:0001250": 1}})
    for name, value in changes.items():
        setattr(dataset, name, value)
    return dataset


UNFIT = {
    "names of the dataset": (
        {"metadata": {"version": 7, "a": 1}},
        "cannot hold metadata called version; write json instead",
    ),
    "documents": ({"documents": {"d": Document("d")}}, "cannot hold 1 document; write json instead"),
    "spans": ({"spans": {"q": [Span("d", 0, 1)]}}, "cannot hold 1 query with spans"),
    "judges": (
        {"judgments": {("q", "d"): RelevanceJudgment("q", "d", 1, "Ada")}},
        "cannot hold 1 judgment with judge or time",
    ),
    "unjudged": ({"qrels": {}}, r"cannot hold queries without judgments (q)"),
    "unknown": ({"queries": {}}, "cannot hold judgments of queries it does not have (q)"),
    "names": (
        {"queries": {"q": Query("q", metadata={"category": "x"})}},
        "cannot hold queries whose metadata uses names of its own",
    ),
    "ids": ({"qrels": {"q": {"d1": 1}}}, "case 1 (q).expected_hpo_ids[0]: expected"),
    "labels": (
        {"queries": {"q": Query("q", difficulty="vile")}},
        "case 1 (q).difficulty: expected one of easy, medium, hard",
    ),
}


@pytest.mark.parametrize(("changes", "said"), UNFIT.values(), ids=UNFIT)
def test_what_does_not_fit_is_not_written(tmp_path, changes, said):
    path = tmp_path / "cases.json"
    assert said in faults(lambda path: write_hpo_cases(made(**changes), path), path)[0]
    assert not path.exists()


# Terms of other ontologies


def test_cases_of_another_ontology_have_ids_of_its_own(tmp_path):
    path = cases(
        tmp_path / "cases.json", {"text": "pear", "expected_hpo_ids": ["FR:4", "FR:pear-1"], "relevance_grades": {"FR:4": 2}}
    )
    assert read_hpo_cases(path).qrels == {"1": {"FR:4": 2, "FR:pear-1": 1}}


def test_one_id_of_hpo_makes_all_of_them_hpo(tmp_path):
    path = cases(
        tmp_path / "cases.json",
        {"case_id": "first", **CASE},
        {"case_id": "b", "text": "x", "expected_hpo_ids": ["PH:0001250"]},
    )
    assert "expected ^HP:" in faults(read_hpo_cases, path)[0]
