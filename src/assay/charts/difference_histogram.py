"""difference_histogram: by how much queries got better or worse, and how many did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.charts._chart import Chart, Drawing, Spec, Subject
from assay.charts._spec import number_format, outcome_colour, quantity, spec, tooltip, with_unit
from assay.charts._two import Two, two_of
from assay.comparison import Figures
from assay.text import counted

BINS = 20
"""On the side of 0 that reaches further."""
FEW = 8
"""Up to so many queries, each is a tick of the axis."""


def difference_histogram(subject: Subject) -> Drawing:
    """By how much queries got better or worse, and how many did.

    Queries that did not change are counted, but have no bar: they are often so many that it would dwarf all others.
    """
    two = two_of(subject)
    change = np.array([row["change"] for row in two.rows])
    rows = _bins(two, change)
    figures = Figures()
    ends = " to ".join(figures.change(two.metric, float(end)) for end in (change.min(), change.max()))
    alt = (
        f"Histogram of differences of {two.metric.name}, {two.names[1]} minus {two.names[0]}, "
        f"on {counted(len(change), 'query')}: from {ends}, mean {figures.change(two.metric, float(change.mean()))}."
    )
    note = two.said(" (not drawn)")
    title = subject.title or f"Differences of {two.metric.name}"
    return Drawing(spec(_body(two, rows), rows), title, alt, tuple(rows), note)


def _bins(two: Two, change: Any) -> list[dict[str, Any]]:
    """From, to and how many queries; bins begin at 0 to both sides, so that none holds better and worse ones."""
    step = (float(np.abs(change).max()) or 1.0) / BINS
    places = np.sign(change) * np.ceil(np.round(np.abs(change) / step, 9))
    sign = 1 if two.metric.metric.higher_is_better else -1
    return [
        {
            "from": min(place, place - side) * step,
            "to": max(place, place - side) * step,
            "queries": int((places == place).sum()),
            "outcome": "same" if place == 0 else "better" if place * sign > 0 else "worse",
        }
        for place, side in ((one, (one > 0) - (one < 0)) for one in np.unique(places).tolist())
    ]


def _body(two: Two, rows: Sequence[dict[str, Any]]) -> Spec:
    """Bars over an axis that shows 0, even if nothing changed."""
    how = f"+{number_format(two.metric)}"
    across = [min(0.0, *(row["from"] for row in rows)), max(0.0, *(row["to"] for row in rows))]
    across = across if across[1] > across[0] else [-1.0, 1.0]
    most = max((row["queries"] for row in rows if row["outcome"] != "same"), default=1)
    ticks = {"format": ",d", **({"values": list(range(most + 1))} if most <= FEW else {})}
    axis = f"{two.names[1]} − {two.names[0]}: {with_unit(two.metric)}"
    return {
        "transform": [{"filter": "datum.outcome != 'same'"}],
        "mark": {"type": "bar", "binSpacing": 1},
        "encoding": {
            "x": quantity(
                "from", axis, bin={"binned": True}, axis={"tickCount": 10}, scale={"domain": across, "nice": False}
            ),
            "x2": {"field": "to"},
            "y": quantity("queries", "queries", axis=ticks, scale={"domain": [0, most]}),
            "color": outcome_colour("better", "worse"),
            "tooltip": tooltip(("from", "from", how), ("to", "to", how), ("queries", "queries", ",d")),
        },
    }


CHART = Chart("difference_histogram", difference_histogram, n_results=(2, 2))
