"""The web pages over 10,000 results, 20 clients at once: the wait of the slowest twentieth, against a static page."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import combinations, cycle, islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import assay
from assay.evaluation import Result
from assay.model import Query
from assay.store import Store
from benchmarks._timing import Row, within
from benchmarks.store import METRICS, N_STORED

CLIENTS = 20
REQUESTS = 30
"""Of each client."""
BAR = 40.0
LIST_BAR = 0.2
"""Megabytes of a list page."""
PER_EVALUATION = 10
FILTERS = ("worse", "better", "changed", "lost", "all")
STREAMS = 8
"""Event streams that one address may open."""
COMPARISONS = 4
"""That are worked out at a time, while others ask for light pages."""
HALF_A_SECOND = 0.5
MEANWHILE = 20.0
"""Seconds of that."""
N_LARGE, N_QUERIES = 8, 2_000
"""Results whose comparisons take seconds, and their queries."""
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)


def measure() -> Iterator[Row]:
    """Servers run in processes of their own."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.db"
        keys = _fill(store)
        large = _fill_large(store)
        context = multiprocessing.get_context("spawn")
        ours, theirs = (start_server(context, kind, str(store)) for kind in ("ours", "bare"))
        try:
            yield from _pages(ours[1], theirs[1], keys)
            yield from _while_comparing(ours[1], large)
        finally:
            for process, _ in (ours, theirs):
                process.terminate()
                process.join()


def _fill(path: Path) -> list[str]:
    """10,000 results of ten benchmarks and ten providers; the keys of the newest."""
    qrels = {f"q{query}": {f"d{query}": 2, f"d{query + 1}": 1} for query in range(20)}
    run = {query: {f"d{(place * 7 + rank) % 23}": 9.0 - rank for rank in range(5)} for place, query in enumerate(qrels)}
    asked = {query: Query(query, f"words of {query}") for query in qrels}
    small = assay.evaluate(qrels, run, METRICS).with_fields(run=run, queries=asked)
    name = ""
    with Store.open(path) as store:
        for number in range(0, N_STORED, PER_EVALUATION):
            name = store.save([_varied(small, number + place) for place in range(PER_EVALUATION)])
    return [f"{name}/{place}" for place in range(PER_EVALUATION)]


def _fill_large(path: Path) -> list[str]:
    """Results of many queries, whose comparisons take seconds; their keys."""
    rng = random.Random(0)
    qrels = {f"q{query}": {f"d{query}": 2, f"d{query + 1}": 1} for query in range(N_QUERIES)}
    keys = []
    with Store.open(path) as store:
        for number in range(N_LARGE):
            run = {query: {f"d{int(query[1:]) + rng.randrange(30)}": float(rank) for rank in range(20)} for query in qrels}
            result = assay.evaluate(qrels, run, METRICS, name=f"large{number}").with_fields(run=run, benchmark="large")
            keys.append(f"{store.save([result])}/0")
    return keys


def _while_comparing(port: int, keys: Sequence[str]) -> Iterator[Row]:
    """Light pages, while four comparisons are worked out all the time."""
    for path, waits in asyncio.run(_waits_meanwhile(port, keys)).items():
        slow = sorted(waits)[int(0.95 * len(waits))]
        yield within(f"web: {path} while {COMPARISONS} comparisons run, p95", "half a second", slow, HALF_A_SECOND, 1)


async def _waits_meanwhile(port: int, keys: Sequence[str]) -> dict[str, list[float]]:
    pairs = [f"/compare?r={first}&r={second}" for first, second in combinations(keys, 2)]
    busy = [asyncio.create_task(_ask(port, pairs[number::COMPARISONS])) for number in range(COMPARISONS)]
    await asyncio.sleep(1)
    waits: dict[str, list[float]] = {"/progress": [], "/": [], "/results?sort=value": []}
    end = time.monotonic() + MEANWHILE
    while time.monotonic() < end and not all(task.done() for task in busy):
        for path, found in waits.items():
            found += (await _ask(port, [path]))[0]
        await asyncio.sleep(0.02)
    for task in busy:
        task.cancel()
    await asyncio.gather(*busy, return_exceptions=True)
    return waits


def _varied(result: Result, number: int) -> Result:
    """A result of its own, of one of ten benchmarks and ten providers, a day after the ten before it."""
    provenance = {"number": number, "started": (BEGIN + timedelta(hours=number)).isoformat()}
    return result.with_fields(name=f"p{number % 10}", benchmark=f"b{number // 10 % 10}", provenance=provenance)


