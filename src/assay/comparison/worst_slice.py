"""worst_slice: what a search for bad slices found, and what may be said about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from assay.metrics import BoundMetric
from assay.text import counted

CORRECTION = "benjamini_hochberg"


@dataclass(frozen=True)
class WorstSlice:
    """A slice in which a system is worse than on all other queries, or worse than the baseline on the same queries."""

    system: str
    label: str
    n: int
    value: float
    other: float
    """The system's figure on all other queries, or the baseline's in the slice."""
    difference: float
    low: float
    """The interval of the difference."""
    high: float
    p: float
    p_corrected: float
    is_significant: bool

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class WorstSlices:
    """What a search found: of each system the worst slices first, by the end of their interval that speaks for them."""

    metric: BoundMetric
    against: str
    """The baseline; empty where slices were held against all other queries."""
    systems: tuple[str, ...]
    """The systems that were looked at."""
    found: tuple[WorstSlice, ...]
    """Those that are told of; not all of them are significant."""
    n_significant: Mapping[str, int]
    """System → slices that are shown to be worse."""
    n_slices: int
    n_looked_at: int
    """Slices times systems, which p was corrected over."""
    n_too_small: int
    fewest: int
    """Queries that a slice needed to be looked at."""
    level: float
    """Of the intervals."""

    @property
    def verdict(self) -> str:
        """What may be said, in plain words."""
        if not self.n_looked_at:
            return f"No slice is large enough to look at: each needs {self.fewest} queries, and as many outside it."
        than = f"than {self.against}" if self.against else "than on the other queries"
        small = f"; {self.n_too_small:,} with fewer than {self.fewest} queries left out" if self.n_too_small else ""
        systems = f" for {len(self.systems)} systems" if len(self.systems) > 1 else ""
        effort = f"({counted(self.n_slices, 'slice')} looked at{systems}, Benjamini–Hochberg{small})"
        said = [self._clause(name, n) for name, n in self.n_significant.items() if n]
        if not said:
            who = f"{self.systems[0]} is not" if len(self.systems) == 1 else "no system is"
            return f"On {self.metric.name}, {who} shown to be worse {than} in any slice {effort}."
        return f"On {self.metric.name}, worse {than}: {'; '.join(said)} {effort}."

    def _clause(self, system: str, n: int) -> str:
        first = next((one for one in self.found if one.system == system and one.is_significant), None)
        worst = f", first {first.label} ({first.value:.3f} against {first.other:.3f}, n = {first.n:,})" if first else ""
        return f"{system} in {counted(n, 'slice')}{worst}"

    def rows(self) -> list[dict[str, Any]]:
        """A row for each slice, as plain values."""
        return [{"metric": self.metric.name, "against": self.against or "rest", **one.to_dict()} for one in self.found]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        numbers = {name: getattr(self, name) for name in ("n_slices", "n_looked_at", "n_too_small", "fewest", "level")}
        return {
            "metric": self.metric.name,
            "against": self.against or None,
            "n_significant": dict(self.n_significant),
            **numbers,
            "correction": CORRECTION,
            "verdict": self.verdict,
            "slices": self.rows(),
        }
