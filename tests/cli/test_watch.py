"""assay watch: alerts over real HTTP on loopback, once each, and never at the cost of the run."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from assay.store import Store

from ._nights import night, save_nights

SECRET = "T000-very-secret"
RULE = ("watch", "--rule", "mrr >= 0.5")
NOTE = (
    "note: anyone who can read the URL of --webhook can post to it. Put the URL into an environment variable, "
    "and write --webhook '${SLACK_WEBHOOK}'\n"
)
"""What is said where an address is written out."""


class Handler(BaseHTTPRequestHandler):
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
    """Takes messages, and answers as it is told: the next status of the list, then 200."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.got, server.answers, server.tries = [], [], 0
        server.url = f"http://127.0.0.1:{server.server_port}/services/{SECRET}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture
def pauses(monkeypatch):
    """The seconds that were waited before asking again."""
    found = []
    monkeypatch.setattr("time.sleep", found.append)
    return found


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.delenv("ASSAY_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    with Store.open() as opened:
        yield opened


def alerts_in(outcome):
    assert outcome.code == 0
    return [line.removeprefix("ALERT  ") for line in outcome.out.splitlines() if line.startswith("ALERT")]


def test_one_alert_per_step_not_per_night(assay, store, hook):
    """Also where all queries are asked at night, and two of them at noon."""
    for day in range(17):
        store.save([night(2 * day, 0.8 if day < 14 else 0.5)])
        store.save([night(2 * day + 1, 0.9, ids=("q1", "q2"))])
        if day >= 13:
            outcome = assay("watch", "-m", "mrr", "--webhook", hook.url)
            assert (outcome.code, outcome.err) == (0, NOTE)
    (message,) = hook.got
    assert message["text"].startswith("assay: 1 alert\n• rag/bm25: mrr is lower on these queries: 0.800 → 0.500")
    assert (message["alerts"][0]["metric"], outcome.out) == ("mrr", "0 new alerts, 1 already reported\n")


def test_only_the_newest_result_of_each_series_counts(assay, store):
    save_nights(store, [0.3, 0.8])
    save_nights(store, [0.3], start=1, provider="dense")
    (told,) = alerts_in(assay(*RULE))
    assert "FAIL rag/dense: mrr >= 0.5: 0.300" in told
    assert alerts_in(assay(*RULE)) == []


def test_a_guard_holds_for_alerts_too(assay, store):
    """All of ten queries lose: p = 2^-10 alerts alone, but not with 5 % over 100 changes."""
    ids = tuple(f"q{number}" for number in range(10))
    save_nights(store, [0.9], ids=ids)
    store.bless("latest", "main")
    save_nights(store, [0.5], start=1, ids=ids)
    Path("gate.yaml").write_text("guard: 5% over 100 changes\nrules: [mrr not worse by 0.1]\n")
    assert assay("gate", "--rules", "gate.yaml").code == 0
    outcome = assay("watch", "--rules", "gate.yaml")
    assert not [line for line in alerts_in(outcome) if "not worse by" in line]
    assert "1 different candidate of 100 checked; this one has known scores" in outcome.err
    assert any("not worse by" in line for line in alerts_in(assay("watch", "--rule", "mrr not worse by 0.1")))


def test_a_benchmark_that_fails_changes_or_has_another_provider_hides_no_other(store, transcript):
    """As in the gate, results pair by benchmark, and by provider only where several remain."""
    store.save([night(0, 0.9, benchmark=name) for name in ("rag", "other", "replaced")])
    store.bless("latest", "main")
    low = [night(1, 0.2, benchmark="other"), night(1, 0.1, "v2", "replaced")]
    store.save([night(1, 0.0).with_fields(failures=dict.fromkeys(("q1", "q2", "q3", "q4"), "refused")), *low])
    transcript("watch/failed")
    store.save([night(2, 0.9, ids=("q1", "q2", "q3", "q4", "q5")), *low])
    transcript("watch/changed")


def test_what_cannot_be_checked_is_told(store, transcript):
    save_nights(store, [0.3])
    transcript("watch/no_baseline")
    store.bless("latest", "main")
    save_nights(store, [0.3], start=1, benchmark="other")
    transcript("watch/not_in_baseline")


def test_each_result_has_the_ratchet_of_its_own_data_and_time(store, transcript):
    """The best of all queries is no bar for two of them; and the best before an old evaluation none for a new one."""
    for day in range(3):
        store.save([night(2 * day, 0.8), night(2 * day, 0.7, benchmark="other")])
        store.save([night(2 * day + 1, 0.5, ids=("q1", "q2"))])
    save_nights(store, [0.95, 0.9], start=8)
    transcript("watch/ratchet")


def test_every_channel_is_told_once_and_its_secrets_are_kept(assay, store, hook, monkeypatch):
    save_nights(store, [0.3])
    monkeypatch.setenv("MY_HOOK", f"{hook.url}/search-team")
    script = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.stdin.read())"
    words = ["--webhook", "${MY_HOOK}", "--webhook", f"{hook.url}/platform-team"]
    for name in ("one", "two"):
        words += ["--command", f'"{sys.executable}" -c "{script}" {name}.json']
    for _ in range(2):
        assert assay(*RULE, *words).err == NOTE
    assert len(hook.got) == 2
    for name in ("one.json", "two.json"):
        assert json.loads(Path(name).read_text())["alerts"][0]["rule"] == "mrr >= 0.5"
    assert SECRET not in store.place.path.with_name("assay.db.watch.json").read_text()


