"""The story of the web pages, from what got worse to a decision, with the store of `make demo-web`."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.browser import _scene

import assay
from assay.store import Store

pytest.importorskip("starlette")
MOST_CLICKS = 4
COUNT_CLICKS = "addEventListener('pointerdown', () => countClick(), { capture: true });"
JUDGE = "Ana Ruíz"


@pytest.fixture
def scene(scene_store, serve, tmp_path):
    return _scene.copied(scene_store, tmp_path, serve)


@pytest.fixture
def clicks():
    return []


@pytest.fixture
def page(browser, clicks):
    """A page that counts clicks of the mouse; at the end no script may have failed."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.expose_function("countClick", lambda: clicks.append(1))
    context.add_init_script(COUNT_CLICKS)
    wrong = []
    opened = context.new_page()
    opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    yield opened
    context.close()
    assert wrong == []


def is_red(locator):
    red, green, blue = (int(part) for part in re.findall(r"\d+", locator.evaluate("one => getComputedStyle(one).color"))[:3])
    return red > 1.5 * max(green, blue)


def test_from_what_got_worse_to_a_decision(page, scene, clicks):
    page.goto(scene.address)
    home_says_what_got_worse(page)
    page.get_by_role("link", name="site-search", exact=True).first.click()
    older_is_the_baseline_and_worse_is_red(page, scene)
    says_what_changed(page)
    shows_both_rankings(page.locator("details.query[open]"))
    grade_an_unjudged_document(page)
    assert len(clicks) <= MOST_CLICKS
    assert grades(scene) == [("q18", 3.0, JUDGE)]
    says_what_the_grades_change(page, 1)
    find_a_query_with_filters(page)
    overrule_a_wrong_judgment(page)
    assert grades(scene) == [("q18", 3.0, JUDGE), ("q47", 2.0, JUDGE)]
    says_what_the_grades_change(page, 2)
    decide(page, scene)
    other_pages_know_of_newer_judgments(page, scene)
    the_next_version_has_the_grades(page)


def home_says_what_got_worse(page):
    assert "got worse" in page.locator("h1").inner_text()
    first = page.locator("#worse .one-series").first
    since = first.locator(".since").first
    assert [first.locator(".open").inner_text(), first.locator(".standing").inner_text()] == ["site-search", "▼ worse"]
    assert since.inner_text().split("\n")[0] == "since last run and baseline main"
    assert re.search(r"−0\.197 ▼ worse \[−0\.298, −0\.096\], p < 0\.001", " ".join(since.inner_text().split()))
    assert is_red(first.locator(".standing"))
    assert page.locator("#failed").inner_text().count("Connection refused") == 1


def older_is_the_baseline_and_worse_is_red(page, scene):
    asked = parse_qs(urlsplit(page.url).query)
    assert (asked["r"], asked["baseline"]) == ([scene.old, scene.new], [scene.old])
    change = page.locator("p.change")
    assert change.inner_text() == "ndcg@10 0.726 → 0.529 (−0.197) ▼ worse"
    assert is_red(change.locator(".direction"))
    assert re.search(r"by 0\.197 \[0\.096, 0\.298\], p < 0\.001|−0\.197", page.locator(".verdict").inner_text())
    dates = page.locator(".picked-pair .muted").all_inner_texts()
    assert [date[:10] for date in dates] == ["2026-11-14", "2026-11-16"]


def says_what_changed(page):
    rows = dict(row.split("\t") for row in page.locator("#changes tbody tr").all_inner_texts())
    assert rows["provider configuration: tokenizer"] == "lowercase_words → split_at_dots"
    assert re.fullmatch(r"[0-9a-f]{7} → [0-9a-f]{7}", rows["code version"])
    heads = page.locator("main h2").all_inner_texts()
    assert heads.index("What changed") == 0


def shows_both_rankings(card):
    """The largest loss is open: moves, marked words, grades, and the expected answer."""
    assert card.locator("summary .id").first.inner_text() == "q18"
    assert card.locator(".moved").inner_text() == "1.000 → 0.000 (−1.000) ▼ worse"
    assert card.locator(".moves li").inner_text() == "p080 grade 3 1 → not retrieved ▼ worse"
    assert card.locator(".side").count() == 2
    found = card.locator(".side").first.locator(".ranking > li").first
    assert found.locator(".grade").first.inner_text() == "✓ 3"
    assert found.locator("mark").all_inner_texts() == ["container", "wider"]
    assert "Repot a houseplant in spring" in card.locator(".inside > .answer").inner_text()


def grade_an_unjudged_document(page):
    """Three clicks: open the form, choose, save. The name is typed once."""
    hit = page.locator("details.query[open] .side").nth(1).locator("li.unjudged").first
    hit.locator(".grade-here summary").click()
    hit.locator(".grade-here label", has_text="3").locator("input").click()
    for _ in ("reason", "name"):
        page.keyboard.press("Tab")
    page.keyboard.type(JUDGE)
    hit.get_by_role("button", name="Save grade").click()
    page.wait_for_url("**judgments=people**")


def says_what_the_grades_change(page, n_grades):
    said = page.locator(".layers .effect").inner_text()
    word = "grade" if n_grades == 1 else "grades"
    before, after = re.search(rf"^With {n_grades} new {word} by people.*?0\.(\d+) → 0\.(\d+)", said).groups()
    assert (before, int(after) > int(before)) == ("529", True)
    assert f"→ 0.{after}" in page.locator("p.change").inner_text()


