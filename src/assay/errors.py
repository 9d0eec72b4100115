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
from typing import Any, ClassVar, Self

from assay.masking import mask

MAX_FAULTS = 20


@dataclass(frozen=True)
class Hint:
    """A way on: the flag that takes it at the terminal, and what that does."""

    flag: str
    text: str

    def __str__(self) -> str:
        return f"{self.flag} {self.text}" if self.flag else self.text


class AssayError(Exception):
    """The root: catch this to catch every deliberate error. No message of one holds a secret that is known."""

    exit_code = 70
    hint_form: ClassVar[str] = "{}; {}"
    """How the text and the hint become one."""

    def __init__(
        self, *arguments: object, source: str | Path = "", line: int | None = None, hint: Hint | str | None = None
    ) -> None:
        super().__init__(*(mask(argument) if isinstance(argument, str) else argument for argument in arguments))
        self.what = super().__str__()
        """What is wrong, without its place."""
        self.source = mask(str(source))
        """The file, or the place in other data, that is at fault; empty where nobody has named one."""
        self.line = line
        self.hint = mask(hint) if isinstance(hint, str) else hint

    def __str__(self) -> str:
        text = text_at(self.what, self.source, self.line)
        return self.hint_form.format(text, self.hint) if self.hint else text

    def at(self, source: str | Path) -> Self:
        """The same error, attributed to a source; unchanged where it names that one already."""
        if self.source == mask(str(source)):
            return self
        return self._with(what=text_at(self.what, self.source, self.line), source=mask(str(source)), line=None)

    def hinting(self, hint: Hint | str | None) -> Self:
        """The same error with another way on, or with none."""
        return self._with(hint=hint)

    def _with(self, **fields: Any) -> Self:
        error = copy(self)
        vars(error).update(fields)
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
    """A name that no catalog holds, and the known ones near it.

    `owner` is what lacks it, where that is no catalog: `this result` has no such metric.
    """

    hint_form = "{}   ({})"

    def __init__(self, kind: str, name: str, near: Sequence[str] = (), hint: str = "", *, owner: str = "") -> None:
        kind = f"{kind} of {owner}" if owner else kind
        question = f" Did you mean {' or '.join(near)}?" if near else ""
        super().__init__(f"no {kind} is called {name!r}.{question}", hint=hint)
        self.kind, self.name, self.near, self.owner = kind, name, tuple(near), owner


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


class Fault(str):
    """One thing that is wrong, as text; what it is, and where, are fields as well.

    `code` says which kind of fault it is, where somebody asks: `columns`, `duplicate`, `score`, `unreadable`.
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

    @property
    def place(self) -> str:
        """`source:line`, as far as it is known."""
        return self.source if self.line is None else f"{self.source}:{self.line}"

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
        code: str = "",
        hint: Hint | str | None = None,
    ) -> None:
        super().__init__(message, source=source, line=line, hint=hint)
        self.faults = tuple(fault if isinstance(fault, Fault) else Fault(fault) for fault in faults)
        self.field = field
        """The convention that refuses, where another choice of it would go on: `missing`, `ties`."""
        codes = {code} if code else {fault.code for fault in self.faults}
        self.code = codes.pop() if len(codes) == 1 else ""
        """The kind of fault, of an error without a list or of all in it; see Fault."""

    def relocated(self, source: str) -> Self:
        """The same error, where this is the source and not the one that it names: a stream, not the file it was kept in."""
        faults = (Fault(fault.what, fault.line, fault.query, fault.code, fault.source and source) for fault in self.faults)
        return self._with(source=mask(source), faults=tuple(faults))

    @property
    def message(self) -> str:
        """Where and what, in one sentence; the text of the error is this and its faults."""
        return super().__str__()

    @property
    def each_fault(self) -> tuple[Fault, ...]:
        """The faults; an error that lists none is one itself."""
        return self.faults or (Fault(self.what, self.line, code=self.code, source=self.source),)

    def __str__(self) -> str:
        return "\n  ".join((self.message, *self.faults))


class NoGroundTruth(DataError):
    """A benchmark of which no query says what is relevant to it."""

    def __init__(self, message: str, *, relevance: str = "", queries: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.relevance, self.queries = relevance, tuple(queries)


class NotComparable(DataError):
    """Results that are about different things; `differences` says in what."""

    hint_form = "{}. {}"

    def __init__(self, differences: Sequence[str], *, about: str = "", hint: Hint | None = None) -> None:
        super().__init__(f"these cannot be compared: {about}{'; '.join(differences)}", hint=hint)
        self.differences = tuple(differences)

    @property
    def can_intersect(self) -> bool:
        """Whether what they share can be compared."""
        return self.hint is not None


class Faults:
    """Collects what is wrong with one source, then raises it all at once, in the order of the places."""

    def __init__(self, source: str, unit: str = "") -> None:
        self.name = source
        self.source = f"{source}, {unit}" if unit else source
        """What stands before the number of a place: a file of lines by itself, else with what is counted."""
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
            raise DataError(f"{len(self)}{more} fault{'s' if len(self) > 1 else ''}", self.found, source=self.name)


def near_matches(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names a typist may have meant, nearest first."""
    folded = {candidate.lower(): candidate for candidate in known}
    return [folded[match] for match in difflib.get_close_matches(name.lower(), folded, n=most, cutoff=0.6)]
