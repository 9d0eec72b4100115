"""Accepted names: which columns or fields of tables hold the queries, documents, judgments and rankings.

This is the only table of names. Readers, errors, `assay datasets formats` and the documentation use it. Of several columns
that fit one role, the first name in the table wins. Case does not matter; hyphens and spaces count as underscores.
"""

from __future__ import annotations

from collections.abc import Mapping

from assay.model import DOCUMENT_FIELDS

Names = Mapping[str, tuple[str, ...]]
"""Role → accepted names, the most likely first."""

MEDIA_NAMES: Names = {
    "image": ("image", "image_path", "image_file", "image_url"),
    "media": ("media", "media_path", "media_file", "media_url", "audio", "audio_path", "video", "video_path"),
}
"""Columns with the path or URL of a file that belongs to a query or a document."""

QUERY_NAMES: Names = {
    "query_id": ("query_id", "qid", "question_id", "id", "_id"),
    "query": ("query", "question", "text", "query_text", "search_query", "user_input", "input", "title"),
    "relevant": (
        *("relevant_ids", "relevant_doc_ids", "relevant_document_ids", "relevant_chunk_ids", "relevant"),
        *("relevant_docs", "relevant_documents", "positive_ids", "positive_doc_ids", "expected_ids", "expected_doc_ids"),
        *("expected_sources", "ground_truth_ids", "gold_ids", "reference_context_ids", "context_ids", "doc_ids"),
        *(
            "document_ids",
            "chunk_ids",
            "docs",
            "qrels",
            "doc_id",
            "doc",
            "document_id",
            "chunk_id",
            "corpus_id",
            "passage_id",
        ),
        *("sources", "source"),
    ),
    "expected": (
        *("expected", "expected_answer", "reference_answer", "ground_truth", "ground_truths", "gold_answer", "reference"),
        *("expected_output", "answer", "answers"),
    ),
    "grade": ("relevance", "relevance_grade", "grade", "rel"),
    "query_type": ("query_type", "question_type"),
    "difficulty": ("difficulty",),
    "domain": ("domain",),
    "evidence": ("evidence",),
    "scope": ("scope",),
    "ignored": ("ignored_ids", "ignore_ids", "ignored", "junk_ids", "junk"),
    "retrieved": ("retrieved_ids", "retrieved_doc_ids", "retrieved_context_ids", "retrieved"),
    "time": (
        *("time", "timestamp", "date", "datetime", "date_time", "asked_at", "asked_on", "asked", "query_time", "query_date"),
        *("query_timestamp", "question_time", "question_date", "created_at"),
    ),
    **MEDIA_NAMES,
    "metadata": ("metadata",),
}
"""Columns of a table of queries. `relevant` are the ids of the relevant documents, `grade` is the grade of a single one,
`expected` is the expected answer, `ignored` are the ids of documents that do not count for the query, `retrieved` are the
ids that a system returned, and `time` is when the query was asked."""

DOCUMENT_NAMES: Names = {
    "doc_id": ("doc_id", "docid", "docno", "document_id", "chunk_id", "passage_id", "corpus_id", "pid", "id", "_id"),
    "text": ("text", "contents", "content", "body", "passage", "page_content", "chunk", "chunk_text", "document", "article"),
    **{name: (name,) for name in ("title", "source", "page_number", "section", "group")},
    **MEDIA_NAMES,
    **DOCUMENT_FIELDS,
    "metadata": ("metadata",),
    "time": (
        *("time", "timestamp", "date", "datetime", "date_time", "published", "published_at", "published_date"),
        *("date_published", "publication_date", "publication_time", "publish_date", "publish_time", "pub_date"),
        *("posted_at", "created_at", "created"),
    ),
}
"""Columns of a table of documents. `time` is when the document was written or published. `tags` are its categories, and
`popularity` is a number such as its views; both stay in the metadata as they are, until a metric needs them."""

COLUMN_NAMES: Names = {
    "query": ("query_id", "qid", "q_id", "queryid", "query", "topic", "topic_id", "question_id"),
    "document": (
        *("doc_id", "docid", "docno", "document_id", "corpus_id", "did", "pid", "document", "doc", "passage_id", "chunk_id"),
    ),
    "score": ("score", "sim", "similarity", "relevance_score"),
    "rank": ("rank",),
    "grade": ("relevance", "rel", "grade", "relevance_grade", "label", "judgment", "score", "gain", "rating"),
    "subtopic": ("subtopic", "subtopic_id", "intent", "aspect"),
    "valid_from": ("valid_from", "relevant_from"),
    "valid_to": ("valid_to", "valid_until", "relevant_to", "relevant_until"),
    "iteration": ("iteration", "iter"),
}
"""Columns of judgments and runs."""

