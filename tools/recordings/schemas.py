"""Part D: the forms of files and tables, and a store and an export of an earlier tree, which must be read as before."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tools.recordings.cases import Group, parse_line
from tools.recordings.command_output import run_group
from tools.recordings.process import in_parallel, with_assay
from tools.recordings.scene import Scene

OLD = "old"
"""The folder of a recording with the files that its tree wrote."""
STORE = Path(".assay/assay.db")
KEPT = (
    "baseline.json",
    "new.json",
    "both.json",
    "spans.json",
    "before.json",
    "after.json",
    "old-routes.json",
    "new-routes.json",
)
KEPT_BINARY = ("all.jsonl.zst", "fused.run", "answers.json")
JSON = (*KEPT, "answers.json")
OLD_LINES = (
    "store check",
    "results",
    "results -f json",
    "results -f csv",
    "show latest",
    "show main -f json",
    "show main --query q01",
    "show latest~2 -f json",
    "compare main latest~3 -f json",
    "compare main latest~3",
    "history -m ndcg@10 -f json",
    "gate latest~3 --baseline main --rules gate.yaml -f json",
    "report main latest~3 -o report.html",
    "compare before.json after.json -f json",
    "compare baseline.json new.json -f json",
    "compare old-routes.json new-routes.json -f json",
    "gate new.json --baseline baseline.json --rules gate.yaml",
    "why before.json after.json",
    "plot bars both.json -m ndcg@10 -o bars.csv",
    "score examples/qrels.txt fused.run -m ndcg@10",
)
"""Each is run over a copy of the old files."""
OLD_CHANGES = (
    "results import all.jsonl.zst --store other.db",
    "results --store other.db -f json",
    "show latest --store other.db -f json",
    "results import all.jsonl.zst",
    "results tag latest again",
    "bless latest --as other",
    "bless",
    "results export again.jsonl",
    "results delete latest~4",
    "store vacuum",
    "store check",
)
"""One after another."""


def keep_old_files(scene: Scene) -> None:
    """Keep what the fixture has, so that later trees read it."""
    old = scene.recording / OLD
    shutil.rmtree(old, ignore_errors=True)
    (old / STORE.parent).mkdir(parents=True)
    for name in (*KEPT, *KEPT_BINARY, str(STORE)):
        shutil.copy2(scene.fixture / name, old / name)


def record_schemas(scene: Scene) -> dict[str, str]:
    """Forms of what is written now, and what commands make of what was written earlier."""
    cases = {f"form of {name}": "".join(_forms(json.loads(_text(scene.fixture / name)))) for name in JSON}
    cases["tables of the store"] = _tables(scene.fixture / STORE)
    groups = [Group("old files", (parse_line(line),)) for line in OLD_LINES]
    groups.append(Group("old files", tuple(map(parse_line, OLD_CHANGES))))
    for found in with_assay(
        lambda: list(in_parallel((partial(_run_over_old, group, scene) for group in groups), scene.jobs))
    ):
        cases |= {name if name.startswith("old files") else f"old files: {name}": text for name, text in found.items()}
    return cases


def _run_over_old(group: Group, scene: Scene) -> dict[str, str]:
    with scene.copy() as folder:
        shutil.rmtree(folder / STORE.parent)
        shutil.copytree(scene.recording / OLD, folder, dirs_exist_ok=True)
        return run_group(group, scene, folder)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _forms(value: Any) -> Iterator[str]:
    """A line for each place with the types found there; names of queries and documents are left open."""
    found: dict[str, set[str]] = {}
    _walk(value, "$", found)
    for place, kinds in found.items():
        yield f"{place}: {' | '.join(sorted(kinds))}\n"


def _walk(value: Any, place: str, found: dict[str, set[str]]) -> None:
    found.setdefault(place, set()).add(type(value).__name__)
    if isinstance(value, dict):
        for name, inner in value.items():
            is_open = len(value) > 12 and len({type(one) for one in value.values()}) == 1
            _walk(inner, f"{place}.{'*' if is_open else name}", found)
    elif isinstance(value, list):
        for inner in value:
            _walk(inner, f"{place}[]", found)


def _tables(store: Path) -> str:
    with sqlite3.connect(store) as database:
        rows = database.execute("select type, name, sql from sqlite_master order by type, name").fetchall()
        version = database.execute("select max(version) from assay_schema").fetchone()
    return "".join(f"{kind} {name}\n{sql}\n\n" for kind, name, sql in rows) + f"version {version[0]}\n"
