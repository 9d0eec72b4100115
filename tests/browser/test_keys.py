"""Keys and menus in a real browser: ? lists the keys, single keys move and open, never while typing; menus follow."""

import pytest

pytest.importorskip("starlette")


@pytest.fixture(scope="module")
def base(serve, tmp_path_factory):
    from tests.web._boards import several_benchmarks

    return serve(several_benchmarks(tmp_path_factory.mktemp("keys") / "s.db"))


@pytest.fixture
def page(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.set_default_timeout(15_000)
    yield opened
    context.close()


def focused(page):
    return page.evaluate("document.activeElement.textContent.trim()")


def test_question_mark_lists_the_keys_and_they_can_be_turned_off(page, base):
    page.goto(f"{base}/leaderboard?benchmark=things")
    page.keyboard.press("?")
    page.wait_for_selector("dialog#keys[open]")
    shown = page.locator("dialog#keys").inner_text()
    for words in ("this list", "next or previous row", "Leaderboard", "History"):
        assert words in shown
    page.get_by_label("Turn single-key shortcuts off").check()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert focused(page) != "dense"
    page.reload()
    page.keyboard.press("g")
    page.keyboard.press("t")
    assert "/leaderboard" in page.url
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Turn single-key shortcuts off").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url("**/history")


def test_rows_pages_and_search_by_single_keys(page, base):
    page.goto(f"{base}/leaderboard?benchmark=things")
    page.keyboard.press("j")
    assert focused(page) == "dense"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    page.keyboard.press("j")
    assert focused(page) == "bm25"
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    page.wait_for_url("**/result/**")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "words"
    page.keyboard.type("jgh?")
    assert page.evaluate("document.activeElement.value") == "jgh?"
    assert page.locator("dialog[open]").count() == 0
    page.goto(page.url.split("?")[0])
    link = page.locator("#queries tbody tr a").first
    link.click()
    page.wait_for_url("**/query?id=q000")
    page.keyboard.press("n")
    page.wait_for_url("**/query?id=q001")
    page.keyboard.press("p")
    page.wait_for_url("**/query?id=q000")
    page.goto(f"{base}/metrics?name=ndcg")
    page.keyboard.press("/")
    page.wait_for_selector("dialog#switch[open]")


def test_changing_the_first_menu_changes_the_others(page, base):
    page.goto(f"{base}/history?benchmark=things&provider=dense&metric=mrr")
    page.get_by_label("Since").fill("400d")
    page.get_by_label("Benchmark").select_option("faq")
    page.locator("select[name=provider] option", has_text="splade").wait_for(state="attached")
    assert page.get_by_label("Provider").input_value() == "dense", "what still fits stays"
    assert page.get_by_label("Since").input_value() == "400d"
    assert page.locator("select[name=metric] option").all_inner_texts() == ["mrr", "map", "precision@5", "recall@10"]
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**benchmark=faq**")
    assert page.locator("#points tbody tr").count() == 1
    assert page.locator(".said").count() == 0


def test_without_scripts_the_server_says_what_is_shown_instead(browser, base):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{base}/leaderboard?benchmark=things&metric=ndcg@10")
    page.get_by_label("Benchmark").select_option("faq")
    page.get_by_role("button", name="Show").click()
    assert page.locator(".said").inner_text() == "ndcg@10 has no value for faq: mrr is shown."
    assert page.locator("#board .table-box").first.locator("tbody tr").count() == 3
    context.close()


def test_a_point_of_the_history_opens_its_result_and_a_mark_its_comparison(page, base):
    page.goto(f"{base}/history?benchmark=things&provider=bm25")
    page.locator(".drawing .wide [data-href^='/compare']").last.click(force=True)
    page.wait_for_url("**/compare?r=**&baseline=**")
    page.goto(f"{base}/history?benchmark=things&provider=bm25")
    mark = page.locator(".drawing .wide [data-href^='/result'] [data-tip]").first
    mark.hover(force=True)
    page.wait_for_selector(".tip:not([hidden])")
    assert "link" not in page.locator(".tip").inner_text()
    mark.click(force=True)
    page.wait_for_url("**/result/**")


def test_everything_is_reached_by_tab_and_seen(page, base):
    """Every control of the results list has a visible focus, date pickers included, and a disabled button can be read."""
    page.goto(f"{base}/results")
    names = set()
    for _ in range(25):
        page.keyboard.press("Tab")
        names.add(page.evaluate("document.activeElement.getAttribute('name') || document.activeElement.className"))
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
    assert {"since", "until", "words", "benchmark"} <= names
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        ink, paper = page.evaluate(
            """() => {
              const style = getComputedStyle(document.querySelector("button:disabled"));
              const light = (colour) => {
                const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map((part) => part / 255)
                  .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
              };
              return [light(style.color), light(style.backgroundColor)];
            }"""
        )
        assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) >= 4.5, scheme


@pytest.mark.parametrize("path", ["/", "/leaderboard?benchmark=things", "/history?benchmark=things", "/compare", "/metrics"])
def test_landmarks_are_unique_and_no_heading_of_a_table_is_empty(page, base, path):
    page.goto(base + path)
    assert page.locator("header").count() == page.locator("main").count() == 1
    names = page.evaluate(
        """() => [...document.querySelectorAll("section[aria-labelledby], nav, [role=region]")].map((one) =>
             one.getAttribute("aria-label") || document.getElementById(one.getAttribute("aria-labelledby")).textContent)"""
    )
    assert len(names) == len(set(names)), names
    assert all(text.strip() for text in page.locator("thead th:visible").all_inner_texts())
