"""Refusals: what cannot be computed from a table without an order of rows, named before any job starts."""

from __future__ import annotations

from collections.abc import Iterable

from assay.errors import UsageError
from assay.evaluation import Profile, Setting, data_of_view

FOLLOWED = ("docid_desc", "docid_asc", "expected", "error")
"""The values of ties that do not need an order of rows."""
VIEWS = ("ranking", "subtopics")
"""What metrics may read: it follows from rankings and judgments."""


def check_settings(settings: Iterable[Setting], profile: Profile) -> None:
    """Raise for a tie rule that needs an order of rows, and for a metric that needs more than rankings and judgments."""
    for setting in settings:
        if setting.policy.ties not in FOLLOWED:
            raise UsageError(
                f"{_owner(profile)}ties={setting.policy.ties} needs the order of rows, and tables in Spark have none. "
                f"Choose one of ties={', '.join(FOLLOWED)}"
            )
        if setting.metric.metric.view not in VIEWS:
            raise UsageError(
                f"{setting.metric.name} needs {data_of_view(setting.metric.metric.view)}, but a table in Spark has only "
                "rankings. Choose other metrics, or collect the table and use assay.evaluate"
            )


def _owner(profile: Profile) -> str:
    return f"profile {profile.name}: " if profile.name else ""
