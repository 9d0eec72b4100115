"""stored_metric: the metric of a name, where stored results may know one that the catalog does not."""

from __future__ import annotations

from sqlalchemy import Connection, select

from assay.errors import UnknownName
from assay.evaluation.saved import is_higher_better
from assay.metrics._lookup import find_metric, recorded_metric
from assay.metrics._metric import BoundMetric
from assay.store.payload import decompressed, unpack_json
from assay.store.tables import EVALUATIONS, FIGURES, RESULTS


def stored_metric(connection: Connection, name: str) -> BoundMetric:
    """A metric that is known here; else as the newest result has it that has figures under that very name."""
    try:
        return find_metric(name)
    except UnknownName:
        record = _newest_record(connection, name)
        if record is None:
            raise
    plain = unpack_json(decompressed(record, "a result"))
    return recorded_metric(name, is_higher_better(plain, name))


def _newest_record(connection: Connection, metric: str) -> bytes | None:
    wanted = select(RESULTS.c.record).select_from(RESULTS).join(EVALUATIONS).join(FIGURES).where(FIGURES.c.metric == metric)
    newest = wanted.order_by(EVALUATIONS.c.saved.desc(), EVALUATIONS.c.number.desc()).limit(1)
    record = connection.execute(newest).scalar_one_or_none()
    return None if record is None else bytes(record)
