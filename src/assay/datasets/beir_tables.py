"""Tables in a folder as in BEIR and on Hugging Face: a file or a folder for each table, and judgments in splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.datasets.dataset import BenchmarkDataset, Repair
from assay.errors import DataError, UnknownName, near_matches
from assay.files import COMPRESSIONS, SHARD, note_opened, plain_name, shards_in, table_in
from assay.model import Qrels
from assay.text import some_of

ENDINGS = (".jsonl", *(f".jsonl{packed}" for packed in COMPRESSIONS), ".parquet")
"""Extensions of files with tables."""
FOLDERS = ("qrels", "default", "data")
"""Folders of judgments. All but the first contain only Parquet, as Hugging Face writes it."""
JUDGMENT_FILES = ("qrels.tsv", "qrels.parquet")
"""Files of judgments in the folder of the queries."""
SPLITS = ("test", "dev", "validation", "train")
"""Which split is read if there are several, in this order."""


@dataclass(frozen=True)
class Tables:
    """The tables of a folder, or of one subset of it whose files and folders start with a prefix: `en-corpus`."""

    path: Path
    prefix: str = ""

    def find(self, stem: str, split: str) -> list[Path]:
        """The file of this name as JSON lines, plain or compressed, or as Parquet; or the files of the table in its folder.

        If a folder has a table for each split, the table of the split is read.
        """
        folder = self.path / f"{self.prefix}{stem}"
        plain = next((file for ending in ENDINGS if (file := Path(f"{folder}{ending}")).is_file()), None)
        if plain:
            return [plain]
        note_opened(folder)  # also the tables of other splits
        if shards := shards_in(folder):
            return shards[split] if split in shards else table_in(folder)
        files = _plain_tables(folder)
        chosen = [file for file in files if plain_stem(file) == split] or files
        if len(chosen) > 1:
            names = ", ".join(file.name for file in chosen)
            raise DataError(f"expected one table, found {len(chosen)}: {names}; keep one of them", source=folder)
        return chosen

    def has(self, stem: str) -> bool:
        """Whether there is a table of this name, complete or not."""
        folder = self.path / f"{self.prefix}{stem}"
        is_plain = any(Path(f"{folder}{ending}").is_file() for ending in ENDINGS)
        return is_plain or bool(folder.is_dir() and _plain_tables(folder))


def _plain_tables(folder: Path) -> list[Path]:
    """The files of a folder that are JSON lines or Parquet."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return [file for file in files if file.name.endswith(ENDINGS) and not file.name.startswith(".") and file.is_file()]


def plain_stem(file: Path) -> str:
    """The name of a file without its extensions: `test` for `test.jsonl.gz`."""
    return Path(plain_name(file.name)).stem


def _splits(tables: Tables) -> dict[str, list[Path]]:
    """Split → its files. Two tables of one split are an error, because the choice would be a guess."""
    folder = tables.path / f"{tables.prefix}{FOLDERS[0]}"
    splits: dict[str, list[Path]] = {}
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if file.is_file() and not file.name.startswith(".") and not SHARD.fullmatch(file.name):
            _add_split(splits, plain_stem(file), [file])
    for name in FOLDERS:
        for split, files in shards_in(tables.path / f"{tables.prefix}{name}").items():
            _add_split(splits, split, files)
    return splits


def _add_split(splits: dict[str, list[Path]], split: str, files: list[Path]) -> None:
    if split in splits:
        first, second = splits[split][0], files[0]
        other = second.name if second.parent == first.parent else f"{second.parent.name}/{second.name}"
        raise DataError(f"both {first.name} and {other} contain the split {split}; keep one of them", source=first.parent)
    splits[split] = files


def read_split(dataset: BenchmarkDataset, tables: Tables, chosen_split: str | None) -> tuple[str, str]:
    """Read the judgments of one split. Returns the default split and the split that was read, and notes the others."""
    splits, path = _splits(tables), tables.path
    loose = [file for name in JUDGMENT_FILES if (file := path / f"{tables.prefix}{name}").exists()]
    usual = next((name for name in SPLITS if name in splits), next(iter(splits), ""))
    if chosen_split is not None and chosen_split not in splits:
        there = f"choose from {', '.join(splits)}" if splits else "the benchmark has no folder qrels, and so no splits"
        raise UnknownName(f"split of {path}", chosen_split, near_matches(chosen_split, splits), there)
    if not splits and not loose:
        return "", ""
    split = chosen_split or usual
    files = splits[split] if splits else loose[:1]
    others = [f"{file.parent.name}/{file.name}" for some in splits.values() for file in some if file not in files]
    others += [file.name for file in loose if file not in files]
    for file in (*loose, *(file for some in splits.values() for file in some)):
        note_opened(file)  # the other splits are not unused files: the note below names them
    if others and chosen_split is None:
        choose = f"; to read another split: {path.name}:{next(other for other in splits if other != split)}"
        note = f"judgments are read from this file, not from {some_of(others)}{choose if len(splits) > 1 else ''}"
        dataset.repairs.append(Repair(str(files[0]), note))
    dataset.qrels = _judgments(files)
    return usual, split


def _judgments(files: Sequence[Path]) -> dict[str, dict[str, float]]:
    """The judgments of one split. A document judged for the same query in two files is a fault."""
    judgments: dict[str, dict[str, float]] = {}
    for file in files:
        qrels = Qrels(str(file))
        for query in qrels:
            judged = judgments.setdefault(query, {})
            if twice := judged.keys() & qrels[query].keys():
                message = f"document {min(twice)} for query {query} is also judged in another file; keep one of them"
                raise DataError(message, source=file)
            judged.update(qrels[query])
    return judgments
