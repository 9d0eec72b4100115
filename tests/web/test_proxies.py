"""Proxies: forwarded headers are believed from named addresses alone; visitors cannot make up who they are."""

from __future__ import annotations

import pytest
from _clients import COOKIE, FREE_ATTEMPTS, TOKEN, Clock
from _stores import usual_store
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from assay.errors import BadParameter
from assay.web import Proxies, Throttle, make_app

PROXY = "192.0.2.7"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return usual_store(tmp_path_factory.mktemp("proxies") / "s.db", nights=1)


@pytest.fixture
def clients(store):
    """Where requests come from → a client there, all of one server that knows one proxy."""
    clock = Clock()
    app = make_app(store, token=TOKEN, proxies=[PROXY], throttle=Throttle(clock, clock.sleep))
    return lambda address: TestClient(app, "http://inside:8765", client=(address, 1), follow_redirects=False)


def guess(client, **headers):
    """The status of a wrong token."""
    return client.get("/api/v1/results", headers={"authorization": "Bearer wrong", **headers}).status_code


@pytest.mark.parametrize("address", ["127.0.0.1", "198.51.100.1"])
@pytest.mark.parametrize("name", ["x-forwarded-for", "forwarded", "x-real-ip"])
def test_nobody_avoids_the_throttle_with_a_new_address_each_time(clients, address, name):
    client = clients(address)
    found = [guess(client, **{name: f"{'for=' * (name == 'forwarded')}203.0.113.{n}"}) for n in range(FREE_ATTEMPTS + 7)]
    assert found[-1] == 429


def test_behind_a_named_proxy_each_visitor_has_their_own_turn(clients):
    client = clients(PROXY)
    assert [guess(client, **{"x-forwarded-for": "203.0.113.1"}) for _ in range(FREE_ATTEMPTS + 7)][-1] == 429
    assert guess(client, **{"x-forwarded-for": "203.0.113.2"}) == 401


def test_what_a_visitor_writes_before_the_proxy_does_is_not_read(clients):
    client = clients(PROXY)
    found = [guess(client, **{"x-forwarded-for": f"203.0.113.{n}, 198.51.100.9"}) for n in range(FREE_ATTEMPTS + 7)]
    assert found[-1] == 429
    found = [guess(client, **{"x-forwarded-for": f"unknown-{n}"}) for n in range(FREE_ATTEMPTS + 7)]
    assert found[-1] == 429


@pytest.mark.parametrize(
    ("address", "headers", "is_secure"),
    [
        (PROXY, {"x-forwarded-proto": "https"}, True),
        (PROXY, {"x-forwarded-proto": "http"}, False),
        (PROXY, {"x-forwarded-proto": "https, http"}, False),
        (PROXY, {"x-forwarded-proto": "gopher"}, False),
        (PROXY, {"forwarded": "proto=https"}, False),
        ("127.0.0.1", {"x-forwarded-proto": "https"}, False),
    ],
)
def test_the_cookie_is_secure_behind_https(clients, address, headers, is_secure):
    answer = clients(address).post("/login", data={"token": TOKEN}, headers=headers)
    assert answer.status_code == 303
    assert COOKIE in answer.headers["set-cookie"]
    assert ("secure" in answer.headers["set-cookie"].lower()) is is_secure


@pytest.mark.parametrize(
    ("address", "origin", "status"),
    [
        (PROXY, "https://assay.example.org", 303),
        (PROXY, "https://assay.example.org:443", 303),
        (PROXY, "http://assay.example.org", 403),
        (PROXY, "https://inside:8765", 403),
        (PROXY, "null", 403),
        ("198.51.100.1", "https://assay.example.org", 403),
        ("198.51.100.1", "http://inside:8765", 303),
    ],
)
def test_a_form_comes_from_the_address_that_the_proxy_tells(clients, address, origin, status):
    headers = {"x-forwarded-proto": "https", "x-forwarded-host": "assay.example.org", "origin": origin}
    assert clients(address).post("/login", data={"token": TOKEN}, headers=headers).status_code == status


@pytest.mark.parametrize(
    ("named", "address", "is_one"),
    [
        (["192.0.2.0/24"], "192.0.2.200", True),
        (["192.0.2.0/24"], "192.0.3.1", False),
        (["192.0.2.7"], "::ffff:192.0.2.7", True),
        (["2001:db8::/32"], "2001:db8::5", True),
        (["2001:db8::/32"], "192.0.2.7", False),
        ([], "127.0.0.1", False),
        (["127.0.0.1"], "localhost", False),
    ],
)
def test_who_is_a_proxy(named, address, is_one):
    assert (address in Proxies(named)) is is_one


@pytest.mark.parametrize("name", ["proxy.example.org", "*", "", "192.0.2.1/24", "10.0.0.300"])
def test_a_proxy_is_named_by_its_address(name):
    with pytest.raises(BadParameter, match="a proxy is an address or a network"):
        Proxies([name])


@given(st.text() | st.lists(st.ip_addresses().map(str)).map(",".join))
def test_any_text_is_a_list_of_addresses_or_not(text):
    from ipaddress import ip_address

    found = Proxies([PROXY]).visitor(text)
    assert not found or (ip_address(found) and found != PROXY)
