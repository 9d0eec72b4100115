"""The schemas in the installed package, by the name that files have in their field `schema`: `assay.result/1`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from assay.errors import UnknownName, near_matches

FOLDER = Path(__file__).parent
ENDING = ".schema.json"


def schema_names() -> list[str]:
    """The names of all schemas, sorted."""
    return sorted(_name(path) for path in FOLDER.glob(f"*{ENDING}"))


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of that name, such as `assay.result/1`."""
    if name not in (known := schema_names()):
        raise UnknownName("schema", name, near_matches(name, known), f"choose from {', '.join(known)}")
    schema: dict[str, Any] = json.loads(schema_path(name).read_text(encoding="utf-8"))
    return schema


def schema_path(name: str) -> Path:
    """The file of a schema: `assay.result/1` is in `result-1.schema.json`."""
    return FOLDER / f"{name.removeprefix('assay.').replace('/', '-')}{ENDING}"


def _name(path: Path) -> str:
    subject, _, version = path.name.removesuffix(ENDING).rpartition("-")
    return f"assay.{subject}/{version}"
