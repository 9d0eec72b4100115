"""Odd but legal files of each format: format → case → files. What is read from them is in snapshots."""

from __future__ import annotations

import gzip
from dataclasses import fields
from typing import Any

from assay import BenchmarkDataset

from ._benchmarks import SAMPLES
from ._cases import BOM
from ._faults import (
    DOCUMENT,
    HELLO,
    OTHER,
    QRELS,
    QUERY,
    SQUAD_QUESTION,
    TURN,
    TURN_QUESTION,
    Files,
    asked,
    beir,
    conversation,
    haystack,
    jsonl,
    shards,
    squad,
    task,
)


def _fields(record: Any) -> str:
    """What a record says that is not the default."""
    told = [(field.name, getattr(record, field.name), field.default) for field in fields(record)]
    return ", ".join(f"{name}={value!r}" for name, value, default in told if value not in (default, None, ""))


def shown(dataset: BenchmarkDataset) -> str:
    """Everything that a dataset holds, a line for each record."""
    lines = [f"{dataset.name!r} {dataset.version} {dataset.metadata or ''}".rstrip()]
    lines += [_fields(query) for query in dataset.queries.values()]
    lines += [_fields(document) for document in dataset.documents.values()]
    lines += [f"judged {query!r}: {grades}" for query, grades in dataset.qrels.items()]
    lines += [f"judgment {_fields(judgment)}" for judgment in dataset.judgments.values()]
    lines += [f"span of {query!r}: {_fields(span)}" for query, spans in dataset.spans.items() for span in spans]
    lines += [f"subtopics of {pair}: {grades}" for pair, grades in dataset.subtopics.items()]
    lines += [f"{'lost' if one.is_loss else 'repaired'} at {one.place}: {one.what}" for one in dataset.repairs]
    return "".join(f"{line}\n" for line in lines)


MORE_SAMPLES = {
    "code_spans": [SAMPLES / "repo_eval"],
    "golden": [SAMPLES / "golden" / "golden.csv", SAMPLES / "golden" / "golden.json"],
    "locomo": [SAMPLES / "locomo_folder", SAMPLES / "locomo_folder" / "conv-10.json"],
    "rag_template": [SAMPLES / "rag_template_lines.jsonl"],
}


def questions(*asked_questions: Files, **sessions: Any) -> Files:
    """A conversation with several questions, each like the ordinary one but for some fields."""
    return {"c.json": [conversation([{**TURN_QUESTION, **one} for one in asked_questions], **sessions)]}


def turns(*ids: str) -> list[Files]:
    return [{**TURN, "dia_id": one} for one in ids]


def evidence(values: Any, *ids: str) -> Files:
    """A question for each value of evidence, over turns of these ids."""
    return questions(*({"evidence": value} for value in values), session_1=turns(*ids))


_NAMELESS = {key: value for key, value in conversation().items() if key != "sample_id"}
_DEEP: Any = ["D1:3"]
for _ in range(300):
    _DEEP = [_DEEP]
