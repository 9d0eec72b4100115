"""Baselines of a comparison: which of two results is older, what else can be the baseline, and references in addresses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from assay.errors import AssayError
from assay.reports import readable_time
from assay.text import printable, shorten_middle
from assay.web.page import PageRequest, Redirect
from assay.web.state import AppState, ListedResult

MAX_LETTERS = 60
"""Characters of a provider's name in the menu."""
MAX_OTHERS = 40
"""Other results that the menu offers; the page to choose results has more."""


@dataclass(frozen=True)
class Option:
    """A choice in the menu of baselines."""

    value: str
    label: str
    is_chosen: bool = False


def oldest_first(state: AppState, keys: Sequence[str]) -> tuple[str, ...]:
    """The keys by start time; results that started together stay in their order."""
    return tuple(sorted(keys, key=lambda key: state.listed_result(key).entry.started))


def redirect_to_keys(state: AppState, request: PageRequest) -> Redirect | None:
    """The same address with references replaced by keys, and with the baseline among the results; None if it is so."""
    own = [(name, _own_key(state, value) if name == "r" and value else value) for name, value in request.params]
    keys = [value for name, value in own if name == "r" and value]
    name_or_key = request.get("baseline")
    baseline = _baseline_key(state, name_or_key, keys) if name_or_key else ""
    own = [(name, baseline if name == "baseline" and value else value) for name, value in own]
    if keys and baseline in state.index.by_key and baseline not in keys:
        own.insert(0, ("r", baseline))
    return None if tuple(own) == request.params else Redirect(f"{request.path}?{urlencode(own)}")


def _own_key(state: AppState, key: str) -> str:
    """The key of a result: a key stays as it is, `latest/1` becomes a key, and `latest` means its first result."""
    if key in state.index.by_key:
        return key
    reference, _, place = key.rpartition("/")
    if not (reference and place.isascii() and place.isdecimal()):
        reference, place = key, "0"
    try:
        own_key = f"{state.store.id_of(reference)}/{int(place[:9])}"
    except AssayError:
        return key
    return own_key if own_key in state.index.by_key else key


def _baseline_key(state: AppState, name: str, keys: Sequence[str]) -> str:
    """The key of a baseline: a blessed name means its result with the benchmark and the provider of the compared result."""
    blessed = [listed for listed in state.index.results if name in listed.entry.baselines]
    if not blessed:
        return _own_key(state, name)
    last = state.index.by_key.get(keys[-1]) if keys else None
    if last is not None:
        blessed.sort(
            key=lambda listed: (listed.entry.benchmark != last.entry.benchmark, listed.entry.provider != last.entry.provider)
        )
    return blessed[0].key


def baseline_menu(state: AppState, candidate: ListedResult, now: str) -> list[tuple[str, list[Option]]]:
    """What can be the baseline of a result: the previous run, blessed names, and other results on the same benchmark."""
    before = state.before(candidate)
    on_benchmark = state.index.by_benchmark.get(candidate.entry.benchmark, ())
    same = [listed for listed in on_benchmark if listed.key != candidate.key]
    menu: list[tuple[str, list[Option]]] = []
    if before is not None:
        menu.append(("Previous run", [_option(before, now)]))
    names = [(name, listed) for listed in same for name in listed.entry.baselines]
    names.sort(key=lambda pair: (pair[1].entry.provider != candidate.entry.provider, pair[0]))
    blessed = dict(reversed(names))
    if blessed:
        chosen = [
            Option(listed.key, f"{printable(name)}: {_label(listed)}", listed.key == now) for name, listed in blessed.items()
        ]
        menu.append(("Blessed baselines", chosen))
    offered = {option.value for _, options in menu for option in options}
    others = [listed for listed in same if listed.key not in offered]
    shown = [listed for place, listed in enumerate(others) if place < MAX_OTHERS or listed.key == now]
    if shown:
        menu.append(("Other results", [_option(listed, now) for listed in shown]))
    return menu


def _option(listed: ListedResult, now: str) -> Option:
    return Option(listed.key, _label(listed), listed.key == now)


def _label(listed: ListedResult) -> str:
    entry = listed.entry
    provider = shorten_middle(printable(entry.provider or "run"), MAX_LETTERS)
    return f"{provider} · {readable_time(entry.started)} · {printable(entry.evaluation.rpartition('-')[2])}"
