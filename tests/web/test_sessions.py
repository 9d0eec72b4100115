"""Sessions: one for each login, with an end; logging out ends it, also for whoever kept the cookie."""

import pytest

from ._clients import COOKIE, TOKEN, client_of, csrf_of


@pytest.fixture(scope="module")
def client(small):
    return client_of(small, token=TOKEN)


def log_in(client):
    """The secret in the cookie that a login sets."""
    client.cookies.clear()
    assert client.post("/login", data={"token": TOKEN}).status_code == 303
    return client.cookies[COOKIE]


def status_with(client, secret, path="/"):
    client.cookies.clear()
    return client.get(path, headers={"cookie": f"{COOKIE}={secret}"}).status_code


def test_logging_out_ends_it_for_whoever_kept_the_cookie_and_for_nobody_else(client):
    other, mine = log_in(client), log_in(client)
    assert other != mine
    page = client.get("/")
    assert "Log out</button>" in page.text
    answer = client.post("/logout", data={"csrf": csrf_of(page.text)})
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    assert COOKIE not in client.cookies
    assert status_with(client, mine) == 303
    assert status_with(client, mine, "/api/v1/results") == 401
    assert status_with(client, other) == 200


def test_logging_in_again_and_a_new_server_end_the_one_before(client, small):
    first = log_in(client)
    assert client.post("/login", data={"token": TOKEN}).status_code == 303
    assert status_with(client, first) == 303
    assert status_with(client_of(small, token=TOKEN), log_in(client)) == 303


def test_forms_and_pages_that_are_kept_are_of_their_session_alone(client):
    """Else a browser that logs in again would go on with the form of the session that has ended."""
    log_in(client)
    first = client.get("/")
    log_in(client)
    again = client.get("/", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 200
    assert client.get("/", headers={"if-none-match": again.headers["etag"]}).status_code == 304
    for page, status in ((first, 403), (again, 303)):
        assert client.post("/logout", data={"csrf": csrf_of(page.text)}).status_code == status


def test_a_link_from_elsewhere_asks_once_more_with_the_cookie(client):
    """Browsers send no strict cookie when a link elsewhere is followed; the page that comes instead asks again."""
    client.cookies.clear()
    elsewhere = {"sec-fetch-site": "cross-site"}
    asked = client.get("/login", params={"next": "/history?a=1&b=2"}, headers=elsewhere)
    assert '<meta http-equiv="refresh" content="0; url=/history?a=1&amp;b=2">' in asked.text
    assert "refresh" not in client.get("/login", params={"next": "/"}, headers={"sec-fetch-site": "same-origin"}).text
    assert "refresh" not in client.post("/login", data={"token": "wrong", "next": "/"}).text
    assert "refresh" in client.get("/login", headers={"referer": "http://chat.example.org/"}).text
    for ours in ("http://127.0.0.1:8765/login", ""):
        assert "refresh" not in client.get("/login", headers={"referer": ours}).text
