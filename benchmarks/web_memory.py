"""Memory of the web server under load: whether it levels off. `ASSAY_LOAD_SECONDS` says for how long, 600 by default.

Six clients ask for pages, downloads and comparisons at random, some of which are not there, and every few seconds somebody
stores another evaluation. The curve is written to standard error.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import assay
from assay.evaluation import Result
from assay.model import Query
from assay.store import Store
from benchmarks._timing import Row, within
from benchmarks.web import start_server

SECONDS = float(os.environ.get("ASSAY_LOAD_SECONDS", "600"))
CLIENTS = 6
SAMPLES = 40
N_QUERIES = 100
N_RESULTS = 20
METRICS = ("ndcg@10", "mrr", "recall@5")
BETWEEN_SAVES = 5.0
BAR = 1.1


def measure() -> Iterator[Row]:
    """The last quarter of the time against the one before it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        with Store.open(path) as store:
            keys = [f"{store.save([result_of(seed)])}/0" for seed in range(N_RESULTS)]
        process, port = start_server(multiprocessing.get_context("spawn"), "ours", str(path))
        try:
            samples = asyncio.run(_loaded(port, process.pid, keys, path))
        finally:
            process.terminate()
            process.join()
    quarter = len(samples) // 4
    before, last = (sum(part) / quarter for part in (samples[-2 * quarter : -quarter], samples[-quarter:]))
    yield within(f"web: memory after {SECONDS:g} s of load", "the previous quarter of the time", last, before, BAR, "MB")


def result_of(seed: int) -> Result:
    """A result of a hundred queries whose rankings differ by the seed."""
    rng = random.Random(seed)
    qrels = {f"q{number}": {f"d{number}": 2, f"d{number + 1}": 1} for number in range(N_QUERIES)}
    run = {query: {f"d{int(query[1:]) + rng.randrange(30)}": float(rank) for rank in range(20)} for query in qrels}
    asked = {query: Query(query, f"words of {query}", metadata={"half": int(query[1:]) % 2}) for query in qrels}
    return assay.evaluate(qrels, run, METRICS, name=f"p{seed}").with_fields(run=run, queries=asked, benchmark="load")


async def _loaded(port: int, pid: int, keys: list[str], path: Path) -> list[float]:
    """Megabytes of the server, at so many times."""
    end = time.monotonic() + SECONDS
    clients = [asyncio.create_task(_client(port, keys, random.Random(seed), end)) for seed in range(CLIENTS)]
    writer = asyncio.create_task(asyncio.to_thread(_save, path, end))
    samples: list[float] = []
    while time.monotonic() < end:
        await asyncio.sleep(SECONDS / SAMPLES)
        samples.append(_megabytes(pid))
        sys.stderr.write(f"{len(samples) * SECONDS / SAMPLES:6.0f} s {samples[-1]:6.0f} MB\n")
    n_answers = sum(await asyncio.gather(*clients))
    await writer
    sys.stderr.write(f"{n_answers:,} answers\n")
    return samples


async def _client(port: int, keys: list[str], rng: random.Random, end: float) -> int:
    """Ask for one page after the other; how many were answered."""
    n_answers = 0
    while time.monotonic() < end:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {_path(keys, rng)} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        while await reader.read(1 << 16):
            pass
        writer.close()
        n_answers += 1
    return n_answers


def _path(keys: list[str], rng: random.Random) -> str:
    first, second, word = rng.choice(keys), rng.choice(keys), quote(str(rng.random()))
    some = (
        f"/?words={word}",
        f"/results?words={word}&sort=value",
        f"/results?sort={rng.choice(('started', 'provider', 'nothing'))}",
        f"/result/{first}",
        f"/result/{first}?metric=mrr&csv=queries",
        f"/result/{first}/query?id=q{rng.randrange(N_QUERIES)}",
        f"/compare?r={first}&r={second}&words={word}",
        f"/compare?r={first}&r={second}&only={rng.choice(('worse', 'lost', 'all'))}&slice=half%3A{rng.randrange(2)}",
        f"/compare/report?r={first}&r={second}",
        f"/api/v1/results/{first}/queries?limit=500&offset={rng.randrange(500)}",
        f"/api/v1/comparison?result={first}&result={second}",
        f"/leaderboard?words={word}",
        f"/history?words={word}",
        f"/nothing/{word}",
        "/progress",
        "/metrics",
    )
    return rng.choice(some)


def _save(path: Path, end: float) -> None:
    """Another evaluation every few seconds."""
    with Store.open(path) as store:
        while time.monotonic() < end:
            time.sleep(BETWEEN_SAVES)
            store.save([result_of(random.randrange(10**9))])


def _megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return float(status.split("VmRSS:")[1].split()[0]) / 1024