def find_a_query_with_filters(page):
    page.get_by_role("link", name=re.compile("^lost a relevant document from the top 10")).click()
    page.wait_for_url("**only=lost**")
    n_lost = page.locator("details.query").count()
    page.locator("#queries").get_by_label("Slice").select_option("difficulty:medium")
    page.locator("#queries").get_by_label("Search").fill("rust")
    page.locator("#queries").get_by_role("button", name="Filter").click()
    page.wait_for_url("**words=rust**")
    assert "judgments=people" in page.url
    assert "only=lost" in page.url
    assert n_lost > page.locator("details.query").count() == 1
    assert page.locator("details.query .id").first.inner_text() == "q47"


def overrule_a_wrong_judgment(page):
    card = page.locator("details.query")
    if card.get_attribute("open") is None:
        card.locator("summary").first.click()
    hit = card.locator(".side").nth(1).locator("li", has_text="p213")
    assert hit.locator(".grade").first.inner_text() == "✗ 0"
    hit.locator(".grade-here summary").click()
    assert "instead of the benchmark’s 0" in hit.locator(".grade-here legend").inner_text()
    hit.locator(".grade-here label", has_text="2").locator("input").click()
    hit.get_by_label("Reason").fill("explains the layer that protects steel")
    assert hit.get_by_label("Your name").input_value() == JUDGE
    hit.get_by_role("button", name="Save grade").click()
    page.wait_for_url("**saved=1**")
    again = page.locator("details.query .side").nth(1).locator("li", has_text="p213")
    assert again.locator(".grade-state").inner_text() == "benchmark: 0 → people: 2"


def decide(page, scene):
    page.get_by_label("Note", exact=True).fill("The tokenizer keeps capitals: roll back.")
    page.get_by_role("button", name="Save note").click()
    page.wait_for_url("**annotated=1**")
    page.get_by_label("Name", exact=True).fill("broken-tokenizer")
    page.get_by_role("button", name="Bless").click()
    page.wait_for_url("**blessed=**")
    with Store.open(scene.path) as store:
        assert store.notes(scene.new.split("/")[0])[-1].text == "The tokenizer keeps capitals: roll back."
        assert store.id_of("broken-tokenizer") == scene.new.split("/")[0]
    page.get_by_role("button", name="Copy link").click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    asked = parse_qs(urlsplit(copied).query)
    assert copied.startswith(f"{scene.address}/compare?")
    assert (asked["r"], asked["baseline"], asked["judgments"]) == ([scene.old, scene.new], [scene.old], ["people"])
    assert "blessed" not in asked
    shown = page.locator("p.change").inner_text()
    verdict = page.locator(".verdict").first.inner_text()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the report").click()
    the_report_is_about_this_comparison(page, download.value.path(), shown, verdict)


def the_report_is_about_this_comparison(page, path, shown, verdict):
    other = page.context.new_page()
    file = path.with_suffix(".html")
    file.write_bytes(path.read_bytes())
    other.goto(file.as_uri())
    assert other.locator("p.change").inner_text() == shown
    assert other.locator(".verdict").first.inner_text() == verdict
    words = other.locator("body").inner_text()
    assert "lowercase_words → split_at_dots" in words
    assert other.locator("details.query .id", has_text="q18").count() > 0
    other.close()


def other_pages_know_of_newer_judgments(page, scene):
    page.goto(f"{scene.address}/result/{scene.new}")
    assert re.search(rf"2 grades by {JUDGE}", page.locator(".newer").inner_text())
    page.get_by_role("link", name="See the newer judgments").click()
    page.wait_for_url("**/judgments**")


def the_next_version_has_the_grades(page):
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the next version of the benchmark").click()
    file = download.value.path().with_suffix(".json")
    file.write_bytes(download.value.path().read_bytes())
    before, after = assay.load_dataset("rag-template"), assay.load_dataset(str(file))
    assert (before.qrels["q47"]["p213"], after.qrels["q47"]["p213"]) == (0, 2)
    assert after.fingerprint("judgments") != before.fingerprint("judgments")
    assert after.version != before.version
    assert len(after.queries) == len(before.queries)


def grades(scene):
    with Store.open(scene.path) as store:
        return sorted((one.query, one.grade, one.judge) for one in store.judgments.find())


def test_from_home_to_a_grade_with_keys_alone(page, scene, clicks):
    """j goes to what got worse, Enter opens it; in the comparison, Tab reaches the form."""
    page.goto(scene.address)
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.textContent") == "site-search"
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare?**")
    page.keyboard.press("j")
    press_until(page, "Tab", "document.activeElement.matches('li.unjudged summary')")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    press_until(page, "Tab", "document.activeElement.name === 'judge'")
    page.keyboard.type(JUDGE)
    page.keyboard.press("Enter")
    page.wait_for_url("**judgments=people**")
    ((_, grade, judge),) = grades(scene)
    assert (grade, judge, clicks) == (1.0, JUDGE, [])


def press_until(page, key, condition, most=40):
    for _ in range(most):
        page.keyboard.press(key)
        if page.evaluate(condition):
            return
    pytest.fail(f"{key} does not lead to {condition}")
