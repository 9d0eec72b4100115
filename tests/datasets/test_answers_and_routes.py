"""read_answers and read_routes: the same out of every kind of source, and faults with their place."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from assay.files import read_answers, read_routes
from assay.views import Answer, Decision, ExpectedAnswer

from ._cases import BOM, packed, write


def lines(rows):
    return "\n".join(map(json.dumps, rows)) + "\n"


ROWS = [
    {"query_id": "1", "answer": "Paris", "confidence": 0.5, "references": ["Paris", "paris, France"], "language": "en"},
    {"query_id": "2", "answer": None, "references": None, "language": "de"},
]
REPLIES = {"1": Answer("Paris", 0.5), "2": Answer(None)}
ANSWER_FILES = {
    "lines": ("a.jsonl", lines(ROWS)),
    "under answers": ("a.json", json.dumps({"answers": ROWS})),
    "mapping": ("a.json", json.dumps({"1": {"answer": "Paris", "confidence": 0.5}, "2": None})),
    "csv": ("a.csv", "query_id,answer,confidence\n1,Paris,0.5\n2,,\n"),
    "tsv": ("a.tsv", "query_id\tanswer\tconfidence\n1\tParis\t0.5\n2\t\t\n"),
}


def test_answers_of_every_form_say_the_same(tmp_path):
    for form, (name, content) in ANSWER_FILES.items():
        found = read_answers(write(tmp_path / name, content))
        assert (found.replies, found.name) == (REPLIES, "a"), form
    pl.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    numbered = [{"query_id": 1, "answer": "Paris", "confidence": 0.5}, {"query_id": 2, "answer": None, "confidence": None}]
    mapping = {1: {"answer": "Paris", "confidence": 0.5}, "2": None}
    for source in (tmp_path / "a.parquet", pd.DataFrame(numbered), mapping):
        assert read_answers(source).replies == REPLIES
    for name in ("one.json", "one.jsonl"):  # one record by itself
        assert read_answers(str(write(tmp_path / name, json.dumps(ROWS[0])))).replies == {"1": REPLIES["1"]}
    # lists as pandas reads them from Parquet are arrays; heads may be written in any case; nan is no value
    columns = {"Query_ID": ["1", "2"], "Answer": ["Paris", None], "References": [["Paris", "Lutetia"], []]}
    arrays = pd.DataFrame({**columns, "References": [np.array(one, dtype=object) for one in columns["References"]]})
    rows = [("1", "Paris", ("Paris", "Lutetia")), ("2", float("nan"), ())]
    for source in (columns, arrays, pa.table(columns), [dict(zip(columns, row, strict=True)) for row in rows]):
        found = read_answers(source)
        assert found.replies == {"1": Answer("Paris"), "2": Answer(None)}
        assert found.expected == {"1": ExpectedAnswer(("Paris", "Lutetia")), "2": ExpectedAnswer()}


def test_what_is_right_asked_and_retrieved_comes_along():
    found = read_answers([{**ROWS[0], "question": "Capital?", "difficulty": "easy", "retrieved_ids": ["d1", "d2"]}, ROWS[1]])
    assert found.expected == {"1": ExpectedAnswer(("Paris", "paris, France"))}
    assert found.queries["1"].text == "Capital?"
    assert found.queries["1"].tags == {"language": "en", "difficulty": "easy"}
    assert found.hits == {"1": ["d1", "d2"]}


def test_without_an_id_the_question_is_the_id():
    for tool, names in {
        "ragas": ("user_input", "response", "reference", "retrieved_contexts"),
        "older ragas": ("question", "answer", "ground_truth", "contexts"),
        "deepeval": ("input", "actual_output", "expected_output", "retrieval_context"),
    }.items():
        found = read_answers([dict(zip(names, ("?", "Paris", "Paris", ["It is."]), strict=True))])
        assert found.replies == {"?": Answer("Paris")}, tool
        assert found.expected == {"?": ExpectedAnswer(("Paris",))}, tool
        assert (found.hits, found.asked) == ({"?": [{"content": "It is."}]}, {"?"}), tool
        renamed = found.under({"?": "q1"})
        assert (renamed.replies, renamed.asked) == ({"q1": Answer("Paris")}, set()), tool
        assert found.under({"Other?": "q1"}) is found


def test_faults_of_answers_say_where_and_what(snapshots, tmp_path):
    bad = [
        *({"query_id": "1", "answer": "a"}, {"answer": "no id"}, {"query_id": "1", "answer": "again"}, {"query_id": "2"}),
        *({"query_id": "3", "answer": {"text": "x"}}, {"query_id": "", "answer": "x"}),
        {"query_id": "4", "answer": "x", "confidence": "high"},
    ]
    document = json.dumps({"answers": [{"query_id": "1"}, {"answer": "x"}]})
    sources = {
        "lines": write(tmp_path / "bad.jsonl", lines(bad) + "{not json\n[1]\n"),
        "one document": write(tmp_path / "bad.json", document),
        "a run": write(tmp_path / "some.run", "q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n"),
    }
    sources |= {"no rows": [], "no file": tmp_path / "nowhere.jsonl", "a number": 5, "texts": ["text"]}
    cases = {case: lambda source=source: read_answers(source) for case, source in sources.items()}
    snapshots.check_errors("files/faults_of_answers", cases)


NAMES = ("query_id", "route", "optimal_expert", "gated", "needs_retrieval", "cost", "language", "text")
ROUTES = [("q1", "code;chat", "code", False, True, 2.5, "de", "how?"), ("q2", None, "chat", True, False, 1.0, "en", "how?")]
TAGGED = [dict(zip(NAMES, row, strict=True)) for row in ROUTES]
DECISIONS = [
    Decision("q1", ("code", "chat"), ("code",), False, True, 2.5),
    Decision("q2", None, ("chat",), True, False, 1.0),
]
CSV = (
    "query_id,route,optimal_expert,gated,needs_retrieval,cost,language,text\n"
    "q1,code;chat,code,false,true,2.5,de,how?\nq2,,chat,true,false,1,en,how?\n"
)


def test_routes_of_every_form_say_the_same(tmp_path):
    files = {"jsonl.gz": packed(lines(TAGGED).encode()), "json": json.dumps(TAGGED), "csv": BOM + CSV.encode()}
    for name, content in {**files, "jsonl": lines(TAGGED), "tsv": CSV.replace(",", "\t")}.items():
        routes = read_routes(write(tmp_path / f"routes.{name}", content))
        assert (routes.decisions, routes.name) == (DECISIONS, "routes"), name
        assert routes.queries["q1"].text == "how?"
        assert routes.queries["q2"].tags == {"optimal_expert": "chat", "needs_retrieval": "false", "language": "en"}
    pl.DataFrame(TAGGED).write_parquet(tmp_path / "routes.parquet")
    columns = {name: [record[name] for record in TAGGED] for name in NAMES}
    for source in (tmp_path / "routes.parquet", iter(TAGGED), pd.DataFrame(TAGGED), pa.table(columns), columns):
        routes = read_routes(source)
        assert (routes.decisions, routes.queries["q1"].tags["language"]) == (DECISIONS, "de")


def test_what_routes_may_say():
    one = read_routes({"qid": 7, "route": "code", "optimal_expert": ["code", "law"], "tags": {"language": "de", "n": 3}})
    assert one.decisions == [Decision("7", ("code",), ("code", "law"))]
    assert one.queries["7"].tags == {"optimal_expert": "code;law", "language": "de", "n": "3"}
    frame = pd.DataFrame({"query_id": ["q1"], "route": [np.array(["code", "chat"], dtype=object)]})
    for source in (frame, [{"Query_ID": "q1", "Route": ("code", "chat"), "Cost": float("nan")}]):
        assert read_routes(source).decisions == [Decision("q1", ("code", "chat"))]


def test_faults_of_routes_say_where_and_what(snapshots, tmp_path):
    bad = (
        '{"query_id": "q1", "route": "code"}\n{"route": "code"}\n{"query_id": "q1", "route": "chat"}\n'
        '{"query_id": "q2", "gated": "perhaps"}\n{"query_id": "q3", "cost": -1}\nnot json\n[1]\n'
    )
    sources = {
        "lines": write(tmp_path / "bad.jsonl", bad),
        "all of a record": write(tmp_path / "bad.csv", "query_id,gated,cost\nq1,perhaps,-1\n"),
        "a run": write(tmp_path / "bm25.run", "q1 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n"),
        "no route": [{"query_id": "q1", "optimal_expert": "code"}],
        "an empty id": [{"query_id": "", "route": "code"}],
        "columns": {"query_id": ["q1"], "route": ["a", "b"]},
    }
    sources |= {"no rows": [], "no file": Path("nowhere.jsonl"), "a number": 7, "texts": ["q1"]}
    cases = {case: lambda source=source: read_routes(source) for case, source in sources.items()}
    snapshots.check_errors("files/faults_of_routes", cases)
