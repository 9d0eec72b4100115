"""read_routes: the same decisions out of every kind of source, and faults with their place."""

import gzip
import json
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.errors import DataError
from assay.files.answers_and_routes import read_routes
from assay.views.routing import Decision

RECORDS = [
    {"query_id": "q1", "route": "code;chat", "optimal_expert": "code", "gated": False, "needs_retrieval": True, "cost": 2.5},
    {"query_id": "q2", "route": None, "optimal_expert": "chat", "gated": True, "needs_retrieval": False, "cost": 1.0},
]
TAGGED = [{**record, "language": language, "text": "how?"} for record, language in zip(RECORDS, ("de", "en"), strict=True)]
DECISIONS = [
    Decision("q1", ("code", "chat"), ("code",), False, True, 2.5),
    Decision("q2", None, ("chat",), True, False, 1.0),
]
CSV = (
    "query_id,route,optimal_expert,gated,needs_retrieval,cost,language,text\n"
    "q1,code;chat,code,false,true,2.5,de,how?\nq2,,chat,true,false,1,en,how?\n"
)


def as_jsonl():
    return "".join(f"{json.dumps(record)}\n" for record in TAGGED)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("routes.jsonl", as_jsonl().encode()),
        ("routes.jsonl.gz", gzip.compress(as_jsonl().encode())),
        ("routes.json", json.dumps(TAGGED).encode()),
        ("routes.csv", CSV.encode()),
        ("routes.tsv", CSV.replace(",", "\t").encode()),
        ("routes.csv", b"\xef\xbb\xbf" + CSV.encode()),
    ],
    ids=["lines", "gzip", "list", "csv", "tsv", "byte-order mark"],
)
def test_files_of_all_kinds_say_the_same(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    routes = read_routes(path)
    assert routes.decisions == DECISIONS
    assert routes.name == "routes"
    assert routes.queries["q1"].text == "how?"
    assert routes.queries["q2"].tags == {"optimal_expert": "chat", "needs_retrieval": "false", "language": "en"}


@pytest.mark.parametrize(
    "source",
    [
        TAGGED,
        iter(TAGGED),
        pd.DataFrame(TAGGED),
        pl.DataFrame(TAGGED),
        pa.Table.from_pylist(TAGGED),
        {name: [record[name] for record in TAGGED] for name in TAGGED[0]},
    ],
    ids=["dicts", "iterator", "pandas", "polars", "pyarrow", "columns"],
)
def test_frames_and_records_say_the_same(source):
    routes = read_routes(source)
    assert routes.decisions == DECISIONS
    assert routes.queries["q1"].tags["language"] == "de"


def test_parquet(tmp_path):
    path = tmp_path / "routes.parquet"
    pl.DataFrame(TAGGED).write_parquet(path)
    assert read_routes(path).decisions == DECISIONS


def test_one_record_alone_and_tags_in_a_map():
    routes = read_routes({"qid": 7, "route": "code", "optimal_expert": ["code", "law"], "tags": {"language": "de", "n": 3}})
    assert routes.decisions == [Decision("7", ("code",), ("code", "law"))]
    assert routes.queries["7"].tags == {"optimal_expert": "code;law", "language": "de", "n": "3"}


def test_all_faults_are_told_with_their_lines(tmp_path):
    path = tmp_path / "routes.jsonl"
    path.write_text(
        '{"query_id": "q1", "route": "code"}\n{"route": "code"}\n{"query_id": "q1", "route": "chat"}\n'
        '{"query_id": "q2", "gated": "perhaps"}\n{"query_id": "q3", "cost": -1}\nnot json\n[1]\n'
    )
    with pytest.raises(DataError) as caught:
        read_routes(path)
    said = str(caught.value)
    assert f"{path}:2: no query_id; the record has route" in said
    assert f"{path}:3: query q1 comes twice" in said
    assert f"{path}:4: gated is true or false, not 'perhaps'" in said
    assert f"{path}:5: cost is a number from 0 up, not -1" in said
    assert f"{path}:6: not JSON" in said
    assert f"{path}:7: expected an object" in said


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ([], "records: no record"),
        ([{"query_id": "q1", "optimal_expert": "code"}], "no route and no gate decision in 1 record;"),
        ([{"query_id": "", "route": "code"}], "the query_id is empty"),
        ([{"query_id": 1.5, "route": "code"}], "an id is text or a whole number"),
        (["q1"], "records, record:1: expected a record with named fields"),
        ([{}], "the record has nothing in it"),
        ({"query_id": ["q1"], "route": ["a", "b"]}, "not equally long"),
        (7, "not from 7"),
        (Path("nowhere.jsonl"), "nowhere.jsonl: no such file"),
    ],
)
def test_what_cannot_be_read_is_explained(source, says):
    with pytest.raises(DataError) as caught:
        read_routes(source)
    assert says in str(caught.value)


def test_an_empty_file_is_no_routes(tmp_path):
    (tmp_path / "routes.jsonl").write_text("")
    with pytest.raises(DataError, match="no record"):
        read_routes(tmp_path / "routes.jsonl")


def test_lists_in_cells_may_be_arrays_or_tuples():
    import numpy as np

    frame = pd.DataFrame({"query_id": ["q1"], "route": [np.array(["code", "chat"], dtype=object)]})
    assert read_routes(frame).decisions == [Decision("q1", ("code", "chat"))]
    assert read_routes([{"Query_ID": "q1", "Route": ("code", "chat"), "Cost": float("nan")}]).decisions == [
        Decision("q1", ("code", "chat"))
    ]


def test_all_that_is_wrong_with_a_record_is_told(tmp_path):
    path = tmp_path / "routes.csv"
    path.write_text("query_id,gated,cost\nq1,perhaps,-1\n")
    with pytest.raises(DataError, match=r":2: gated is true or false, not 'perhaps'; cost is a number from 0 up, not '-1'"):
        read_routes(path)


def test_a_file_of_something_else_is_told_once(tmp_path):
    path = tmp_path / "bm25.run"
    path.write_text("q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n")
    with pytest.raises(DataError, match=r"expected records such as \{.*, one a line, found 'q1 Q0 d1 1 2 t'"):
        read_routes(path)