_MEANT = [
    *(["D1:3; D30:5"], ["D1:3 D30:5 D11:26"], ["D1:3,D30:5"], ["D:11:26"], ["D30:05"], ["d1:3"], ["1:3"], ["(D1:3)"]),
    *([" D1:3\n"], ["D1 : 3"], [[["D1:3"]], "intro"], "D1:3", ["D7:01"], ["D 9:9"], ["D1:3", "D1:3"], _DEEP),
]
_LOST = ("D", "D2:2", "D7:001", "", "D1:3x", f"D{9 * 10**99}:1", "D1:²", 7, None, {"id": "D1:3"}, True, "D1:3; D2:2")
_STRETCHES = ("D1:1/D1:2", "D1:1 & D1:2", "D1:1-D1:2", "1:1-1:2", "D1:1-D1:3", "D1:1/D9:9", "D1:2-D1:1", "/", "-")
_LOCOMO: dict[str, Files] = {
    "no names": {"c.json": [_NAMELESS, _NAMELESS]},
    "a turn without text": {"c.json": [conversation(session_1=[{"dia_id": "D1:1"}])]},
    "a session without turns": {"c.json": [conversation(session_2=None, session_2_date_time="one")]},
    "a late session": {"c.json": [conversation(session_900000000=turns("x"), session_900000000_date_time="one")]},
    "no questions": {"c.json": [conversation(), conversation([], "d")]},
    "a turn without id": {"c.json": [conversation(session_1=[{"speaker": "Ben", "text": "Hi"}, TURN])]},
    "a turn again": {"c.json": [conversation(session_1=[TURN, TURN])]},
    "another turn of the id": {"c.json": [conversation(session_1=[TURN, {**TURN, "text": "Bye"}])]},
    "answers": questions(*({"answer": one} for one in (2022, 1.5, None, ["a"], ["a", 2], {"a": 1}))),
    "no text": questions(*({"question": one} for one in (None, "", 7)), {"source": "book"}),
    "categories": questions(*({"category": one} for one in (*range(1, 7), None, True, "cognitive", "multi_hop"))),
    "evidence": evidence(_MEANT, "D1:3", "D11:26", "D30:5", "intro", "D7:1", "D7:01", "D 9:9"),
    "evidence that is lost": evidence([[one] for one in _LOST], "D1:3", "D11:26", "D7:1", "D7:01"),
    "evidence of several turns": evidence([[one] for one in _STRETCHES], "D1:1", "D1:2", "D1:3", "D2:1"),
    "a folder with more": {"c1.json": conversation(), "config.json": {}, "README.md": "conversations"},
}


def haystacks(*odd: Files) -> Files:
    """Questions, each with a haystack like the ordinary one but for some fields."""
    return {"lme.json": [haystack(**{"question_id": f"q{number}", **one}) for number, one in enumerate(odd)]}


_THIRD = [{"role": "user", "content": "Third"}]
_LONGMEMEVAL: dict[str, Files] = {
    "sessions of one id": haystacks(
        *({"haystack_session_ids": ["s1", "s1"], "haystack_sessions": both} for both in ([HELLO, OTHER], [OTHER, HELLO])),
        {"haystack_session_ids": ["s1", "s1"], "haystack_sessions": [OTHER, _THIRD]},
    ),
    "ids": haystacks(
        {"haystack_session_ids": None, "answer_session_ids": None},
        {"question_id": 7, "haystack_session_ids": [1, 2], "answer_session_ids": [2]},
        {"question_id": None},
    ),
    "sessions that hold the answer": haystacks(
        *({"answer_session_ids": ids} for ids in ([], ["s2"], ["s1", "s1"])),
        *({"haystack_sessions": [OTHER, []], "answer_session_ids": ids} for ids in (None, [])),
    ),
    "what is missing": haystacks(
        {"haystack_sessions": None, "haystack_session_ids": [], "haystack_dates": []},
        {"question": None, "question_type": None},
        {"haystack_sessions": [[{"content": "Hm", "has_answer": True}], [{"role": "user"}, {}]]},
        {"source": {"a": [1]}},
    ),
}


def squads(*odd: Files) -> Files:
    """Questions of one paragraph, each like the ordinary one but for some fields."""
    return {"pets.json": squad(*({**SQUAD_QUESTION, "id": f"q{number}", **one} for number, one in enumerate(odd)))}


