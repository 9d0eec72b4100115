"""cqadupstack and mteb: a folder with several collections, each of which is like a folder of BEIR.

BEIR reports CQADupStack as the mean over its twelve forums (Thakur et al. 2021, BEIR). MTEB has the subsets of a
multilingual task in folders such as en-corpus, en-queries and en-qrels (https://github.com/embeddings-benchmark/mteb,
retrieval_dataset_loaders.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, MutableMapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from assay.datasets.beir_tables import FOLDERS, Tables
from assay.datasets.corpus import Items, Values
from assay.datasets.dataset import BenchmarkDataset, Repair
from assay.datasets.format import Format
from assay.datasets.formats.beir import detect as is_beir
from assay.datasets.formats.beir import read_tables_of
from assay.datasets.probe import Probe
from assay.errors import DataError, UnknownName, near_matches
from assay.files import note_opened
from assay.model import Document
from assay.text import some_of

FORUMS = {
    *("android", "english", "gaming", "gis", "mathematica", "physics"),
    *("programmers", "stats", "tex", "unix", "webmasters", "wordpress"),
}
"""The forums of CQADupStack."""
FORUM = "forum"
LANGUAGE = re.compile(r"[a-z]{2,3}([-_][A-Za-z]{2,4})*")
"""A language, with a script, a country or another language: `de`, `zh-CN`, `eng-Latn`, `ara-eng`."""
CQADUPSTACK_EXAMPLE = """\
android/corpus.jsonl     {"_id": "51829", "title": "Can not charge", "text": "My phone does not charge.", "metadata": {}}
android/queries.jsonl    {"_id": "11546", "text": "Why does the battery not charge?", "metadata": {}}
android/qrels/test.tsv   query-id<tab>corpus-id<tab>score
                         11546<tab>51829<tab>1
