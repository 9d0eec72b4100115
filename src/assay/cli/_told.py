"""Told: which alerts each channel has had, kept in a file beside the store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.store import StoreLocation

MANY = 10_000
"""Keys that are remembered for a channel, the newest ones."""


def sent_alerts_path(place: StoreLocation) -> Path:
    """`assay.db.watch.json` beside a file; for a database elsewhere one in .assay, told apart by its address."""
    if place.path is not None:
        return place.path.with_name(f"{place.path.name}.watch.json")
    digest = hashlib.blake2b(str(place).encode(), digest_size=4).hexdigest()
    return Path(".assay") / f"watch-{digest}.json"


def read_sent_alerts(path: Path) -> dict[str, list[str]]:
    """Channel → keys of alerts; nothing where nothing was told yet, or nobody can read it any more."""
    import msgspec

    try:
        return msgspec.convert(json.loads(path.read_bytes())["told"], dict[str, list[str]])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return {}


def write_sent_alerts(path: Path, told: Mapping[str, list[str]]) -> None:
    """Whole, or not at all."""
    from assay.atomic_write import atomic_write

    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"schema": "assay.watch/1", "told": {name: keys[-MANY:] for name, keys in told.items()}}
    with atomic_write(path) as file:
        file.write(json.dumps(content, indent=1).encode())
