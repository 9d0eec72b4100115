"""Asked: how a question was put, so that answers come in the same words: as commands, or as Python."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from assay.evaluation import PROFILES, Figure, flag_of, spelled
from assay.metrics import BoundMetric
from assay.model import Policy
from assay.text import printable, with_minus


@dataclass(frozen=True)
class Asked:
    """The files, for commands that can be pasted (none: it was asked in Python), and how much to show."""

    files: tuple[str, ...] = ()
    digits: int = 4
    n_queries: int = 5

    def number(self, metric: BoundMetric, value: float | None) -> str:
        """A figure as people read it; counts have no decimals."""
        if value is None or math.isnan(value):
            return "–"
        is_count = metric.metric.aggregation.is_total and float(value).is_integer()
        return with_minus(str(int(value)) if is_count else f"{value:.{self.digits}f}")

    def flag(self, figure: Figure) -> str:
        """How the one convention of a figure is asked for, beside the metric or instead of it."""
        (convention,) = figure.conventions
        if not convention.policy:
            name = spelled(figure.setting.asked)
            return f"-m {shlex.quote(name)}" if self.files else repr(name)
        ((name, value),) = convention.policy.items()
        if not self.files:
            return f"{name}={value!r}"
        return flag_of(name, value) if _can_be_written(figure.profile, name, value) else "(no flag)"

    def way(self, figure: Figure) -> str | None:
        """The command, or the call, that gives this figure; None where there is none."""
        if figure.fault:
            return None
        name, profile, settings = spelled(figure.setting.asked), figure.profile, dict(figure.settings)
        can_say = all(_can_be_written(profile, *setting) for setting in settings.items())
        if profile and (profile not in PROFILES or (self.files and not can_say)):
            if figure.setting.digits is not None:
                return None
            name, profile = figure.setting.metric.name, ""
            settings = {one.name: getattr(figure.setting.policy, one.name) for one in fields(Policy)}
        if not profile:
            settings = {field: value for field, value in settings.items() if value != getattr(Policy(), field)}
        return self._command(name, profile, settings) if self.files else _call(name, profile, settings)

    def _command(self, name: str, profile: str, settings: Mapping[str, Any]) -> str:
        flags = [f"--profile {profile}"] if profile else []
        flags += [flag_of(field, value) for field, value in settings.items() if not (value is None or value is False)]
        return " ".join(["assay score", printable(shlex.join(self.files)), "-m", shlex.quote(name), *flags])


def _can_be_written(profile: str, name: str, value: Any) -> bool:
    """Whether the command line can say so: what no flag sets is what the profile has without one."""
    usual = PROFILES[profile].policy if profile in PROFILES else Policy()
    return not (value is None or value is False) or value == getattr(usual, name)


def _call(name: str, profile: str, settings: Mapping[str, Any]) -> str:
    inside = ", ".join(f"{field}={value!r}" for field, value in settings.items())
    if profile:
        how = f", profile=assay.find_profile({profile!r}).adjusted({inside})" if inside else f", profile={profile!r}"
    else:
        how = f", policy=assay.Policy({inside})" if inside else ""
    return f"assay.evaluate(qrels, run, {name!r}{how})"
