"""hpo_cases: phrases and HPO terms, as a plain list and under the schema."""

import gzip
import json
from functools import partial
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from assay import BenchmarkDataset, Document, Query, RelevanceJudgment, Span, load_dataset
from assay.datasets import PARTS, Probe, Repair, all_formats, find_format

SAMPLES = Path(__file__).parents[1] / "datasets" / "samples"
BOM = b"\xef\xbb\xbf"
WORDS = st.text("abcXYZ0129_-.:äß日", min_size=1, max_size=6)
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
VALUES = st.booleans() | st.integers(-(2**53), 2**53) | TEXTS | st.lists(TEXTS, max_size=2)
METADATA = st.dictionaries(st.sampled_from(["note", "source", "n", "日"]), VALUES, max_size=3)


read_hpo_cases = partial(load_dataset, format="hpo_cases")
write_hpo_cases = find_format("hpo_cases").save


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def assert_same(dataset, other):
    """Everything that a benchmark of cases holds, and its fingerprints."""
    for name in ("name", "version", "metadata", "queries", "qrels"):
        assert getattr(dataset, name) == getattr(other, name), name
    assert [dataset.fingerprint(part) for part in PARTS] == [other.fingerprint(part) for part in PARTS]


PLAIN = SAMPLES / "hpo" / "german" / "tiny_v1.json"
ENHANCED = SAMPLES / "hpo" / "de" / "enhanced.json"
CASE = {"text": "Seizure", "expected_hpo_ids": ["HP:0001250"]}


def cases(path, *rows, **metadata):
    """A file under the schema."""
    return write(path, json.dumps({"metadata": metadata, "test_cases": rows}))


def told(dataset):
    """All that a benchmark of cases holds."""
    lines = [f"{dataset.format}: {dataset.name!r} {dataset.version!r} {dataset.metadata}"]
    for query_id, query in dataset.queries.items():
        lines.append(f"{query_id}: {query.text!r} {query.tags} → {dataset.qrels[query_id]}")
    return "\n".join([*lines, *map(str, dataset.repairs)]) + "\n"


def test_the_samples_read_as_they_say_and_survive_and_nobody_else_claims_them(tmp_path, snapshots):
    texts = []
    for path in (PLAIN, ENHANCED):
        dataset = load_dataset(path)
        texts.append(f"## {path.name}\n{told(dataset)}\n")
        write_hpo_cases(dataset, tmp_path / "cases.json")
        assert_same(load_dataset(tmp_path / "cases.json"), dataset)
        assert [name for name, format_ in all_formats().items() if format_.detect(Probe(path))] == ["hpo_cases"], path
    snapshots.check("ontology/samples", "".join(texts))


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
    difficulty = st.sampled_from([None, "easy", "medium", "hard"])
    category = st.sampled_from([None, "synonym", "layperson", "complex"])
    for query_id in draw(st.lists(WORDS, min_size=1, max_size=4, unique=True)):
        metadata = draw(METADATA)
        if language:
            metadata["language"] = language
        evidence = draw(st.none() | st.lists(WORDS, max_size=2))
        labels = draw(category), draw(difficulty), draw(MAYBE)
        dataset.add_query(Query(query_id, draw(TEXTS), *labels, metadata or None, draw(MAYBE), evidence, draw(MAYBE)))
        dataset.qrels[query_id] = draw(st.dictionaries(TERMS, st.integers(-1, 3) | st.floats(-1e6, 1e6), max_size=3))
    return dataset


@given(made=hpo_benchmarks())
def test_written_is_read(made, tmp_path_factory):
    path = tmp_path_factory.mktemp("hpo") / "cases.json"
    write_hpo_cases(made, path)
    assert_same(read_hpo_cases(path), made)


def test_languages_come_from_cases_from_the_file_and_from_its_folder(tmp_path):
    path = cases(tmp_path / "cases.json", {**CASE, "language": "fr"}, CASE, language="en")
    dataset = read_hpo_cases(path)
    assert [query.tags["language"] for query in dataset.queries.values()] == ["fr", "en"]
    write_hpo_cases(dataset, tmp_path / "again.json")
    assert read_hpo_cases(tmp_path / "again.json").queries == dataset.queries
    folders = {"de": "de", "nl": "nl", "german": "de", "English": "en", "french": "fr", "spanish": "es", "dutch": "nl"}
    for folder, language in folders.items():
        (tmp_path / folder).mkdir()
        assert read_hpo_cases(cases(tmp_path / folder / "cases.json", CASE)).metadata == {"language": language}, folder
    dataset = read_hpo_cases(cases(tmp_path / "german" / "cases.json", CASE, language="en"))
    assert dataset.queries["1"].tags["language"] == "en"
    assert dataset.repairs == [Repair("metadata.language", "the file says en, but its folder says de; en is used")]
    assert read_hpo_cases(cases(tmp_path / "cases.json", CASE)).queries == {"1": Query("1", "Seizure")}


