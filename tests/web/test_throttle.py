"""The throttle from outside: wrong tokens at the login and in the header wait, and then are told so."""

import pytest

from assay.web import Throttle

from ._clients import FREE_ATTEMPTS, TOKEN, Clock, client_of, told


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def client(small, clock):
    return client_of(small, token=TOKEN, throttle=Throttle(clock, clock.sleep))


def test_the_login_waits_then_says_so(client, clock, snapshots):
    answers = [client.post("/login", data={"token": f"guess {n}", "next": "/history"}) for n in range(FREE_ATTEMPTS + 7)]
    assert [one.status_code for one in answers[: FREE_ATTEMPTS + 5]] == [401] * (FREE_ATTEMPTS + 5)
    assert clock.slept == [0.5, 1.0, 2.0, 4.0]
    last = answers[-1]
    assert (last.status_code, last.headers["retry-after"]) == (429, "8")
    snapshots.check("web/too_many_tokens", told({"at the login": last}))
    assert 'value="/history"' in last.text
    answer = client.get("/api/v1/results", headers={"authorization": "Bearer wrong"})
    assert (answer.status_code, answer.headers["retry-after"], answer.json()["error"]["status"]) == (429, "8", 429)
    assert client.get("/api/v1/results", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert client.post("/login", data={"token": TOKEN}).status_code == 303
    n_slept = len(clock.slept)
    assert client.get("/").status_code == 200
    assert len(clock.slept) == n_slept, "who has logged in is not held up"
