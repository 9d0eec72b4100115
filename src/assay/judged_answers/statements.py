"""Statements: the claims of texts and the nuggets of queries. They are made once, written to a file, and then fixed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from assay.atomic_write import atomic_write
from assay.errors import DataError
from assay.execution import digest
from assay.files import each_record
from assay.judges import CLAIMS, IMPORTANCE, NUGGETS, Task
from assay.serialize import dumps
from assay.store import digest_of_text
from assay.text import shortened

ANSWER, REFERENCE = "answer", "reference"
SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")


class Statement(NamedTuple):
    """A claim or a nugget."""

    text: str
    is_vital: bool = True


class Source(NamedTuple):
    """A text whose claims are needed, or the texts that the nuggets of a query are made from."""

    query: str
    question: str
    of: str
    """`answer`, `reference`, or `nuggets`."""
    text: str

    @property
    def task(self) -> Task:
        """The task of the judge that writes the statements."""
        return NUGGETS if self.of == NUGGETS.name else CLAIMS

    @property
    def key(self) -> tuple[str, str]:
        """Claims belong to a text. Nuggets belong to a query, whatever they were made from."""
        return self.query, "" if self.task is NUGGETS else digest_of_text(self.text)

    def guess(self) -> tuple[Statement, ...]:
        """Its sentences, to estimate how many requests will follow."""
        return tuple(
            dict.fromkeys(Statement(sentence) for each in SENTENCE.findall(self.text) if (sentence := each.strip()))
        )


@dataclass(frozen=True)
class Statements:
    """Statements that are known, by the key of their source."""

    known: Mapping[tuple[str, str], tuple[Statement, ...]] = field(default_factory=dict)
    has_all_nuggets: bool = False
    """Whether a query without nuggets has none, because the nuggets are from a file, which is never changed."""

    def of(self, source: Source) -> tuple[Statement, ...] | None:
        """The statements of a source; empty if it has none, None if they are not made yet."""
        is_final = self.has_all_nuggets and source.task is NUGGETS
        return self.known.get(source.key, () if is_final else None)

    def with_more(self, more: Mapping[tuple[str, str], tuple[Statement, ...]]) -> Statements:
        """The same statements and others. Statements that are known do not change."""
        return replace(self, known={**more, **self.known})

    @property
    def digest_of_nuggets(self) -> str:
        """A hash of all nuggets, in any order; empty if there are none."""
        nuggets = sorted((query, *sorted(listed)) for (query, text), listed in self.known.items() if not text)
        return digest(nuggets) if nuggets else ""


def unique(statements: Iterable[Statement]) -> tuple[Statement, ...]:
    """Each statement once, in an order that depends on the texts alone."""
    first: dict[str, Statement] = {}
    for statement in statements:
        first.setdefault(statement.text.casefold(), statement)
    return tuple(sorted(first.values()))


def read_statements(path: Path, task: Task) -> Statements:
    """The statements in a file: one per line; an empty one says that a text has no claims, or a query no nuggets."""
    by_key: dict[tuple[str, str], list[Statement]] = {}

    def take(_place: str, record: Mapping[str, Any]) -> None:
        key, statement = _parse(record, task)
        listed = by_key.setdefault(key, [])
        if statement.text and statement.text.casefold() in {each.text.casefold() for each in listed}:
            raise DataError(f"query {key[0]} has this {task.name[:-1]} twice: {shortened(statement.text)}")
        if statement.text:
            listed.append(statement)

    each_record(path, take)
    if not by_key:
        example = '{"query": "q1", "nugget": "Paris is the capital of France.", "importance": "vital"}'
        raise DataError(f"found no {task.name}; expected records such as {example}", source=path)
    return Statements({key: unique(listed) for key, listed in by_key.items()})


def _parse(record: Mapping[str, Any], task: Task) -> tuple[tuple[str, str], Statement]:
    name = task.name[:-1]
    query, text = record.get("query", record.get("query_id")), record.get(name, "")
    if query is None or query == "" or name not in record:
        raise DataError(f"expected query and {name}, found only {', '.join(map(repr, record)) or 'an empty record'}")
    if text is not None and not isinstance(text, str):
        raise DataError(f"a {name} must be text, not {shortened(text)}")
    importance = record.get("importance") or "vital"
    if importance not in IMPORTANCE:
        raise DataError(f"importance must be {' or '.join(IMPORTANCE)}, not {shortened(importance)}")
    digest_of_source = "" if task is NUGGETS else str(record.get("text_digest") or "")
    if task is CLAIMS and not digest_of_source:
        raise DataError("a claim needs text_digest, the SHA-256 of the text that it was made from")
    return (str(query), digest_of_source), Statement(" ".join((text or "").split()), IMPORTANCE[importance])


def add_statements(path: Path, task: Task, sources: Iterable[Source], statements: Statements, judge: str) -> None:
    """Add the statements of sources of a task to a file of JSON lines. The lines that it has do not change."""
    once = {source.key: source for source in sources if source.task is task}
    new = [dumps(line) for source in once.values() for line in _lines(source, statements, judge)]
    if not new:
        return
    old = path.read_bytes() if path.exists() else b""
    with atomic_write(path) as file:
        file.write(old + (b"" if not old or old.endswith(b"\n") else b"\n"))
        file.write("".join(f"{line}\n" for line in new).encode("utf-8", "surrogatepass"))


def _lines(source: Source, statements: Statements, judge: str) -> Iterator[dict[str, Any]]:
    listed = statements.of(source)
    name = source.task.name[:-1]
    head = {"query": source.query, **({} if source.task is NUGGETS else {"of": source.of})}
    tail = {"text_digest": digest_of_text(source.text), **({"judge": judge} if judge else {})}
    words = {is_vital: word for word, is_vital in IMPORTANCE.items()}
    for statement in listed or (() if listed is None else (Statement(""),)):
        importance = {"importance": words[statement.is_vital]} if source.task is NUGGETS and statement.text else {}
        yield {**head, name: statement.text, **importance, **tail}
