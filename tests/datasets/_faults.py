"""Files that each format refuses: format → case → files. Their messages are snapshots."""

from __future__ import annotations

from typing import Any

from ._cases import trec_run

Files = dict[str, Any]

QUERY, DOCUMENT = '{"_id": "q", "text": "x"}\n', '{"_id": "d", "text": "y"}\n'
QRELS = "query-id\tcorpus-id\tscore\nq\td\t1\n"


def beir(**files: Any) -> Files:
    """A folder of BEIR; splits go to qrels/."""
    named = {"queries": QUERY, "corpus": DOCUMENT, **files}
    return {f"{name}.jsonl" if name in ("queries", "corpus") else f"qrels/{name}.tsv": named[name] for name in named}


def shards(corpus: int = 2, splits: tuple[str, ...] = ("test",), qrels: str = "qrels") -> Files:
    """A folder as Hugging Face has it, with the corpus in so many files."""
    files: Files = {
        f"corpus/corpus-{number:05}-of-{corpus:05}.parquet": [{"_id": f"d{number}", "title": "T", "text": f"text {number}"}]
        for number in range(corpus)
    }
    files["queries/queries-00000-of-00001.parquet"] = [{"_id": "q", "text": "x"}]
    for split in splits:
        row = {"query-id": "q", "corpus-id": "d0", "score": len(split)}
        files[f"{qrels}/{split}-00000-of-00001.parquet"] = [row]
    return files


def _judged_shards(first: str, second: str) -> Files:
    """Judgments of one split in two files."""
    rows = [{"query-id": "q", "corpus-id": doc, "score": 1} for doc in (first, second)]
    return shards(splits=()) | {f"qrels/test-0000{number}-of-00002.parquet": [row] for number, row in enumerate(rows)}


def jsonl(**tables: Any) -> Files:
    """A folder of tables."""
    return {f"{name}.jsonl": rows for name, rows in {"queries": [{"query_id": "q"}], **tables}.items()}


def judged(*grades: Any) -> list[dict[str, Any]]:
    """Judgments of one document."""
    return [{"query_id": "q", "doc_id": "d", "grade": grade} for grade in grades]


def task(file: str = "a.py", start: Any = 1, end: Any = 1, **more: Any) -> Files:
    """A task of code_spans."""
    return {"query": "?", "file": file, "start": start, "end": end, **more}


def tasks(*rows: Any) -> Files:
    """A file of tasks, and a source."""
    return {"tasks.jsonl": [task(), *rows], "repo/a.py": "x\n"}


def asked(**fields: Any) -> Files:
    """A file of rag_template with one question, of which only some fields matter."""
    return {"contexts": [{"id": "p1", "content": "one"}], "questions": [{"question": "?", **fields}]}


PLACED = {"fpath_tuple": ["r", "a.py"], "context_start_lineno": 0, "lineno": 1}
TURN = {"speaker": "Ada", "dia_id": "D1:1", "text": "Hello"}
SESSION = {"session_1_date_time": "noon", "session_1": [TURN]}
TURN_QUESTION = {"question": "What?", "answer": "That", "evidence": ["D1:1"], "category": 4}


def conversation(qa: Any = (TURN_QUESTION,), sample_id: Any = "c", **sessions: Any) -> Files:
    """A conversation of locomo."""
    return {"sample_id": sample_id, "conversation": {**SESSION, **sessions}, "qa": list(qa)}


HELLO = [{"role": "user", "content": "Hello", "has_answer": True}]
OTHER = [{"role": "user", "content": "Bye"}]


def haystack(**fields: Any) -> Files:
    """A question of longmemeval with its haystack."""
    return {
        "question_id": "q",
        "question_type": "multi-session",
        "question": "What?",
        "answer": "That",
        "question_date": "today",
        "haystack_dates": ["one", "two"],
        "haystack_session_ids": ["s1", "s2"],
        "haystack_sessions": [HELLO, OTHER],
        "answer_session_ids": ["s1"],
        **fields,
    }


CAT = {"id": 7, "file_name": "cat.png"}
CAPTION = {"id": 1, "image_id": 7, "caption": "A cat."}


def captions(*annotations: Any, images: Any = (CAT,)) -> Files:
    """The content of a file of COCO's captions."""
    return {"images": images, "annotations": annotations or [CAPTION]}


