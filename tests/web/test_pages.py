"""What every page says: its sentences and tables, on a store of four nights."""

import re
from html import unescape

import pytest

from assay.datasets import check_dataset, load_dataset
from assay.metrics import all_metrics

from ._clients import client_of, main_of, rows_of, words_of
from ._stores import Stored

ADDRESSES = """/ /results /?csv=series&words=BM25
/result/<0>/1 /result/<0>/0/query?id=q003 /compare?r=<1>/0 /compare?r=<1>/0&r=<1>/1&baseline=<1>/1
/leaderboard /history?provider=bm25 /datasets /datasets?name=things /datasets?name=rag-template /metrics?name=NDCG
/results?csv=results&tag=release /results?csv=results&tag=main /results?csv=results&since=2026-10-03&until=2026-10-03
/results?csv=results&words=RANDOM+things /results?csv=results&provider=dense&sort=value&order=asc&metric=mrr
/result/<0>/0?csv=queries&only=failed /result/<0>/1?csv=metrics
/result/<0>/0?csv=queries&only=zero /result/<1>/0?csv=queries&only=worse /result/<1>/0?csv=queries&only=changed
/result/<1>/1?csv=queries&metric=mrr&sort=mrr&order=asc&words=fr+hard /result/<1>/1?csv=queries&words=THING+17
/result/<0>/1/query?id=q005&csv=ranking /compare?r=<1>/0&r=<1>/1&csv=metrics /compare?r=<0>/0&r=<1>/0&r=<2>/0&csv=metrics
/compare?r=<0>/0&r=<1>/0&r=<2>/0&csv=metrics-2 /compare?r=<1>/0&r=<1>/1&csv=all-queries&only=changed&sort=change&order=desc
/leaderboard?metric=mrr&csv=board /history?provider=dense&since=2026-10-03&csv=points"""
N_ROWS = 3
"""Of a table that are shown."""


def lines_of(answer):
    """The sentences of a page and the rows of its tables, cell by cell, without drawings; or of a download."""
    if answer.headers["content-type"].startswith("text/csv"):
        rounded = re.sub(r"\d\.\d{6,}(e-\d+)?", lambda found: f"{float(found[0]):.5g}", answer.text).splitlines()
        return [*rounded[: N_ROWS + 1], f"… {len(rounded) - 1} rows"]
    html = re.sub(r"<(svg|script)\b.*?</\1>", "", answer.text, flags=re.DOTALL)
    html = re.sub(r'<details class="grade-here".*?</details>', "", html, flags=re.DOTALL)
    html = re.sub(r'<(details class="query"|section id="judging").*?</(details|section)>', "", html, flags=re.DOTALL)
    main = re.search(r"<main[^>]*>(.*)</main>", html, re.DOTALL)[1]
    found = []
    for place, part in enumerate(re.split(r"(<table.*?</table>)", main, flags=re.DOTALL)):
        ends = "tr|caption" if place % 2 else r"p|h\d|li|summary|label|dd|figcaption"
        texts = [words_of(re.sub(r"</t[dh]>", " | ", one)) for one in re.split(f"</(?:{ends})>", part)]
        found += [text for text in texts if text][: N_ROWS + 2 if place % 2 else None]
    return found


@pytest.mark.usefixtures("undrawn")
def test_what_every_page_says(small, snapshots):
    client, stored = client_of(small), Stored(small)
    names = list(dict.fromkeys(entry.evaluation for entry in stored.entries))
    said = ""
    for address in ADDRESSES.split():
        answer = client.get(re.sub(r"<(\d)>", lambda found: names[int(found[1])], address))
        assert answer.status_code == 200, address
        said += f"## {address}\n" + "".join(f"{line}\n" for line in lines_of(answer)) + "\n"
    for number, name in enumerate(names):
        said = said.replace(name, f"<{number}>").replace(f"({name[-4:]})", f"(<{number}>)")
    snapshots.check("web/pages", said.replace(str(small), "<store>"))


def test_filters_are_in_the_form_again_and_pages_lead_to_each_other_with_them(client):
    html = client.get("/results?provider=dense&words=things&since=2026-10-05&sort=value&order=desc").text
    for part in ("<option selected>dense</option>", 'value="things"', 'value="2026-10-05"', 'aria-sort="descending"'):
        assert part in html, part
    first, last = (client.get(f"/results?benchmark=things&{page}").text for page in ("", "page=2"))
    links = [[unescape(link) for link in re.findall(r'href="([^"]+)" rel="\w+"', page)] for page in (first, last)]
    assert links == [["/results?benchmark=things&page=2"] * 2, ["/results?benchmark=things"] * 2], (
        "above and below the table"
    )
    assert ("1–50 of 62 results" in first, "51–62 of 62 results" in last) == (True, True)
    answer = client.get("/results?csv=results")
    assert answer.headers["content-disposition"] == 'attachment; filename="results.csv"'
    assert len(answer.text.splitlines()) == 63


def test_a_dataset_that_is_at_hand_is_checked_and_a_name_is_never_a_path(client, tmp_path):
    html, dataset = client.get("/datasets?name=rag-template").text, load_dataset("rag-template")
    assert f"queries {len(dataset.queries):,} (" in main_of(html)
    for finding in check_dataset(dataset):
        assert finding.code in main_of(html), finding
    assert html.count("<table") > html.count("<thead>") == 0, "a table without heads has no empty row"
    file = tmp_path / "data.json"
    dataset.save_json(file)
    assert client.get("/datasets", params={"name": str(file)}).status_code == 404


def test_every_metric_has_a_row_and_a_page(client):
    metrics = all_metrics()
    rows = rows_of(client.get("/metrics").text, "Metrics")
    assert [row[1] for row in rows] == [metric.meaning for metric in metrics.values()]
    for name, metric in [*list(metrics.items())[::9], ("NDCG", metrics["ndcg"])]:
        said = main_of(client.get("/metrics", params={"name": name}).text)
        for text in (metric.meaning, metric.formula):
            assert " ".join(text.split()) in said, name


def test_the_charts_of_a_comparison_are_drawn_and_every_mark_says_what_it_is(small):
    """The other tests of comparisons do without charts."""
    client, stored = client_of(small), Stored(small)
    keys = [f"{name}/0" for name in dict.fromkeys(entry.evaluation for entry in stored.entries)][:2]
    figures = re.findall(r"<figure.*?</figure>", client.get("/compare", params=[("r", key) for key in keys]).text, re.DOTALL)
    assert len(figures) >= 2
    for figure in figures:
        picture = re.search(r"<svg.*</svg>", figure, re.DOTALL)[0]
        assert len(re.findall(r"<title[ >][^<]*\d[^<]*</title>", picture)) >= 1, figure[:300]


def test_history_marks_steps_and_baselines(client):
    html = client.get("/history?provider=bm25&sort=started&order=asc").text
    rows = rows_of(html, "Values over time")
    assert (len(rows), rows[0][-1]) == (30, "baseline main")
    assert [row[0][:10] for row in rows if "step, worse" in row[-1]] == ["2026-10-22"]
    for part in ("things · bm25: step 0.", "on 2026-10-22 02:00"):
        assert part in main_of(html), part