OLD = "def f():\n    return 1\n"
_ABC = {"repo/a.py": "a\nb\nc\n"}
_LINES = {"start_line": 1, "end_line": 1}
_STRETCH_FIELDS = [
    *({"start": 2, "end": 3}, _LINES, {"start_char": 0, "end_char": 4}, {"start": 0, "end": 6, "unit": "characters"}),
    *({"start_char": 1, "end_char": 2, **_LINES, "author": "x"}, {"start_line": 0, "end_line": 1}),
    *({"start_line": 3, "end_line": 2}, {"start_line": 1, "end_line": 4}, {"start_char": -1, "end_char": 2}),
    *({"start_char": 2, "end_char": 2}, {"start_char": 0, "end_char": 7}),
]
_ENCODED = {
    "utf8": "Größe\r\n".encode(),
    "cp1252": "Größe\n".encode("cp1252"),
    "latin1": b"\x81\xe9\n",
    "utf16": "Größe\n".encode("utf-16"),
    "utf16be": "\ufeffGröße\n".encode("utf-16-be"),
    "utf32": "Größe\n".encode("utf-32"),
    "utf32be": "\ufeffGröße\n".encode("utf-32-be"),
    "mark": BOM + b"x\n",
    "empty": b"",
    "nul": b"a\0b",
    "nul16": b"\xff\xfea\0b",
}
_CODE_SPANS: dict[str, Files] = {
    "stretches": {"tasks.jsonl": [{"query": "?", "file": "a.py", **one} for one in _STRETCH_FIELDS], **_ABC},
    "a list": {"tasks.jsonl": [{"text": "?", "spans": [{"path": "a.py", **one} for one in _STRETCH_FIELDS[:4]]}], **_ABC},
    "nothing": {"tasks.jsonl": [{"query": "?", "spans": []}, task()], **_ABC},
    "two files": {"tasks.jsonl": [task(id="t")], "more.jsonl": [task(id="u")], **_ABC},
    "another name": {"benchmark.json": [task()], "other.jsonl": '{"a": 1}', **_ABC},
    "a path of Windows": {"tasks.jsonl": [task(".\\pkg\\a.py")], "repo/pkg/a.py": "x\n"},
    "encodings": {
        "tasks.jsonl": [task(f"{name}.py") for name in _ENCODED],
        **{f"repo/{name}.py": content for name, content in _ENCODED.items()},
    },
    "no source is near": {"tasks.jsonl": [task("gone.py")], "private/letter.txt": "…"},
    "several folders": {"tasks.jsonl": [task("src/a.py")], "src/a.py": "x\n", "repo/other.py": "y\n", "notes.md": "n"},
} | {
    f"text that moved: {case}": {"tasks.jsonl": [task(start=1, end=2, snippet=OLD)], **sources}
    for case, sources in {
        "down": {"repo/a.py": f"import os\n\n{OLD}"},
        "to another file": {"repo/new/a.py": f"# new\n{OLD}"},
        "nowhere": {"repo/a.py": OLD.replace("\n", "\r\n")},
        "away": {"repo/a.py": "x = 1\ny = 2\n"},
        "to two places": {"repo/a.py": f"#\n{OLD}{OLD}"},
    }.items()
}
_SGML = [
    "<top>\n<num> Number: 7\n<title> Why?\n<desc> Description:\nTell\n  why.\n</top>",
    "<top><num>7</num><title>Why?</title><desc>Tell why.</desc></top>",
    "<top> <num> Number: 7 <title> Topic: Why? <desc> Description: Tell why.",
    "<TOP>\r\n<NUM>Number: 7</NUM>\r\n<TITLE>Why?</TITLE>\r\n<DESC>Tell\r\nwhy.</DESC>\r\n</TOP>\r\n",
    '\n<top lang="en"><num>7</num><EN-title>Why?</EN-title><EN-desc>Tell why.</EN-desc></top>',
    "<top><head> Tipster <num> Number: 7 <title> a < b &lt; c & d <narr> Narrative: n1 <narr> n2 <con> Concept(s): x, y",
    "<top><num>7<desc>Tell why.</top>",
]
_XML = """<?xml version="1.0" encoding="UTF-8"?>
<topics><!-- <b> -->
  <topic number="1" type="faceted"><query>Ängste
     &amp; mehr</query><description>Tell why.</description>
    <subtopic number="1">s1</subtopic><subtopic number="2">s2</subtopic></topic>
  <topic id="2"><title>Who?</title><narr>n</narr></topic>
  <topic number="3">A patient of 45 years.</topic>
  <topic><num>4</num><query>short</query><question>long?</question></topic>
</topics>"""
_LATIN = '<?xml version="1.0" encoding="ISO-8859-1"?><topics><topic number="1"><query>Größe</query></topic></topics>'
_ONE, _TREC_JUDGED = "1\tWhy?\n", "1\t0\ta\t1\n"
_NTCIR = """<?xml version="1.0"?>
<TOPICSET><TOPIC><NUM>013</NUM><SLANG>CH</SLANG><TITLE>Cats</TITLE><DESC>Tell why.</DESC>
<NARR><BACK>They sleep.</BACK><REL>All day.</REL></NARR></TOPIC>
<TOPIC><NUM>014</NUM><TITLE>Dogs</TITLE></TOPIC></TOPICSET>"""
_NTCIR_WWW = """<queries>
  <query><qid>0001</qid><content>Halloween cats</content><description>It is soon.</description></query>
  <query><qid>0002</qid><content>Black &amp; white</content></query>
</queries>"""
_BACKGROUND = "".join(
    f"<top>\n<num> Number: {number} </num>\n<docid>{doc}</docid>\n<url>https://example.org/{doc}<url>\n</top>\n\n"
    for number, doc in ((321, "a"), (823, "gone"))
)
_DOC = "<DOC>\n<DOCNO> {0} </DOCNO>\n<HEADLINE>\nOf {0}\n</HEADLINE>\n<TEXT>\nCats sleep.\n</TEXT>\n</DOC>\n"
_NEWS = "".join(_DOC.format(name) for name in ("a", "b"))
_DOCS = """<DOC><DOCNO>a</DOCNO><DOCID>7</DOCID><DATE><P>May 3</P></DATE><HL>A &amp; B</HL>
<TEXT>Cats <F P=105>sleep</F>.<!-- PJG <b> --> a < b &lt;i&gt; &hyph; &nope; <P>Dogs</P></TEXT><TEXT>More</TEXT></DOC>
<doc><docno>b
</docno><TTL>T<TEXT>Not closed</doc>text between
<DOC>
<DOCNO>c</DOCNO>
<DOCHDR>http://example.org</DOCHDR>
<html><head><title>Web</title><style>p {}</style></head><body>Body <b>bold</b></body></html>
</DOC>
<DOC><DOCNO>d</DOCNO></DOC>"""
_TREC: dict[str, Files] = {
    **{f"SGML {number}": {"topics.txt": content} for number, content in enumerate(_SGML)},
    "XML": {"topics.xml": _XML},
    "XML in Latin letters": {"topics.txt": _LATIN.encode("latin-1")},
    "a table": {"topics.dev.tsv": BOM + "1\tWhy  <top>?\r\n\r\n2\t é\r\n#3\t\r\n".encode()},
    "a table with a head": {"topics.tsv": "query_id\ttext\nq\tx\n"},
    "lines": {"topics.jsonl": '{"id": 1, "title": "Why?", "narrative": "n"}\n'},
    "noughts": {
        "topics.txt": "".join(f"<top><num>{number}<title>t\n" for number in ("051", "052", "52", "053")),
        "qrels.txt": "51 0 a 1\n52 0 a 1\n",
    },
    "documents": {"qrels.txt": _TREC_JUDGED, "collection.tsv": BOM + b"a\tone\ttwo\r\n\r\nb\t\n"},
    "documents in lines": {"qrels.txt": _TREC_JUDGED, "docs.jsonl": '{"docno": "a", "text": "one\\ttwo"}\n{"id": "b"}'},
    "subtopics": {"qrels.txt": "1 1 a 1\n1 2 a 3\n1 2 b 0\n"},
    "NTCIR": {"topics.xml": _NTCIR},
    "NTCIR-1": {"topics.txt": "<TOPIC q=0031>\n<TITLE>\nCats\n</TITLE>\n<DESCRIPTION>Tell why.</DESCRIPTION>\n</TOPIC>\n"},
    "NTCIR WWW": {"queries.xml": _NTCIR_WWW},
    "queries in elements": {"queries.xml": '<queries><query id="7">Why?</query><query id="8"/></queries>'},
    "a namespace": {"topics.xml": '<t:topics xmlns:t="u"><t:topic number="7"><t:title>Why?</t:title></t:topic></t:topics>'},
    "id and text": {"topics.txt": "1:Why: because\r\n\r\n 2 : Who?\n"},
    "a JSON list": {"topics.json": [{"id": 1, "title": "Why?", "desc": "Tell.", "n": 3}, {"Number": "2", "query": "Who?"}]},
    "a JSON list in an object": {"topics.json": {"topics": [{"qid": 1, "description": "Tell why."}]}},
    "a JSON object": {"topics.json": {"1": "Why?", "2": {"question": "Who?", "type": "fact", "domain": "cats"}}},
    "some texts": {"topics.json": {str(number): "Why?" if number == 3 else "" for number in range(9)}},
    "background linking": {"topics.txt": _BACKGROUND, "docs.trec": _NEWS},
    "SGML documents": {"qrels.txt": _TREC_JUDGED, "docs.sgml.gz": gzip.compress(_DOCS.encode())},
    "SGML documents in files": {"qrels.txt": _TREC_JUDGED, "a.trectext": _DOC.format("a"), "b.trectext": _DOC.format("b")},
    "SGML documents in a folder": {
        "qrels.txt": _TREC_JUDGED,
        "docs/ft/ft911": _DOC.format("a"),
        "docs/fr94": _DOC.format("Größe").encode("latin-1"),
        "docs/readme.txt": "About",
    },
    "MS MARCO": {"queries.dev.small.tsv": _ONE, "qrels.dev.small.tsv": _TREC_JUDGED, "collection.tsv": "a\tBecause.\n"},
    "judgments with a head": {"queries.tsv": _ONE, "qrels.tsv": "query_id\tdoc_id\trel\n1\ta\t1\n"},
    "judgments in a folder": {"queries.tsv": _ONE, "qrels/dev.tsv": _TREC_JUDGED, "collection.tsv": "a\tBecause.\n"},
    "queries of jsonl": {
        "queries.jsonl": '{"query_id": "q", "text": "x"}',
        "documents.jsonl": '{"doc_id": "d", "text": "y"}',
        "qrels.tsv": QRELS,
    },
}
_STRANGE = {"expected": ["x"], "evidence": [1], "scope": 7, "domain": None, "other": 1}
_BEIR_QUERIES = [
    {"_id": "q", "text": 5, "metadata": _STRANGE},
    {"_id": "p", "id": 5, "lang": "de", "scope": "s", "none": None, "metadata": {"scope": "t", "lang": "de"}},
    *({"_id": f"n{number}", "metadata": value} for number, value in enumerate(["x", None, [], "", {}])),
]
_BEIR_DOCUMENTS = [
    {"_id": "d", "title": None, "metadata": {"source": {"a": 1}, "page_number": "3", "group": "g"}},
    {"_id": "e", "url": "http://x", "group": None, "metadata": {"group": "g", "a": 1}},
    *({name: name, "text": "y"} for name in ("id", "doc_id", "query_id")),
    {"id": 7},
]
_BEIR: dict[str, Files] = {
    "fields nobody knows": beir(queries=_BEIR_QUERIES, corpus=_BEIR_DOCUMENTS),
    "judgments that are not read": beir(test=QRELS, dev=QRELS)
    | {"qrels.tsv": QRELS, "qrels/.DS_Store": b"\0", "qrels/old/x": b""},
    "judgments beside the queries": {"queries.jsonl": QUERY, "corpus.jsonl": DOCUMENT, "qrels.tsv": QRELS},
    "no judgments": beir(),
    **{f"Hugging Face: {qrels}": shards(2, ("test", "validation"), qrels) for qrels in ("default", "data")},
    "judgments in two files": shards(splits=())
    | {f"qrels/test-{n:05}-of-00002.parquet": [{"query-id": "q", "corpus-id": f"d{n}", "score": n}] for n in range(2)},
}
_TWINS = [{"content": "x"}, {"content": "x", "metadata": {"source": "b.md"}}]
_OWN = [[{"id": "p", "text": name}, {"id": name + "p", "text": "x"}] for name in "ab"]
_RAG_TEMPLATE: dict[str, Files] = {
    case: {"rag.json": content}
    for case, content in {
        "ids by place": {"contexts": ["one", {"text": "two"}, {"body": "three"}], "questions": ["a?", {"query": "b?"}]},
        "ids as keys": {
            "contexts": {"7": "one", "b": {"page_content": "two"}},
            "questions": {"x": "a?"},
            "qrels": {"x": [7], "elsewhere": ["d"]},
        },
        "the same text": {"contexts": ["one", "two", "one", {"id": "p", "content": "two"}], "questions": ["?"]},
        "the same text, more metadata": {"contexts": _TWINS, "questions": ["?"]},
        "an id of two questions": [
            {"id": name, "question": "?", "contexts": _OWN[n], "relevantIds": ["p"]} for n, name in enumerate("ab")
        ],
        "an id of all and of one": {
            "contexts": [{"id": "c1", "content": "x"}],
            "questions": [{"question": "?", "contexts": [{"id": "c1", "content": "y"}]}],
        },
        "shared and own contexts": {
            "contexts": ["one"],
            "questions": [{"question": "a?", "contexts": ["mine"]}, {"question": "b?", "contexts": []}],
        },
        "one context": [{"question": "a?", "context": "one"}, {"question": "b?", "context": {"content": "two"}}],
        "ids and grades": asked(relevantIds=["p1"], qrels={"p1": 3, "p0": 0}),
        "ids and all grades": {**asked(relevantIds=["p1"]), "qrels": {"q1": {"p1": 3}}},
        "ids without contexts": [{"question": "?", "answer": "!", "relevant_ids": ["d1"]}],
        "other fields": asked(category="x", metadata={"n": 1}),
        "a field twice": asked(category="x", metadata={"category": "y"}),
        "fields that say nothing": asked(expected=None, query_type=None, answer="!", contexts=None, metadata=None),
    }.items()
}
_JSON: dict[str, Files] = {
    case: {"data.json": content}
    for case, content in {
        "lists": {"queries": [{"id": "q", "text": "x"}, {"query_id": 7}], "documents": [{"doc_id": "d", "id": "other"}]},
        "judgments alone": {"qrels": {"q": {"d": 1}}},
        "numbers": {"queries": {"q": {"query_type": 5, "difficulty": 0.5, "evidence": [1, "e"]}}},
        "a name beside": {"queries": {}, "license": "CC0", "dataset_name": "Mine", "metadata": {"version": 2}},
        "fields nobody knows": {
            "queries": {"7": {"query_id": 7, "text": "x", "lang": "de", "metadata": {"a": 1}, "expected": None}},
            "documents": {"d": {"url": "http://x", "text": None}},
        },
        "values given twice": {
            "queries": {"q": {"lang": "de", "same": 1, "metadata": {"lang": "en", "same": 1}}},
            "lang": "fr",
            "metadata": {"lang": "it"},
        },
    }.items()
}
_IDS = [
    *({"doc_id": "d1", "id": 7, "text": "x"}, {"docId": "d2"}, {"_id": "a", "id": "b", "docno": "c"}),
    *({"id": "e", "_id": "f"}, {"DocID": 5}, {"document-id": "d", "metadata": {"id": 3}}),
]
_JSONL: dict[str, Files] = {
    "bare": jsonl(queries=[{"id": 7, "question": "Why?", "relevant_ids": ["d1"]}]),
    "judgments alone": {"judgments.jsonl": [{"qid": 1, "docno": 2, "rel": 1}]},
    "odd lines": jsonl(
        queries=BOM + '{"query_id": "é日", "text": "Ü \u2028 \\t", "extra": 1}\r\n\r\n{"query_id": "#2"}\r\n'.encode(),
        documents=BOM + b'{"docno": 1, "contents": "one"}\r\n\r\n{"docno": 2, "body": "two"}',
    ),
    "many ids": jsonl(documents=_IDS),
}
_PARQUET_ROWS = [{"query": "Why?", "relevant_ids": ["a", "b"]}, {"query": "Who?", "relevant_ids": []}]


