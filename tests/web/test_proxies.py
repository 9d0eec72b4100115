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


def test_nobody_avoids_the_throttle_with_a_new_address_each_time(clients):
    """Nor with what a visitor writes before the proxy does; behind a named proxy each visitor has their own turn."""
    for address, header, value in (
        ("127.0.0.1", "x-forwarded-for", "203.0.113.{}"),
        ("198.51.100.1", "forwarded", "for=203.0.113.{}"),
        ("198.51.100.2", "x-real-ip", "203.0.113.{}"),
        (PROXY, "x-forwarded-for", "203.0.113.{}, 198.51.100.9"),
        (PROXY, "x-forwarded-for", "unknown-{}"),
        (PROXY, "x-forwarded-for", "203.0.113.1"),
    ):
        guesses = [guess(clients(address), **{header: value.format(n)}) for n in range(FREE_ATTEMPTS + 7)]
        assert guesses[-1] == 429, (address, header, value)
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
