"""Secrets: a service or a program that repeats everything it was told gives none of it away."""

from __future__ import annotations

import json
import shlex
import sys
import traceback

import pytest

from assay.errors import ProviderError
from assay.model.records import Query
from assay.providers.catalog.command import CommandRetriever
from assay.providers.retriever import PermanentFailure

from ._service import serving
from ._written import parse_provider

KEY = 'hush"hush/hé+1'
Q = Query("q1", "what is it")


def echo(status, asked):
    """Everything that was sent, in every spelling that a service may use."""
    told = {"url": asked.path, "headers": asked.headers, "body": asked.body}
    return f"{json.dumps(told)} {told} {json.dumps(told, ensure_ascii=False)}"


WAYS = {
    "a header": """headers='Authorization: Bearer ${KEY}'""",
    "a literal header": """headers='{"Authorization": "Bearer hush-literal-1"}'""",
    "a cookie": """headers='Cookie: session=hush-literal-2; theme=dark'""",
    "the body": """body='{"q": "{query}", "api_key": "hush-literal-3"}'""",
    "a variable in the body": """body='{"q": "{query}", "who": "${KEY}"}'""",
    "the address": "",
}


def asked_of(service, way):
    query = "?api_key=hush%2Dliteral-4&x=${KEY}" if way == "the address" else ""
    login = "me:hush-literal-5@" if way == "the address" else ""
    url = service.url.replace("http://", f"http://{login}") + query
    return parse_provider(f"http(url='{url}'{', ' * bool(WAYS[way])}{WAYS[way]})").make()


def assert_tells_nothing(error):
    shown = "".join(traceback.format_exception(error))
    assert "hush" not in shown
    assert "bWU6" not in shown


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("KEY", KEY.encode().decode("latin-1"))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("status", [200, 302, 400, 500])
def test_a_service_that_repeats_everything(way, status):
    def script(asked, handler):
        content = echo(status, asked)
        place = {"Location": "http://elsewhere" + asked.path + "&" + asked.headers.get("Authorization", "")}
        handler.say(status, content.encode(), **(place if status == 302 else {}))

    with serving(script) as service:
        retriever = asked_of(service, way)
        with pytest.raises(ProviderError) as caught:
            retriever.search([Q], 3)
        retriever.close()
    assert_tells_nothing(caught.value)
    assert isinstance(caught.value, PermanentFailure) == (status == 400)


@pytest.mark.parametrize("pad", range(30, 60))
def test_a_secret_is_not_shown_in_part_where_a_message_is_cut(pad):
    """The value of `results` is shown with its first forty characters, of which the key may be the last."""
    with serving(lambda asked, _: {"results": "x" * (pad - 20) + asked.headers["X-Key"]}) as service:
        retriever = parse_provider(f"http(url='{service.url}', results=results, headers='X-Key: hush-hush-hush')").make()
        with pytest.raises(ProviderError, match="expected a list of hits") as caught:
            retriever.search([Q], 3)
        retriever.close()
    assert_tells_nothing(caught.value)


def test_an_address_that_cannot_be_sent_is_not_shown(monkeypatch):
    with serving(lambda *_: []) as service:
        monkeypatch.setenv("BASE", f"{service.url}/hush hush")
        for url in ("${BASE}", "${KEY}/x"):
            with pytest.raises(PermanentFailure) as caught:
                parse_provider(f"http(url='{url}')").make().search([Q], 3)
            assert_tells_nothing(caught.value)


BROKEN = """
import json, os, sys
for line in sys.stdin:
    told = " ".join([*sys.argv, os.environ["KEY"]])
    asked = json.loads(line)
    if asked["query"] == "die":
        sys.exit("bad key in " + told)
    if asked["query"] == "babble":
        print("log:", told, flush=True)
        sys.exit(3)
    answer = {"error": told} if asked["query"] == "error" else {"hits": [[told, "not a number " + told]]}
    print(json.dumps({"id": asked["id"], **answer}), flush=True)
"""


@pytest.mark.parametrize("query", ["die", "babble", "error", "hits"])
def test_a_program_that_repeats_everything(tmp_path, monkeypatch, query):
    monkeypatch.setenv("KEY", "hush-variable")
    file = tmp_path / "program.py"
    file.write_text(BROKEN)
    line = f"{shlex.quote(sys.executable)} -S {file} --api-key hush-literal --token='hush quoted' ${{KEY}}"
    retriever = CommandRetriever(line, index=False, timeout=10)
    (answer,) = retriever.search([Query("q", query)], 3)
    retriever.close()
    assert isinstance(answer, ProviderError)
    assert_tells_nothing(answer)
    assert "…" in str(answer)


def test_a_program_whose_name_is_a_secret(monkeypatch):
    monkeypatch.setenv("KEY", "hush-no-such-program")
    (answer,) = CommandRetriever("${KEY}", index=False).search([Q], 3)
    assert "… cannot be started" in str(answer)
