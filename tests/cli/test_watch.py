"""assay watch: alerts over real HTTP on loopback, once each, and never at the cost of the run."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from assay.cli import _channels
from assay.store import Store

from ._nights import save_nights

SECRET = "T000-very-secret"


class Hook(ThreadingHTTPServer):
    """Takes messages, and answers as it is told: the next status of the list, then 200."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.got, self.answers, self.tries = [], [], 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/services/{SECRET}"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.tries += 1
        status = self.server.answers.pop(0) if self.server.answers else 200
        if status == 200:
            self.server.got.append(json.loads(body))
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def hook():
    server = Hook()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    monkeypatch.setattr(_channels, "PAUSES", (0.0, 0.0))
    monkeypatch.chdir(tmp_path)
    with Store.open() as opened:
        yield opened


def test_one_alert_per_step_not_per_night(assay, store, hook):
    save_nights(store, [0.8] * 15)
    assert assay("watch", "-m", "mrr", "--webhook", hook.url).out == "0 new alerts\n"
    for day in range(15, 23):
        save_nights(store, [0.6], start=day)
        outcome = assay("watch", "-m", "mrr", "--webhook", hook.url)
        assert (outcome.code, outcome.err) == (0, "")
    assert len(hook.got) == 1
    message = hook.got[0]
    assert message["text"].startswith("assay: 1 alert\n• rag/bm25: mrr 0.800 → 0.600")
    assert message["alerts"][0]["metric"] == "mrr"
    assert outcome.out == "0 new alerts, 1 known before\n"


def test_rules_are_told_when_they_break_and_when_they_break_again(assay, store, hook):
    for day, value in enumerate((0.8, 0.6, 0.6, 0.8, 0.6)):
        save_nights(store, [value], start=day)
        assay("watch", "--rule", "mrr >= 0.7", "--webhook", hook.url)
    rules = [alert for message in hook.got for alert in message["alerts"] if alert["kind"] == "rule"]
    assert len(rules) == 2
    assert rules[0]["rule"] == "mrr >= 0.7"
    assert "FAIL rag/bm25: mrr >= 0.7: 0.600" in hook.got[0]["text"]


def test_only_the_newest_result_of_each_series_counts(assay, store):
    save_nights(store, [0.2, 0.8])
    save_nights(store, [0.3], provider="dense")
    outcome = assay("watch", "--rule", "mrr >= 0.5", "-m", "mrr")
    assert outcome.out.count("ALERT") == 1
    assert "rag/dense" in outcome.out


def test_a_baseline_that_cannot_be_compared_is_an_alert_and_other_rules_still_hold(assay, store):
    save_nights(store, [0.8], benchmark="other")
    store.bless("latest", "main")
    save_nights(store, [0.3], start=1)
    store.delete("latest~1", force=True)
    save_nights(store, [0.3], start=2, benchmark="third")
    store.bless("latest", "main")
    store_only = assay("watch", "--rule", "mrr >= 0.5", "--rule", "mrr drops <= 0.1 on rag")
    assert store_only.code == 0
    assert "FAIL rag/bm25: mrr >= 0.5" in store_only.out


def test_a_webhook_that_stumbles_is_asked_again(assay, store, hook):
    save_nights(store, [0.3])
    hook.answers = [503, 429]
    outcome = assay("watch", "--rule", "mrr >= 0.5", "--webhook", hook.url)
    assert (hook.tries, len(hook.got), outcome.err) == (3, 1, "")


@pytest.mark.parametrize(("answers", "tries"), [([503] * 9, 3), ([404], 1), ([302], 1)])
def test_a_webhook_that_fails_never_fails_the_run(assay, store, hook, answers, tries):
    save_nights(store, [0.3])
    hook.answers = list(answers)
    outcome = assay("watch", "--rule", "mrr >= 0.5", "--webhook", hook.url)
    assert outcome.code == 0
    assert hook.tries == tries
    assert f"note: http://127.0.0.1:{hook.server_port}: alerts could not be sent: it answers {answers[0]}" in outcome.err
    assert SECRET not in outcome.err + outcome.out
    hook.answers = []
    assay("watch", "--rule", "mrr >= 0.5", "--webhook", hook.url)
    assert len(hook.got) == 1  # told at last, and then no more
    assay("watch", "--rule", "mrr >= 0.5", "--webhook", hook.url)
    assert len(hook.got) == 1


def test_nobody_there(assay, store, hook):
    save_nights(store, [0.3])
    hook.shutdown()
    hook.server_close()
    outcome = assay("watch", "--rule", "mrr >= 0.5", "--webhook", hook.url)
    assert outcome.code == 0
    assert "could not be sent" in outcome.err
    assert SECRET not in outcome.err


def test_an_address_from_the_environment(assay, store, hook, monkeypatch):
    save_nights(store, [0.3])
    monkeypatch.setenv("MY_HOOK", hook.url)
    assay("watch", "--rule", "mrr >= 0.5", "--webhook", "${MY_HOOK}")
    assert len(hook.got) == 1
    assert SECRET not in "".join(path.read_text(errors="replace") for path in store.place.path.parent.glob("*.json"))


@pytest.mark.parametrize("word", ["no address", "ftp://x/y", f"http://[::1/{SECRET}", "http:///x"])
def test_no_address(assay, store, word):
    save_nights(store, [0.3])
    outcome = assay("watch", "--rule", "mrr >= 0.5", "--webhook", word)
    assert outcome.code == 2
    assert SECRET not in outcome.err


def test_commands_read_alerts(assay, store, tmp_path):
    save_nights(store, [0.3])
    script = "import sys, pathlib; pathlib.Path('got.json').write_text(sys.stdin.read())"
    outcome = assay("watch", "--rule", "mrr >= 0.5", "--command", f'"{sys.executable}" -c "{script}"')
    assert outcome.err == ""
    assert json.loads((tmp_path / "got.json").read_text())["alerts"][0]["rule"] == "mrr >= 0.5"
    failing = assay("watch", "--rule", "mrr >= 0.4", "--command", f'"{sys.executable}" -c "import sys; sys.exit(\'no\')"')
    assert (failing.code, "it exits with 1: no" in failing.err) == (0, True)
    gone = assay("watch", "--rule", "mrr >= 0.45", "--command", "/no/such/program --key secret")
    assert (gone.code, "secret" in gone.err) == (0, False)


def test_what_was_told_is_beside_the_store_and_may_be_lost(assay, store):
    save_nights(store, [0.3])
    assay("watch", "--rule", "mrr >= 0.5")
    state = store.place.path.with_name("assay.db.watch.json")
    state.write_text("{broken")
    assert "1 new alert\n" in assay("watch", "--rule", "mrr >= 0.5").out
    other = assay("watch", "--rule", "mrr >= 0.5", "--state", "mine.json")
    assert "1 new alert\n" in other.out


def test_nothing_to_watch(assay, store):
    assert assay("watch", "-m", "mrr").code == 5
    save_nights(store, [0.3])
    assert assay("watch", "--rule", "nonsense").code == 2
    assert assay("watch").out == "0 new alerts\n"
