"""tables: a folder of queries, documents and judgments in any kind of table, with columns found by their names."""

from __future__ import annotations

from pathlib import Path

from assay.datasets.document_sources import LINES
from assay.datasets.fields import roles_of
from assay.datasets.folder_files import named_files
from assay.datasets.folder_tables import STEMS, read_tables, tables_in, text_folder
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.files import SHARD, suffix_of

EXAMPLE = """\
corpus.csv    doc_id,title,text
              d1,Cats,Cats sleep 12 to 16 hours a day.
queries.csv   query_id,question,answer
              q1,How long do cats sleep?,12 to 16 hours
qrels.csv     query_id,doc_id,relevance
              q1,d1,1

golden.csv    question,answer,doc_id                        instead of queries and qrels
              How long do cats sleep?,12 to 16 hours,d1
docs/         cats.md, lions.md …                           instead of a table of documents"""
BEIR_ENDINGS = (*LINES, ".parquet")
BEIR_JUDGMENTS = ("qrels.tsv", "qrels.parquet")


def detect(probe: Probe) -> bool:
    """A folder with a table of queries and no layout of another format; or with documents and judgments as CSV."""
    if not probe.names or any(SHARD.fullmatch(name) for name in probe.names):
        return False
    files = {part: [file.name for file in some] for part, some in tables_in(probe.path).items()}
    if _has_other_documents(probe, files) or _is_native(files) or _is_beir(probe, files):
        return False
    others = files["documents"] + files["judgments"]
    if not files["queries"]:
        return bool(files["documents"] and files["judgments"]) and any(suffix_of(name) == ".csv" for name in others)
    return bool(others or text_folder(probe.path) or any(_has_truth(probe.path / name) for name in files["queries"]))


def _has_other_documents(probe: Probe, files: dict[str, list[str]]) -> bool:
    """Whether a file is called like a table of documents and is none: `collection.tsv` of TREC has no header."""
    named = named_files(probe.path, STEMS["documents"], (".tsv",)) if probe.path.is_dir() else []
    return any(file.name not in files["documents"] for file in named)


def _is_native(files: dict[str, list[str]]) -> bool:
    """Whether all tables have the names and extensions of `jsonl` or `parquet`."""
    native = {f"{part}{ending}" for part in STEMS for ending in BEIR_ENDINGS}
    return any(files.values()) and all(name in native for names in files.values() for name in names)


def _is_beir(probe: Probe, files: dict[str, list[str]]) -> bool:
    """Whether the folder is BEIR's: a corpus and queries as JSON lines or Parquet, and names that BEIR has."""
    known = {f"{stem}{ending}" for stem in ("corpus", "queries") for ending in BEIR_ENDINGS}
    tables = [name for part in ("queries", "documents") for name in files[part]]
    has_judgments = "qrels" in probe.names or all(name in BEIR_JUDGMENTS for name in files["judgments"])
    return has_judgments and all(name in known and _has_beir_text(probe.path / name) for name in tables)


def _has_beir_text(file: Path) -> bool:
    """Whether the records have a field text, or cannot be read yet."""
    record = Probe(file).first_record
    return not record or "text" in record


def _has_truth(file: Path) -> bool:
    """Whether a table of queries has relevant ids or an answer; or commas, which topics of TREC do not have."""
    record = Probe(file).first_record
    return suffix_of(file.name) == ".csv" or bool(roles_of("queries", record).keys() & {"relevant", "expected"})


FORMAT = Format(
    "tables",
    "a folder of tables: queries or golden, corpus or documents, and qrels or judgments, as CSV, TSV, JSON lines, JSON or "
    "Parquet; documents may also be .md or .txt files",
    read_tables,
    detect,
    example=EXAMPLE,
    needs="a folder with queries.csv or golden.csv (or .tsv, .jsonl, .parquet)",
    rank=8,
    has_named_columns=True,
)
