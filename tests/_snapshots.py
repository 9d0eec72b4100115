"""Snapshots: texts that users see, in files of tests/snapshots. `make snapshots` writes them anew and
deletes those that no test reads; read the diff.
"""

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from assay.errors import AssayError

FOLDER = Path(__file__).parent / "snapshots"
IS_WRITING = bool(os.environ.get("ASSAY_SNAPSHOTS"))
NUMBER = re.compile(r"\d+\.\d+(?:e[+-]?\d+)?")
MANY_DIGITS = 15
"""Digits from which on the last ones depend on the processor: it adds in another order, and its logarithms differ."""


@dataclass(frozen=True)
class Snapshots:
    """Compares texts with files. The temporary folder of a test is `<tmp>` in them."""

    folder: Path
    temporary: Path

    def check(self, name: str, text: str) -> None:
        """The text is that of the file `<name>.txt`; a name is `<command or package>/<case>`."""
        file = self.folder / f"{name}.txt"
        actual = text.replace(str(self.temporary), "<tmp>")
        if IS_WRITING:
            _write(file, actual)
        if not file.is_file():
            pytest.fail(f"there is no snapshot {name}; make snapshots writes it:\n{actual}")
        if not is_same(actual, expected := self.read(name)):
            changed = difflib.unified_diff(
                expected.splitlines(), actual.splitlines(), f"{name}.txt", "now", lineterm="", n=1
            )
            pytest.fail("\n".join(changed), pytrace=False)

    def read(self, name: str) -> str:
        """The text of a file."""
        return (self.folder / f"{name}.txt").read_text(encoding="utf-8")

    def check_errors(self, name: str, cases: Mapping[str, Callable[[], object]]) -> None:
        """Every case raises an error of assay; their classes and messages are those of the file."""
        self.check(name, "".join(f"## {case}\n{_error_of(case, call)}\n\n" for case, call in cases.items()))


def _write(file: Path, actual: str) -> None:
    """Write the text, or keep the file if it has the same text; its new time shows that a test reads it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.is_file() and is_same(actual, file.read_text(encoding="utf-8")):
        file.touch()
    else:
        file.write_text(actual, encoding="utf-8")


def is_same(actual: str, expected: str) -> bool:
    """Whether the texts are equal, apart from the last digits of numbers that are written with all of their digits."""
    if actual == expected:
        return True
    numbers = zip(NUMBER.findall(actual), NUMBER.findall(expected), strict=False)
    return NUMBER.sub("#", actual) == NUMBER.sub("#", expected) and all(_is_near(*pair) for pair in numbers)


def _is_near(actual: str, expected: str) -> bool:
    if max(len(actual), len(expected)) < MANY_DIGITS:
        return actual == expected
    return float(actual) == pytest.approx(float(expected), rel=1e-12)


def _error_of(case: str, call: Callable[[], object]) -> str:
    try:
        call()
    except AssayError as error:
        return f"{type(error).__name__}: {error}"
    pytest.fail(f"{case}: no error")
