"""The pictures in the README: taken of real pages, and written anew where ASSAY_SCREENSHOTS=write."""

import os
import struct
from pathlib import Path

import pytest

import assay
from assay.reports import render_results

pytest.importorskip("starlette")
IMAGES = Path(__file__).parents[2] / "docs" / "images"
SIZE = {"width": 1100, "height": 760}
MOST_BYTES = 200_000


def taken(browser, address, name):
    """A picture of the upper part of a page, which is also kept where that is asked for."""
    page = browser.new_page(viewport=SIZE)
    page.goto(address)
    page.evaluate("document.fonts.ready")
    picture = page.screenshot()
    page.close()
    if os.environ.get("ASSAY_SCREENSHOTS") == "write":
        IMAGES.mkdir(exist_ok=True)
        (IMAGES / name).write_bytes(picture)
    return picture


def is_like(picture, name):
    """A PNG of the size of the one that is kept, and small enough for a repository."""
    kept = (IMAGES / name).read_bytes()
    assert len(kept) < MOST_BYTES
    assert picture[:8] == kept[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == struct.unpack(">II", kept[16:24]) == tuple(SIZE.values())


def test_the_report(browser, tmp_path):
    results = [assay.run("rag-template", provider, ["ndcg@10", "recall@10", "mrr"]) for provider in ("bm25", "dense")]
    file = tmp_path / "report.html"
    file.write_text(render_results(results), encoding="utf-8")
    is_like(taken(browser, file.as_uri(), "report.png"), "report.png")


def test_the_web_page(browser, serve, stores, tmp_path):
    address = serve(stores.usual_store(tmp_path / "nights.db"))
    is_like(taken(browser, f"{address}/history?metric=ndcg@10", "web.png"), "web.png")
