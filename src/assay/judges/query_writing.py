"""Query writing: a service writes queries for documents, asked in the same way as a judge: log, ledger, retries, dry run."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.errors import BadParameter
from assay.judges.catalog.openai import OPENAI, check_service, preview_of, settings_of, to_service
from assay.judges.chat import ChatJudge, ChatService
from assay.judges.definition import BoundJudge, Preview
from assay.judges.grades import PairGrade, read_object, ungraded
from assay.judges.pairs import Pair
from assay.judges.prompt import Prompt

PROMPT = Path(__file__).parent / "prompts" / "writing" / "queries.md"
NAME = "queries"
LONGEST_QUERY = 300
"""Characters of the longest query; a longer text is not something that people type."""


def to_writer(judge: BoundJudge) -> BoundJudge:
    """The same service as a writer of queries. It has another identity than the judge."""
    if judge.judge.name != OPENAI.name:
        raise BadParameter(f"{judge.judge.name} cannot write queries. Use openai(model=…, url=…)")
    return replace(judge, judge=WRITER)


def document_pair(document: str, text: str, n_queries: int) -> Pair:
    """What the writer gets: a document, and in the place of the query the number of queries to write."""
    return Pair(f"queries for {document}", str(n_queries), document, text)


def read_queries(text: str) -> PairGrade:
    """The queries in a reply, as JSON text in `reason`; their number is the grade. A reply of another form has none."""
    content = read_object(text)
    if content is None:
        return ungraded("the reply is not one JSON object")
    queries = content.get(NAME)
    if not isinstance(queries, list) or not all(isinstance(query, str) for query in queries):
        return ungraded('the reply does not have "queries" as a list of texts')
    texts = [" ".join(query.split()) for query in queries]
    return PairGrade(float(len(texts)), reason=json.dumps(texts, ensure_ascii=False))


def written_queries(grade: PairGrade) -> list[str]:
    """The queries that a writer wrote for a document."""
    return [str(text) for text in json.loads(grade.reason)] if grade.grade else []


def _service(**params: Any) -> ChatService:
    return replace(to_service(**params), prompt=_prompt())


def _prompt() -> Prompt:
    return Prompt(NAME, PROMPT.read_text(encoding="utf-8").strip(), ())


def _make_writer(**params: Any) -> ChatJudge:
    return ChatJudge(_service(**params), read_queries)


def _settings(**params: Any) -> Mapping[str, Any]:
    """As for a judge, with the prompt for queries."""
    prompt = _prompt()
    return {**settings_of(**params), "prompt": prompt.digest, "fields": list(prompt.fields), "grades": [], "task": NAME}


def _preview(pair: Pair, **params: Any) -> Preview:
    return preview_of(_service(**params), pair)


WRITER = replace(OPENAI, make=_make_writer, settings=_settings, check=check_service, preview=_preview)
