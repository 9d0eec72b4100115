"""The store of `make demo-web`, served as there: a search whose tokenizer broke last night, and everything around it."""

from __future__ import annotations

import importlib.util
import shutil
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import assay
from assay.judging import Pool, share_work, write_pool
from assay.store import Entry, Store

EXAMPLES = Path(__file__).parents[2] / "examples"
BENCHMARK, SEARCH = "rag-template", "site-search"


def script() -> ModuleType:
    """The module that builds the store."""
    spec = importlib.util.spec_from_file_location("make_web_store", EXAMPLES / "make_web_store.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Scene:
    """A store of one's own, the address of its pages, and the keys of the two newest results of the search that broke."""

    path: Path
    address: str
    old: str
    new: str
    pool: str
    """The id of a pool of both results."""

    def other(self, provider: str, benchmark: str = BENCHMARK, nth: int = 0) -> str:
        """The key of another result, the newest if `nth` is 0."""
        return keys_of(self.path, provider, benchmark)[nth]


def copied(original: Path, folder: Path, serve, **how) -> Scene:
    """A copy of the store that a test may change, and its pages."""
    path = Path(shutil.copy(original, folder / "store.db"))
    new, old = keys_of(path, SEARCH, BENCHMARK)[:2]
    pool = drawn(path, (old, new))
    pools = folder / "pools"
    pools.mkdir()
    write_pool(pool, pools / f"{pool.id}.jsonl")
    support = assay.load_dataset(str(EXAMPLES / "support.json"))
    return Scene(path, serve(path, datasets=[support], pools=pools, **how), old, new, pool.id)


def drawn(path: Path, keys: tuple[str, ...]) -> Pool:
    """A pool of two results, for two judges."""
    with Store.open(path) as store:
        places = [key.split("/") for key in keys]
        results = [store.find(name).results[int(place)].with_fields(name=f"run {place} of {name}") for name, place in places]
    return share_work(assay.pool(results, pairs=200), ["Ana", "Ben"], 0.25)


def keys_of(path: Path, provider: str, benchmark: str) -> list[str]:
    """The keys of the results of a provider, the newest first."""
    with Store.open(path) as store:
        entries = store.list()
    places: dict[str, int] = {}
    found = []
    for entry in entries:
        place = places[entry.evaluation] = places.get(entry.evaluation, -1) + 1
        if _is(entry, provider, benchmark):
            found.append(f"{entry.evaluation}/{place}")
    return found


def _is(entry: Entry, provider: str, benchmark: str) -> bool:
    return provider in entry.provider and benchmark in entry.benchmark