def test_a_webhook_is_asked_again_unless_its_answer_is_final(assay, store, hook, pauses):
    """What could not be told is told the next time, and then no more."""
    save_nights(store, [0.3])
    for answers, waited in (([503] * 9, [0.5, 2, 8]), ([404], []), ([302], []), ([503, 429], [0.5, 2])):
        pauses.clear()
        hook.answers, hook.tries = list(answers), 0
        outcome = assay(*RULE, "--webhook", hook.url)
        is_told = len(answers) == len(waited)
        failed = (
            f"note: http://127.0.0.1:{hook.server_port}: alerts could not be sent: the server returned status {answers[0]}"
        )
        assert (outcome.code, hook.tries, pauses, len(hook.got)) == (0, len(waited) + 1, waited, is_told), answers
        assert (outcome.err == NOTE, failed in outcome.err) == (is_told, not is_told), answers
        assert SECRET not in outcome.err + outcome.out
    assay(*RULE, "--webhook", hook.url)
    assert len(hook.got) == 1


def test_channels_that_fail_never_fail_the_run_nor_the_others(assay, store, hook, pauses):
    save_nights(store, [0.3])
    rude = f'"{sys.executable}" -c "import sys; sys.stderr.buffer.write(bytes([255])); sys.exit(3)"'
    nobody = f"http://127.0.0.1:1/{SECRET}"
    words = ("--webhook", "http://a..b/", "--webhook", nobody, "--command", rude, "--command", f"/no/such --key {SECRET}")
    outcome = assay(*RULE, *words, "--webhook", hook.url)
    assert (outcome.code, len(hook.got), SECRET in outcome.err) == (0, 1, False)
    for name in ("http://a..b", "http://127.0.0.1:1", "/no/such", sys.executable):
        assert f"note: {name}: alerts could not be sent" in outcome.err, name
    assert "the command exited with code 3" in outcome.err


def test_who_was_told_is_remembered_even_if_the_next_one_breaks_everything(assay, store, hook):
    save_nights(store, [0.3])
    words = (*RULE, "--webhook", hook.url)
    assert assay(*words, "--command", "sh -c 'kill -TERM $PPID; exec sleep 60'").code == 143
    assert (assay(*words).code, len(hook.got)) == (0, 1)


def test_what_was_told_is_beside_the_store_and_may_be_lost(assay, store):
    save_nights(store, [0.3])
    assert len(alerts_in(assay(*RULE))) == 1
    store.place.path.with_name("assay.db.watch.json").write_text("{broken")
    assert len(alerts_in(assay(*RULE))) == 1


def test_what_is_refused(assay, store, transcript):
    assert assay("watch", "-m", "mrr").code == 5
    save_nights(store, [0.3])
    transcript("watch/refused")
    assert SECRET not in assay(*RULE, "--webhook", f"http://[::1/{SECRET}").err
