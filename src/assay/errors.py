"""Every deliberate error. What is not in this tree is a bug.

AssayError                 something the user can mend
├── UsageError             the request is wrong                 exit 2
│   ├── UnknownName        no metric, option … of that name
│   ├── BadParameter       a known name with an impossible value
│   └── NothingSelected    no query is left to ask              exit 5
├── DataError              the data are wrong                   exit 3
│   ├── NoGroundTruth      no query says what is relevant to it
│   └── NotComparable      results are about different things
├── ProviderError          a retriever under test failed        exit 4
├── StoreError             results could not be kept or read    exit 6
└── GateFailed             results are worse than a rule allows exit 1
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from assay.masking import mask

MAX_FAULTS = 20


class AssayError(Exception):
    """The root: catch this to catch every deliberate error. No message of one holds a secret that is known."""

    exit_code = 70

    def __init__(self, *arguments: object, source: str | Path = "", line: int | None = None) -> None:
        super().__init__(*(mask(argument) if isinstance(argument, str) else argument for argument in arguments))
        self.what = super().__str__()
        """What is wrong, without its place."""
        self.source = mask(str(source))
        """The file, or the place in other data, that is at fault; empty where nobody has named one."""
        self.line = line

    def __str__(self) -> str:
        return text_at(self.what, self.source, self.line)

    def at(self, source: str | Path) -> Self:
        """The same error, attributed to a source; unchanged where it names that one already."""
        if self.source == mask(str(source)):
            return self
        error = copy(self)
        error.what, error.source, error.line = text_at(self.what, self.source, self.line), mask(str(source)), None
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, vars(self))


def _restored(kind: type[AssayError], arguments: tuple[object, ...], fields: dict[str, Any]) -> AssayError:
    """An error with the fields it had, however it is made."""
    error = kind.__new__(kind, *arguments)
    vars(error).update(fields)
    return error


def text_at(what: str, source: str, line: int | None) -> str:
    """`source:line: what`, without what is not known."""
    place = source if line is None else f"{source}:{line}"
    return f"{place}: {what}" if source else what


class UsageError(AssayError, ValueError):
    """The request itself cannot be carried out."""

    exit_code = 2


class UnknownName(UsageError, LookupError):
    """A name that no catalog holds, and the known ones near it."""

    def __init__(self, kind: str, name: str, near: Sequence[str] = (), hint: str = "") -> None:
        question = f" Did you mean {' or '.join(near)}?" if near else ""
        super().__init__(f"no {kind} is called {name!r}.{question}{f'   ({hint})' if hint else ''}")
        self.kind, self.name, self.near, self.hint = kind, name, tuple(near), hint


class BadParameter(UsageError):
    """A parameter that does not exist, or a value it cannot take."""


class NothingSelected(UsageError):
    """A selection that leaves nothing to do."""

    exit_code = 5


class ProviderError(AssayError, RuntimeError):
    """A retriever that could not be started, or that failed on every query."""

    exit_code = 4


class StoreError(AssayError, RuntimeError):
    """A store that cannot be opened, read or written; what it held before is still there."""

    exit_code = 6


class GateFailed(AssayError, AssertionError):
    """Results that are worse than a rule allows; the message names rule, figures and queries."""

    exit_code = 1


@dataclass(frozen=True)
class Hint:
    """A way on: the flag that takes it at the terminal, and what that does."""

    flag: str
    text: str

    def __str__(self) -> str:
        return f"{self.flag} {self.text}" if self.flag else self.text


class Fault(str):
    """One thing that is wrong, as text; what it is, and where, are fields as well.

    `code` says which kind of fault it is, where somebody asks: `columns`, `number`, `duplicate`.
    """

    __slots__ = ("code", "line", "query", "source", "what")
    what: str
    line: int | None
    query: str
    code: str
    source: str

    def __new__(cls, what: str, line: int | None = None, query: str = "", code: str = "", source: str = "") -> Self:
        """The fault, and the text of it: `source:line: what`."""
        what, source = mask(what), mask(source)
        fault = super().__new__(cls, text_at(what, source, line))
        fault.what, fault.line, fault.query, fault.code, fault.source = what, line, query, code, source
        return fault

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.what, self.line, self.query, self.code, self.source)


class DataError(AssayError, ValueError):
    """Input that cannot be used; `faults` says where and why, at most twenty of them."""

    exit_code = 3

    def __init__(
        self,
        message: str,
        faults: Sequence[str] = (),
        field: str = "",
        *,
        source: str | Path = "",
        line: int | None = None,
        hint: Hint | None = None,
    ) -> None:
        super().__init__(message, source=source, line=line)
        self.faults = tuple(fault if isinstance(fault, Fault) else Fault(fault) for fault in faults)
        self.field = field
        """The convention that refuses, where another choice of it would go on: `missing`, `ties`."""
        self.hint = hint

    @property
    def message(self) -> str:
        """Where and what, in one sentence; the text of the error is this and its faults."""
        text = super().__str__()
        return f"{text}; {self.hint}" if self.hint else text

    def __str__(self) -> str:
        return "\n  ".join((self.message, *self.faults))

    def hinting(self, hint: Hint | None) -> Self:
        """The same error with another way on, or with none."""
        error = copy(self)
        error.hint = hint
        return error


class NoGroundTruth(DataError):
    """A benchmark of which no query says what is relevant to it."""

    def __init__(self, message: str, *, relevance: str = "", queries: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.relevance, self.queries = relevance, tuple(queries)


class NotComparable(DataError):
    """Results that are about different things; `differences` says in what."""

    def __init__(self, differences: Sequence[str], *, about: str = "", hint: Hint | None = None) -> None:
        super().__init__(f"these cannot be compared: {about}{'; '.join(differences)}", hint=hint)
        self.differences = tuple(differences)

    @property
    def message(self) -> str:
        """What differs, and the way on in a sentence of its own."""
        text = AssayError.__str__(self)
        return f"{text}. {self.hint}" if self.hint else text

    @property
    def can_intersect(self) -> bool:
        """Whether what they share can be compared."""
        return self.hint is not None


class Faults:
    """Collects what is wrong with one source, then raises it all at once, in the order of the places."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._noted: list[tuple[int, str, str]] = []

    def add(self, place: int, what: str, code: str = "") -> None:
        """Note one fault; past twenty they are not kept."""
        if not self.full:
            self._noted.append((place, what, code))

    def __len__(self) -> int:
        return len(self._noted)

    @property
    def full(self) -> bool:
        """Enough was found to stop reading."""
        return len(self._noted) >= MAX_FAULTS

    @property
    def found(self) -> list[Fault]:
        """All of them, in the order of the places."""
        return [Fault(what, place, code=code, source=self.source) for place, what, code in sorted(self._noted)]

    def raise_if_any(self) -> None:
        """Raise one DataError for everything found so far."""
        if self._noted:
            more = " or more" if self.full else ""
            source = self.source.removesuffix(", record")
            raise DataError(f"{len(self)}{more} fault{'s' if len(self) > 1 else ''}", self.found, source=source)


def near_matches(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names a typist may have meant, nearest first."""
    folded = {candidate.lower(): candidate for candidate in known}
    return [folded[match] for match in difflib.get_close_matches(name.lower(), folded, n=most, cutoff=0.6)]
