"""Files with one bad record among good ones, for every reader: what is good, and what is bad in how many ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ._cases import delimited
from ._faults import HELLO, OTHER, PLACED, SQUAD_CONTEXT, SQUAD_QUESTION, TURN, TURN_QUESTION, haystack, task

Files = Mapping[str, Any]
N = 40


class Shape(NamedTuple):
    """A format: its good records, its bad records by their fault, and the files with some records."""

    good: list[Any]
    bad: dict[str, Any]
    files: Callable[[list[Any]], Files]


def _lines(records: list[Any]) -> str:
    """JSON lines; a text is a line as it is."""
    return "".join(f"{record if isinstance(record, str) else json.dumps(record)}\n" for record in records)


def _squad(paragraphs: list[Any]) -> dict[str, Any]:
    return {"version": "1.1", "data": [{"title": "Pets", "paragraphs": paragraphs}]}


def _hpo(cases: list[Any]) -> Files:
    return {"cases.json": {"metadata": {"dataset_id": "c", "version": "1.0", "language": "de"}, "test_cases": cases}}


def _json(**parts: Any) -> Callable[[list[Any]], Files]:
    return lambda queries: {"data.json": {"queries": queries, "documents": DOCUMENTS, **parts}}


def _beir(**others: Any) -> dict[str, Any]:
    rows = [(f"q{i}", f"d{i}", 1) for i in range(N)]
    return {
        "corpus.jsonl": [{"_id": f"d{i}", "text": f"text {i}"} for i in range(N)],
        "queries.jsonl": [{"_id": f"q{i}", "text": f"query {i}"} for i in range(N)],
        "qrels.tsv": delimited(rows, ("query-id", "corpus-id", "score"), "\t"),
        **others,
    }


def _case(number: int, **fields: Any) -> dict[str, Any]:
    return {"case_id": f"c{number}", "text": f"word {number}", "expected_hpo_ids": ["HP:0001250"], **fields}


def _dpr(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "id": f"q{number}",
        "question": f"Who is {number}?",
        "answers": ["x"],
        "positive_ctxs": [_passage(number)],
        **fields,
    }


def _passage(number: object, **fields: Any) -> dict[str, Any]:
    return {"title": "T", "text": f"text {number}", "passage_id": f"p{number}", **fields}


def _miracl(number: int, **fields: Any) -> dict[str, Any]:
    passages = [{"docid": f"{number}#0", "title": "T", "text": f"text {number}"}]
    return {"query_id": f"q{number}", "query": f"Who is {number}?", "positive_passages": passages, **fields}


def _hotpot(number: int, **fields: Any) -> dict[str, Any]:
    context = [["Cat", ["Cats sleep."]], [f"Lion {number}", ["Lions rest."]]]
    return {"_id": f"q{number}", "question": "Which?", "supporting_facts": [["Cat", 0]], "context": context, **fields}


def _rag(number: int, **fields: Any) -> dict[str, Any]:
    own = {"contexts": [{"id": f"p{number}", "content": f"text {number}"}], "relevantIds": [f"p{number}"]}
    return {"id": f"q{number}", "question": f"Who is {number}?", **own, **fields}


def _ragas(number: int, **fields: Any) -> dict[str, Any]:
    contexts = {"retrieved_contexts": [f"text {number}", "other"], "reference_contexts": [f"text {number}"]}
    return {"query_id": f"q{number}", "user_input": f"Who is {number}?", **contexts, "reference": "x", **fields}


def _lme(number: int, **fields: Any) -> dict[str, Any]:
    return haystack(question_id=f"q{number}", **fields)


def _turn(number: int, **fields: Any) -> dict[str, Any]:
    return {**TURN, "dia_id": f"D1:{number}", "text": f"Hello {number}", **fields}


def _talk(name: str, turns: Any, qa: Any) -> dict[str, Any]:
    return {"sample_id": name, "conversation": {"session_1_date_time": "noon", "session_1": turns}, "qa": qa}


TURNS = [_turn(i) for i in range(1, N)]
DOCUMENTS = {f"d{i}": {"text": f"text {i}"} for i in range(N)}
QUERIES = [{"query_id": f"q{i}", "text": f"query {i}"} for i in range(N)]
JUDGED = {f"q{i}": {f"d{i}": 1} for i in range(N)}
QUESTIONS = [{**SQUAD_QUESTION, "id": f"q{i}"} for i in range(N)]
PARAGRAPHS = [{"context": f"{SQUAD_CONTEXT} {i}", "qas": [{**SQUAD_QUESTION, "id": f"q{i}"}]} for i in range(N)]
TOPICS = [{"id": f"{i}", "title": f"topic {i}"} for i in range(N)]
SGML = [f"<DOC><DOCNO>d{i}</DOCNO><TEXT>text {i}</TEXT></DOC>\n" for i in range(N)]
DPR_BAD = {
    "no text of a question": _dpr(99, question=7),
    "an id twice": _dpr(1, positive_ctxs=[_passage(99)]),
    "passages that are not a list": _dpr(99, negative_ctxs=7),
    "a passage without text": _dpr(99, positive_ctxs=[_passage(98), {"title": "T"}]),
    "a passage with another text": _dpr(99, positive_ctxs=[_passage(98), _passage(1, text="other")]),
    "answers that are not texts": _dpr(99, positive_ctxs=[_passage(98)], ctxs=[_passage(97, has_answer=True)], answers=7),
    "not an object": 7,
}
LME_BAD = {
    "a session that is not one": _lme(99, haystack_sessions=[HELLO, 7]),
    "two sessions that are not": _lme(99, haystack_sessions=[8, 7]),
    "a question twice": _lme(1, haystack_session_ids=["x", "y"]),
    "documents of another question": haystack(question_id="q1/x"),
    "not an object": 7,
}
TASKS = [task(id=f"t{i}") for i in range(N)]

SHAPES: dict[str, Shape] = {
    "beir, queries": Shape(
        _beir()["queries.jsonl"],
        {
            "twice": {"_id": "q1", "text": "other"},
            "no id": {"text": "x"},
            "a list as text": {"_id": "x", "text": ["x"]},
            "text": 7,
        },
        lambda records: _beir(**{"queries.jsonl": records}),
    ),
    "beir, documents": Shape(
        _beir()["corpus.jsonl"],
        {
            "twice": {"_id": "d1", "text": "other"},
            "no id": {"text": "x"},
            "a list as text": {"_id": "x", "text": ["x"]},
            "text": 7,
        },
        lambda records: _beir(**{"corpus.jsonl": records}),
    ),
    "beir, judgments": Shape(
        _beir()["qrels.tsv"].splitlines(keepends=True)[1:],
        {"twice": "q1\td1\t3\n", "no number": "q99\td1\thigh\n", "columns": "q99\td1\n", "no id": "\td1\t1\n"},
        lambda records: _beir(**{"qrels.tsv": "".join(["query-id\tcorpus-id\tscore\n", *records])}),
    ),
    "code_spans": Shape(
        TASKS,
        {
            "twice": task(id="t1", start=1),
            "no file": {"id": "x", "query": "?", "start": 1, "end": 1},
            "text": "x",
            "not JSON": "{",
        }
        | {"a unit": task(id="x", unit="bytes"), "RepoEval": {"prompt": "x", "metadata": {**PLACED, "lineno": None}}},
        lambda records: {"tasks.jsonl": _lines(records), "repo/a.py": "x\n"},
    ),
    "dpr": Shape([_dpr(i) for i in range(N)], DPR_BAD, lambda records: {"dpr.json": records}),
    "dpr, lines": Shape(
        [_dpr(i, ctxs=[_passage(f"{i}r", has_answer=True)]) for i in range(N)],
        {**DPR_BAD, "not JSON": "{"},
        lambda records: {"dpr.jsonl": _lines(records)},
    ),
    "golden": Shape(
        [{"id": f"q{i}", "question": f"query {i}", "relevant_ids": [f"d{i}"]} for i in range(N)],
        {
            "twice": {"id": "q1", "question": "another query", "relevant_ids": ["d1"]},
            "a grade": {"id": "x", "relevant_ids": {"d": "high"}},
        },
        lambda records: {"golden.jsonl": _lines(records)},
    ),
    "queries": Shape(
        [{"query_id": f"q{i}", "query": f"query number {i}"} for i in range(N)],
        {"twice": {"query_id": "q1", "query": "another query"}, "not JSON": "{"},
        lambda records: {"queries.jsonl": _lines(records)},
    ),
    "hotpotqa": Shape(
        [_hotpot(i) for i in range(N)],
        {
            "twice": _hotpot(1, question="Other?", context=[["New", ["New."]]]),
            "a paragraph": _hotpot(99, context=[["New", ["New."]], ["Cat", 7]]),
            "two paragraphs of one title": _hotpot(99, context=[["New", ["New."]], ["New", ["Old."]]]),
            "a fact": _hotpot(99, supporting_facts=[["Cat", "0"]]),
            "no question": _hotpot(99, question=7),
        },
        lambda records: {"hotpot.json": records},
    ),
    "hpo_cases": Shape(
        [_case(i) for i in range(N)],
        {
            "twice": _case(1, text="other"),
            "a grade of nothing": _case(99, relevance_grades={"HP:0000001": 1}),
            "no grade of an expected term": _case(99, relevance_grades={"HP:0001250": 0}),
            "an id that is none": _case(99, expected_hpo_ids=["seizure"]),
            "no text": {"case_id": "c99", "expected_hpo_ids": []},
            "not an object": 7,
        },
        _hpo,
    ),
    "json, queries": Shape(
        QUERIES,
        {
            "twice": {"query_id": "q1", "text": "other"},
            "no id": {"text": "x"},
            "an id that is none": {"query_id": 1.5},
            "a list as text": {"query_id": "q99", "text": ["x"]},
            "evidence": {"query_id": "q99", "evidence": [1.5]},
        },
        lambda records: _json(qrels=_judged_in(records), spans=_spans_in(records), judgments=_judges_in(records))(records),
    ),
    "json, documents": Shape(
        [{"doc_id": f"d{i}", "text": f"text {i}"} for i in range(N)],
        {"twice": {"doc_id": "d1", "text": "other"}, "a page": {"doc_id": "x", "page_number": "iv"}, "no id": {"text": "x"}},
        lambda records: _json(documents=records, qrels=JUDGED)(QUERIES),
    ),
    "jsonl, judgments": Shape(
        [{"query_id": f"q{i}", "doc_id": f"d{i}", "relevance_grade": 1} for i in range(N)],
        {
            "twice": {"query_id": "q1", "doc_id": "d1", "relevance_grade": 3},
            "no number": {"query_id": "q99", "doc_id": "d1", "relevance_grade": "high"},
            "no grade": {"query_id": "q99", "doc_id": "d1"},
        },
        lambda records: {"queries.jsonl": QUERIES, "judgments.jsonl": records},
    ),
    "locomo, turns": Shape(
        TURNS,
        {"words": _turn(99, text=1), "no object": "hi", "words of a known turn": _turn(1, text=1)},
        lambda records: {"c.json": [_talk("c", records, [TURN_QUESTION] * 5)]},
    ),
    "locomo, conversations": Shape(
        [_talk(f"c{i}", TURNS, [TURN_QUESTION]) for i in range(3)],
        {
            "twice": _talk("c1", [_turn(77)], [TURN_QUESTION] * 2),
            "an id": _talk(1.5, [_turn(77)], [TURN_QUESTION]),  # type: ignore[arg-type]
            "questions": _talk("c9", [_turn(77)], 1),
            "no sessions": {"sample_id": "c9", "conversation": {}, "qa": [TURN_QUESTION]},
            "only a bad session": _talk("c9", {}, [TURN_QUESTION]),
            "no conversation": {"sample_id": "c9", "conversation": [], "qa": [TURN_QUESTION]},
            "not an object": 7,
        },
        lambda records: {"c.json": records},
    ),
    "locomo, turns of another conversation": Shape(
        [_talk("c", [_turn(77, dia_id="d/D1:1"), *TURNS], [TURN_QUESTION])],
        {"ids": _talk("c/d", [_turn(1, text="other"), _turn(2)], [TURN_QUESTION])},
        lambda records: {"c.json": records},
    ),
    "longmemeval": Shape(
        [_lme(i, haystack_session_ids=["x/s1", f"s{i}"]) for i in range(N)], LME_BAD, lambda records: {"l.json": records}
    ),
    "miracl": Shape(
        [_miracl(i) for i in range(N)],
        {
            "a passage": _miracl(99, positive_passages=[{"docid": "new", "text": "x"}, {"docid": "1#0", "text": ["x"]}]),
            "another text": _miracl(99, negative_passages=[{"docid": "new", "text": "x"}, {"docid": "1#0", "text": "x"}]),
            "not JSON": "{",
        },
        lambda records: {"m.jsonl": _lines(records)},
    ),
    "rag_template": Shape(
        [_rag(i) for i in range(N)],
        {
            "twice": _rag(1, contexts=["new"]),
            "no question": _rag(99, question=None, contexts=["new"]),
            "a context": _rag(99, contexts=["new", {"id": "p2", "content": "x"}, 7]),
            "contexts of one id": _rag(99, contexts=[{"id": "p2", "content": "x"}, {"id": "p2", "content": "y"}]),
            "an id": _rag(99, relevantIds=[None]),
            "two truths": _rag(99, qrels={"x": 1}),
            "the truth of the file": _rag(99, relevantIds=["x"]),
        },
        lambda records: {"rag.json": {"questions": records, "qrels": _truths_in(records)}},
    ),
    "rag_template, contexts": Shape(
        [{"id": f"p{i}", "content": f"text {i}"} for i in range(N)],
        {
            "no content": {"id": "p99"},
            "another text": {"id": "p1", "content": "other"},
            "an id": {"id": 1.5, "content": "x"},
        },
        lambda records: {
            "rag.json": {"questions": [{"id": "q", "question": "?", "relevantIds": ["p1"]}], "contexts": records}
        },
    ),
    "rag_template, lines": Shape(
        [_rag(i) for i in range(N)],
        {"not JSON": "{", "not an object": 7, "contexts": _rag(99, contexts=["new", 7])},
        lambda records: {"rag.jsonl": _lines(records)},
    ),
    "squad, questions": Shape(
        QUESTIONS,
        {
            "twice": {**SQUAD_QUESTION, "id": "q1", "question": "Other?"},
            "no object": 7,
            "an empty answer": {**SQUAD_QUESTION, "id": "x", "answers": [SQUAD_QUESTION["answers"][0], {"text": ""}]},
            "a place": {**SQUAD_QUESTION, "id": "x", "answers": [{"text": "a", "answer_start": 1.5}]},
            "no text": {"id": "x", "answers": []},
            "is_impossible": {**SQUAD_QUESTION, "id": "x", "is_impossible": "no"},
        },
        lambda records: {"pets.json": _squad([{"context": SQUAD_CONTEXT, "qas": records}])},
    ),
    "trec, topics in JSON": Shape(
        TOPICS,
        {
            "twice": {"id": "1", "title": "other"},
            "no id": {"title": "x"},
            "no object": 7,
            "no text": {"id": "x", "title": 5},
        },
        lambda records: {"topics.json": records, "qrels.txt": "1 0 d1 1\n"},
    ),
    "trec, topics in lines": Shape(
        [f"{i}\ttopic {i}\n" for i in range(N)],
        {"twice": "1\tother\n", "columns": "99\n", "no id": "\tx\n"},
        lambda records: {"topics.tsv": "".join(records), "qrels.txt": "1 0 d1 1\n"},
    ),
    "trec, topics in SGML": Shape(
        [f"<top><num>{i}<title>topic {i}</top>\n" for i in range(N)],
        {"twice": "<top><num>1<title>other</top>\n", "no number": "<top><title>x</top>\n"},
        lambda records: {"topics.txt": "".join(records), "qrels.txt": "1 0 d1 1\n"},
    ),
    "trec, SGML documents": Shape(
        SGML,
        {
            "twice": "<DOC><DOCNO>d1</DOCNO><TEXT>other</TEXT></DOC>\n",
            "no number": "<DOC><TEXT>other</TEXT></DOC>\n",
            "not closed": "<DOC><DOCNO>d99</DOCNO><TEXT>other</TEXT>\n",
            "not open": "</DOC>\n",
        },
        lambda records: {"docs.trec": "".join(records), "qrels.txt": "1 0 d1 1\n"},
    ),
    "trec, documents in lines": Shape(
        [f"d{i}\ttext {i}\n" for i in range(N)],
        {"twice": "d1\tother\n", "columns": "d99\n"},
        lambda records: {"collection.tsv": "".join(records), "qrels.txt": "1 0 d1 1\n"},
    ),
}
"""Formats whose records have ids of their own."""


def _judged_in(records: list[Any]) -> dict[str, dict[str, float]]:
    return {record["query_id"]: {"d1": 1} for record in records if isinstance(record.get("query_id"), str)}


def _spans_in(records: list[Any]) -> dict[str, Any]:
    return {query: [{"doc_id": "d1", "start": 0, "end": 2}] for query in _judged_in(records)}


def _judges_in(records: list[Any]) -> list[Any]:
    return [{"query_id": query, "doc_id": "d1", "relevance_grade": 1, "judge": "Ada"} for query in _judged_in(records)]


def _truths_in(records: list[Any]) -> dict[str, Any]:
    return {record["id"]: {f"p{record['id'][1:]}": 1} for record in records}


AT_THE_END: dict[str, Shape] = {
    "locomo, questions": Shape(
        [TURN_QUESTION] * N, {"no object": None}, lambda records: {"c.json": [_talk("c", TURNS, records)]}
    ),
    "rag_records": Shape(
        [_ragas(i) for i in range(N)],
        {
            "no question": _ragas(99, user_input="", retrieved_contexts=["new"]),
            "contexts": _ragas(99, retrieved_contexts=["new"], reference_contexts=[1]),
            "ids": _ragas(99, retrieved_contexts=["new"], retrieved_context_ids=["a", "b"]),
            "not an object": 7,
            "not JSON": "{",
        },
        lambda records: {"r.jsonl": _lines(records)},
    ),
    "squad, paragraphs": Shape(
        PARAGRAPHS,
        {"no context": {"qas": [QUESTIONS[0]]}, "questions": {"context": "x", "qas": 7}, "not an object": 7},
        lambda records: {"pets.json": _squad(records)},
    ),
    "squad, articles": Shape(
        [{"title": f"T{i}", "paragraphs": [paragraph]} for i, paragraph in enumerate(PARAGRAPHS)],
        {"no paragraphs": {"title": "x"}, "not an object": 7},
        lambda records: {"pets.json": {"data": records}},
    ),
    "longmemeval, turns without answers": Shape(
        [_lme(i, haystack_sessions=[HELLO, OTHER]) for i in range(N)],
        {"a turn": _lme(99, haystack_sessions=[HELLO, [7]])},
        lambda records: {"l.json": records},
    ),
}
"""Formats whose ids are positions, so that the bad record is the last one."""


def _without_id(record: Any) -> Any:
    """The same record without ids."""
    if not isinstance(record, dict):
        return record
    return {name: value for name, value in record.items() if name not in ("id", "query_id")}


NUMBERED = {
    name: Shape(
        [_without_id(record) for record in shape.good],
        {fault: _without_id(record) for fault, record in shape.bad.items() if "twice" not in fault},
        shape.files,
    )
    for name, shape in {**SHAPES, **AT_THE_END}.items()
    if name in ("code_spans", "dpr", "dpr, lines", "miracl", "rag_records", "rag_template, lines")
}
"""The same files without ids of questions: the position of a question in the file is its number."""
