"""Notes: what came to light while a file was read, be it mended, lost, or wrong."""

from __future__ import annotations

from assay.datasets._dataset import Repair
from assay.errors import MAX_FAULTS, DataError
from assay.text import counted


class Notes:
    """Collects repairs and losses for the dataset, and faults to be raised together; places are words, not lines."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.repairs: list[Repair] = []
        self._faults: list[str] = []

    def mend(self, place: str, what: str) -> None:
        """Something was put right without doubt."""
        self.repairs.append(Repair(place, what))

    def lose(self, place: str, what: str) -> None:
        """Something could not be used."""
        self.repairs.append(Repair(place, what, is_loss=True))

    def fault(self, place: str, what: str) -> None:
        """Something that makes the file unreadable; past twenty they are not kept."""
        if not self.full:
            self._faults.append(f"{self.source}: {place}: {what}" if place else f"{self.source}: {what}")

    @property
    def full(self) -> bool:
        """Enough was found to stop reading."""
        return len(self._faults) >= MAX_FAULTS

    def raise_if_any(self) -> None:
        """Raise one DataError for every fault so far."""
        if self._faults:
            raise DataError(f"{self.source}: {counted(len(self._faults), 'fault')}{' or more' * self.full}", self._faults)
