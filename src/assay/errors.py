"""Every deliberate error. Any other exception is a bug.

AssayError                 something the user can fix
├── UsageError             the request is wrong                   exit 2
│   ├── UnknownName        no metric, option … has this name
│   ├── BadParameter       an unknown parameter, or a bad value
│   └── NothingSelected    no query is left after the selection   exit 5
├── DataError              the data is wrong                      exit 3
│   ├── NoGroundTruth      no query has relevance judgments
│   └── NotComparable      the results are about different things
├── ProviderError          a retriever under test failed          exit 4
├── StoreError             results could not be saved or read     exit 6
└── GateFailed             results are worse than a rule allows   exit 1
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

from assay.masking import mask

MAX_FAULTS = 20


@dataclass(frozen=True)
class Hint:
    """A suggestion: the flag to add on the command line, and what it does."""

    flag: str
    text: str

    def __str__(self) -> str:
        return f"{self.flag} {self.text}" if self.flag else self.text


class AssayError(Exception):
    """The base class: catch it to catch every deliberate error. Known secrets are masked in all messages."""

    exit_code = 70
    hint_form: ClassVar[str] = "{}; {}"
    """How the text and the hint are joined."""

    def __init__(
        self, *arguments: object, source: str | Path = "", line: int | None = None, hint: Hint | str | None = None
    ) -> None:
        super().__init__(*(mask(argument) if isinstance(argument, str) else argument for argument in arguments))
        self.what = super().__str__()
        """What is wrong, without the place."""
        self.source = mask(str(source))
        """The file, or the place in other data, that contains the fault; empty if it is not known."""
        self.line = line
        self.hint = mask(hint) if isinstance(hint, str) else hint

    def __str__(self) -> str:
        text = text_at(self.what, self.source, self.line)
        return self.hint_form.format(text, self.hint) if self.hint else text

    def at(self, source: str | Path) -> Self:
        """The same error, attributed to a source; unchanged if it already names that source."""
        if self.source == mask(str(source)):
            return self
        return self._with(what=text_at(self.what, self.source, self.line), source=mask(str(source)), line=None)

    def hinting(self, hint: Hint | str | None) -> Self:
        """The same error with another hint, or without one."""
        return self._with(hint=hint)

    def _with(self, **fields: Any) -> Self:
        error = copy(self)
        vars(error).update(fields)
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.args, vars(self))


def _restored(kind: type[AssayError], arguments: tuple[object, ...], fields: dict[str, Any]) -> AssayError:
    """An error with its former fields, without a call of its constructor."""
    error = kind.__new__(kind, *arguments)
    vars(error).update(fields)
    return error


def text_at(what: str, source: str, line: int | None) -> str:
    """`source:line: what`, without the parts that are not known."""
    place = source if line is None else f"{source}:{line}"
    return f"{place}: {what}" if source else what


class UsageError(AssayError, ValueError):
    """A request that cannot be carried out."""

    exit_code = 2


class UnknownName(UsageError, LookupError):
    """An unknown name, and the known names that are similar.

    `owner` says where the name was looked up, if that is not a catalog: `this result` has no such metric.
    """

    hint_form = "{}   ({})"

    def __init__(self, kind: str, name: str, near: Sequence[str] = (), hint: str = "", *, owner: str = "") -> None:
        kind = f"{kind} of {owner}" if owner else kind
        question = f" Did you mean {' or '.join(near)}?" if near else ""
        super().__init__(f"no {kind} is called {name!r}.{question}", hint=hint)
        self.kind, self.name, self.near, self.owner = kind, name, tuple(near), owner


class BadParameter(UsageError):
    """A parameter that does not exist, or a value that it does not accept."""


class NothingSelected(UsageError):
    """A selection that leaves nothing to do."""

    exit_code = 5


class ProviderError(AssayError, RuntimeError):
    """A retriever that could not be started, or that failed on every query."""

    exit_code = 4


class StoreError(AssayError, RuntimeError):
    """A store that cannot be opened, read or written. Its earlier content is unchanged."""

    exit_code = 6


class GateFailed(AssayError, AssertionError):
    """Results that are worse than a rule allows. The message names the rule, the values and the queries."""

    exit_code = 1


class Fault(str):
    """One fault as text; the parts of the text are fields as well.

    `code` is the kind of fault, if any code needs to know it: `columns`, `duplicate`, `format`, `score`, `unreadable`.
    """

    __slots__ = ("code", "line", "query", "source", "what")
    what: str
    line: int | None
    query: str
    code: str
    source: str

    def __new__(cls, what: str, line: int | None = None, query: str = "", code: str = "", source: str = "") -> Self:
        """The fault, with the text `source:line: what`."""
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
    """Input that cannot be used. `faults` lists up to twenty places with the reason for each."""

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
        """The convention that causes the error, if another value of it avoids the error: `missing`, `ties`."""
        codes = {code} if code else {fault.code for fault in self.faults}
        self.code = codes.pop() if len(codes) == 1 else ""
        """The kind of fault (see Fault): of the error itself, or the kind that all its faults share."""

    def relocated(self, source: str) -> Self:
        """The same error with another source, such as a stream instead of the temporary file that holds its content."""
        faults = (Fault(fault.what, fault.line, fault.query, fault.code, fault.source and source) for fault in self.faults)
        return self._with(source=mask(source), faults=tuple(faults))

    @property
    def message(self) -> str:
        """Where and what, in one sentence. The text of the error is this sentence, then its faults."""
        return super().__str__()

    @property
    def each_fault(self) -> tuple[Fault, ...]:
        """The faults; an error without a list counts as one fault."""
        return self.faults or (Fault(self.what, self.line, code=self.code, source=self.source),)

    def __str__(self) -> str:
        return "\n  ".join((self.message, *_without_repeats(self.faults)))


def _without_repeats(faults: Sequence[Fault]) -> list[str]:
    """The faults as lines. Of faults that say the same, the first three are shown and the others are counted."""
    counts: dict[str, int] = {}
    lines: list[str] = []
    for fault in faults:
        counts[fault.what] = counts.get(fault.what, 0) + 1
        if counts[fault.what] <= MAX_ALIKE:
            lines.append(fault)
    n_more = len(faults) - len(lines)
    return [*lines, f"… and {n_more} more of the same"] if n_more else lines


class NoGroundTruth(DataError):
    """A benchmark in which no query has relevance judgments."""

    def __init__(self, message: str, *, relevance: str = "", queries: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.relevance, self.queries = relevance, tuple(queries)


class NotComparable(DataError):
    """Results that are about different things. `differences` lists how they differ."""

    hint_form = "{}. {}"

    def __init__(self, differences: Sequence[str], *, about: str = "", hint: Hint | None = None) -> None:
        super().__init__(f"these results cannot be compared: {about}{'; '.join(differences)}", hint=hint)
        self.differences = tuple(differences)

    @property
    def can_intersect(self) -> bool:
        """Whether the part that they share can be compared."""
        return self.hint is not None


MAX_ALIKE = 3
"""How many faults that say the same are shown."""
LENIENT_SHARE = 0.01
"""The share of bad records of a file that may be left out, unless the user sets another."""
MAX_LEFT_OUT = 100_000
"""The most faults that are kept while bad records are left out."""
MAX_STOPPED_SHARE = 0.2
"""If reading stopped early with at most this share of bad records, an error suggests to leave them out."""


def parse_share(value: object) -> float:
    """A share of records: true for the usual one, a number up to 1, or text such as 5%; a ValueError for anything else."""
    if value is True:
        return LENIENT_SHARE
    text = str(value).strip()
    share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    if isinstance(value, bool) or not 0 < share <= 1:
        raise ValueError(f"not a share: {text}")
    return share


@dataclass
class Leniency:
    """Permission to leave out bad records: their largest share in a file, and those that were left out."""

    share: float = LENIENT_SHARE
    left_out: list[Fault] = field(default_factory=list)

    def leave_out(self, faults: Sequence[Fault], n_records: int, source: str) -> None:
        """Leave out the records with these faults; an error if they are more than the share allows."""
        share = len(faults) / n_records if n_records else 1.0
        if share > self.share:
            raise DataError(
                f"{len(faults):,} of {n_records:,} records are bad ({share:.2%}); at most {self.share:.2%} may be left out",
                faults[:MAX_FAULTS],
                source=source,
                hint="correct them, or allow a larger share with --lenient-share",
            )
        self.left_out += faults


_LENIENCY: ContextVar[Leniency | None] = ContextVar("leniency", default=None)


@contextmanager
def lenient_reading(leniency: Leniency | None = None) -> Iterator[Leniency]:
    """Let every reader leave out bad records instead of raising, up to a share of each file: 1 % unless said otherwise.

    `left_out` of the value has the faults of these records.
    """
    leniency = leniency or Leniency()
    token = _LENIENCY.set(leniency)
    try:
        yield leniency
    finally:
        _LENIENCY.reset(token)


def most_faults(leniency: Leniency | None) -> int:
    """With how many faults a reader stops."""
    return MAX_FAULTS if leniency is None else MAX_LEFT_OUT


def first_faults(faults: Sequence[Fault], most: int = 3) -> str:
    """The first faults on one line."""
    more = f"; and {len(faults) - most:,} more" if len(faults) > most else ""
    return "; ".join(faults[:most]) + more


def current_leniency() -> Leniency | None:
    """The permission to leave out bad records; None if a bad record is an error."""
    return _LENIENCY.get()


class Faults:
    """Collects the faults of one source, then raises them together, sorted by place.

    If bad records may be left out, `raise_if_any` leaves them out instead, if it knows the number of records.
    """

    def __init__(self, source: str, unit: str = "", leniency: Leniency | None = None) -> None:
        self.name = source
        self.source = f"{source}, {unit}" if unit else source
        """The text before the number of a place: the name of the file, and the unit that is counted if it is not lines."""
        self._noted: list[tuple[int, str, str]] = []
        self._leniency = leniency or current_leniency()

    def add(self, place: int, what: str, code: str = "") -> None:
        """Add one fault; faults after the twentieth are dropped, unless bad records may be left out."""
        if not self.full:
            self._noted.append((place, what, code))

    def __len__(self) -> int:
        return len(self._noted)

    @property
    def full(self) -> bool:
        """Whether enough faults were found to stop reading."""
        return len(self._noted) >= most_faults(self._leniency)

    @property
    def found(self) -> list[Fault]:
        """All faults, sorted by place."""
        return [Fault(what, place, code=code, source=self.source) for place, what, code in sorted(self._noted)]

    def raise_if_any(self, n_records: int | None = None) -> None:
        """Raise one DataError for everything found so far. `n_records` is how many records were read, bad ones included."""
        raise_faults(self.found, self.name, n_records, self._leniency, is_full=self.full)


def raise_faults(
    faults: Sequence[Fault], source: str, n_records: int | None, leniency: Leniency | None, *, is_full: bool
) -> None:
    """Raise one DataError for all faults, or leave out the records that have them if that is allowed."""
    if not faults:
        return
    if leniency is not None and n_records is not None:
        leniency.leave_out(faults, n_records, source)
        return
    share = len(faults) / n_records if n_records else 1.0
    is_small = share <= (MAX_STOPPED_SHARE if is_full else LENIENT_SHARE)
    hint = f"--lenient leaves out bad records if they are at most {LENIENT_SHARE:.0%}" if is_small else None
    more = " or more" if is_full else ""
    message = f"{len(faults)}{more} fault{'s' if len(faults) > 1 else ''}"
    raise DataError(message, faults[:MAX_FAULTS], source=source, hint=hint)


def near_matches(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that a user may have meant, nearest first."""
    folded = {candidate.lower(): candidate for candidate in known}
    return [folded[match] for match in difflib.get_close_matches(name.lower(), folded, n=most, cutoff=0.6)]
