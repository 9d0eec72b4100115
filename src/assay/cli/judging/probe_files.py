"""Probe files: the outcomes of probes as JSON, kept apart from the store, so that they never count as grades."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import DataError
from assay.serialize import dumps

if TYPE_CHECKING:
    from assay.judges import ProbeOutcome

FOLDER = "probes"
SCHEMA = "assay.probes/1"
NOISE, DRIFT = "repeated", "drift"
"""The probes that send the same text again: at once, and on a later day."""


class SavedOutcome(msgspec.Struct):
    """The grade of a pair before and after a change."""

    probe: str
    query: str
    document: str
    before: float
    after: float


class SavedProbes(msgspec.Struct):
    """What is read of a file of probes."""

    schema: str
    judge: str
    benchmark: str
    probed: str
    outcomes: list[SavedOutcome]

    @property
    def is_drift(self) -> bool:
        """Whether these are the outcomes of `--drift`."""
        return any(outcome.probe == DRIFT for outcome in self.outcomes)


def keep_probes(content: dict[str, Any], benchmark: str, identity: str, *, is_drift: bool) -> Path:
    """Keep the outcomes of a judge on a benchmark; they replace those of an earlier run of the same kind."""
    from assay.atomic_write import atomic_write
    from assay.execution import DEFAULT_HOME, digest, write_gitignore

    path = DEFAULT_HOME / FOLDER / f"{digest([benchmark, identity])}{f'-{DRIFT}' if is_drift else ''}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_gitignore(DEFAULT_HOME)
    with atomic_write(path) as file:
        file.write((dumps(content, indent=2) + "\n").encode("utf-8", "surrogatepass"))
    return path


def read_probes(path: Path) -> SavedProbes:
    """The outcomes in a file."""
    from assay.files import decode_file
    from assay.judges import all_probes

    saved = decode_file(path, SavedProbes)
    if saved.schema != SCHEMA:
        raise DataError(f"expected the schema {SCHEMA}, found {saved.schema!r}", source=str(path))
    if unknown := sorted({outcome.probe for outcome in saved.outcomes} - {probe.name for probe in all_probes()}):
        raise DataError(f"no probe is called {unknown[0]!r}", source=str(path))
    return saved


def kept_probes(judge: str, benchmark: str) -> list[SavedProbes]:
    """The outcomes that are kept of a judge, by its name in the store: of the probes, and of the last test for drift."""
    return [saved for saved in _every_kept() if (saved.judge, saved.benchmark) == (judge, benchmark)]


def _every_kept() -> Iterator[SavedProbes]:
    from assay.execution import DEFAULT_HOME

    for path in sorted((DEFAULT_HOME / FOLDER).glob("*.json")):
        yield read_probes(path)


def outcomes_of(files: Sequence[SavedProbes]) -> list[ProbeOutcome]:
    """The outcomes of several files, probes before drift."""
    from assay.judges import ProbeOutcome

    ordered = sorted(files, key=lambda saved: (saved.is_drift, saved.probed))
    return [ProbeOutcome(*msgspec.structs.astuple(outcome)) for file in ordered for outcome in file.outcomes]
