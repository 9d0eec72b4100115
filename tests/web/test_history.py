"""History: every figure, where it stepped, and what was blessed."""

from ._clients import cells_of, main_of, rows_of


def test_figures_with_their_marks(client):
    html = client.get("/history?provider=bm25&sort=started&order=asc").text
    rows = rows_of(html, "Figures over time")
    assert (len(rows), rows[0][-1]) == (30, "baseline main")
    assert [row[0][:10] for row in rows if "step, worse" in row[-1]] == ["2026-10-21"]
    assert "things · bm25: a step from" in main_of(html)
    assert "on 2026-10-21 02:00" in main_of(html)
    recent = cells_of(client.get("/history?provider=dense&since=2026-10-28&csv=points"))
    assert [next(iter(row.values()))[:10] for row in recent] == ["2026-10-30", "2026-10-29", "2026-10-28"]
    html = client.get("/history").text
    assert 'role="img"' in html
    for provider in ("bm25", "dense", "hybrid"):
        assert f"things · {provider}" in html, provider
