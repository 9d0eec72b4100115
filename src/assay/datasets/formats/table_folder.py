"""tables: a folder of queries, documents and judgments in any kind of table, with columns found by their names."""

from __future__ import annotations

from pathlib import Path

from assay.datasets.document_sources import LINES, TABLE_ENDINGS
from assay.datasets.fields import roles_of
from assay.datasets.folder_tables import JUDGMENT_ENDINGS, STEMS, read_tables, text_folder
from assay.datasets.format import Format
from assay.datasets.probe import Probe
from assay.files import SHARD, current_reading, suffix_of

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
    """A folder with a table of queries and no layout of another format."""
    if not probe.names or any(SHARD.fullmatch(name) for name in probe.names):
        return False
    files = {part: _files(probe, part) for part in STEMS}
    if not files["queries"] or _is_native(files) or _is_beir(probe, files):
        return False
    others = files["documents"] + files["judgments"]
    return bool(others or text_folder(probe.path) or any(_has_truth(probe.path / name) for name in files["queries"]))


def _files(probe: Probe, part: str) -> list[str]:
    """The tables of a part, by their names. A .tsv or .txt file is a table only if it has a header."""
    endings = (*TABLE_ENDINGS, *JUDGMENT_ENDINGS) if part == "judgments" else TABLE_ENDINGS
    names = [f"{stem}{ending}" for stem in STEMS[part] for ending in endings if f"{stem}{ending}" in probe.names]
    return [name for name in names if part == "judgments" or _is_table(probe.path / name, part)]


def _is_table(file: Path, part: str) -> bool:
    """Whether a file is a table of queries or documents; .tsv and .json need known names, because TREC's have none."""
    if suffix_of(file.name) not in (".tsv", ".json"):
        return True
    names = Probe(file).first_record
    return bool(roles_of(part, names, current_reading().named_roles(part, names)).keys() & {"query", "text"})


def _is_native(files: dict[str, list[str]]) -> bool:
    """Whether all tables have the names and extensions of `jsonl` or `parquet`."""
    native = {f"{part}{ending}" for part in STEMS for ending in BEIR_ENDINGS}
    return all(name in native for names in files.values() for name in names)


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
