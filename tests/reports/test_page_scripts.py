"""Scripts of a page: nothing in them ends their element, and what is kept on disk is whole or not used."""

import re

import pytest

from assay.reports.page.scripts import for_script_element, static_file, vega_bundle


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    vega_bundle.cache_clear()
    yield tmp_path
    vega_bundle.cache_clear()


def counting(monkeypatch, text="window.vegaEmbed = 1;"):
    import vl_convert

    calls = []
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda: calls.append(1) or text)
    return calls


def test_it_is_put_together_once_and_kept(fresh, monkeypatch):
    calls = counting(monkeypatch)
    assert vega_bundle() == "window.vegaEmbed = 1;"
    vega_bundle.cache_clear()
    assert vega_bundle() == "window.vegaEmbed = 1;"
    assert len(calls) == 1


@pytest.mark.parametrize("damage", [lambda text: text[:-3], lambda text: text + "alert(1)", lambda _: "", lambda _: "//\n"])
def test_what_is_damaged_is_made_again(fresh, monkeypatch, damage):
    calls = counting(monkeypatch)
    vega_bundle()
    (file,) = fresh.iterdir()
    file.write_text(damage(file.read_text()))
    vega_bundle.cache_clear()
    assert vega_bundle() == "window.vegaEmbed = 1;"
    assert len(calls) == 2


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "file"))
    vega_bundle.cache_clear()
    counting(monkeypatch)
    assert vega_bundle() == "window.vegaEmbed = 1;"
    vega_bundle.cache_clear()


def test_code_does_not_end_its_element():
    code = for_script_element('a = "</script><!-- </SCRIPT>"; b = /</g')
    assert not re.search(r"</script|<!--", code, re.IGNORECASE)
    assert code.endswith("b = /</g")


@pytest.mark.parametrize("name", ["tables.js", "charts.js", "style.css"])
def test_our_own_files_name_no_other_place(name):
    assert "://" not in static_file(name)
    assert "</" not in static_file(name)
