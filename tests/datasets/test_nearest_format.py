"""The nearest format: what a file with one field amiss may be, and which field that is."""

import pytest

from assay import DataError
from assay.datasets.format import load_dataset

from ._cases import write

NEAR_MISSES = {
    "a field with half its name": (
        "cases.json",
        '[{"text": "seizure", "hpo_ids": ["HP:0001250"]}]',
        "nearest is hpo_cases, which needs a field expected_hpo_ids; was hpo_ids meant?",
    ),
    "within an object": (
        "cases.json",
        '{"metadata": {"version": "1"}, "test_cases": [{"case_id": "1", "text": "x", "expected_hpo_id": ["HP:0001250"]}]}',
        "nearest is hpo_cases, which needs a field expected_hpo_ids; was expected_hpo_id meant?",
    ),
    "lines": (
        "golden.jsonl",
        '{"query_id": "q1", "query": "How long?", "relevantt_ids": ["d1"]}\n',
        "nearest is golden, which needs a field relevant_ids; was relevantt_ids meant?",
    ),
    "a table": ("golden.csv", "query_id,query,relevnt_ids\nq1,How?,d1\n", "golden, which needs a field relevant_ids; "),
    "a slip": ("squad.json", '{"version": "2", "data": [{"title": "C", "paragraphs_": []}]}', "squad, which needs a field"),
    "a field that is not there": ("q.jsonl", '{"query_id": "q1", "query": "How?"}\n', "golden, which needs a field"),
}


@pytest.mark.parametrize(("name", "content", "said"), NEAR_MISSES.values(), ids=list(NEAR_MISSES))
def test_the_field_is_named(tmp_path, name, content, said):
    with pytest.raises(DataError) as error:
        load_dataset(write(tmp_path / name, content))
    assert f"{name}: no known format (" in str(error.value)
    assert said in str(error.value)
    assert str(error.value).endswith("; say which with format=, or --dataset-format at the terminal")


@pytest.mark.parametrize("content", ["nonsense", "{}", "[]", '{"wholly": "other"}', '[{"x": 1}]', "[[1, 2]]", '{"broken": '])
def test_what_is_like_none_gets_the_list_of_all(tmp_path, content):
    for name in ("x.json", "x.jsonl", "x.csv", "x.txt"):
        with pytest.raises(DataError, match=r"no known format \(beir, code_spans, "):
            load_dataset(write(tmp_path / name, content))