SQUAD_CONTEXT = "Cats sleep all day. Dogs sleep at night."
SQUAD_ANSWER = {"text": "all day", "answer_start": 11}
SQUAD_QUESTION = {"id": "q", "question": "When do cats sleep?", "answers": [SQUAD_ANSWER]}


def squad(*questions: Any, title: Any = "Pets", **fields: Any) -> Files:
    """The content of a file of SQuAD with one paragraph."""
    paragraph = {"context": SQUAD_CONTEXT, "qas": questions, **fields}
    return {"version": "1.1", "data": [{"title": title, "paragraphs": [paragraph]}]}


def _squad(**fields: Any) -> Files:
    return {"pets.json": squad({**SQUAD_QUESTION, **fields})}


LONGMEMEVAL: dict[str, Files] = {
    "malformed": {"lme.json": '[\n\n{"question_id": nope}]'},
    "nothing": {"lme.json": "[]"},
    "no objects": {"lme.json": [7, 8, haystack()]},
    "many faults": {"lme.json": list(range(50))},
    "sessions": {"lme.json": [{"question_id": "q", "haystack_sessions": [7]}]},
    "a question twice": {"lme.json": [{"question_id": "q"}, {"question_id": "q"}]},
    "not UTF-8": {"lme.json": b'[{"question_id": "q", "question": "\xff"}]'},
    "a turn that is not UTF-8": {"lme.json": b'[{"question_id": "q", "haystack_sessions": [[{"content": "\xff"}]]}]'},
}

RAGAS = {"user_input": "How?", "retrieved_contexts": ["a"], "reference": "b"}
"""A record of ragas."""