def _table(mark: str) -> bytes:
    rows = (["query id", "query", "relevant ids"], [], ["é日", '"Why, ""x"";\n?"', '"a;b"'])
    return gzip.compress(BOM + "".join(mark.join(row) + "\r\n" for row in rows).encode())


_BOTH_ANSWERS = {"id": "q", "relevant": ["d", "d"], "answer": ["a", "b"]}
_TWO_NAMES = {"text": "a passage", "answer": "generated", "doc_ids": [2]}
_GOLDEN: dict[str, Files] = {
    "two names": {"set.json": [{**_TWO_NAMES, "query": "Why?", "expected_answer": "So.", "relevant": [1]}]},
    "no ids": {"set.jsonl": [{"query": text, "relevant": ["d"]} for text in "ab"]},
    "nothing relevant": {"set.json": [{"id": 1, "relevant": []}, {"id": 2, "relevant": None}, {"id": 3}]},
    "repaired": {"set.json": [_BOTH_ANSWERS]},
    **{f"a table with {mark!r}": {"set.csv.gz": _table(mark)} for mark in ",;\t"},
    "lines in JSON": {"set.json": BOM + '\r\n{"query": "Ü", "relevant": [7]}\r\n'.encode()},
}
_SQUAD: dict[str, Files] = {
    "a bare list": {"pets.json": squad(SQUAD_QUESTION)["data"]},
    "a title twice": {"pets.json": squad(SQUAD_QUESTION)["data"] + squad({**SQUAD_QUESTION, "id": "r"})["data"]},
    "other fields": {"pets.json": squad({**SQUAD_QUESTION, "lang": "en", "none": None}, document_id=4)},
    "no title and no ids": {"pets.json": squad({**SQUAD_QUESTION, "id": None}, {**SQUAD_QUESTION, "id": ""}, title=" ")},
    "wrong places": squads(*({"answers": [{"text": "all day", "answer_start": start}]} for start in (0, -29, 999))),
    "places in doubt": squads(*({"answers": [one]} for one in ({"text": "sleep", "answer_start": 0}, {"text": "Owls"}))),
    "contradictions": squads({"is_impossible": True}, {"answers": []}),
}

READINGS: dict[str, dict[str, Files]] = {
    "beir": _BEIR,
    "code_spans": _CODE_SPANS,
    "golden": _GOLDEN,
    "json": _JSON,
    "jsonl": _JSONL,
    "locomo": _LOCOMO,
    "longmemeval": _LONGMEMEVAL,
    "longmemeval_turns": _LONGMEMEVAL,
    "longmemeval_user": _LONGMEMEVAL,
    "longmemeval_user_turns": _LONGMEMEVAL,
    "parquet": {"ground truth in the queries": {"queries.parquet": _PARQUET_ROWS}},
    "rag_template": _RAG_TEMPLATE,
    "squad": _SQUAD,
    "trec": _TREC,
}
