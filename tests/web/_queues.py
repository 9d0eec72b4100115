"""A cold start for tests of the queue: two systems without judgments, a pool of their documents, and the pages about it."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import assay
from assay.judging import share_work, write_pool
from assay.store import Store
from assay.text import printable

from ._clients import client_of, csrf_of

BENCHMARK = "warmups"
SYSTEMS = {"zebrasearch": 7316.25, "quaggasearch": 9482.75}
"""Names and scores that nothing else on a page has."""
WORDS = ("apple", "pear", "plum", "fig")


def dataset_of(n_queries=6, n_documents=12):
    """Queries and documents without judgments; every document has the word of a query, and harmful markup."""
    dataset = assay.BenchmarkDataset(BENCHMARK, "1")
    for number in range(n_queries):
        dataset.add_query(assay.Query(f"q{number}", f"what is {WORDS[number % 4]} number {number}"))
    for number in range(n_documents):
        text = f"An {WORDS[number % 4]} <b>{number}</b>\n    indented {number}"
        dataset.add_document(assay.Document(f"doc-{number}", text, title=f"Title {number}"))
    return dataset


def _system(name, dataset):
    """A search that returns five documents for a query, with the scores of its name."""
    documents = list(dataset.documents)

    def search(query, k=10):
        place = sum(map(ord, query + name)) % len(documents)
        return {documents[(place + step * (1 + len(name) % 2)) % len(documents)]: SYSTEMS[name] - step for step in range(5)}

    search.__name__ = name
    return search


def results_of(dataset):
    """The results of both systems."""
    return [assay.run(dataset, _system(name, dataset), metrics=["precision@5"], name=name) for name in SYSTEMS]


class Campaign:
    """A store with the results of both systems, a pool, and a client of the pages."""

    def __init__(self, folder: Path, judges=(), overlap=0.0, guidelines="", has_texts=True, n_queries=6, **how):
        self.dataset, self.folder = dataset_of(n_queries, 2 * n_queries), folder
        self.store = Store.open(folder / "store.db")
        self.results = results_of(self.dataset)
        self.store.save(self.results)
        drawn = assay.pool(self.results, **{"pairs": 20, "depth": 5, **how})
        self.pool = share_work(drawn, judges, overlap, guidelines)
        self.pools = folder / "pools"
        self.pools.mkdir(exist_ok=True)
        write_pool(self.pool, self.pools / f"{self.pool.id}.jsonl")
        self.served = {"datasets": [self.dataset] if has_texts else [], "pools": self.pools}
        self.path = f"/queue/{self.pool.id}"

    def client(self):
        """A browser without scripts."""
        return client_of(self.store, **self.served)


class Judge:
    """A person who judges the pairs of a campaign with the forms of the page."""

    def __init__(self, campaign: Campaign, name="Ana", client=None):
        self.campaign, self.name = campaign, name
        self.client = client or campaign.client()
        self.answers = []
        self.html = self.see(self.client.get(campaign.path))
        started = self.client.post(campaign.path, data={"csrf": csrf_of(self.html), "do": "start", "judge": name})
        assert (started.status_code, started.headers["location"]) == (303, campaign.path)
        self.html = self.see(self.client.get(campaign.path))

    def see(self, answer):
        self.answers.append(answer)
        assert answer.status_code == 200, answer.text
        return answer.text

    @property
    def pair(self):
        """The ids of the pair that is shown; None if all is done."""
        found = [re.search(rf'name="{name}" value="([^"]*)"', self.html) for name in ("query", "document")]
        return None if None in found else tuple(unescape(one[1]) for one in found)

    @property
    def counts(self):
        """`3 of 20 pairs graded, 1 skipped`."""
        return re.search(r'id="queue-counts">([^·<]*)', self.html)[1].strip()

    def do(self, what, **fields):
        """Send the form of the page, and follow to the next page."""
        names = ("csrf", "judge", "query", "document", "text")
        found = {name: re.search(rf'name="{name}" value="([^"]*)"', self.html) for name in names}
        sent = {name: unescape(one[1]) for name, one in found.items() if one}
        answer = self.client.post(self.campaign.path, data={**sent, "do": str(what), **fields})
        if answer.status_code == 303:
            answer = self.client.get(answer.headers["location"])
        self.html = self.see(answer)


def ids(pairs):
    return [(printable(pair.query), printable(pair.document)) for pair in pairs]
