"""Unusual: notes on what a log has that can change its metrics."""

from __future__ import annotations

from assay.logs.cluster_sums import ClusterSums
from assay.logs.row_columns import Shape
from assay.logs.searches import LogTotals
from assay.model import ScoreTable
from assay.text import counted, plural


def notes_on_log(totals: LogTotals, sums: ClusterSums, shape: Shape) -> list[str]:
    """One sentence for each thing that a reader of the result should know."""
    notes = []
    units = plural(shape.unit)
    if shape.cluster:
        notes.extend(_chosen(shape))
    elif not shape.has("user", "session"):
        notes.append("The log has no users or sessions, so intervals assume that searches are independent.")
    elif totals.without_user:
        notes.append(f"{counted(totals.without_user, 'search')} without a user: sessions or single searches count as users.")
    if totals.left_out:
        verb = "is" if totals.left_out == 1 else "are"
        notes.append(f"{counted(totals.left_out, 'user')} with too many searches in an hour {verb} left out.")
    if totals.orphan_clicks:
        clicks, verb = counted(totals.orphan_clicks, "click"), "belongs" if totals.orphan_clicks == 1 else "belong"
        left_out = "it is left out" if totals.orphan_clicks == 1 else "they are left out"
        notes.append(f"{clicks} {verb} to searches that the log does not have, so {left_out}.")
    if totals.shown and not totals.clicked:
        notes.append(_without_clicks(totals, shape))
    if sums.is_grouped:
        notes.append(
            f"{totals.users:,} {units} are summed up in {sums.n_clusters:,} random groups, so that the result stays small. "
            f"Intervals are about {units}, as without groups."
        )
    groups = (
        (totals.unseen_clicks, "a click on a document that was not shown, which is left out"),
        (totals.holes, "a missing rank"),
        (totals.repeated_ranks, "a rank that occurs more than once; every row counts"),
        (totals.mixed, "rows of several queries or tags, of which one counts"),
        (totals.negative_dwell, "a negative dwell time, which counts as unknown"),
        (totals.early_clicks, "a click before the search"),
    )
    for n, what in groups:
        if n:
            verb = "has" if n == 1 else "have"
            notes.append(f"{counted(n, 'search')} {verb} {what}. For details: assay log check.")
    return notes


def _chosen(shape: Shape) -> list[str]:
    """What a smaller cluster than the user of a search leaves out."""
    larger = {"user": (), "session": ("user",), "search": ("user", "session")}[shape.cluster]
    if not (several := next((role for role in larger if shape.has(role)), "")):
        return []
    units = plural(shape.cluster)
    return [
        f"{units.capitalize()} count as independent, as chosen. Intervals are too narrow if a {several} has several {units}."
    ]


def _without_clicks(totals: LogTotals, shape: Shape) -> str:
    """Why no shown document was clicked."""
    if totals.unseen_clicks or totals.orphan_clicks:
        return "No click is on a document that was shown, so metrics of clicks mean nothing."
    if shape.name == "ubi":
        return "The log has no clicks. Clicks are events whose action_name contains click."
    return "The log has no clicks. If another column has them, name it: --columns clicked=NAME."


def notes_on_values(table: ScoreTable) -> list[str]:
    """The metrics without any value, which the user asked for by name."""
    if not (empty := [name for name, column in table.columns.items() if not column.counts.any()]):
        return []
    verb, read = ("has", "it reads") if len(empty) == 1 else ("have", "they read")
    return [f"{', '.join(empty)} {verb} no value, because the log does not have what {read}."]