def test_ids_come_in_any_shape(tmp_path):
    for ids in ("HP:0001250;HP:0002133", "HP:0001250; hp_0002133", ["HP:0001250;HP:0002133"], ["HP:0001250", "HP:0002133"]):
        path = write(tmp_path / "cases.json", json.dumps([{"text": "a", "expected_hpo_ids": ids}]))
        assert read_hpo_cases(path).qrels == {"1": {"HP:0001250": 1, "HP:0002133": 1}}, ids
    pear = {"text": "pear", "expected_hpo_ids": ["FR:4", "FR:pear-1"], "relevance_grades": {"FR:4": 2}}
    assert read_hpo_cases(cases(tmp_path / "cases.json", pear)).qrels == {"1": {"FR:4": 2, "FR:pear-1": 1}}
    assert len(load_dataset(write(tmp_path / "case.json", json.dumps(CASE))).queries) == 1, "one case alone"


def test_odd_but_legal(tmp_path):
    case = '{"case_id": 7, "text": "日", "description": null, "expected_hpo_ids": ["HP:0001250", "HP:0001250"]}'
    content = BOM + f"\r\n[\r\n{case}]".encode()
    for name, packed in {"cases.json": content, "cases.json.gz": gzip.compress(content)}.items():
        dataset = load_dataset(write(tmp_path / name, packed))
        assert (dataset.name, dataset.queries, dataset.qrels) == ("cases", {"7": Query("7", "日")}, {"7": {"HP:0001250": 1}})
        assert dataset.repairs == [Repair("case 1 (7).expected_hpo_ids", "HP:0001250 occurs twice; it counts once")]


FAULTS = {
    "no text": {"text": None},
    "ids joined": {"expected_hpo_ids": "HP:0001250"},
    "an id": {"expected_hpo_ids": ["HP:0001250", "HP:12"]},
    "other digits": {"expected_hpo_ids": ["HP:٠٠٠١٢٥٠"]},
    "difficulty": {"difficulty": "trivial"},
    "domain": {"hpo_domain": 7},
    "language": {"language": "german"},
    "a grade that is true": {"relevance_grades": {"HP:0001250": True}},
    "a grade of nothing": {"relevance_grades": {"HP:1": 1}},
    "a wrong term with a grade": {"relevance_grades": {"HP:0000001": 2}},
    "a right term without": {"relevance_grades": {"HP:0001250": 0}},
    "an id of another ontology": {"expected_hpo_ids": ["PH:0001250"]},
    "the same id": {"case_id": "first"},
}
"""What is wrong with the second of two cases."""
FILES = {
    "missing": '{"test_cases": [{"text": "a"}]}',
    "a case": '{"test_cases": [7]}',
    "no case": '{"test_cases": []}',
    "no list": '{"test_cases": {}}',
    "metadata": '{"metadata": [], "test_cases": []}',
    "its language": '{"metadata": {"language": "german"}, "test_cases": [{"text": "a", "expected_hpo_ids": []}]}',
    "a bad id in a list": '[{"text": "a", "expected_hpo_ids": "HP:1;HP:0001250"}]',
    "no number": '[{"text": "a", "expected_hpo_ids": [7]}]',
    "text": '"cases"',
    "no JSON": "[\n{]",
    "thirty faults": json.dumps({"test_cases": [{}] * 30}),
}


def test_a_fault_names_case_and_field(tmp_path, snapshots):
    for number, change in enumerate(FAULTS.values()):
        cases(tmp_path / f"{number}.json", {"case_id": "first", **CASE}, {"case_id": "second", **CASE, **change})
    for number, content in enumerate(FILES.values(), len(FAULTS)):
        write(tmp_path / f"{number}.json", content)
    names = [*FAULTS, *(f"file: {name}" for name in FILES)]
    calls = {name: lambda number=number: read_hpo_cases(tmp_path / f"{number}.json") for number, name in enumerate(names)}
    snapshots.check_errors("ontology/hpo_cases", calls)


def made(**changes):
    return BenchmarkDataset(**{"queries": {"q": Query("q", "a")}, "qrels": {"q": {"HP:0001250": 1}}, **changes})


UNFIT = {
    "names of the dataset": {"metadata": {"version": 7, "a": 1}},
    "documents": {"documents": {"d": Document("d")}},
    "spans": {"spans": {"q": [Span("d", 0, 1)]}},
    "judges": {"judgments": {("q", "d"): RelevanceJudgment("q", "d", 1, "Ada")}},
    "unjudged": {"qrels": {}},
    "unknown": {"queries": {}},
    "names": {"queries": {"q": Query("q", metadata={"category": "x"})}},
    "ids": {"qrels": {"q": {"d1": 1}}},
    "labels": {"queries": {"q": Query("q", difficulty="vile")}},
}


def test_what_does_not_fit_is_not_written(tmp_path, snapshots):
    path = tmp_path / "cases.json"
    calls = {name: lambda changes=changes: write_hpo_cases(made(**changes), path) for name, changes in UNFIT.items()}
    snapshots.check_errors("ontology/hpo_cases_that_are_not_written", calls)
    assert not path.exists()
