"""Document clicks: how often each document of a log was clicked and shown, as a table of popularity."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.errors import DataError
from assay.logs.click_counts import KEPT
from assay.logs.impressions import ROWS, create_impressions
from assay.logs.log_table import named_columns, open_log
from assay.logs.record_tables import check_suffix, write_records
from assay.logs.searches import create_searches, fetch
from assay.logs.values import how_many


class DocumentClicks(NamedTuple):
    """The documents of a log, the most clicked first."""

    documents: tuple[str, ...]
    clicks: tuple[int, ...]
    shown: tuple[int, ...]

    @property
    def popularity(self) -> dict[str, float]:
        """Document → its clicks, as the metric `novelty` reads popularity."""
        return {name: float(n) for name, n in zip(self.documents, self.clicks, strict=True)}

    def write(self, path: str | Path) -> None:
        """Write CSV, TSV or JSON lines with the columns doc_id, clicks and shown."""
        check_suffix(path, "counts of clicks")
        rows = zip(*self, strict=True)
        write_records(Path(path), (dict(zip(("doc_id", "clicks", "shown"), row, strict=True)) for row in rows))


def count_document_clicks(
    log: Any,
    *,
    columns: Mapping[str, str] | str | None = None,
    first_rank: int = 1,
    most_per_hour: int | None = None,
) -> DocumentClicks:
    """How often each document was clicked and shown, over all queries. A document of a search counts once.

    Users with more than `most_per_hour` searches in one hour are left out.
    """
    with named_columns(columns), open_log(log) as opened:
        create_searches(opened, create_impressions(opened, (), first_rank), (), 0, most_per_hour)
        counts = f"SELECT d, {how_many('x')} AS clicks, count(*) AS shown FROM {ROWS} WHERE {KEPT} AND r IS NOT NULL"
        sums = fetch(opened, f"{counts} AND d IS NOT NULL GROUP BY d ORDER BY clicks DESC, d")
        if not sums["clicks"].any():
            raise DataError("the log has no clicks on documents that were shown", source=opened.label)
    return DocumentClicks(
        tuple(map(str, sums["d"])), tuple(map(int, sums["clicks"].tolist())), tuple(map(int, sums["shown"].tolist()))
    )
