"""Proxies: forwarded headers are believed from named addresses alone; visitors cannot make up who they are."""

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from assay.web import Proxies, Throttle, make_app

from ._clients import COOKIE, FREE_ATTEMPTS, TOKEN, Clock

PROXY = "192.0.2.7"


@pytest.fixture
def clients(small):
    """Where requests come from → a client there, all of one server that knows one proxy."""
    clock = Clock()
    app = make_app(small, token=TOKEN, proxies=[PROXY], throttle=Throttle(clock, clock.sleep))
    return lambda address: TestClient(app, "http://inside:8765", client=(address, 1), follow_redirects=False)


def guess(client, **headers):
    """The status of a wrong token."""
    return client.get("/api/v1/results", headers={"authorization": "Bearer wrong", **headers}).status_code


def last_of(client, name, value):
    """The status of the last of many wrong tokens, with a header of its own each."""
    return [guess(client, **{name: value.format(n)}) for n in range(FREE_ATTEMPTS + 7)][-1]


def test_nobody_avoids_the_throttle_with_a_new_address_each_time(clients):
    """Nor with what a visitor writes before the proxy does."""
    headers = (("x-forwarded-for", "203.0.113.{}"), ("forwarded", "for=203.0.113.{}"), ("x-real-ip", "203.0.113.{}"))
    for number, header in enumerate(headers):
        for address in (f"127.0.0.{number + 1}", f"198.51.100.{number + 1}"):
            assert last_of(clients(address), *header) == 429, (address, header)
    for value in ("203.0.113.{}, 198.51.100.9", "unknown-{}"):
        assert last_of(clients(PROXY), "x-forwarded-for", value) == 429, value


def test_behind_a_named_proxy_each_visitor_has_their_own_turn(clients):
    assert last_of(clients(PROXY), "x-forwarded-for", "203.0.113.1") == 429
    assert guess(clients(PROXY), **{"x-forwarded-for": "203.0.113.2"}) == 401


PROTOCOLS = (
    (PROXY, {"x-forwarded-proto": "https"}, True),
    (PROXY, {"x-forwarded-proto": "http"}, False),
    (PROXY, {"x-forwarded-proto": "https, http"}, False),
    (PROXY, {"x-forwarded-proto": "gopher"}, False),
    (PROXY, {"forwarded": "proto=https"}, False),
    ("127.0.0.1", {"x-forwarded-proto": "https"}, False),
)


def test_the_cookie_is_secure_behind_https(clients):
    for address, headers, is_secure in PROTOCOLS:
        answer = clients(address).post("/login", data={"token": TOKEN}, headers=headers)
        cookie = answer.headers["set-cookie"]
        assert (answer.status_code, COOKIE in cookie) == (303, True)
        assert ("secure" in cookie.lower()) is is_secure, (address, headers)


ORIGINS = (
    (PROXY, "https://assay.example.org", 303),
    (PROXY, "https://assay.example.org:443", 303),
    (PROXY, "http://assay.example.org", 403),
    (PROXY, "https://inside:8765", 403),
    (PROXY, "null", 403),
    ("198.51.100.1", "https://assay.example.org", 403),
    ("198.51.100.1", "http://inside:8765", 303),
)


def test_a_form_comes_from_the_address_that_the_proxy_tells(clients):
    told = {"x-forwarded-proto": "https", "x-forwarded-host": "assay.example.org"}
    for address, origin, status in ORIGINS:
        answer = clients(address).post("/login", data={"token": TOKEN}, headers={**told, "origin": origin})
        assert answer.status_code == status, (address, origin)


NAMED = (
    (["192.0.2.0/24"], "192.0.2.200", True),
    (["192.0.2.0/24"], "192.0.3.1", False),
    (["192.0.2.7"], "::ffff:192.0.2.7", True),
    (["2001:db8::/32"], "2001:db8::5", True),
    (["2001:db8::/32"], "192.0.2.7", False),
    ([], "127.0.0.1", False),
    (["127.0.0.1"], "localhost", False),
)


def test_who_is_a_proxy(snapshots):
    for named, address, is_one in NAMED:
        assert (address in Proxies(named)) is is_one, (named, address)
    wrong = ("proxy.example.org", "*", "", "192.0.2.1/24", "10.0.0.300")
    snapshots.check_errors("web/proxies", {repr(name): lambda name=name: Proxies([name]) for name in wrong})


@given(st.text() | st.lists(st.ip_addresses().map(str)).map(",".join))
def test_any_text_is_a_list_of_addresses_or_not(text):
    found = Proxies([PROXY]).visitor(text)
    assert not found or (ip_address(found) and found != PROXY)
