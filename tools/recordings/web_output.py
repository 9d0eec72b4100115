"""Part B, the web: the HTML of every page and the JSON of every address of the API, over the store of the fixture."""

from __future__ import annotations

import importlib
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tools.recordings.masks import mask
from tools.recordings.process import value_of
from tools.recordings.scene import Scene

ADDRESSES = Path(__file__).with_name("addresses.txt")
STORE = Path(".assay/assay.db")
HEADERS = ("content-type", "location", "content-disposition", "cache-control", "content-security-policy", "allow")
JUDGMENTS = (("Ana", "q01", "p171", 2), ("Ana", "q02", "p014", 0), ("Ben", "q01", "p171", 1), ("Ben", "q02", "p014", 0))
"""Judge, query, document and grade, given before pages are asked for."""


def record_pages(scene: Scene, is_wanted: Callable[[str], bool]) -> dict[str, str]:
    """`GET address` → status, headers and text."""
    lines = ADDRESSES.read_text(encoding="utf-8").splitlines()
    addresses = [line for line in lines if line.startswith("/") and is_wanted(f"GET {line}")]
    if not addresses:
        return {}
    with scene.copy() as folder:
        cases = value_of(lambda: dict(_ask(folder / STORE, addresses)), folder, scene.environment(folder))
        return {name: mask(text, (folder, scene.place)) for name, text in cases.items()}


def _ask(store: Path, addresses: list[str]) -> Iterator[tuple[str, str]]:
    from starlette.testclient import TestClient

    with TestClient(_make_app(store), base_url="http://127.0.0.1:8765", follow_redirects=False) as client:
        for number, (judge, query, document, grade) in enumerate(JUDGMENTS, 1):
            body = {"benchmark": "rag-template", "query": query, "document": document, "judge": judge, "grade": grade}
            answer = client.post("/api/v1/judgments", json=body)
            yield f"POST /api/v1/judgments {number}", show_answer(answer)
        evaluation = evaluation_of_providers(store)
        for address in addresses:
            yield f"GET {address}", show_answer(client.get(address.replace("EVALUATION", evaluation)))


def _make_app(store: Path) -> Any:
    """The application; where it is made may move to the front of its package."""
    package = importlib.import_module("assay.web")
    make = getattr(package, "make_app", None) or importlib.import_module("assay.web.app").make_app
    return make(store)


def evaluation_of_providers(store: Path) -> str:
    """The id of the evaluation with most results."""
    with sqlite3.connect(store) as database:
        query = (
            "select id from assay_evaluations join assay_results on evaluation = assay_evaluations.number "
            "group by id order by count(*) desc limit 1"
        )
        return str(database.execute(query).fetchone()[0])


def show_answer(answer: Any) -> str:
    """The status, the headers that browsers act on, and the text; JSON one value a line."""
    headers = "".join(f"{name}: {answer.headers[name]}\n" for name in HEADERS if name in answer.headers)
    kind = answer.headers.get("content-type", "")
    if "json" in kind:
        text = json.dumps(answer.json(), indent=1, ensure_ascii=False)
    elif kind.startswith("text/"):
        text = answer.text
    else:
        text = f"{len(answer.content) > 0 and answer.content[:4]!r}"
    return f"{answer.status_code}\n{headers}\n{text}\n"
