"""Differences: the records of what a drop-in does differently on purpose, and the warning at the line that meets one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.errors import AssayError

PACKAGE = str(Path(__file__).parents[1])


class DifferenceWarning(UserWarning):
    """A drop-in gave another result than the original. Its page in docs/migration lists all such differences."""


@dataclass(frozen=True)
class Difference:
    """One difference: a row of the page, and the text of the warning."""

    name: str
    when: str
    """The input or the call that meets it."""
    original: str
    """What the original does then, as the predicate of a sentence."""
    here: str
    """What the drop-in does then, as the predicate of a sentence."""
    errors: tuple[type[AssayError], ...] = ()
    """The errors that the drop-in raises then. Without errors, it warns."""


class Differences(Mapping[str, Difference]):
    """Name → difference of one drop-in, in the order of its page: `DIFFERENCES.warn("twice")`."""

    def __init__(self, tool: str, page: str, *differences: Difference) -> None:
        self.tool, self.page = tool, page
        self._by_name = {difference.name: difference for difference in differences}
        if len(self._by_name) < len(differences):
            raise ValueError(f"{tool}: two differences have the same name")

    def __getitem__(self, name: str) -> Difference:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def text(self, name: str) -> str:
        """The text of a warning."""
        difference = self[name]
        return (
            f"{difference.when}: {self.tool} {difference.original}, but assay {difference.here}. "
            f"See docs/migration/{self.page}.md"
        )

    def warn(self, name: str, about: str = "") -> None:
        """Warn at the line of the user's code that called the drop-in. Python shows the same text once for each line.

        `about` is added to the text: what exactly it concerns, if there is little of it.
        """
        if self[name].errors:
            raise ValueError(f"{self.tool}: {name} is an error, not a warning")
        warn_user(self.text(name) + (f" ({about})" if about else ""), DifferenceWarning)


def warn_user(text: str, category: type[UserWarning] = UserWarning) -> None:
    """Warn at the line of the user's code."""
    warnings.warn(text, category, stacklevel=_depth_of_user())


def _depth_of_user() -> int:
    """How many calls above `warn_user` the first file outside assay is."""
    frame, depth = sys._getframe(2), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, depth = frame.f_back, depth + 1
    return depth
