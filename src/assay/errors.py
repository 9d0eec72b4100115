"""Every deliberate error. What is not in this tree is a bug.

AssayError                 something the user can mend
├── UsageError             the request is wrong                 exit 2
│   ├── UnknownName        no metric, option … of that name
│   ├── BadParameter       a known name with an impossible value
│   └── NothingSelected    no query is left to ask              exit 5
├── DataError              the data are wrong                   exit 3
├── ProviderError          a retriever under test failed        exit 4
├── StoreError             results could not be kept or read    exit 6
└── GateFailed             results are worse than a rule allows exit 1
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from assay.masking import mask

MAX_FAULTS = 20


class AssayError(Exception):
    """The root: catch this to catch every deliberate error. No message of one holds a secret that is known."""

    exit_code = 70

    def __init__(self, *arguments: object) -> None:
        super().__init__(*(mask(argument) if isinstance(argument, str) else argument for argument in arguments))


class UsageError(AssayError, ValueError):
    """The request itself cannot be carried out."""

    exit_code = 2


class UnknownName(UsageError, LookupError):
    """A name that no catalog holds, and the known ones near it."""

    def __init__(self, kind: str, name: str, near: Sequence[str] = (), hint: str = "") -> None:
        question = f" Did you mean {' or '.join(near)}?" if near else ""
        super().__init__(f"no {kind} is called {name!r}.{question}{f'   ({hint})' if hint else ''}")
        self.kind, self.name, self.near, self.hint = kind, name, tuple(near), hint

    def __reduce__(self) -> tuple[type[UnknownName], tuple[str, str, Sequence[str], str]]:
        return type(self), (self.kind, self.name, self.near, self.hint)


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


class DataError(AssayError, ValueError):
    """Input that cannot be used; `faults` says where and why, at most twenty of them."""

    exit_code = 3

    def __init__(self, message: str, faults: Sequence[str] = (), field: str = "") -> None:
        self.message, self.faults = mask(message), tuple(map(mask, faults))
        self.field = field
        """The convention that refuses, where another choice of it would go on: `missing`, `ties`."""
        super().__init__("\n  ".join((self.message, *self.faults)))

    def __reduce__(self) -> tuple[type[DataError], tuple[str, tuple[str, ...], str]]:
        return type(self), (self.message, self.faults, self.field)


class Faults:
    """Collects what is wrong with one source, then raises it all at once, in the order of the places."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._noted: list[tuple[int, str]] = []

    def add(self, place: int, what: str) -> None:
        """Note one fault; past twenty they are not kept."""
        if not self.full:
            self._noted.append((place, what))

    def __len__(self) -> int:
        return len(self._noted)

    @property
    def full(self) -> bool:
        """Enough was found to stop reading."""
        return len(self._noted) >= MAX_FAULTS

    @property
    def found(self) -> list[str]:
        """`source:place: what`, in the order of the places."""
        return [f"{self.source}:{place}: {what}" for place, what in sorted(self._noted)]

    def raise_if_any(self) -> None:
        """Raise one DataError for everything found so far."""
        if self._noted:
            more = " or more" if self.full else ""
            source = self.source.removesuffix(", record")
            raise DataError(f"{source}: {len(self)}{more} fault{'s' if len(self) > 1 else ''}", self.found)


def near_matches(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names a typist may have meant, nearest first."""
    folded = {candidate.lower(): candidate for candidate in known}
    return [folded[match] for match in difflib.get_close_matches(name.lower(), folded, n=most, cutoff=0.6)]
