"""Scripts of a page: nothing in them ends their element, and what is kept on disk is whole or not used."""

import re

import pytest

from assay.reports.page.scripts import for_script_element, static_file, vega_bundle


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """An empty cache, and a package that counts how often it puts the scripts together."""
    import vl_convert

    calls = []
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda: calls.append(1) or "window.vegaEmbed = 1;")
    vega_bundle.cache_clear()
    yield tmp_path, calls
    vega_bundle.cache_clear()


def bundle_again():
    vega_bundle.cache_clear()
    return vega_bundle()


def test_it_is_put_together_once_and_what_is_damaged_is_made_again(fresh):
    folder, calls = fresh
    assert [bundle_again(), bundle_again()] == ["window.vegaEmbed = 1;"] * 2
    assert len(calls) == 1
    for damage in (lambda text: text[:-3], lambda text: text + "alert(1)", lambda _: "", lambda _: "//\n"):
        n_before, (file,) = len(calls), folder.iterdir()
        file.write_text(damage(file.read_text()))
        assert bundle_again() == "window.vegaEmbed = 1;"
        assert len(calls) == n_before + 1


def test_a_folder_that_cannot_be_written_costs_time_only(fresh, monkeypatch):
    folder, _ = fresh
    (folder / "file").write_text("")
    monkeypatch.setenv("ASSAY_CACHE", str(folder / "file"))
    assert bundle_again() == "window.vegaEmbed = 1;"


def test_code_does_not_end_its_element_and_names_no_other_place():
    code = for_script_element('a = "</script><!-- </SCRIPT>"; b = /</g')
    assert not re.search(r"</script|<!--", code, re.IGNORECASE)
    assert code.endswith("b = /</g")
    for name in ("tables.js", "charts.js", "style.css"):
        assert "://" not in static_file(name), name
        assert "</" not in static_file(name), name
