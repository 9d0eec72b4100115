"""What the browser tests share: a headless Chromium, or a reason why there is none."""

import os
import shutil

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