CAPTION_NAMES: Names = {
    "image": (
        *(
            "image",
            "image_name",
            "file_name",
            "filename",
            "image_path",
            "image_file",
            "filepath",
            "file_path",
            "file",
            "path",
        ),
        *("img", "img_path", "image_url", "url", "photo"),
    ),
    "caption": ("caption", "captions", "comment", "text", "sentence", "description", "title", "alt_text", "alt"),
    "caption_id": ("caption_id", "sentid", "sentence_id", "annotation_id"),
    "split": ("split",),
}
"""Columns of a table of captions: the file of the image, a caption of it or a list of captions, the caption's id, and the
split. A table whose file is not called captions or metadata must have a column called caption, captions or comment."""

LOG_NAMES: Names = {
    "user": ("user_id", "user", "userid", "uid", "client_id", "visitor_id", "anonymous_id", "cookie_id", "cookie"),
    "session": ("session_id", "session", "sessionid"),
    "search": ("search_id", "searchid", "request_id", "serp_id", "impression_id", "query_response_id"),
    "query": ("query", "user_query", "query_text", "search_query", "search_term", "keywords", "q", "query_id", "qid"),
    "time": ("timestamp", "time", "ts", "datetime", "search_time", "event_time", "created_at", "date"),
    "doc_id": (
        *("doc_id", "docid", "docno", "document_id", "doc", "document", "item_id", "product_id", "object_id", "result_id"),
        *("passage_id", "chunk_id", "url"),
    ),
    "rank": ("rank", "position", "pos", "result_rank", "display_position", "ordinal"),
    "clicked": ("clicked", "click", "is_click", "is_clicked", "clicks", "n_clicks"),
    "click_time": ("click_time", "clicked_at", "click_timestamp"),
    "dwell": ("dwell", "dwell_time", "dwell_seconds", "dwell_s", "time_on_page"),
    "dwell_ms": ("dwell_ms", "dwell_time_ms", "dwell_milliseconds"),
    "shown": ("shown", "shown_ids", "shown_docs", "results", "result_ids", "hits", "hit_ids", "query_response_hit_ids"),
    "clicks": ("clicks", "clicked", "clicked_ids", "clicked_docs", "clicked_doc_ids", "click_ids"),
    "variant": ("variant", "variation", "arm", "ab_variant", "experiment_variant", "treatment", "bucket"),
    "device": ("device", "device_type", "platform"),
    "propensity": ("propensity", "examination", "examination_probability"),
    "team": ("team", "interleaving_team", "credited_to"),
    "interleaving": ("interleaving",),
}
"""Columns of a search log. A log has one row for each shown document (`doc_id`, `rank`, `clicked`), or one row for each
search (`shown` and `clicks` are lists)."""

WEAK_NAMES = frozenset({"source", "sources", "title"})
"""Names that usually mean something else, such as where a question comes from. A likelier name wins without a note."""

TABLE_COLUMNS: Mapping[str, Names] = {
    "queries": QUERY_NAMES,
    "documents": DOCUMENT_NAMES,
    "judgments": {
        "query_id": COLUMN_NAMES["query"],
        "doc_id": COLUMN_NAMES["document"],
        "grade": COLUMN_NAMES["grade"],
        "subtopic": COLUMN_NAMES["subtopic"],
        "valid_from": COLUMN_NAMES["valid_from"],
        "valid_to": COLUMN_NAMES["valid_to"],
    },
    "runs": {
        "query_id": COLUMN_NAMES["query"],
        "doc_id": COLUMN_NAMES["document"],
        "score": COLUMN_NAMES["score"],
        "rank": COLUMN_NAMES["rank"],
    },
    "captions": CAPTION_NAMES,
    "logs": LOG_NAMES,
}
"""Kind of table → its roles. The user names roles with these words, as in `--columns query=q,text=body`."""

USER_WORDS = {"query": "query_id", "document": "doc_id"}
"""Role in `COLUMN_NAMES` → the user's word for it, if it differs."""


def fold(name: str) -> str:
    """A column name without differences that do not matter: `Query-ID` becomes `query_id`."""
    return name.strip().strip('"').lower().replace("-", "_").replace(" ", "_")


def squash(name: str) -> str:
    """A folded name without underscores, so that `docid`, `doc_id` and `docId` are one name."""
    return fold(name).replace("_", "")


def accepted_names(table: str, role: str) -> str:
    """The names that are accepted for a role, for an error."""
    names, in_python = ", ".join(TABLE_COLUMNS[table][role]), f"columns={{'{role}': 'NAME'}}"
    return f"accepted names: {names}; or name the column: --columns {role}=NAME, in Python {in_python}"
