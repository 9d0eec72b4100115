"""History: every figure, where it stepped, and what was blessed."""

from ._clients import main_of, rows_of


def figures(client, query):
    return rows_of(client.get(f"/history?{query}").text, "Figures over time")


def test_figures_with_their_marks(client):
    rows = figures(client, "provider=bm25&sort=started&order=asc")
    assert (len(rows), rows[0][-1]) == (30, "baseline main")
    assert [row[0][:10] for row in rows if "step, worse" in row[-1]] == ["2026-10-21"]
    recent = figures(client, "provider=dense&since=2026-10-28")
    assert [row[0][:10] for row in recent] == ["2026-10-30", "2026-10-29", "2026-10-28"]
    html = client.get("/history").text
    assert 'role="img"' in html
    for provider in ("bm25", "dense", "hybrid"):
        assert f"things · {provider}" in html, provider
    said = main_of(client.get("/history?provider=bm25").text)
    assert "things · bm25: a step from" in said
    assert "on 2026-10-21 02:00" in said
