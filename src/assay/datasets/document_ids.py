"""Document ids: what the texts in a column of relevant documents mean as ids."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path

from assay.datasets.fields import names_document, split_ids
from assay.datasets.text_documents import TextDocuments
from assay.model import Document
from assay.text import some_of


class DocumentIds:
    """The ids of documents, and what texts of judgments mean as ids: `d1; d2`, `d1, d2`, or the name of a text file."""

    def __init__(self, documents: Mapping[str, Document]) -> None:
        self._documents = documents
        self.n_matched = 0
        """How many ids were matched to files by their name."""
        self.unclear: dict[str, str] = {}
        """Text → why it is read as one id that is not a document."""

    @property
    def is_quick(self) -> bool:
        """Whether there are documents, and their ids are known without reading a file."""
        return isinstance(self._documents, dict) and bool(self._documents)

    def __bool__(self) -> bool:
        return bool(self._documents)

    def __contains__(self, doc_id: object) -> bool:
        return doc_id in self._documents

    def are_parents(self, ids: Collection[str]) -> bool:
        """Whether some of these ids are named by other documents as the document that they belong to."""
        records = (document.metadata or {} for document in self._documents.values())
        return any(str(value) in ids for record in records for name, value in record.items() if names_document(name))

    def resolve(self, judged: Mapping[str, float]) -> dict[str, float]:
        """The judgments with ids of documents. Two texts that mean one document keep the better grade."""
        resolved: dict[str, float] = {}
        for text, grade in judged.items():
            for doc in self.ids_of(text):
                resolved[doc] = max(grade, resolved.get(doc, grade))
        return resolved

    def ids_of(self, text: str) -> list[str]:
        """The ids that a text means. A text that is a document is not split; at a comma, each part must be a document."""
        if text in self:
            return [text]
        parts = split_ids(text)
        if len(parts) > 1:
            return [self.find(part) for part in parts]
        names = [self.find(part.strip()) for part in text.split(",")] if "," in text else []
        known = [name for name in names if name in self]
        if names and len(known) == len(names):
            return names
        if known:
            others = ", ".join(repr(name) for name in names if name not in self)
            self.unclear[text] = f"{known[0]!r} is a document, {others} is not; separate ids with ;"
        return [self.find(text)]

    def find(self, name: str) -> str:
        """The id that a name means; the name itself unless exactly one text file has it."""
        if not self._files or name in self:
            return name
        path = name.removeprefix("./")
        files = [doc for doc in self._files.get(Path(path).stem, ()) if _is_same_file(path, doc)]
        if len(files) > 1:
            self.unclear[name] = f"it fits {len(files)} files: {some_of(sorted(files))}; write the folder as well"
        self.n_matched += len(files) == 1
        return files[0] if len(files) == 1 else name

    @cached_property
    def _files(self) -> dict[str, list[str]]:
        """File name without extension → ids, if the documents are text files."""
        files: dict[str, list[str]] = {}
        for doc_id in self._documents if isinstance(self._documents, TextDocuments) else ():
            files.setdefault(Path(doc_id).stem, []).append(doc_id)
        return files


def _is_same_file(name: str, doc_id: str) -> bool:
    """Whether a name means a file: with or without extension, and with fewer or more folders in front."""
    path, other = Path(name), Path(doc_id)
    is_named = path.name in (other.name, other.stem)
    folders, others = [*path.parent.parts][::-1], [*other.parent.parts][::-1]
    return is_named and all(folder == inner for folder, inner in zip(folders, others, strict=False))
