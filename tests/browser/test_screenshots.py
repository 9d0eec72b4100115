"""The pictures in the README and the pages: of the store of `make demo-web`, and written if ASSAY_SCREENSHOTS=write."""

import os
import re
import struct
from pathlib import Path

import pytest
from tests.browser import _scene, _screens

from assay.execution import Progress
from assay.store import Store, publish_progress

pytest.importorskip("starlette")
DOCS = Path(__file__).parents[2] / "docs"
IMAGES = DOCS / "images"
WIDTH, HEIGHT = 1100, 760
HEIGHTS = {
    "web/compare.png": 840,
    "web/queue-agreement.png": 1040,
    "web/compare-graded.png": 600,
    "web/compare-queries.png": 700,
    "web/compare-answers.png": 640,
}
"""Of other pictures: some have much text, and must stay small."""
MOST_BYTES = 150_000
PARTS = {
    "compare-queries": "#queries",
    "compare-graded": "#queries h3",
    "compare-answers": "#queries",
    "decide": "#decide",
    "slices": "#slices",
}
"""Pictures of a part of a page → what is at the top."""
MASK = """() => {
  for (const one of document.querySelectorAll("main p")) {
    if (one.children.length === 0) one.textContent = one.textContent.replace(/\\/\\S*(?=store\\.db)/, "build/demo-web/");
  }
}"""
"""Writes the place of the store as in `make demo-web`."""
WITHOUT = {"no-page", "query-with-answer", "queues", "queue-name"}
"""Screens without a picture: like another one."""


@pytest.fixture(scope="module")
def scene(scene_store, serve, tmp_path_factory):
    return _scene.copied(scene_store, tmp_path_factory.mktemp("pictures"), serve)


@pytest.fixture(scope="module")
def graded(scene_store, serve, tmp_path_factory):
    made = _scene.copied(scene_store, tmp_path_factory.mktemp("graded"), serve)
    _screens.graded(made)
    return made


@pytest.fixture(scope="module")
def judged(scene_store, serve, tmp_path_factory):
    made = _scene.copied(scene_store, tmp_path_factory.mktemp("judged"), serve)
    _screens.judged(made)
    return made


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": WIDTH, "height": 2 * HEIGHT}, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def is_taken(page, name):
    """A picture of what the window shows: kept if that is asked for, and like the one that is kept."""
    page.evaluate("document.fonts.ready")
    size = (WIDTH, HEIGHTS.get(name, HEIGHT))
    picture = page.screenshot(clip={"x": 0, "y": 0, "width": size[0], "height": size[1]})
    file = IMAGES / name
    if os.environ.get("ASSAY_SCREENSHOTS") == "write":
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(picture)
    kept = file.read_bytes()
    assert len(kept) <= MOST_BYTES, name
    assert picture[:8] == kept[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", picture[16:24]) == struct.unpack(">II", kept[16:24]) == size


def show(page, address, part=None):
    page.goto(address)
    page.evaluate(MASK)
    if part:
        page.locator(part).first.evaluate("one => one.scrollIntoView()")


def test_every_screen(page, scene, graded, judged):
    """Before somebody grades, and the screens on which grades are seen after it."""
    for name, path in _screens.screens(scene).items():
        _screens.remember_judge(page.context, judged, name)
        if name in ("queue", "queue-agreement"):
            show(page, judged.address + path)
            is_taken(page, f"web/{name}.png")
        elif name not in WITHOUT:
            after = name in ("compare-graded", "judgments", "query")
            address = graded.address + _screens.screens(graded)[name] if after else scene.address + path
            show(page, address, PARTS.get(name))
            if name == "progress":
                with Store.open(scene.path) as store, publish_progress(store.place, 3) as tell:
                    tell(Progress("rag-template/dense", 48, n_done=48))
                    tell(Progress("code-spans/bm25", 148, n_done=60, n_failed=2))
                    page.wait_for_selector("text=60 of 148 queries")
                    is_taken(page, f"web/{name}.png")
            else:
                is_taken(page, f"web/{name}.png")
    for name in ("decide", "slices"):
        show(page, scene.address + _screens.screens(scene)["compare"], PARTS[name])
        is_taken(page, f"web/{name}.png")


def test_the_login(page, serve, scene_store):
    show(page, serve(scene_store, token="a-token-for-this-test"))
    is_taken(page, "web/login.png")


def test_the_pictures_of_the_readme(page, scene, tmp_path):
    file = tmp_path / "report.html"
    answer = page.request.get(scene.address + _screens.REPORT.format(old=scene.old, new=scene.new))
    file.write_bytes(answer.body())
    show(page, file.as_uri())
    is_taken(page, "report.png")
    show(page, scene.address)
    is_taken(page, "web.png")


def test_every_picture_is_shown_by_a_page():
    shown = {
        name for page in DOCS.rglob("*.md") for name in re.findall(r"images/(web/[\w-]+\.png)", page.read_text("utf-8"))
    }
    assert shown == {f"web/{file.name}" for file in (IMAGES / "web").glob("*.png")}
    for page in (DOCS / "web").glob("*.md"):
        assert "images/web/" in page.read_text("utf-8"), page.name
