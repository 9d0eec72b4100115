"""assay results: what is stored is listed, tagged, deleted, exported and imported."""

import json
import re

import pytest

from assay.store import Store

from ._stored import result_of

DAY = "2026-11-15T09:30:00+00:00"


@pytest.fixture
def kept(folder):
    """Ids of two evaluations, the first of them a baseline."""
    with Store.open() as store:
        first = store.save([result_of(1, started=DAY)])
        second = store.save([result_of(2, started=DAY), result_of(3, "large", "dense", started=DAY)])
        store.bless(first, "main")
        store.tag(first, "nightly")
    return first, second


@pytest.mark.usefixtures("kept")
def test_lists(assay, transcript):
    transcript("results/lists")
    counts = {"--benchmark small": 2, "--provider dense": 1, "--tag nightly": 1, "--since 2026-11-15": 3, "--limit 0": 3}
    for flags, n in counts.items():
        plain = json.loads(assay("results", *flags.split(), "-f", "json").out)
        assert (plain["schema"], len(plain["results"])) == ("assay.results/1", n), flags
    with Store.open() as store:
        store.save([result_of(1, "bad").with_fields(failures=dict.fromkeys(result_of(1).query_ids, "refused"))])
    assert re.search(r"ndcg@10 +– +3 +3$", assay("results", "--benchmark", "bad").out.splitlines()[1])


@pytest.mark.usefixtures("kept")
def test_what_cannot_be_done_and_what_can(transcript):
    """Only what no baseline needs is deleted without force."""
    transcript("results/refused")
    transcript("results/exported")
    transcript("results/deleted")


def test_a_store_that_is_not_there_or_empty_or_unknown(assay, folder, transcript):
    transcript("results/no_store")
    assert list(folder.iterdir()) == []
    done = assay("results", "--store", "mysql://me:s3cret@host/db")
    assert (done.code, "s3cret" in done.err) == (2, False)
    Store.open().close()
    transcript("results/empty_store")
