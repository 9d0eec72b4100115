"""golden: one file, a record per query with its ground truth."""

import gzip

from assay import Query
from assay.datasets import Repair, detect_format, load_dataset

from ._benchmarks import SAMPLES
from ._cases import BOM, write
from ._files import put


def load(path, content):
    return load_dataset(put(path, content), "golden")


def test_every_form_of_the_sample_reads_the_same():
    for path in sorted((SAMPLES / "golden").iterdir()):
        dataset = load_dataset(path)
        assert (dataset.format, dataset.name) == ("golden", "golden"), path
        assert list(dataset.queries.values()) == [
            Query("q1", "How long do cats sleep?", metadata={"category": "sleep"}, expected="12 to 16 hours"),
            Query("q2", "Can cats swim?"),
            Query("q3", "Where do cats hide?"),
            Query("4", "Why do cats purr?"),
        ]
        assert dataset.qrels == {"q1": {"d1": 1, "d2": 1}, "q2": {"d7": 3, "d9": 1}, "q3": {}, "4": {"d1": 1, "d4": 1}}
        assert dataset.repairs == []


NAMES = ("relevant_ids", "relevant_doc_ids", "relevant", "expected_ids", "doc_ids", "relevantIds", "relevantChunkIds")
SHAPES = (["d1", "d2"], {"d1": 1, "d2": 1}, "d1;d2", "d1; d2;", '["d1", "d2"]', ["d1", "d2", "d1"])


def test_ids_and_texts_under_any_name_in_any_shape(tmp_path):
    for name in (*NAMES, "Relevant IDs"):
        for ids in SHAPES:
            path = put(tmp_path / "set.json", [{"query_id": 1, name: ids}])
            assert detect_format(path).name == "golden", name
            assert load_dataset(path).qrels == {"1": {"d1": 1, "d2": 1}}, (name, ids)
    for question in ("query", "question", "text"):
        for answer in ("expected", "answer", "expected_answer"):
            row = {question: "Why?", answer: "So.", "relevant_ids": ["d"]}
            assert load(tmp_path / "set.json", [row]).queries == {"1": Query("1", "Why?", expected="So.")}, row


def test_of_two_names_the_likelier_is_taken_and_the_other_kept(tmp_path):
    others = {"text": "a passage", "answer": "generated", "doc_ids": [2]}
    dataset = load(tmp_path / "set.json", [{**others, "query": "Why?", "expected_answer": "So.", "relevant": [1]}])
    assert dataset.queries == {"1": Query("1", "Why?", metadata=others, expected="So.")}
    assert dataset.qrels == {"1": {"1": 1}}


def test_without_an_id_a_query_gets_its_number(tmp_path):
    rows = [{"query": text, "relevant": ["d"]} for text in "abc"]
    for name, content in {"set.jsonl": rows, "set.csv": "query,relevant\na,d\nb,d\nc,d\n"}.items():
        assert list(load(tmp_path / name, content).queries) == ["1", "2", "3"]


def test_saying_nothing_is_not_saying_that_nothing_is_relevant(tmp_path):
    rows = [{"id": 1, "relevant": []}, {"id": 2, "relevant": None}, {"id": 3}]
    assert load(tmp_path / "set.json", rows).qrels == {"1": {}}
    assert load(tmp_path / "set.csv", "id,relevant\n1,[]\n2,\n").qrels == {"1": {}}


def test_what_is_mended_is_noted(tmp_path):
    dataset = load(tmp_path / "set.json", [{"id": "q", "relevant": ["d", "d"], "answer": ["a", "b"]}])
    place = f"{tmp_path / 'set.json'}, record:1, query q"
    assert dataset.repairs == [
        Repair(place, "document d is named twice; it counts once"),
        Repair(place, "has 2 answers; joined by '; '"),
    ]
    assert dataset.queries["q"].expected == "a; b"


def test_odd_but_legal_files(tmp_path):
    for mark in (",", ";", "\t"):
        rows = (["query id", "query", "relevant ids"], [], ["é日", '"Why, ""x"";\n?"', '"a;b"'])
        text = "".join(mark.join(row) + "\r\n" for row in rows).encode()
        for name, content in {"set.csv": BOM + text, "set.csv.gz": gzip.compress(text)}.items():
            dataset = load_dataset(write(tmp_path / name, content))
            assert dataset.queries == {"é日": Query("é日", 'Why, "x";\n?')}, mark
            assert dataset.qrels == {"é日": {"a": 1, "b": 1}}
    lines = BOM + '\r\n{"query": "Ü", "relevant": [7]}\r\n'.encode()
    for name in ("set.jsonl", "set.json", "set.jsonl.gz"):
        path = write(tmp_path / name, gzip.compress(lines) if name.endswith("gz") else lines)
        assert load_dataset(path).qrels == {"1": {"7": 1}}