FAULTS: dict[str, dict[str, Files]] = {
    "beir": {
        "no queries": {"corpus.jsonl": DOCUMENT},
        "not JSON": beir(queries=QUERY + "{\nx\n"),
        "a value given twice": beir(queries='{"_id": "q", "lang": "de", "metadata": {"lang": "en"}}'),
        "no id": beir(queries=QUERY + '\n{"text": "x"}\n'),
        "a text that is none": beir(queries='{"_id": "q", "text": ["x"]}'),
        "a query twice": beir(queries=QUERY + QUERY),
        "not a document": beir(corpus=DOCUMENT + "x\n"),
        "a document with a title that is none": beir(corpus=DOCUMENT + '{"_id": "e", "title": {}}\n'),
        "a document twice": beir(corpus=DOCUMENT + DOCUMENT),
        "judgments of three kinds": beir(test=QRELS + "q\td\n"),
        "no judgments": beir(test=QRELS.splitlines()[0]),
        "two files of a split": beir(test=QRELS) | {"qrels/test.jsonl": [{"query_id": "q", "doc_id": "d", "relevance": 1}]},
        "a document in two shards": shards() | {"corpus/corpus-00001-of-00002.parquet": [{"_id": "d0", "text": "again"}]},
        "a shard is missing": {name: rows for name, rows in shards(3).items() if "00001-of-00003" not in name},
        "shards of two counts": shards() | {"corpus/corpus-00000-of-00001.parquet": [{"_id": "e", "text": "again"}]},
        "shards of two tables": shards() | {"corpus/docs-00000-of-00001.parquet": [{"_id": "e", "text": "again"}]},
        "a pair judged in two shards": _judged_shards("d0", "d0"),
        "a split in two folders": _judged_shards("d0", "d1") | shards(qrels="default"),
        "an empty id in a table": {"queries.parquet": [{"_id": name, "text": "x"} for name in ("q", "", "p")]},
    },
    "code_spans": {
        "no file": tasks({"query": "?", "start": 1, "end": 2}),
        "a number": tasks(5),
        "no query": tasks({"file": "a.py", "start": 1, "end": 2}),
        "no stretch": tasks({"query": "?", "file": "a.py"}),
        "no whole numbers": tasks(task(start=1.5, end=True)),
        "a unit": tasks(task(unit="bytes")),
        "spans that are not a list": tasks({"query": "?", "spans": {"file": "a.py"}}),
        "RepoEval: a path": tasks({"prompt": "x", "metadata": {**PLACED, "fpath_tuple": "r/a.py"}}),
        "RepoEval: a line": tasks({"prompt": "x", "metadata": {**PLACED, "lineno": None}}),
        "RepoEval: no prompt": tasks({"metadata": PLACED}),
        "two tasks of one name": {"tasks.jsonl": [task(id="q2"), task()], "repo/a.py": "x\n"},
        "several files": {"line.jsonl": [task()], "more.jsonl": [task()], "repo/a.py": "x\n"},
        "no file of tasks": {"repo/a.py": "x\n", "repo/b.py": "x\n"},
    },
    "golden": {
        "one id": {"set.json": '[{"relevant": true}]'},
        "a column twice": {"set.csv": "id,id\n1,2\n"},
        "not UTF-8": {"set.csv": b"id,relevant\n\xff,2\n"},
        "a grade": {"set.json": '[{"relevant": {"d": "high"}}]'},
        "two grades": {"set.json": '[{"relevant": [{"id": 1, "grade": 1}, {"id": 1, "grade": 2}]}]'},
        "ids": {"set.csv": "id,relevant\n1,[d1\n"},
        "columns": {"set.csv": "id,relevant\n1\n"},
        "no query": {"set.json": "[]"},
        "a query twice": {"set.csv": "id,query,relevant\nq,a,1\nq,b,1\n"},
    },
    "json": {
        "queries in a list with bad ids": {"data.json": {"queries": [{"id": 1.5}]}},
        "no queries": {"data.json": {"qrels": {}}},
        "queries in a list without ids": {"data.json": {"queries": [{"text": "x"}]}},
        "a query twice": {"data.json": {"queries": [{"id": 1}, {"_id": "1"}]}},
        "a judge of nothing": {
            "data.json": {"queries": {}, "judgments": [{"query_id": "q", "doc_id": "d", "judge": "ann"}]}
        },
        "a judge with another grade": {
            "data.json": {
                "queries": {},
                "qrels": {"q": {"d": 2}},
                "judgments": [{"query_id": "q", "doc_id": "d", "relevance_grade": 1}],
            }
        },
        "evidence that is no id": {"data.json": {"queries": {"q": {"evidence": [1.5]}}}},
        "a query that is a text": {"data.json": {"queries": {"q": "x"}}},
        "texts that are none": {
            "data.json": {"queries": {"q": {"text": 7}, "r": {"scope": []}}, "documents": {"d": {"title": 2}}}
        },
        "evidence that is not a list": {"data.json": {"queries": {"q": {"evidence": "abc"}}}},
        "metadata that are none": {"data.json": {"queries": {"q": {"metadata": [1], "x": 1}}}},
        "another id": {"data.json": {"queries": {"q": {"query_id": "z"}}}},
        "a page that is none": {"data.json": {"queries": {}, "documents": {"d": {"page_number": "iv"}}}},
        "a grade that is none": {"data.json": {"queries": {}, "qrels": {"q": {"d": "high"}}}},
        "ids without grades": {"data.json": {"queries": {}, "qrels": {"q": ["d"]}}},
        "a judgment without a document": {"data.json": {"queries": {}, "judgments": [{"query_id": "q"}]}},
        "a span that is none": {"data.json": {"queries": {}, "spans": {"q": [{"doc_id": "d", "start": "a", "end": 2}]}}},
        "a number out of range": {"data.json": '{"queries": {}, "qrels": {"q": {"d": 1e999}}}'},
        "NaN": {"data.json": '{"queries": {}, "qrels": {"q": {"d": NaN}}}'},
        "nested too deeply": {"data.json": '{"queries": {"q": {"metadata": ' + "[" * 100_000},
    },
    "jsonl": {
        "no object as metadata": jsonl(queries=[{"metadata": [1]}]),
        "a document": jsonl(documents=[{"doc_id": "d", "page_number": "iv"}]),
        "a key twice": jsonl(queries='{"text": "a", "text": "b"}'),
        "bad evidence": jsonl(queries=[{"evidence": {"a": 1}}]),
        "no query": jsonl(queries="\n"),
        "a query twice": jsonl(queries=[{"query_id": "q"}, {"query_id": "q"}]),
        "no grade": jsonl(judgments=[{"query_id": "q", "doc_id": "d"}]),
        "no number": jsonl(judgments=judged("high")),
        "judged twice": jsonl(judgments=judged(1, 2)),
        "ids of documents": jsonl(documents=[{"text": "no id"}, {"doc_id": "d"}, {"doc_id": "d"}]),
        "two files of queries": jsonl() | {"queries.ndjson": "{}"},
    },
    "locomo": {
        "no conversation": {"c.json": {"sample_id": "c", "conversation": []}},
        "a turn": {"c.json": {"sample_id": "c", "session_1": ["hi"]}},
        "a question": {"c.json": {"sample_id": "c", "session_1": [], "qa": [None]}},
        "an id": {"c.json": {"sample_id": 1.5, "qa": []}},
        "no sessions": {"c.json": {"sample_id": "c", "qa": []}},
        "questions": {"c.json": {"sample_id": "c", "session_1": [], "qa": 1}},
        "a session": {"c.json": {"sample_id": "c", "session_1": {}}},
        "words of a turn": {"c.json": {"sample_id": "c", "session_1": [{"text": 1}]}},
        "two conversations of one id": {"c.json": [conversation(), conversation()]},
        "two turns of one id": {
            "c.json": [conversation(session_1=[{**TURN, "dia_id": "d/D1:1"}]), conversation(sample_id="c/d")]
        },
        "a folder without conversations": {"a.txt": "x", "b.txt": "x"},
    },
    "longmemeval": LONGMEMEVAL
    | {
        "documents of two questions with one id": {
            "lme.json": [haystack(haystack_session_ids=["r/s1", "s2"]), haystack(question_id="q/r")]
        }
    },
    "parquet": {
        "metadata": {"queries.parquet": [{"query_id": 1, "metadata": "{"}]},
        "a query twice": {"queries.parquet": [{"query_id": 1}, {"query_id": 1}]},
    },
    "rag_records": {
        "no question": {"r.jsonl": [RAGAS, {**RAGAS, "user_input": ""}, {**RAGAS, "user_input": [{"content": "hi"}]}]},
        "no columns of a tool": {"r.jsonl": [{"text": "x"}]},
        "contexts that are none": {
            "r.jsonl": [RAGAS | {"retrieved_contexts": wrong} for wrong in (7.5, [1], [{"x": 1}], [[]])]
        },
        "a list that is none": {"r.csv": "user_input,retrieved_contexts,reference\nx,['a,b\ny,[a b],c\nz,['a'],d\n"},
        "ids without texts": {"r.jsonl": [RAGAS | {"retrieved_context_ids": ["d1", "d2"]}]},
        "nothing": {"r.jsonl": ""},
        "not JSON": {"r.json": "{"},
    },
    "rag_template": {
        "an empty id": {"rag.json": [{"question": "?", "id": ""}]},
        "questions": {"rag.json": {"questions": 5}},
        "no question": {"rag.json": [{"answer": "!"}]},
        "an id twice": {"rag.json": [{"question": "?", "id": "q2"}, "?"]},
        "contexts of a question": {"rag.json": [{"question": "?", "contexts": 5}]},
        "two contexts of one id": {
            "rag.json": [{"question": "?", "contexts": [{"id": 1, "text": "a"}, {"id": 1, "text": "b"}]}]
        },
        "a context without content": {"rag.json": {"questions": ["?"], "contexts": [{"id": "a"}]}},
        "an id under another": {"rag.json": {"questions": ["?"], "contexts": {"a": {"id": "b", "text": "x"}}}},
        "contexts that are ids": {"rag.json": asked(contexts=["p1"])},
        "an id that is none": {"rag.json": asked(relevantIds=[None])},
        "a grade": {"rag.json": asked(metadata={"qrels": {"p1": "3"}})},
        "judgments": {"rag.json": {"questions": ["?"], "qrels": 5}},
        "ids and grades disagree": {"rag.json": asked(relevantIds=["p1"], qrels={"p2": 1})},
        "grades disagree": {"rag.json": asked(groundTruthIds={"p1": 1}, qrels={"p1": 2})},
        "all judgments disagree": {"rag.json": {**asked(relevantIds=["p2"]), "qrels": {"q1": {"p1": 1}}}},
        "a key twice": {"rag.jsonl": '{"question": "?", "qrels": {"a": 1, "a": 2}}'},
        "many faults": {"rag.json": [{}] * 30},
    },
    "image_captions": {
        "images": {"captions_a.json": captions(images=5)},
        "an image": {"captions_a.json": captions(images=[7, {"id": 1}, {"file_name": "a/"}])},
        "an image twice": {"captions_a.json": captions(images=[CAT, {**CAT, "id": 8}])},
        "annotations": {"captions_a.json": captions({"caption": 7}, {"image_id": 8, "caption": "?"}, 5)},
        "an id twice": {"captions_a.json": captions(CAPTION, CAPTION)},
        "no captions": {"captions_a.json": {"images": [CAT], "annotations": [{"caption": "?"}]}},
        "sentences": {"dataset.json": {"images": [{"filename": "a.png", "sentences": [7]}, {"sentences": []}]}},
        "a table": {"results.csv": "image_name| comment_number| comment\na.png\n| 0| x\nb.png| 0| fine\n"},
        "not UTF-8": {"results.csv": b"image_name| comment_number| comment\na.png| 0| \xff\n"},
    },
    "squad": {
        "a paragraph": {"pets.json": {"data": [{"title": "a", "paragraphs": [1]}]}},
        "a question": _squad(question=None),
        "is_impossible": _squad(is_impossible="no"),
        "answers": _squad(answers="all day"),
        "an empty answer": _squad(answers=[{"text": " "}]),
        "a place": _squad(answers=[{"text": "a", "answer_start": 1.5}]),
        "a question twice, and none": {"pets.json": squad(SQUAD_QUESTION, SQUAD_QUESTION, 3)},
        "articles": {"pets.json": {"data": 1}},
    },
    "trec": {
        "not UTF-8": {"topics.txt": b"1\ta\n2\t\xff\n"},
        "columns": {"topics.tsv": "1\ta\n2\n"},
        "judgments": {"qrels.txt": "1 0 a 1\n1 0 b\n1 0 c high\n"},
        "no judgments": {"qrels.txt": "\n"},
        "no number": {"topics.txt": "<top>\n<num>1<title>a\n</top>\n<top><title>b</top>"},
        "twice": {"topics.txt": "<top><num>1<title>a\n<top><num>1<title>b"},
        "XML": {"topics.xml": "<topics>\n<topic>"},
        "entities": {"topics.xml": '<!DOCTYPE t [<!ENTITY a "b">]><t/>'},
        "no topics": {"topics.txt": "\n", "qrels.txt": "1 0 a 1\n"},
        "nothing": {"run.txt": trec_run()},
        "several topics": {"topics.tsv": "", "topics.txt": ""},
        "a document": {"qrels.txt": "1 0 a 1\n", "collection.tsv": "a\tone\nb\n"},
        "neither tab nor colon": {"topics.txt": "1: a\nb\n1: c"},
        "JSON topics": {"topics.json": [{"id": 1, "title": "a"}, {"title": "b"}, 7, {"id": 1, "title": 5}, {"id": 1.5}]},
        "JSON without topics": {"topics.json": '"a"'},
        "broken JSON": {"topics.json": "[\n{]"},
        "topics without text": {"topics.txt": "<top><num>1<narr>a<top><num>2<title> <desc>"},
        "articles that are missing": {"topics.txt": "<top><num>1</num><docid>a</docid></top>"},
        "SGML documents": {
            "qrels.txt": "1 0 a 1\n",
            "docs.trec": "<DOC>\n<DOCNO>a</DOCNO></DOC>\n<DOC>\n<TEXT>x</DOC><DOC>\n<DOC><DOCNO>a</DOCNO></DOC></DOC><DOC>",
        },
        "SGML documents in two files": {
            "qrels.txt": "1 0 a 1\n",
            "docs/1": "<DOC><DOCNO>a</DOCNO></DOC>",
            "docs/2": "\n<DOC><DOCNO>a</DOCNO></DOC>\n<DOC>",
        },
        "no SGML documents": {"qrels.txt": "1 0 a 1\n", "docs.sgml": "About\n"},
        "documents twice": {"qrels.txt": "1 0 a 1\n", "docs.jsonl": "", "docs/1": "<DOC><DOCNO>a</DOCNO></DOC>"},
    },
}
