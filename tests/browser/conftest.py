"""What the browser tests share: a headless Chromium, or a reason why there is none."""

import os
import shutil
import socket
import threading
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def require(what, why):
    """Skip, unless this machine shall have everything."""
    if "all" in os.environ.get("ASSAY_TEST_REQUIRE", "").split(","):
        pytest.fail(f"ASSAY_TEST_REQUIRE=all, but {what} is missing: {why}")
    pytest.skip(f"needs {what}: {why}")


@pytest.fixture(scope="module")
def browser():
    """A browser for each file of tests: two at a time would be in each other's way."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        require("playwright", "pip install playwright")
    if CHROMIUM is None:
        require("Chromium", "no chromium on the path (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def serve():
    """A store or its path → the address where its pages are; a thread each, ended at the end."""
    from assay.store import Store
    from assay.web import make_app, make_server

    running = []

    def start(store, **how):
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        store = store if isinstance(store, Store) else Store.open(store)
        server = make_server(make_app(store, **how))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        running.append((server, thread, listening, store))
        return f"http://127.0.0.1:{listening.getsockname()[1]}"

    yield start
    for server, thread, listening, store in running:
        server.should_exit = True
        thread.join(10)
        listening.close()
        store.close()


@pytest.fixture(scope="module")
def stores():
    """The stores that the tests of the web pages share."""
    from tests.web import _stores

    return _stores


@pytest.fixture(scope="session")
def scene_store(tmp_path_factory):
    """The store of `make demo-web`, to be copied before something is changed."""
    from tests.browser import _scene

    return _scene.script().build(tmp_path_factory.mktemp("scene"))


def pytest_collection_modifyitems(items):
    """A browser takes its time."""
    for item in items:
        if Path(item.fspath).parent == Path(__file__).parent:
            item.add_marker(pytest.mark.slow)
