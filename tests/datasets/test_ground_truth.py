"""golden and rag_template: ground truth and texts under any name and in any shape."""

import json

from assay import Query
from assay.datasets import detect_format, find_format, load_dataset

from ._benchmarks import SAMPLES
from ._faults import asked
from ._files import put

NAMES = ("relevant_ids", "relevant_doc_ids", "relevant", "expected_ids", "doc_ids", "relevantIds", "relevantChunkIds")
SHAPES = (["d1", "d2"], {"d1": 1, "d2": 1}, "d1;d2", "d1; d2;", '["d1", "d2"]', ["d1", "d2", "d1"])
TRUTHS = [(["p1"], {"p1": 1}), ({"p1": 2.5}, {"p1": 2.5}), ([{"id": "p1", "grade": 2}], {"p1": 2}), ("p1", {"p1": 1})]
NOTHING = [([], {}), ({}, {}), (None, None)]


def test_ids_and_texts_of_golden(tmp_path):
    for name in (*NAMES, "Relevant IDs"):
        for ids in SHAPES:
            path = put(tmp_path / "set.json", [{"query_id": 1, name: ids}])
            assert detect_format(path).name == "golden", name
            assert load_dataset(path).qrels == {"1": {"d1": 1, "d2": 1}}, (name, ids)
    for question in ("query", "question", "text"):
        for answer in ("expected", "answer", "expected_answer"):
            path = put(tmp_path / "set.json", [{question: "Why?", answer: "So.", "relevant_ids": ["d"]}])
            assert load_dataset(path, "golden").queries == {"1": Query("1", "Why?", expected="So.")}, (question, answer)


def test_ids_of_rag_template(tmp_path):
    for name in ("relevantIds", "relevantChunkIds", "groundTruthIds", "qrels", "relevant_ids"):
        for given, wanted in TRUTHS + NOTHING:
            for fields in ({name: given}, {"metadata": {name: given}}):
                dataset = load_dataset(put(tmp_path / "rag.json", asked(**fields)), "rag_template")
                assert dataset.qrels.get("q1") == wanted, fields
                assert (dataset.queries["q1"].metadata, dataset.repairs) == (None, []), fields


def test_the_form_of_rag_template(snapshots, tmp_path):
    find_format("rag_template").save(load_dataset(SAMPLES / "rag_template.json"), tmp_path / "x.json")
    written = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    snapshots.check("datasets/rag_template", json.dumps(written, indent=1, ensure_ascii=False) + "\n")
    content = {"contexts": [{"content": "x" * 300_000}], "questions": [{"question": "?"}]}
    assert detect_format(put(tmp_path / "x.json", content)).name == "rag_template"  # longer than a look