english/corpus.jsonl     …"""
MTEB_EXAMPLE = """\
en-corpus/test-00000-of-00001.parquet    _id   title   text
en-queries/test-00000-of-00001.parquet   _id   text
en-qrels/test-00000-of-00001.parquet     query-id   corpus-id   score
de-corpus/test-00000-of-00001.parquet    …"""


class ForumDocuments(MutableMapping[str, Document]):
    """The documents of several forums. Ids start with the forum, and each forum is a group. Texts stay in their files."""

    def __init__(self, forums: Mapping[str, MutableMapping[str, Document]]) -> None:
        self._forums = forums
        self._others: dict[str, Document] = {}

    def _place(self, doc_id: str) -> tuple[MutableMapping[str, Document], str]:
        forum, _, own_id = doc_id.partition("/")
        return self._forums.get(forum, {}), own_id

    def __getitem__(self, doc_id: str) -> Document:
        if doc_id in self._others:
            return self._others[doc_id]
        documents, own_id = self._place(doc_id)
        return replace(documents[own_id], doc_id=doc_id, group=doc_id.partition("/")[0])

    def __contains__(self, doc_id: object) -> bool:
        if not isinstance(doc_id, str) or doc_id in self._others:
            return doc_id in self._others
        documents, own_id = self._place(doc_id)
        return own_id in documents

    def __setitem__(self, doc_id: str, document: Document) -> None:
        self._others[doc_id] = document

    def __delitem__(self, doc_id: str) -> None:
        documents, own_id = self._place(doc_id)
        if doc_id not in self:
            raise KeyError(doc_id)
        self._others.pop(doc_id, None)
        documents.pop(own_id, None)

    def __iter__(self) -> Iterator[str]:
        own = (f"{forum}/{own_id}" for forum, documents in self._forums.items() for own_id in documents)
        yield from (doc_id for doc_id in own if doc_id not in self._others)
        yield from self._others

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def items(self) -> Any:
        """Pairs of id and document, in one pass over each file."""
        return Items(self)

    def values(self) -> Any:
        """Documents, in one pass over each file."""
        return Values(self)

    def stream(self) -> Iterator[tuple[str, Document]]:
        """Every document once, without keeping any in memory."""
        for forum, documents in self._forums.items():
            for own_id, document in documents.items():
                doc_id = f"{forum}/{own_id}"
                if doc_id not in self._others:
                    yield doc_id, replace(document, doc_id=doc_id, group=forum)
        yield from self._others.items()


def read_cqadupstack(path: Path) -> BenchmarkDataset:
    """Each folder is a forum. Queries and documents have the ids `<forum>/<id>`, and a query searches only its forum.
    The forum is a tag of its queries. BEIR reports the mean over forums of the mean of each forum: `--by forum` prints it as
    the macro mean. A folder that is not like BEIR is noted.
    """
    folders = [folder for folder in sorted(path.iterdir()) if folder.is_dir() and not folder.name.startswith(".")]
    forums = {folder.name: read_tables_of(Tables(folder)) for folder in folders if is_beir(Probe(folder))}
    if not forums:
        raise DataError("expected folders of forums such as android/, each with corpus.jsonl, found none", source=path)
    dataset = BenchmarkDataset(path.resolve().name)
    for name, forum in forums.items():
        for query in forum.queries.values():
            about = {**(query.metadata or {}), FORUM: name}
            dataset.add_query(replace(query, query_id=f"{name}/{query.query_id}", metadata=about, scope=name))
        for query_id, judged in forum.qrels.items():
            dataset.qrels[f"{name}/{query_id}"] = {f"{name}/{doc_id}": grade for doc_id, grade in judged.items()}
        dataset.repairs += forum.repairs
    dataset.documents = ForumDocuments({name: forum.documents for name, forum in forums.items()})
    if others := [folder.name for folder in folders if folder.name not in forums]:
        dataset.repairs.append(Repair(str(path), f"these folders are not like BEIR and were not read: {some_of(others)}"))
    return dataset


def notes_on_forums(dataset: BenchmarkDataset) -> list[str]:
    """Which mean BEIR reports."""
    n_forums = len({query.scope for query in dataset.queries.values()})
    if n_forums < 2:
        return []
    return [f"cqadupstack: BEIR reports the mean over the {n_forums} forums, which is the macro mean of --by forum."]


def _beir_folders(probe: Probe) -> set[str]:
    """The sub folders that are like a folder of BEIR."""
    folders = (probe.path / name for name in probe.names if not name.startswith("."))
    return {folder.name for folder in folders if folder.is_dir() and is_beir(Probe(folder))}


def detect_cqadupstack(probe: Probe) -> bool:
    """A folder with several folders like BEIR that all have names of forums."""
    if len(probe.names & FORUMS) < 2:
        return False
    folders = _beir_folders(probe)
    return len(folders) > 1 and folders <= FORUMS


CQADUPSTACK = Format(
    "cqadupstack",
    "a folder with a folder like BEIR for each forum of CQADupStack; --by forum gives BEIR's mean over forums",
    read_cqadupstack,
    detect_cqadupstack,
    example=CQADUPSTACK_EXAMPLE,
    needs="a folder with folders named after forums (android, english …), each with corpus.jsonl and queries.jsonl",
    rank=1,
    notes=notes_on_forums,
)


def _subsets(path: Path) -> dict[str, Tables]:
    """Subset → its tables: those that start with its name, or those in its folder."""
    names = sorted(entry.name for entry in path.iterdir()) if path.is_dir() else []
    stems = [name.partition(".")[0].removesuffix("-queries") for name in names if "-queries" in name]
    prefixed = {name: Tables(path, f"{name}-") for name in dict.fromkeys(stems)}
    folders = {name: Tables(path / name) for name in sorted(_beir_folders(Probe(path)))}
    return {**{name: tables for name, tables in prefixed.items() if tables.has("queries")}, **folders}


def read_mteb(path: Path, subset: str | None = None) -> BenchmarkDataset:
    """A subset is chosen like a split: `folder:en`, or `folder:en/dev` for its split dev. The name of the dataset includes
    the subset. A folder with one subset needs no choice.
    """
    subsets = _subsets(path)
    if not subsets:
        raise DataError("expected folders such as en-corpus, en-queries and en-qrels, found none", source=path)
    name, _, split = (subset or (next(iter(subsets)) if len(subsets) == 1 else "")).partition("/")
    if not name:
        first = next(iter(subsets))
        raise DataError(f"has {len(subsets)} subsets: {', '.join(subsets)}. Choose one, such as {path}:{first}", source=path)
    if name not in subsets:
        raise UnknownName(f"subset of {path}", name, near_matches(name, subsets), f"choose from {', '.join(subsets)}")
    for other in subsets:  # the other subsets are not unused files
        note_opened(path / other)
        for stem in ("corpus", "queries", *FOLDERS):
            note_opened(path / f"{other}-{stem}")
    dataset = read_tables_of(subsets[name], split or None)
    dataset.name = f"{path.resolve().name}:{name}{f'/{split}' if split else ''}"
    dataset.metadata["subset"] = name
    return dataset


def detect_mteb(probe: Probe) -> bool:
    """A folder that is not like BEIR itself, with queries and a corpus for each subset.

    Folders are subsets only if all are named after languages, because they may be different benchmarks.
    """
    if not probe.names or is_beir(probe):
        return False
    subsets = _subsets(probe.path)
    if any(tables.prefix and tables.has("corpus") for tables in subsets.values()):
        return True
    return len(subsets) > 1 and all(LANGUAGE.fullmatch(name) for name in subsets)


MTEB = Format(
    "mteb",
    "a retrieval task of MTEB with several subsets, such as languages; folder:en reads the subset en",
    read_mteb,
    detect_mteb,
    example=MTEB_EXAMPLE,
    needs="a folder with en-corpus, en-queries and en-qrels, or with a folder like BEIR for each language",
    read_split=read_mteb,
)
