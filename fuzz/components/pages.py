"""Every page and every endpoint of the API, asked in process with hostile parameters, bodies, headers and cookies."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote, unquote, urlencode

from assay import pool, web
from assay.judging import write_pool
from assay.web.api.routes import ENDPOINTS
from assay.web.app import PAGES, make_app
from assay.web.drawing import Drawer
from assay.web.live import EVENTS
from assay.web.pages.decide import BLESS, NOTE
from assay.web.pages.judging import PATH as JUDGE
from assay.web.pages.queue import PAGE as QUEUE
from assay.web.pages.queue_agreement import PAGE as AGREEMENT
from assay.web.query_notes import PATH as QUERY_NOTE
from fuzz.component import Component
from fuzz.components._results import small_results
from fuzz.files import scratch
from fuzz.mutation import WORDS

HOST = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"
RENEWED = 3000
"""Inputs after which the store is made anew, for some of them change it."""
OTHERS = (
    ("GET", "/media/{part}/{fingerprint}"),
    ("GET", "/static/{name}"),
    ("GET", "/login"),
    ("POST", "/login"),
    ("POST", "/logout"),
    ("GET", "/switch"),
    ("POST", JUDGE),
    ("POST", QUERY_NOTE),
    ("POST", BLESS),
    ("POST", NOTE),
    ("POST", QUEUE.path),
    ("POST", AGREEMENT.path),
    ("GET", EVENTS),
)
TEXTS = (
    *(
        "ndcg@10",
        "mrr",
        "recall@5",
        "map",
        "bm25",
        "dense",
        "things",
        "q1",
        "q2",
        "d1",
        "Ada",
        "release",
        "main",
        "latest",
        "0",
        "1",
    ),
    *(
        "2026-10-01",
        "30d",
        "-1",
        "true",
        "false",
        "csv",
        "json",
        "svg",
        "",
        " ",
        "language=de",
        "python:canary:run",
        "canary.run",
    ),
    *(
        "<script>",
        "'\"><svg onload=1>",
        "\x00",
        "\u202e",
        "../../etc/passwd",
        "é" * 300,
        "a" * 3000,
        "%00",
        "{{7*7}}",
        "=1+1",
        "9" * 30,
    ),
)


def _without_pictures() -> None:
    """Charts are specified and not drawn: drawing takes a thousand times as long as all else, in a process of its own."""
    Drawer.svg_of = lambda _, spec: f'<svg xmlns="http://www.w3.org/2000/svg">{len(json.dumps(spec))}</svg>'  # type: ignore[method-assign]


RIGHT = {
    "evaluation": "$id",
    "reference": "$id",
    "place": "0",
    "id": "q1",
    "name": "ndcg",
    "query": "q1",
    "document": "d1",
    "metric": "ndcg@10",
    "benchmark": "things",
    "provider": "bm25",
    "pool": "$pool",
    "result": "$id/0",
    "baseline": "$id/1",
    "tag": "release",
    "judge": "Ada",
    "page": "1",
    "limit": "5",
    "offset": "1",
    "shared": "true",
    "partial": "true",
    "since": "2026-09-01",
}
"""Values that are right under their names."""


class _Application:
    """The pages over a small store, called without a server."""

    def __init__(self) -> None:
        _without_pictures()
        self._count, self._number = 0, 0
        self._loop = asyncio.new_event_loop()
        self._open()

    def _open(self) -> None:
        from assay.store import Store

        self._number += 1
        path = scratch() / f"pages-{self._number}.db"
        with Store.open(path) as store:
            self.id = store.save(list(small_results()), started="2026-10-01T02:00:00+00:00")
            store.save(list(small_results()), plan={"benchmarks": ["things"]}, started="2026-10-02T02:00:00+00:00")
            store.tag(self.id, "release")
            store.bless(f"{self.id}#things/bm25", "main")
        drawn = pool(list(small_results()), how="whole(queries=3)")
        self.pool = drawn.id
        pools = scratch() / "pools"
        pools.mkdir(exist_ok=True)
        write_pool(drawn, pools / f"{drawn.id}.jsonl")
        with sqlite3.connect(path) as raw:
            raw.execute("PRAGMA synchronous = off")
        raw.close()
        self.app = make_app(path, pools=pools)
        self.csrf = ""
        asked = {"method": "GET", "target": "/", "headers": [("host", HOST)], "body": b""}
        self._loop.run_until_complete(self._called(asked))

    def ask(self, asked: dict[str, Any]) -> int:
        """The status of the answer. An exception of the application comes through."""
        self._count += 1
        if self._count % RENEWED == 0:
            self._open()
        return self._loop.run_until_complete(self._called(asked))

    async def _called(self, asked: dict[str, Any]) -> int:
        target, body = asked["target"], asked["body"]
        raw, _, query = _on_the_line(target).partition("?")
        path = unquote(raw, errors="replace")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": asked["method"],
            "scheme": "http",
            "path": path,
            "raw_path": raw.encode("ascii"),
            "query_string": query.encode("ascii"),
            "root_path": "",
            "headers": [
                (name.encode("latin-1", "replace").lower(), value.encode("latin-1", "replace"))
                for name, value in asked["headers"]
            ],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8765),
        }
        statuses: list[int] = []
        sent, answered = False, asyncio.Event()

        async def receive() -> dict[str, Any]:
            nonlocal sent
            if not sent:
                sent = True
                return {"type": "http.request", "body": body, "more_body": False}
            await answered.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            elif message.get("body") or not message.get("more_body"):
                answered.set()  # of a stream the first piece is enough

        await self.app(scope, receive, send)
        session = scope.get("state", {}).get("session")
        self.csrf = session.csrf if session is not None else self.csrf
        return statuses[0] if statuses else 0


def _on_the_line(target: str) -> str:
    """As a server lets it through: printed ASCII, everything else as its bytes in percent."""
    return "".join(letter if "!" <= letter <= "~" else quote(letter, errors="replace") for letter in target)


@cache
def _application() -> _Application:
    return _Application()


class ServerError(Exception):
    """An answer that says that the server is at fault."""


class Refused(Exception):
    """An answer that says that the request is at fault."""


def _check(data: bytes) -> object:
    """A request as JSON."""
    asked = _request(data)
    status = _application().ask(asked)
    if status >= 500:
        raise ServerError(f"{status} for {asked['method']} {asked['target']!r:.300}")
    if status >= 400:
        raise Refused
    return status


def _request(data: bytes) -> dict[str, Any]:
    """What is no JSON of a request is the target of one; what a request lacks is as usual."""
    try:
        given = json.loads(data)
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        given = {"target": data.decode("utf-8", "replace")}
    pairs = given.get("headers")
    headers = [(str(one[0]), str(one[1])) for one in pairs if _is_pair(one)] if isinstance(pairs, list) else []
    target = _text(given.get("target", "/")).replace("$id", _application().id).replace("$pool", _application().pool)
    body = _text(given.get("body", "")).replace("$csrf", _application().csrf).replace("$id", _application().id)
    body = body.encode("utf-8", "surrogatepass")
    if body:
        headers.append(("content-length", str(len(body))))
    return {
        "method": _text(given.get("method", "GET")).upper(),
        "target": target if target.startswith("/") else f"/{target}",
        "headers": [(name, value.replace("$csrf", _application().csrf)) for name, value in headers] or [("host", HOST)],
        "body": body,
    }


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@cache
def _parameters() -> tuple[str, ...]:
    """Names that some page asks for, found in its code."""
    texts = (path.read_text(encoding="utf-8") for path in Path(web.__path__[0]).rglob("*.py"))
    found = {name for text in texts for name in re.findall(r'\.(?:get|get_all|get_int|has)\(\s*"(\w+)"', text)}
    return tuple(sorted(found | {param.name for one in ENDPOINTS for param in one.params}))


def _maker(method: str, path: str, names: Sequence[str], bodies: Sequence[str] = ()) -> Callable[[Random], bytes]:
    def make(random: Random) -> bytes:
        return _made(random, method, path, names, bodies)

    return make


def _made(random: Random, method: str, path: str, names: Sequence[str], bodies: Sequence[str]) -> bytes:
    def filled(match: re.Match[str]) -> str:
        name = match[1].partition(":")[0]
        return (
            RIGHT.get(name, "x") if random.random() < 0.85 else quote(random.choice(TEXTS), safe=random.choice(("", "/%")))
        )

    target = re.sub(r"{([^}]*)}", filled, path)
    chosen = [random.choice(names) for _ in range(random.choice((0, 0, 1, 1, 2, 3, 6)))] if names else []
    pairs = [(name, RIGHT[name] if name in RIGHT and random.random() < 0.6 else _value(random)) for name in chosen]
    if pairs:
        target += "?" + urlencode(pairs, errors="replace").replace("%24id", "$id")
    headers = [["host", HOST], ["origin", ORIGIN]]
    body = ""
    if bodies:
        body = random.choice(bodies)
        kind = "application/json" if body.startswith("{") else "application/x-www-form-urlencoded"
        headers += [["content-type", kind], ["x-csrf-token", "$csrf"]]
    if random.random() < 0.2:
        name = random.choice(
            ("cookie", "host", "origin", "authorization", "accept-language", "if-none-match", "accept", "range")
        )
        headers.append([name, random.choice((*TEXTS, "assay_token=x; judge=Ada", "Bearer x", '"etag"', "bytes=0-1"))])
    return json.dumps({"method": method, "target": target, "headers": headers, "body": body}).encode()


def _value(random: Random) -> str:
    choice = random.random()
    if choice < 0.15:
        return random.choice(("$id/0", "$id/1", "$id", "$id/7"))
    return random.choice(TEXTS) if choice < 0.85 else random.choice(WORDS).decode("utf-8", "replace")


def _bodies(method: str, path: str) -> list[str]:
    judgment = {"benchmark": "things", "query": "q1", "document": "d1", "judge": "Ada", "grade": 2, "reason": "x"}
    if method == "POST" and path.startswith("/api"):
        return [json.dumps(judgment), json.dumps({"judgments": [judgment]})]
    if path == JUDGE:
        form = {
            "csrf": "$csrf",
            "result": "$id/0",
            "key": "$id/0",
            "query": "q1",
            "document-0": "d1",
            "judge": "Ada",
            "grade-0": "2",
            "text-0": "0" * 64,
            "next": "/compare?r=$id/0",
            "anchor": "grade-0",
        }
        return [urlencode(form, safe="$/")]
    if path == QUERY_NOTE:
        note = {"csrf": "$csrf", "result": "$id/0", "query": "q1", "kind": "tag", "text": "hard", "judge": "Ada"}
        return [urlencode(note, safe="$/"), urlencode({**note, "remove": "1"}, safe="$/")]
    if path in (QUEUE.path, AGREEMENT.path):
        grade = {
            "csrf": "$csrf",
            "query": "q1",
            "document": "d1",
            "judge": "Ada",
            "do": "1",
            "reason": "x",
            "text": "0" * 64,
        }
        return [urlencode({**grade, **more}, safe="$/") for more in ({}, {"judge": "Bo", "do": "0"}, {"do": "skip"})] + [
            urlencode({**grade, "do": do}, safe="$/") for do in ("cannot-tell", "undo", "start", "none")
        ]
    if path in (BLESS, NOTE):
        decision = {"csrf": "$csrf", "result": "$id/0", "name": "main", "text": "a note", "next": "/compare?r=$id/0&r=$id/1"}
        return [urlencode(decision, safe="$/"), urlencode({**decision, "name": "../x", "next": "//evil"}, safe="$/")]
    return ["token=x&next=%2F&csrf=$csrf"] if method == "POST" else []


def _component(method: str, path: str, names: Sequence[str]) -> Component:
    slug = re.sub(r"\W+", "_", path).strip("_") or "root"
    bodies = _bodies(method, path)
    return Component(
        f"web_{method.lower()}_{slug}",
        _check,
        lambda: [_made(Random(place), method, path, names, bodies) for place in range(20)],
        "request",
        make=_maker(method, path, names, bodies),
        share=0.25,
        refusals=(Refused,),
        covers=(f"endpoint {method} {path}",),
    )


COMPONENTS = (
    *(_component("GET", page.path, (*page.takes, "csv")) for page in PAGES),
    *(_component(one.method, one.url, [param.name for param in one.params]) for one in ENDPOINTS),
    *(_component(method, path, _parameters()) for method, path in OTHERS),
)
