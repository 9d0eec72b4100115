"""Small programs that answer lines."""

from __future__ import annotations

from assay.errors import ProviderError
from assay.model.records import Query

START = """
import json, os, sys, time
def say(**answer): print(json.dumps(answer), flush=True)
def ids(query): return query["query"].split()
documents = []
for line in sys.stdin:
    query = json.loads(line)
    if query["type"] == "index": continue
    if query["type"] == "document": documents.append(query); continue
"""
ANSWER = '    say(id=query["id"], hits=[[doc, -n] for n, doc in enumerate(ids(query))][:query["k"]])\n'


def queries(*texts):
    return [Query(f"q{number}", text) for number, text in enumerate(texts)]


def told(answers):
    """Ids, or the error in words."""
    return [str(one) if isinstance(one, ProviderError) else [hit.doc_id for hit in one] for one in answers]


def pid_of(retriever):
    return retriever._program.process.pid