def _pages(ours: int, theirs: int, keys: Sequence[str]) -> Iterator[Row]:
    first, second = keys[:2]
    sorts = ("started", "provider", "value&order=desc", "benchmark", "queries", "failed", "value")
    list_pages = [f"/results?sort={sort}&page={page}" for page in range(1, N_STORED // 50 + 1) for sort in sorts]
    cases = {
        "the home page": ["/"],
        "the home page of one benchmark": [f"/?benchmark=b{number}" for number in range(10)],
        "the list, sorted and at another page with each request": list_pages,
        "the list sorted by a metric": ["/results?sort=value&order=desc"],
        "a result": [f"/result/{first}"],
        "a query": [f"/result/{first}/query?id=q{number}" for number in range(20)],
        "a comparison": [f"/compare?r={first}&r={second}"],
        "a comparison with other filters each time": [
            f"/compare?r={first}&r={second}&only={only}&words=q{words}&card=q{card}"
            for card in range(20)
            for words in range(20)
            for only in FILTERS
        ],
        "the report of a comparison": [f"/compare/report?r={first}&r={second}"],
        "the leaderboard": ["/leaderboard"],
        "the history": ["/history"],
        "the datasets": ["/datasets"],
        "the metrics": ["/metrics"],
    }
    largest = 0
    for case, paths in cases.items():
        sizes = [asyncio.run(_ask(ours, [path]))[1] for path in paths[:1]]  # made once; comparisons are kept
        largest = max(largest, sizes[0]) if "list" in case else largest
        slow = _p95(ours, paths)
        bare = _p95(theirs, [f"/{sizes[0]}"])
        yield within(f"web, 10,000 results, {CLIENTS} clients: {case}, p95", "a bare static page", slow, bare, BAR)
    slow, bare = _first_events(ours), _p95(theirs, ["/200"])
    yield within(f"web, 10,000 results, {STREAMS} streams: the first event, p95", "a bare static page", slow, bare, BAR)
    yield within("web: HTML of a list page", "200 KB", largest / 1e6, LIST_BAR, 1, "MB")


def _p95(port: int, paths: Sequence[str]) -> float:
    """Seconds below which 95 of 100 answers came; the better of two rounds."""
    rounds = []
    for turn in range(2):
        waits = asyncio.run(_all_clients(port, paths, turn * CLIENTS * REQUESTS))
        rounds.append(sorted(waits)[int(0.95 * len(waits))])
    return min(rounds)


def _first_events(port: int) -> float:
    """Seconds until the slowest of several new streams has its first event; the better of two rounds."""

    async def first_event() -> float:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        began = time.perf_counter()
        writer.write(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        await reader.readuntil(b"event: store")
        waited = time.perf_counter() - began
        await asyncio.sleep(0.2)  # all of them are open at the same time
        writer.close()
        return waited

    async def together() -> float:
        return max(await asyncio.gather(*(first_event() for _ in range(STREAMS))))

    rounds = []
    for _ in range(2):
        rounds.append(asyncio.run(together()))
        time.sleep(1)  # until the server has seen that they are closed
    return min(rounds)


async def _all_clients(port: int, paths: Sequence[str], skipped: int) -> list[float]:
    asked = list(islice(cycle(paths), skipped, skipped + CLIENTS * REQUESTS))
    shares = [asked[client::CLIENTS] for client in range(CLIENTS)]
    found = await asyncio.gather(*(_ask(port, share) for share in shares))
    return [wait for waits, _ in found for wait in waits]


async def _ask(port: int, paths: Sequence[str]) -> tuple[list[float], int]:
    """One client with one connection: the seconds of each answer, and the size of the last."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    waits, size = [], 0
    for path in paths:
        began = time.perf_counter()
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        if not head.startswith("http/1.1 200"):
            raise RuntimeError(f"{path}: {head.splitlines()[0]}")
        size = int(head.split("content-length: ")[1].split("\r\n")[0])
        await reader.readexactly(size)
        waits.append(time.perf_counter() - began)
    writer.close()
    return waits, size


def start_server(context: Any, kind: str, store: str) -> tuple[Any, int]:
    """A server, and its port."""
    here, there = context.Pipe()
    process = context.Process(target=_serve, args=(kind, store, there), daemon=True)
    process.start()
    return process, here.recv()


def _serve(kind: str, store: str, pipe: Connection) -> None:
    import uvicorn

    from assay.web import make_app, make_server

    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.bind(("127.0.0.1", 0))
    listening.listen(64)
    if kind == "ours":
        server = make_server(make_app(store))
    else:
        server = uvicorn.Server(uvicorn.Config(_bare(), log_level="warning", access_log=False, lifespan="off"))
    pipe.send(listening.getsockname()[1])
    server.run(sockets=[listening])


def _bare() -> Any:
    """A page of as many bytes as its address says."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import HTMLResponse
    from starlette.routing import Route

    pages: dict[int, bytes] = {}

    async def page(request: Request) -> HTMLResponse:
        size = request.path_params["size"]
        return HTMLResponse(pages.setdefault(size, b"x" * size))

    return Starlette(routes=[Route("/{size:int}", page)])
