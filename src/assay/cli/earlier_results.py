"""Earlier results in the store: did a provider return other rankings before, with the same configuration?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import AssayError
from assay.text import counted

if TYPE_CHECKING:
    from assay.evaluation import ChangedRankings, Result
    from assay.store import Store

MAX_EARLIER = 5
"""How many earlier results of a provider are searched for the same configuration."""


def notes_on_noise(results: Sequence[Result], store: str | Path | None, evaluation: str) -> list[str]:
    """A sentence for each provider with other rankings than in its last stored result with the same configuration.

    No query is sent for this. Providers that were repeated are left out, because their noise is measured.
    """
    from assay.store import Store

    try:
        with Store.open(store, create=False) as opened:
            return list(_notes(results, opened, evaluation))
    except AssayError:  # this is only a note
        return []


def _notes(results: Sequence[Result], store: Store, evaluation: str) -> Iterator[str]:
    from assay.comparison import ADVICE

    for result in results:
        earlier = _find_changed(result, store, evaluation) if result.run and result.n_repeats == 1 else None
        if earlier is not None and earlier[1].n_changed:
            before, changed = earlier
            share = f"{changed.n_changed:,} of {counted(changed.n_queries, 'query')} than in {before}"
            yield f"{result.name} returned other rankings for {share}, with the same configuration. {ADVICE}"


def _find_changed(result: Result, store: Store, evaluation: str) -> tuple[str, ChangedRankings] | None:
    """The newest earlier evaluation with the same configuration, and the rankings that have changed since then."""
    from assay.evaluation import changed_rankings

    for entry in store.list(result.benchmark, result.name, limit=MAX_EARLIER + 1):
        if entry.evaluation == evaluation:
            continue
        stored = store.find(f"{entry.evaluation}#{entry.benchmark}/{entry.provider}").results
        if len(stored) == 1 and (changed := changed_rankings(stored[0], result)) is not None:
            return entry.evaluation, changed
    return None
