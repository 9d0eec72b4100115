"""Secrets: a service or a program that repeats everything it was told gives none of it away."""

import json
import shlex
import sys
import traceback

import pytest

from assay import Query
from assay.errors import BadParameter, ProviderError
from assay.providers import PermanentFailure

from ._asking import provider
from ._service import serving

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
    return provider(f"http(url='{url}'{', ' * bool(WAYS[way])}{WAYS[way]})").make()


def assert_tells_nothing(error):
    shown = "".join(traceback.format_exception(error))
    assert "hush" not in shown
    assert "bWU6" not in shown


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("KEY", KEY.encode().decode("latin-1"))


def test_a_service_that_repeats_everything():
    for way in WAYS:
        for status in (200, 302, 400, 500):
            with serving(lambda asked, handler, status=status: _repeat(asked, handler, status)) as service:
                retriever = asked_of(service, way)
                with pytest.raises(ProviderError) as caught:
                    retriever.search([Q], 3)
                retriever.close()
            assert_tells_nothing(caught.value)
            assert isinstance(caught.value, PermanentFailure) == (status == 400), (way, status)


def _repeat(asked, handler, status):
    place = {"Location": "http://elsewhere" + asked.path + "&" + asked.headers.get("Authorization", "")}
    handler.say(status, echo(status, asked).encode(), **(place if status == 302 else {}))


def test_a_secret_is_not_shown_in_part_where_a_message_is_cut():
    """The value of `results` is shown with its first forty characters, of which the key may be the last."""
    with serving(lambda asked, _: {"results": "x" * int(asked.body["query"]) + asked.headers["X-Key"]}) as service:
        retriever = provider(f"http(url='{service.url}', results=results, headers='X-Key: hush-hush-hush')").make()
        for pad in range(10, 40):
            with pytest.raises(ProviderError) as caught:
                retriever.search([Query("q", str(pad))], 3)
            assert_tells_nothing(caught.value)
        retriever.close()


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


def test_a_program_that_repeats_everything(tmp_path, monkeypatch):
    monkeypatch.setenv("KEY", "hush-variable")
    file = tmp_path / "program.py"
    file.write_text(BROKEN)
    line = f"{shlex.quote(sys.executable)} -S {file} --api-key hush-literal --token='hush quoted' ${{KEY}}"
    retriever = provider({"command": {"command": line, "index": False, "timeout": 10}}).make()
    for query in ("die", "babble", "error", "hits"):
        (answer,) = retriever.search([Query("q", query)], 3)
        assert isinstance(answer, ProviderError), query
        assert_tells_nothing(answer)
        assert "…" in str(answer), query
    retriever.close()
    monkeypatch.setenv("KEY", "hush-no-such-program")
    (answer,) = provider("command(command='${KEY}', index=false)").make().search([Q], 3)
    assert "…" in str(answer)
    assert_tells_nothing(answer)


WRITTEN = [
    "http(url='http://h/s', headers='Authorization: Bearer hush-hush; X-Plain: open')",
    """http(url='http://h/s', headers='{"x-api-key": "hush-hush"}')""",
    "http(url='http://h/s', headers='Cookie: a=hush-hush')",
    "http(url='http://h/s?q={query}&api_key=hush-hush&n=5')",
    "http(url='http://me:hush-hush@h/s')",
    """http(url='http://h/s', body='{"q": "{query}", "apiKey": "hush-hush"}')""",
    "command(command='search --api-key hush-hush -v')",
    "command(command='search --token=hush-hush')",
    "command(command='env API_KEY=hush-hush search')",
]


def test_secrets_that_are_written_out_are_not_shown_and_a_name_without_them_is_refused():
    for text in WRITTEN:
        bound = provider(text)
        assert "hush" not in bound.name + json.dumps(bound.configuration) + repr(bound.params) + repr(bound), text
        assert "…" in bound.name, text
        with pytest.raises(BadParameter):
            provider(bound.name)


def test_an_address_that_cannot_be_sent_is_not_shown(monkeypatch):
    with serving(lambda *_: []) as service:
        monkeypatch.setenv("BASE", f"{service.url}/hush hush")
        for url in ("${BASE}", "${KEY}/x"):
            with pytest.raises(PermanentFailure) as caught:
                provider(f"http(url='{url}')").make().search([Q], 3)
            assert_tells_nothing(caught.value)
