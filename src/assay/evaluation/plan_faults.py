"""Faults of a plan: everything that is wrong with it, told at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

from assay.errors import MAX_FAULTS, AssayError, BadParameter, DataError, NothingSelected, ProviderError
from assay.text import counted

P = ParamSpec("P")
T = TypeVar("T")
KINDS: dict[int, type[AssayError]] = {
    kind.exit_code: kind for kind in (BadParameter, DataError, ProviderError, NothingSelected)
}
"""Exit code → the error that stands for several with that code."""


class PlanFaults:
    """Collects errors, then raises them together; a single one is raised as it is."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.repeated: list[str] = []
        """What is no fault, but may not be as meant: things that are named twice."""
        self._found: list[AssayError] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, error: AssayError) -> None:
        """Note one; the same words are noted once."""
        if str(error) not in map(str, self._found):
            self._found.append(error)

    def note_repeated(self, kind: str, names: Iterable[str]) -> None:
        """Note names that occur more than once."""
        counts = Counter(names).items()
        self.repeated += [
            f"the {kind} {name} is named {count:,} times, and used once" for name, count in counts if count > 1
        ]

    def attempt(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T | None:
        """What the function returns; None where it fails, which is noted."""
        try:
            return function(*arguments, **named)
        except AssayError as error:
            self.add(error)
            return None

    def raise_if_any(self) -> None:
        """Raise what was found. Several become one error with the exit code of the first."""
        if len(self._found) == 1:
            raise self._found[0]
        if self._found:
            lines = [line for error in self._found[:MAX_FAULTS] for line in f"  {error}".replace("\n", "\n  ").split("\n")]
            left = len(self._found) - MAX_FAULTS
            more = [f"  … and {left:,} more"] if left > 0 else []
            kind = KINDS.get(self._found[0].exit_code, BadParameter)
            raise kind("\n".join([f"{self.where}: {counted(len(self._found), 'fault')}", *lines, *more]))
