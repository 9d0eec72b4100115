"""The metrics of a log as plain Python loops over searches, and searches as rows, as lists and as the tables of UBI."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

from assay.model import SECOND_EDGES


@dataclass
class Click:
    doc: str
    time: float | None = None
    dwell: float | None = None


@dataclass
class Search:
    user: str
    query: str
    time: float
    shown: list[str]
    clicks: list[Click] = field(default_factory=list)
    variant: str = "A"

    def click(self, doc):
        return next((click for click in self.clicks if click.doc == doc), None)

    @property
    def clicked(self):
        """Rank → click, for the documents that were shown."""
        ranks = {rank: self.click(doc) for rank, doc in enumerate(self.shown, 1)}
        return {rank: click for rank, click in ranks.items() if click}


def rows(searches):
    """A row for each shown document; a search without results has a row without a document."""
    records = []
    for number, search in enumerate(searches):
        about = {
            "user_id": search.user,
            "search_id": f"s{number}",
            "query": search.query,
            "timestamp": search.time,
            "variant": search.variant,
        }
        for rank, doc in enumerate(search.shown, 1):
            click = search.click(doc)
            more = {"click_time": click.time if click else None, "dwell": click.dwell if click else None}
            records.append({**about, "doc_id": doc, "rank": rank, "clicked": int(click is not None), **more})
        if not search.shown:
            nothing = {"doc_id": None, "rank": None, "clicked": 0, "click_time": None, "dwell": None}
            records.append({**about, **nothing})
    return records


def lists(searches):
    """A row for each search."""
    return [
        {
            "user_id": search.user,
            "query": search.query,
            "timestamp": search.time,
            "variant": search.variant,
            "shown": search.shown,
            "clicks": [{"doc_id": each.doc, "time": each.time, "dwell": each.dwell} for each in search.clicks],
        }
        for search in searches
    ]


def ubi(searches):
    """The tables of queries and events."""
    queries = [
        {
            "application": "shop",
            "query_id": f"s{number}",
            "client_id": search.user,
            "user_query": search.query,
            "timestamp": search.time,
            "query_response_hit_ids": search.shown,
            "query_attributes": {"variant": search.variant},
        }
        for number, search in enumerate(searches)
    ]
    events = [
        {
            "action_name": "item_click",
            "query_id": f"s{number}",
            "timestamp": click.time,
            "event_attributes": {"object": {"object_id": click.doc}, "dwell_time": click.dwell},
        }
        for number, search in enumerate(searches)
        for click in search.clicks
    ]
    events.append({"action_name": "page_exit", "query_id": "s0", "timestamp": 1, "event_attributes": {}})
    return queries, events


def share(top, bottom):
    return top / bottom if bottom else math.nan


def plain_metrics(searches, k, seconds, within):
    """Metric → value."""
    full = [search for search in searches if search.shown]
    clicked = [search.clicked for search in full]
    ranks = [rank for some in clicked for rank in some]
    firsts = [first_click(some) for some in clicked if some]
    dwells = [click.dwell for some in clicked for click in some.values() if click.dwell is not None]
    waits = [min(click.time for click in search.clicked.values()) - search.time for search in full if search.clicked]
    return {
        f"ctr@{k}": share(sum(rank <= k for rank in ranks), sum(min(k, len(search.shown)) for search in full)),
        "clicked_rank": share(sum(ranks), len(ranks)),
        "first_click_mrr": share(sum(1 / rank for rank in firsts), len(full)),
        "abandonment": share(sum(not some for some in clicked), len(full)),
        "zero_results": share(len(searches) - len(full), len(searches)),
        "reformulation": share(sum(reformulated(searches, within)), len(searches)),
        f"satisfied_click(seconds={seconds:g})@{k}": share(
            sum(
                any(rank <= k and click.dwell is not None and click.dwell >= seconds for rank, click in some.items())
                for some in clicked
            ),
            len(full),
        ),
        "skip_rate": share(
            sum(max(some) - len(some) for some in clicked if some), sum(max(some) for some in clicked if some)
        ),
        "dwell_p50": binned_quantile(dwells, 0.5),
        "dwell_p90": binned_quantile(dwells, 0.9),
        "time_to_click_p50": binned_quantile([wait for wait in waits if wait >= 0], 0.5),
    }


def first_click(clicked):
    return min(clicked, key=lambda rank: (math.floor(clicked[rank].time * 1000), rank))


def reformulated(searches, within):
    """Whether the next search of the same user is another query, soon."""
    by_user = {}
    for search in searches:
        by_user.setdefault(search.user, []).append(search)
    for some in by_user.values():
        some.sort(key=lambda search: search.time)
        for search, following in pairwise(some):
            yield following.time - search.time <= within and following.query.lower() != search.query.lower()


def bin_of(seconds):
    return math.floor(seconds) if seconds < 20 else min(20 + math.floor(math.log(seconds / 20) / math.log(1.05)), 125)


def binned_quantile(values, q):
    """The time below which the share q of the values is, if the values of a bin are spread evenly over it."""
    if not values:
        return math.nan
    wanted, seen = q * len(values), 0
    for number in range(126):
        inside = sum(bin_of(value) == number for value in values)
        if inside and seen + inside >= wanted:
            low, high = SECOND_EDGES[number], SECOND_EDGES[number + 1]
            return low + (wanted - seen) / inside * (high - low)
        seen += inside
    raise AssertionError


def repeated(query, docs, *patterns):
    """The records of searches with these clicks: `("ab", 3)` is a click on a and on b, three times."""
    return [{"query": query, "shown": list(docs), "clicks": list(clicks)} for clicks, n in patterns for _ in range(n)]


HAND = repeated("q", "ab", ("a", 15), ("ab", 5), ("b", 30), ("", 30))
"""b is below a, and always last."""
