"""Conversion: what did not get to the target."""

import pytest
from hypothesis import given

from assay import Document, Query, RelevanceJudgment, Span, UsageError
from assay.datasets import BenchmarkDataset
from assay.datasets.conversion import check_target, describe_losses
from assay.datasets.format import find_format, load_dataset

from ._benchmarks import benchmarks


def rich():
    made = BenchmarkDataset("Rich", "2", {"a": 1})
    made.add_query(Query("q", "x", "t", "d", "o", {"a": 1}, "e", ["d"], "s"))
    made.add_query(Query("r"))
    made.add_document(Document("d", "y", "s", 1, "c", {"b": 2}, "t", "s"))
    made.add_judgment(RelevanceJudgment("q", "d", 1, "ann"))
    made.qrels["r"] = {}
    made.spans["q"] = [Span("d", 1, 2)]
    return made


def test_everything_that_is_missing_is_named():
    assert describe_losses(rich(), BenchmarkDataset()) == [
        *("1 document", "2 queries", "1 query text", "1 judgment", "that 1 query was judged empty", "tags"),
        *(
            "expected answers",
            "evidence",
            "scopes",
            "metadata of queries",
            "who judged",
            "spans",
            "name and version",
            "metadata",
        ),
    ]


def test_documents_that_changed_are_named():
    found = rich()
    found.add_document(Document("d", "y"))
    assert describe_losses(rich(), found) == ["fields of documents"]


@given(made=benchmarks())
def test_nothing_is_missing_in_itself(made):
    assert describe_losses(made, made) == []


@pytest.mark.parametrize("name", ["beir", "jsonl", "parquet", "trec", "json", "rag_template"])
def test_formats_that_hold_everything(tmp_path, name):
    path = tmp_path / ("out.json" if name in ("json", "rag_template") else "out")
    check_target(find_format(name), path)
    find_format(name).save(rich(), path)
    assert describe_losses(rich(), load_dataset(path)) == []


@pytest.mark.parametrize("name", ["json", "rag_template", "hpo_cases"])
@pytest.mark.parametrize("target", ["out", "out.txt", "out.jsonl", "out.json.gz"])
def test_targets_that_would_not_be_recognised(tmp_path, name, target):
    with pytest.raises(UsageError, match=r"such as out\.json|leave out \.gz"):
        check_target(find_format(name), tmp_path / target)
