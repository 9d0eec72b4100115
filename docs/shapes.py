"""Shapes: a small sample of every shape in which assay reads a benchmark, for the table in docs/formats.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Shape(NamedTuple):
    """A shape of data: what it is, the format that reads it, and the content of its files, three or four lines in all."""

    what: str
    format: str
    files: Mapping[str, str]
    by_name: bool = False
    """Whether the format must be chosen by name."""


BEIR = {
    "corpus.jsonl": '{"_id": "d1", "title": "Cats", "text": "Cats sleep."}',
    "queries.jsonl": '{"_id": "q1", "text": "Who sleeps?"}',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1",
}
TURN = '{"role": "user", "content": "My cat sleeps.", "has_answer": true}'
HAYSTACK = (
    '[{"question_id": "q1", "question_type": "single-session-user", "question": "Who sleeps?", "answer": "my cat",\n'
    '  "haystack_session_ids": ["s1"], "haystack_dates": ["2024/01/01"], "answer_session_ids": ["s1"],\n'
    f'  "haystack_sessions": [[{TURN}]]}}]'
)
PASSAGE = '{"title": "Cats", "text": "Cats sleep.", "passage_id": "7"}'

SHAPES = (
    Shape(
        "golden list as CSV or TSV",
        "golden",
        {"golden.csv": "question,answer,doc_id\nWho sleeps?,cats,d1\nWho roars?,lions,d2;d3"},
    ),
    Shape("golden list as JSON lines", "golden", {"golden.jsonl": '{"query": "Who sleeps?", "relevant_ids": ["d1", "d2"]}'}),
    Shape(
        "golden list as JSON, with grades",
        "golden",
        {"golden.json": '[{"question": "Who sleeps?", "qrels": {"d1": 3, "d2": 0}}]'},
    ),
    Shape(
        "queries without judgments",
        "queries",
        {"queries.jsonl": '{"query_id": "q1", "query": "Who sleeps?", "intent": "facts"}'},
    ),
    Shape(
        "golden list beside text files",
        "tables",
        {"golden.csv": "question,source\nWho sleeps?,cats.md", "docs/cats.md": "# Cats sleep."},
    ),
    Shape(
        "folder of tables, each as CSV, TSV, JSON lines, JSON or Parquet",
        "tables",
        {
            "corpus.jsonl": '{"document_id": "d1", "content": "Cats sleep."}',
            "questions.jsonl": '{"id": "q1", "question": "Who sleeps?"}',
            "qrels.jsonl": '{"query_id": "q1", "doc_id": "d1", "relevance": 1}',
        },
    ),
    Shape("BEIR", "beir", BEIR),
    Shape(
        "CQADupStack: a folder like BEIR for each forum",
        "cqadupstack",
        {f"android/{name}": text for name, text in BEIR.items()},
    ),
    Shape(
        "MTEB task with subsets: a folder for each language",
        "mteb",
        {
            "en-corpus/test.jsonl": '{"_id": "d1", "text": "Cats sleep."}',
            "en-queries/test.jsonl": '{"_id": "q1", "text": "Who sleeps?"}',
            "en-qrels/test.jsonl": '{"query-id": "q1", "corpus-id": "d1", "score": 1}',
        },
    ),
    Shape("TREC judgments alone", "trec", {"qrels.txt": "301 0 FBIS3-10082 1\n301 0 FBIS3-10169 0"}),
    Shape(
        "TREC topics",
        "trec",
        {
            "qrels.txt": "301 0 d1 1",
            "topics.txt": "<top><num> Number: 301 <title> Organized Crime\n<desc> Identify gangs. </top>",
        },
    ),
    Shape(
        "TREC documents as SGML",
        "trec",
        {"qrels.txt": "301 0 d1 1", "docs/1.sgml": "<DOC><DOCNO> d1 </DOCNO>\n<TEXT>Cats sleep.</TEXT></DOC>"},
    ),
    Shape("topics as TSV", "trec", {"qrels.txt": "301 0 d1 1", "topics.tsv": "301\tOrganized Crime"}),
    Shape("topics as id:text", "trec", {"qrels.txt": "301 0 d1 1", "topics.txt": "301:Organized Crime\n302:Law"}),
    Shape(
        "topics of TREC's web tracks as XML",
        "trec",
        {"qrels.txt": "1 0 d1 1", "topics.xml": '<topics><topic number="1">\n<query>cats</query></topic></topics>'},
    ),
    Shape(
        "topics of NTCIR as XML",
        "trec",
        {
            "qrels.txt": "0001 0 d1 1",
            "topics.xml": "<queries><query><qid>0001</qid>\n<content>cats</content></query></queries>",
        },
    ),
    Shape(
        "topics as JSON", "trec", {"qrels.txt": "301 0 d1 1", "topics.json": '[{"id": "301", "title": "Organized Crime"}]'}
    ),
    Shape(
        "background linking: the topic is a document",
        "trec",
        {
            "qrels.txt": "321 0 d1 1",
            "topics.txt": "<top><num> Number: 321 </num><docid>d2</docid></top>",
            "docs.jsonl": '{"id": "d2", "contents": "Cats sleep."}',
        },
    ),
    Shape(
        "assay's own JSON file",
        "json",
        {
            "cats.json": '{"queries": {"q1": {"text": "Who sleeps?"}},\n "documents": {"d1": {"text": "Cats sleep."}},\n'
            ' "qrels": {"q1": {"d1": 1}}}'
        },
    ),
    Shape(
        "assay's own folder of JSON lines; the same as Parquet",
        "jsonl",
        {
            "queries.jsonl": '{"query_id": "q1", "text": "Who sleeps?"}',
            "documents.jsonl": '{"doc_id": "d1", "text": "Cats sleep."}',
            "judgments.jsonl": '{"query_id": "q1", "doc_id": "d1", "relevance_grade": 1}',
        },
    ),
    Shape(
        "questions with shared contexts",
        "rag_template",
        {
            "cats.json": '{"contexts": [{"id": "p1", "content": "Cats sleep."}],\n'
            ' "questions": [{"question": "Who sleeps?", "expected": "cats", "relevantIds": ["p1"]}]}'
        },
    ),
    Shape(
        "questions with their own contexts",
        "rag_template",
        {"cats.jsonl": '{"question": "Who sleeps?", "expected": "cats", "contexts": ["Cats sleep.", "Dogs bark."]}'},
    ),
    Shape(
        "ragas",
        "rag_records",
        {
            "ragas.csv": "user_input,retrieved_contexts,reference_contexts,reference\n"
            "Who sleeps?,\"['Cats sleep.', 'Dogs bark.']\",\"['Cats sleep.']\",cats"
        },
    ),
    Shape(
        "deepeval",
        "rag_records",
        {
            "deepeval.json": '[{"input": "Who sleeps?", "expected_output": "cats", "actual_output": "cats",\n'
            '  "retrieval_context": ["Cats sleep."], "context": ["Cats sleep."]}]'
        },
    ),
    Shape(
        "TruLens",
        "rag_records",
        {
            "trulens.jsonl": '{"record_id": "r1", "app_id": "a", "input": "Who sleeps?", "output": "cats", '
            '"Context_calls": [{"args": {"context": "Cats sleep."}}]}'
        },
    ),
    Shape(
        "LangSmith",
        "rag_records",
        {
            "langsmith.jsonl": '{"inputs": {"question": "Who sleeps?"}, "reference_outputs": {"answer": "cats"}, '
            '"outputs": {"documents": [{"page_content": "Cats sleep."}]}}'
        },
    ),
    Shape(
        "Phoenix",
        "rag_records",
        {
            "spans.jsonl": '{"attributes.input.value": "Who sleeps?", '
            '"attributes.retrieval.documents": [{"document.id": "d1", "document.content": "Cats sleep."}]}'
        },
    ),
    Shape(
        "promptfoo",
        "rag_records",
        {
            "results.jsonl": '{"vars": {"query": "Who sleeps?"}, "response": {"output": "cats", '
            '"metadata": {"context": ["Cats sleep."]}}, "testCase": {"assert": []}}'
        },
    ),
    Shape(
        "memorybench",
        "rag_records",
        {
            "results.json": '{"run": {}, "results": [{"itemId": "q1", "question": "Who sleeps?", "expected": "cats",\n'
            ' "actual": "cats", "correct": true, "metadata": {},\n'
            ' "retrievedContext": [{"id": "d1", "content": "Cats sleep."}]}]}'
        },
    ),
    Shape(
        "SQuAD 1.1 and 2.0",
        "squad",
        {
            "squad.json": '{"version": "v2.0", "data": [{"title": "Cats", "paragraphs": [{"context": "Cats sleep.",\n'
            ' "qas": [{"id": "q1", "question": "Who sleeps?", "answers": [{"text": "Cats", "answer_start": 0}]}]}]}]}'
        },
    ),
    Shape(
        "image–caption set: COCO",
        "image_captions",
        {
            "captions_val.json": '{"images": [{"id": 7, "file_name": "cat.png"}],\n'
            '"annotations": [{"id": 1, "image_id": 7, "caption": "A cat sleeps."}]}'
        },
    ),
    Shape(
        "image–caption set: Karpathy's splits",
        "image_captions",
        {
            "dataset.json": '{"images": [{"filename": "cat.png", "split": "test",\n'
            '"sentences": [{"raw": "A cat sleeps.", "sentid": 1}]}]}'
        },
    ),
    Shape(
        "image–caption set: Flickr30k",
        "image_captions",
        {"results.csv": "image_name| comment_number| comment\ncat.png| 0| A cat sleeps.\ncat.png| 1| A sleeping cat."},
    ),
    Shape(
        "image–caption set: your own table",
        "image_captions",
        {"captions.csv": 'filename,caption\ncat.png,A cat sleeps.\ncat.png,"A cat, asleep."'},
    ),
    Shape(
        "HotpotQA",
        "hotpotqa",
        {
            "hotpot_dev_distractor.json": '[{"_id": "q1", "question": "Who sleeps?", "answer": "cats",\n'
            ' "supporting_facts": [["Cats", 0]], "context": [["Cats", ["Cats sleep."]], ["Dogs", ["Dogs bark."]]]}]'
        },
    ),
    Shape(
        "DPR, for training",
        "dpr",
        {
            "dpr.json": f'[{{"question": "Who sleeps?", "answers": ["cats"],\n  "positive_ctxs": [{PASSAGE}],\n'
            '  "negative_ctxs": [], "hard_negative_ctxs": []}]'
        },
    ),
    Shape(
        "DPR, what its retriever returned",
        "dpr",
        {
            "dpr.json": '[{"question": "Who sleeps?", "answers": ["cats"],\n'
            '  "ctxs": [{"id": "7", "title": "Cats", "text": "Cats sleep.", "score": "80.1", "has_answer": true}]}]'
        },
    ),
    Shape(
        "MIRACL and Mr. TyDi",
        "miracl",
        {
            "dev.jsonl": '{"query_id": "1", "query": "Who sleeps?", '
            '"positive_passages": [{"docid": "7#0", "title": "Cats", "text": "Cats sleep."}], "negative_passages": []}'
        },
    ),
    Shape(
        "LoCoMo",
        "locomo",
        {
            "locomo.json": '[{"sample_id": "c1", "conversation": {"session_1": [{"speaker": "Ana", "dia_id": "D1:1",\n'
            '  "text": "My cat sleeps."}]}, "qa": [{"question": "Who sleeps?", "answer": "the cat",\n'
            '  "evidence": ["D1:1"], "category": 4}]}]'
        },
    ),
    Shape("LongMemEval; documents are sessions", "longmemeval", {"longmemeval.json": HAYSTACK}),
    Shape("LongMemEval; documents are turns", "longmemeval_turns", {"longmemeval.json": HAYSTACK}, by_name=True),
    Shape("LongMemEval as in its paper, for sessions", "longmemeval_user", {"longmemeval.json": HAYSTACK}, by_name=True),
    Shape("LongMemEval as in its paper, for turns", "longmemeval_user_turns", {"longmemeval.json": HAYSTACK}, by_name=True),
    Shape(
        "tasks over source files",
        "code_spans",
        {
            "tasks.jsonl": '{"query": "where are retries counted?", "file": "client.py", "start": 1, "end": 2}',
            "repo/client.py": "retries = 0\nretries += 1",
        },
    ),
    Shape(
        "LETOR and SVMlight, for learning to rank",
        "letor",
        {"train.txt": "2 qid:10 1:0.03 2:0.67 #docid = d1\n0 qid:10 1:0.08 2:0.17 #docid = d2"},
    ),
    Shape(
        "HPO cases", "hpo_cases", {"cases.json": '[{"text": "The child has seizures.", "expected_hpo_ids": ["HP:0001250"]}]'}
    ),
)
"""Every shape. Parquet has the columns of the JSON lines with the same name."""
