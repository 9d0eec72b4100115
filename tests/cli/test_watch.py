"""assay watch: alerts over real HTTP on loopback, once each, and never at the cost of the run."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from assay.cli import alert_channels
from assay.store import Store

from ._nights import night, save_nights

SECRET = "T000-very-secret"

NOTE = (
    "note: an address after --webhook lets everybody post who reads it; put it into a variable of the environment "
    "and write --webhook '${SLACK_WEBHOOK}'\n"
)
"""What is said where an address is written out."""


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
    monkeypatch.setattr(alert_channels, "RETRY_PAUSES", (0.0, 0.0))
    monkeypatch.chdir(tmp_path)
    with Store.open() as opened:
        yield opened


def test_one_alert_per_step_not_per_night(assay, store, hook):
    save_nights(store, [0.8] * 15)
    assert assay("watch", "-m", "mrr", "--webhook", hook.url).out == "0 new alerts\n"
    for day in range(15, 23):
        save_nights(store, [0.6], start=day)
        outcome = assay("watch", "-m", "mrr", "--webhook", hook.url)
        assert (outcome.code, outcome.err) == (0, NOTE)
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
    assert "FAIL rag/bm25: mrr &gt;= 0.7: 0.600" in hook.got[0]["text"]


def test_only_the_newest_result_of_each_series_counts(assay, store):
    save_nights(store, [0.2, 0.8])
    save_nights(store, [0.3], provider="dense")
    outcome = assay("watch", "--rule", "mrr >= 0.5", "-m", "mrr")
    assert outcome.out.count("ALERT") == 1
    assert "rag/dense" in outcome.out


def test_a_provider_that_fails_hides_nobody(assay, store):
    """One benchmark's provider answers nothing, which is an alert of its own; the other benchmark's rules are still held."""
    store.save([night(0, 0.9), night(0, 0.9, benchmark="other")])
    store.bless("latest", "main")
    dead = night(1, 0.0).with_fields(failures=dict.fromkeys(("q1", "q2", "q3", "q4"), "refused"))
    store.save([dead, night(1, 0.2, benchmark="other")])
    outcome = assay("watch", "--rule", "mrr drops <= 0.1")
    assert outcome.code == 0
    assert "ALERT  rag/bm25: bm25: every query failed, so there is nothing to judge; q1: refused" in outcome.out
    assert "ALERT  FAIL other/bm25: mrr drops <= 0.1" in outcome.out
    assert "2 new alerts" in outcome.out
    assert assay("watch", "--rule", "mrr drops <= 0.1").out == "0 new alerts, 2 known before\n"


def test_a_provider_that_was_replaced_is_held_against_the_old_one(assay, store):
    """As in the gate: results pair by benchmark, and by provider only where several remain."""
    save_nights(store, [0.9], provider="v1")
    store.bless("latest", "main")
    save_nights(store, [0.1], start=1, provider="v2")
    outcome = assay("watch", "--rule", "mrr drops <= 0.1")
    assert "ALERT  FAIL rag/v2: mrr drops <= 0.1: 0.900 → 0.100" in outcome.out
    assert outcome.err == ""


def test_one_changed_benchmark_switches_off_nothing_else(assay, store):
    store.save([night(0, 0.9), night(0, 0.9, benchmark="other")])
    store.bless("latest", "main")
    store.save([night(1, 0.9, ids=("q1", "q2", "q3", "q4", "q5")), night(1, 0.2, benchmark="other")])
    outcome = assay("watch", "--rule", "mrr drops <= 0.1")
    assert "ALERT  rag/bm25: cannot be checked: main cannot be compared with this result: 1 query only in" in outcome.out
    assert "ALERT  FAIL other/bm25: mrr drops <= 0.1" in outcome.out


def test_what_cannot_be_checked_is_told(assay, store):
    save_nights(store, [0.3])
    outcome = assay("watch", "--rule", "mrr drops <= 0.1", "--rule", "mrr >= 0.2", "--baseline", "nope")
    assert (outcome.code, outcome.out) == (0, "0 new alerts\n")
    assert "note: there is no baseline nope yet: assay bless latest --as nope makes one; not checked" in outcome.err
    assert outcome.err.rstrip().endswith(": mrr drops <= 0.1")
    assert assay("watch", "--rule", "mrr >= 0.2").err == ""
    required = assay("watch", "--rule", "mrr drops <= 0.1", "--require-baseline")
    assert required.code == 3
    assert "there is no baseline main yet" in required.err
    store.bless("latest", "main")
    save_nights(store, [0.3], start=1, benchmark="other")
    noted = assay("watch", "--rule", "mrr drops <= 0.1", "--require-baseline")
    assert noted.code == 0
    assert "other" in noted.out + noted.err


def test_data_that_come_by_turns(assay, store):
    """All queries at night, two of them at noon: a step of the nightly figures is told, and no night twice."""
    kinds = []
    for day in range(20):
        store.save([night(2 * day, 0.8 if day < 15 else 0.5)])
        store.save([night(2 * day + 1, 0.9, ids=("q1", "q2"))])
        if day >= 13:
            kinds += [line for line in assay("watch", "-m", "mrr").out.splitlines() if line.startswith("ALERT")]
    assert len(kinds) == 1
    assert "mrr 0.800 → 0.500" in kinds[0]


def test_each_result_has_the_ratchet_of_its_own_data_and_time(assay, store):
    """The best of all queries is no bar for two of them; and the best before an old evaluation none for a new one."""
    for day in range(3):
        store.save([night(2 * day, 0.8), night(2 * day, 0.7, benchmark="other")])
        store.save([night(2 * day + 1, 0.5, ids=("q1", "q2"))])
    assert assay("watch", "--rule", "mrr ratchet").out == "0 new alerts\n"
    save_nights(store, [0.95], start=8)
    save_nights(store, [0.9], start=9)
    outcome = assay("watch", "--rule", "mrr ratchet")
    assert "FAIL rag/bm25: mrr ratchet: 0.900" in outcome.out
    assert "0.950 best so far" in outcome.out
    assert outcome.out.count("ALERT  FAIL") == 1


def test_each_address_of_a_host_and_each_use_of_a_program_is_told(assay, store, hook, tmp_path):
    save_nights(store, [0.3])
    urls = [f"{hook.url}/{name}" for name in ("search-team", "platform-team")]
    script = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.stdin.read())"
    commands = [f'"{sys.executable}" -c "{script}" {name}.json' for name in ("one", "two")]
    words = [word for url in urls for word in ("--webhook", url)] + [word for one in commands for word in ("--command", one)]
    for _ in range(2):
        assert assay("watch", "--rule", "mrr >= 0.5", *words).err == NOTE
    assert len(hook.got) == 2
    assert (tmp_path / "one.json").exists()
    assert (tmp_path / "two.json").exists()
    assert SECRET not in store.place.path.with_name("assay.db.watch.json").read_text()


def test_channels_that_fail_in_strange_ways(assay, store, hook):
    """A program that writes no text, a host that cannot be one, a channel with a bug: the others are told all the same."""
    save_nights(store, [0.3])
    rude = f'"{sys.executable}" -c "import sys; sys.stderr.buffer.write(bytes([255])); sys.exit(3)"'
    outcome = assay("watch", "--rule", "mrr >= 0.5", "--webhook", "http://a..b/", "--command", rude, "--webhook", hook.url)
    assert outcome.code == 0
    assert len(hook.got) == 1
    assert "note: http://a..b: alerts could not be sent" in outcome.err
    assert "it exits with 3" in outcome.err


def test_who_was_told_is_remembered_even_if_the_next_one_breaks_everything(assay, store, hook, monkeypatch):
    save_nights(store, [0.3])
    words = ("watch", "--rule", "mrr >= 0.5", "--webhook", hook.url, "--command", "/no/such/program")

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(alert_channels.CommandChannel, "send", interrupted)
        assert assay(*words).code == 130
    assert assay(*words).code == 0
    assert len(hook.got) == 1


def test_a_webhook_that_stumbles_is_asked_again(assay, store, hook):
    save_nights(store, [0.3])
    hook.answers = [503, 429]
    outcome = assay("watch", "--rule", "mrr >= 0.5", "--webhook", hook.url)
    assert (hook.tries, len(hook.got), outcome.err) == (3, 1, NOTE)


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
