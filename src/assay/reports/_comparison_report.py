"""ComparisonReport: comparisons and how to show them; what every format of them is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assay.comparison import Comparison


@dataclass(frozen=True)
class ComparisonReport:
    """Comparisons, one for each benchmark, and how much of them to show."""

    comparisons: Sequence[Comparison]
    worst: int = 0
    """Queries that lost most, to be shown with their rankings."""
    best: int = 0
    digits: int | None = None
    """Decimals; None leaves it to the format (3 where people read, all of them where programs do)."""
    width: int | None = None
    """Columns of the terminal; None for output that nobody watches."""
    colour: bool = False
