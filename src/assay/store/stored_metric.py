"""stored_metric: the metric of a name, where stored results may know one that the catalog does not."""

from __future__ import annotations

from sqlalchemy import Connection, select

from assay.errors import UnknownName
from assay.metrics import BoundMetric, find_metric, recorded_metric
from assay.store.parcel import unpack_record
from assay.store.payload import damage_in, decompressed
from assay.store.rows import read_first, store_prefix
from assay.store.tables import EVALUATIONS, FIGURES, RESULTS
from assay.text import printable


def stored_metric(connection: Connection, name: str) -> BoundMetric:
    """A metric that is known here; else as the newest result has it that has figures under that very name."""
    try:
        return find_metric(name)
    except UnknownName:
        record = _newest_record(connection, name)
        if record is None:
            raise
    what = f"{store_prefix(connection)}the newest result with {printable(name)}"
    content = decompressed(record, what)
    with damage_in(what):
        return recorded_metric(name, unpack_record(content).is_higher_better(name))


def _newest_record(connection: Connection, metric: str) -> bytes | None:
    wanted = select(RESULTS.c.record).select_from(RESULTS).join(EVALUATIONS).join(FIGURES).where(FIGURES.c.metric == metric)
    newest = wanted.order_by(EVALUATIONS.c.saved.desc(), EVALUATIONS.c.number.desc()).limit(1)
    found = read_first(connection, newest, tuple[bytes])
    return None if found is None else found[0]
