"""The queue on loopback: 500 judgments, from the key or the request to the next pair; the slowest twentieth counts."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

from benchmarks._timing import Row, within

N_JUDGMENTS = 500
TENTH = 0.1
"""Seconds that a judgment may take."""
KEYS = "0123"
FIELDS = ("csrf", "judge", "query", "document", "text")
ASSAY = (sys.executable, "-m", "assay")


def measure() -> Iterator[Row]:
    """`assay serve` runs as a process of its own, on a store and a pool that commands made."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        pool = _campaign(place)
        server = subprocess.Popen(
            [*ASSAY, "serve", "--port", "0"],
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=_environment(),
        )
        try:
            address = re.search(r"http://[\d.:]+", server.stdout.readline() if server.stdout else "")
            if address is None:
                raise RuntimeError("assay serve does not say its address")
            yield _row("request", _over_http(address[0].removeprefix("http://"), f"/queue/{pool}"))
            if (chromium := shutil.which("chromium")) is not None:
                yield _row("key in Chromium", _in_a_browser(f"{address[0]}/queue/{pool}", chromium))
        finally:
            server.terminate()
            server.wait()


def _row(what: str, waits: Sequence[float]) -> Row:
    ordered = sorted(waits)
    middle, slow = ordered[len(ordered) // 2], ordered[int(0.95 * len(ordered))]
    more = f"median {middle * 1e3:.0f} ms, slowest {ordered[-1] * 1e3:.0f} ms"
    return within(
        f"queue: a judgment, from the {what} to the next pair, p95", "a tenth of a second", slow, TENTH, 1, more=more
    )


def _environment() -> dict[str, str]:
    """Without settings of the user, so that the store is in the folder."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}


def _campaign(folder: Path) -> str:
    """Two systems and a pool of their documents; the id of the pool."""
    evaluate = ["eval", "--benchmarks", "rag-template", "--providers", "bm25", "tfidf_chars", "-m", "precision@10", "-q"]
    draw = f"pool latest --pairs {N_JUDGMENTS + 50} -o pool.jsonl".split()
    for command in (evaluate, draw):
        subprocess.run([*ASSAY, *command], cwd=folder, check=True, stdout=subprocess.DEVNULL, env=_environment())
    return next((folder / ".assay" / "pools").glob("*.jsonl")).stem


def _over_http(host: str, path: str) -> list[float]:
    """Seconds of each judgment over one connection, as the script of the page sends it."""
    connection = http.client.HTTPConnection(host, timeout=60)
    headers = {"cookie": "assay_judge=Ana", "content-type": "application/x-www-form-urlencoded", "x-assay-part": "pair"}
    connection.request("GET", path, headers=headers)
    page, waits = connection.getresponse().read().decode(), []
    for number in range(N_JUDGMENTS):
        fields = {
            name: unescape(found[1]) for name in FIELDS if (found := re.search(rf'name="{name}" value="([^"]*)"', page))
        }
        body = urlencode({**fields, "do": KEYS[number % 4]})
        begin = time.perf_counter()
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        page = answer.read().decode()
        waits.append(time.perf_counter() - begin)
        if answer.status != 200:
            raise RuntimeError(f"judgment {number} was answered with {answer.status}")
    return waits


WAIT = """() => new Promise((done) => {
  const queue = document.getElementById("queue");
  window.waits = [];
  let begin = 0;
  document.addEventListener("keydown", () => { begin = performance.now(); }, true);
  new MutationObserver(() => requestAnimationFrame(() => window.waits.push(performance.now() - begin)))
    .observe(queue, { childList: true });
  done();
})"""
"""Measures in the page: from the key to the frame that shows the next pair."""


def _in_a_browser(address: str, chromium: str) -> list[float]:
    """Seconds of each judgment by keyboard. A key is pressed as soon as the pair is there."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto(address)
        page.fill("input[name=judge]", "Ben")
        page.keyboard.press("Enter")
        page.wait_for_selector("#queue form")
        page.evaluate(WAIT)
        for number in range(N_JUDGMENTS):
            page.evaluate("document.querySelector('#queue form').dataset.old = 1")
            page.keyboard.press(KEYS[number % 4])
            page.wait_for_selector("#queue form:not([data-old])")
        page.wait_for_timeout(100)
        waits: list[float] = page.evaluate("window.waits")
        browser.close()
    return [wait / 1e3 for wait in waits]
