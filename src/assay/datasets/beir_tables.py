"""Tables in a folder as in BEIR and on Hugging Face: a file, or a folder with the files of the table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from assay.errors import DataError
from assay.files import COMPRESSIONS, note_opened, plain_name, shards_in, table_in

ENDINGS = (".jsonl", *(f".jsonl{packed}" for packed in COMPRESSIONS), ".parquet")
"""Extensions of files with tables."""


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
