"""axe-core finds nothing, of any level, on any screen: light and dark, on a phone and on a desktop."""

from importlib.resources import files

import pytest
from tests.browser import _scene, _screens
from tests.browser.conftest import require

from assay.execution import Progress
from assay.store import Store, publish_progress

pytest.importorskip("starlette")
WIDTHS = {"phone": 390, "desktop": 1440}
TOKEN = "a-token-for-this-test"


@pytest.fixture(scope="module")
def axe():
    """The script of axe-core, which a package brings along."""
    try:
        return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    except ModuleNotFoundError:
        require("axe-core", "pip install axe-playwright-python")


@pytest.fixture(scope="module")
def scene(scene_store, serve, tmp_path_factory):
    made = _scene.copied(scene_store, tmp_path_factory.mktemp("axe"), serve)
    _screens.graded(made)
    _screens.judged(made)
    with Store.open(made.path) as store, publish_progress(store.place, 2) as tell:
        tell(Progress("rag-template/dense", 4800, n_done=1200, n_failed=7))
        yield made


@pytest.fixture(scope="module")
def report(browser, scene, tmp_path_factory):
    """The address of a downloaded report."""
    page = browser.new_page()
    answer = page.request.get(scene.address + _screens.REPORT.format(old=scene.old, new=scene.new))
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_bytes(answer.body())
    page.close()
    return file.as_uri()


@pytest.fixture(params=list(WIDTHS))
def page(request, browser):
    width = WIDTHS[request.param]
    context = browser.new_context(viewport={"width": width, "height": 900}, bypass_csp=True, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def findings(page, axe):
    """Every rule that the page breaks, light or dark, with the elements; only colours depend on light or dark."""
    page.evaluate(axe)
    found = []
    for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=scheme)
        found += page.evaluate("how => axe.run(document, { resultTypes: ['violations'], ...how })", rules)["violations"]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in found for node in one["nodes"]]


def open_all(page):
    """Open the forms for grades and notes, data below charts, and everything else; of the cards one is open anyway."""
    page.evaluate("document.querySelectorAll('details:not(.query)').forEach((one) => { one.open = true; })")


def test_every_screen(page, scene, axe):
    wrong = {}
    for name, path in _screens.screens(scene).items():
        _screens.remember_judge(page.context, scene, name)
        page.goto(scene.address + path)
        assert page.locator("h1").count() == 1, name
        open_all(page)
        if found := findings(page, axe):
            wrong[name] = found
    assert wrong == {}


def test_boxes_that_keys_open(page, scene, axe):
    page.goto(scene.address + "/metrics")
    page.keyboard.press("?")
    page.wait_for_selector("dialog#keys[open]")
    assert findings(page, axe) == []
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.wait_for_selector("dialog#switch[open] li")
    assert findings(page, axe) == []


def test_the_report(page, report, axe):
    page.goto(report)
    open_all(page)
    assert findings(page, axe) == []


def test_the_login(page, serve, scene_store, axe):
    page.goto(serve(scene_store, token=TOKEN))
    page.get_by_label("Token").fill("something else")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]")
    assert findings(page, axe) == []
