"""History: every figure, where it stepped, and what was blessed."""

from __future__ import annotations

from _clients import main_of, rows_of


def test_the_step_is_found_and_named(client):
    text = main_of(client.get("/history?provider=bm25").text)
    assert "things · bm25: a step from" in text
    assert "on 2026-10-21 02:00" in text


def test_figures_with_their_marks(client):
    rows = rows_of(client.get("/history?provider=bm25&sort=started&order=asc").text, "Figures over time")
    assert len(rows) == 30
    assert rows[0][-1] == "baseline main"
    assert [row[0][:10] for row in rows if "step, worse" in row[-1]] == ["2026-10-21"]


def test_since(client):
    rows = rows_of(client.get("/history?provider=dense&since=2026-10-28").text, "Figures over time")
    assert [row[0][:10] for row in rows] == ["2026-10-30", "2026-10-29", "2026-10-28"]


def test_the_chart_has_a_line_for_each_provider(client):
    html = client.get("/history").text
    assert 'role="img"' in html
    for provider in ("bm25", "dense", "hybrid"):
        assert f"things · {provider}" in html


def test_nothing_to_show(client):
    assert "Nothing here has a figure yet" in main_of(client.get("/history?benchmark=other").text)
    assert client.get("/history?metric=nothing").status_code == 404
    assert client.get("/history?since=nothing").status_code == 400
