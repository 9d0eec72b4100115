"""command: real programs that answer, crash, hang, babble, answer out of order, and end with whoever started them."""

import gc
import re
import shlex
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from assay import Document, Hit, Query
from assay.errors import ProviderError
from assay.providers import PermanentFailure, reporting_to

from ._asking import provider

START = """
import json, os, sys, time
def say(**answer): print(json.dumps(answer), flush=True)
def ids(query): return query["query"].split()
documents = []
for line in sys.stdin:
    query = json.loads(line)
    if query["type"] == "index": continue
    if query["type"] == "document": documents.append(query); continue
"""
ANSWER = '    say(id=query["id"], hits=[[doc, -n] for n, doc in enumerate(ids(query))][:query["k"]])\n'
OWN_ID = 'say(id=query["id"], hits=[str(os.getpid())]); continue'
READY = START.replace("continue\n", 'say(type="ready"); continue\n', 1)
"""It says when it has read its documents."""
WINDOW = 64
"""Queries that are on their way at once."""


@pytest.fixture
def program(tmp_path):
    """Makes a retriever out of the body of a loop over queries; ends what it made."""
    made = []

    def make(body="", answer=ANSWER, start=START, more="", **settings):
        file = tmp_path / f"program{len(made)}.py"
        file.write_text(start + textwrap.indent(textwrap.dedent(body), "    ") + "\n" + answer, encoding="utf-8")
        command = f"{shlex.quote(sys.executable)} -S {shlex.quote(str(file))}{more}"
        made.append(provider({"command": {"command": command, "index": False, "timeout": 5.0, **settings}}).make())
        return made[-1]

    yield make
    for retriever in made:
        retriever.close()


def queries(*texts):
    return [Query(f"q{number}", text) for number, text in enumerate(texts)]


def told(answers):
    """Ids, or the error in words."""
    return [str(one) if isinstance(one, ProviderError) else [hit.doc_id for hit in one] for one in answers]


def test_queries_and_answers_of_one_program(program, monkeypatch):
    """Whatever else it prints is passed over; its arguments come from the environment."""
    babble = 'print("thinking…"); print("[1, 2]"); print(); say(id="nobody", hits=["x"]); say(progress=3)'
    babble += '; sys.stdout.buffer.write(b"\\xff\\n")'
    assert told(program(babble).search(queries("a b", "c", ""), 10)) == [["a", "b"], ["c"], []]
    monkeypatch.setenv("ASSAY_TEST_KEY", "a b; c")
    own = 'say(id=query["id"], hits=[[str(os.getpid()), 2], [sys.argv[1], 1]], answer="Paris"); continue'
    retriever = program(own, more=" --key=${ASSAY_TEST_KEY}")
    answers = retriever.search(queries("a") * 300, 3) + retriever.search(queries("b"), 3)
    assert len({pid for pid, _ in told(answers)}) == 1
    assert (answers[0][1], answers[0].fields) == (Hit("--key=a b; c", 1.0), {"answer": "Paris"})


def test_what_lines_hold(program):
    retriever = program('say(id=query["id"], hits=[json.dumps(query, sort_keys=True)]); continue')
    (answer,) = retriever.search([Query("q", 'x "é\n🙂\ud800', scope="s")], 7)
    expected = '{"id": "q", "k": 7, "query": "x \\"\\u00e9\\n\\ud83d\\ude42\\ud800", "scope": "s", "type": "search"}'
    assert answer == [Hit(expected, 0.0)]
    show = 'say(id=query["id"], hits=[json.dumps(one, sort_keys=True) for one in documents]); continue'
    retriever = program(show, index=True)
    with pytest.raises(ProviderError, match="index"):
        retriever.search(queries("x"), 3)
    documents = [Document("d1", "text", title="T", group="g", metadata={"n": 1, "x": {1}}), Document("d2", "naïve")]
    retriever.index(iter(documents))
    assert told(retriever.search(queries("x"), 9)) == [
        [
            '{"group": "g", "id": "d1", "metadata": {"n": 1, "x": [1]}, "text": "text", "title": "T", "type": "document"}',
            '{"id": "d2", "text": "na\\u00efve", "type": "document"}',
        ]
    ]


@pytest.mark.slow
def test_many_documents_and_a_program_that_talks_meanwhile(program):
    body = "sys.stdout.write('loading\\n' * 20); sys.stderr.write('e' * 500 + '\\n')"
    start = START.replace("documents.append(query)", f"documents.append(query); {body}")
    retriever = program('say(id=query["id"], hits=[f"{len(documents)}"]); continue', index=True, start=start)
    retriever.index([Document(f"d{number}", "word " * 50) for number in range(3000)])
    assert told(retriever.search(queries("x"), 9)) == [["3000"]]


def test_answers_in_any_order_and_a_window_of_queries_before_the_first(program):
    """The program answers nobody before it has read as many as are asked at a time: one by one it would wait for ever."""
    body = f"""
    documents.append(query)
    if len(documents) % {WINDOW}: continue
    for query in reversed(documents[-{WINDOW}:]):
        say(id=query["id"], hits=ids(query))
    continue
    """
    texts = [f"d{number}" for number in range(3 * WINDOW)]
    assert told(program(body, answer="", timeout=20.0).search(queries(*texts), 9)) == [[text] for text in texts]
    same = [Query("7", "a"), Query("7", "b"), Query("8", "c")]
    assert told(program('query["id"] = int(query["id"])').search(same, 3)) == [["a"], ["b"], ["c"]]
    last = program('sys.stdout.write(json.dumps({"id": query["id"], "hits": ["a"]})); sys.exit()')
    assert told(last.search(queries("x"), 3)) == [["a"]], "the last line may lack its end"


def test_a_wrong_answer_is_that_query_alone(program, snapshots):
    bad = {
        "error": 'say(id=query["id"], error="no idea\\x1b")',
        "twice": 'say(id=query["id"], hits=["a", "a"])',
        "neither": 'say(id=query["id"], results=[])',
    }
    body = "\n".join(f'if "{name}" in ids(query): {answer}; continue' for name, answer in bad.items())
    answers = program(body).search(queries("a", *bad, "c"), 3)
    assert (told(answers)[0], told(answers)[-1]) == (["a"], ["c"])
    assert [isinstance(one, PermanentFailure) for one in answers[1:3]] == [False, True]
    text = "".join(f"## {name}\n{type(one).__name__}: {one}\n\n" for name, one in zip(bad, answers[1:-1], strict=True))
    snapshots.check("providers/command_answers", text)


def test_the_query_that_kills_it_has_failed_and_others_have_not(program):
    """Those whose answers were not flushed are asked again, of a program that has its documents again."""
    body = """
    if "crash" in ids(query): os.kill(os.getpid(), 9) if "kill" in ids(query) else sys.exit("cannot do that")
    hits = [*ids(query), *(one["id"] for one in documents)]
    print(json.dumps({"id": query["id"], "hits": hits}))
    if "flush" in ids(query): sys.stdout.flush()
    continue
    """
    retriever = program(body, index=True, timeout=20.0)
    retriever.index([Document("d1")])
    texts = [f"t{number} flush" for number in range(150)]
    texts[10], texts[20], texts[100] = "unflushed", "crash", "crash kill"
    answers = told(retriever.search(queries(*texts), 9))
    assert [place for place, one in enumerate(answers) if isinstance(one, str)] == [20, 100]
    assert answers[20].endswith("exited with code 1: cannot do that")
    assert "signal 9" in answers[100]
    assert [one for one in answers if isinstance(one, list)] == [[*t.split(), "d1"] for t in texts if "crash" not in t]


def test_programs_that_die_and_hang(program, snapshots):
    """A limit that must not be met is short, and nothing that answers has one of these."""
    dead = told(program(start='import sys; sys.exit("no model here")\n', answer="").search(queries(*"abcdefgh"), 3))
    (hung,) = told(program("time.sleep(600)", timeout=0.2).search(queries("hang"), 3))
    errors = {"dies": dead[0], "given up": dead[-1], "hangs": hung}
    text = "".join(f"## {name}\n{error.partition('program')[2].partition('.py')[2]}\n\n" for name, error in errors.items())
    snapshots.check("providers/command", text)
    never = program(start="import time; time.sleep(600)\n", answer="", index=True, index_timeout=0.2)
    with pytest.raises(ProviderError, match=r"0\.2 s"):
        never.index([Document(f"d{number}", "x" * 100_000) for number in range(100)])
    with pytest.raises(ProviderError, match="no-such-program"):
        provider("command:no-such-program --fast").make().index([])


class Listening:
    """Remembers why nothing came."""

    def __init__(self):
        self.reasons = []

    def note_delay(self, seconds, why):
        self.reasons.append(f"after {seconds:g} s: {why}")


HINT = "assay.providers.catalog.command.SECONDS_UNTIL_HINT"
BUFFERS = 'print(json.dumps({"id": query["id"], "hits": ["a"]})); continue'


def test_one_that_buffers_its_output_is_told_of_once(program, monkeypatch, snapshots):
    """Its answers are in its own buffer, which it writes when it is full, or when its input ends."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    monkeypatch.setattr(HINT, 0.05)
    heard, retriever = Listening(), program(BUFFERS, timeout=0.4)
    with reporting_to(heard):
        answers = told(retriever.search(queries("a", "b"), 3))
    (reason,) = heard.reasons
    error = answers[0].partition(".py")[2]
    assert [one.partition(".py")[2] for one in answers] == [error] * 2
    snapshots.check("providers/command_buffers", f"## reason\n{reason}\n\n## error\n{error}\n")


def test_one_that_has_answered_is_slow_and_does_not_buffer(program, monkeypatch):
    heard, retriever = Listening(), program('if "slow" in ids(query): time.sleep(0.3)')
    with reporting_to(heard):
        assert told(retriever.search(queries("a"), 3)) == [["a"]]
        monkeypatch.setattr(HINT, 0.01)
        assert told(retriever.search(queries("slow"), 3)) == [["slow"]]
    assert heard.reasons == []


def test_one_that_answers_in_another_shape_is_told_of_and_has_the_time_of_a_query(program, monkeypatch, snapshots):
    """It has its documents, since it answers: its index_timeout does not hold. Lines do not give it more time."""
    monkeypatch.setattr(HINT, 0.5)  # a program takes a while to start on a busy machine
    body = 'for _ in range(40): print("[\\"kb-1\\", \\"kb-2\\"]", flush=True); time.sleep(0.05)\ncontinue'
    heard, retriever = Listening(), program(body, answer="", index=True, timeout=1.0)
    retriever.index([Document("d1")])
    with reporting_to(heard):
        answers = told(retriever.search(queries(*"abcde"), 3))
    (reason,) = heard.reasons
    texts = {"reason": reason, **{f"error {place}": answers[place].partition(".py")[2] for place in (0, -1)}}
    text = "".join(f"## {name}\n{text}\n\n" for name, text in texts.items())
    counted = r"wrote \d+ (line that is not a response|lines that are not responses)"
    snapshots.check("providers/command_shapes", re.sub(counted, "wrote N lines that are not responses", text))


@pytest.mark.slow
def test_one_that_hangs_is_started_again_and_reading_documents_may_take_longer_than_a_query(program, tmp_path):
    slept = repr(str(tmp_path / "slept"))
    wait_once = f"os.path.exists({slept}) or (open({slept}, 'w').close(), time.sleep(5.5))"
    start = READY.replace('say(type="ready")', f'{wait_once}; say(type="ready")')
    body = 'if "babble" in ids(query): print("a b c", flush=True); continue\nif "hang" in ids(query): time.sleep(600)'
    retriever = program(body, index=True, start=start, timeout=5.0)
    retriever.index([Document("d1")])
    first, hung, last = told(retriever.search(queries("a", "hang", "b"), 3))
    assert (first, last, "within 5 s. Increase the timeout" in hung) == (["a"], ["b"], True)
    (babbled,) = told(retriever.search(queries("babble"), 3))
    assert "within 5 s. It wrote 1 line that is not a response, such as 'a b c'" in babbled


@pytest.mark.slow
def test_a_line_without_end(program):
    retriever = program('sys.stdout.write("x" * (1 << 27)); sys.stdout.flush(); time.sleep(60)', timeout=60)
    (error,) = told(retriever.search(queries("a"), 3))
    assert "without a line break" in error


def is_running(pid):
    """Whether it is there, and not just waiting for its parent to take notice."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


def test_closing_forgetting_and_interrupting_end_it(program, tmp_path):
    retriever = program(OWN_ID)
    pids = [int(told(retriever.search(queries("a"), 3))[0][0])]
    retriever.close()
    forgotten = provider({"command": {"command": f"{sys.executable} -S {tmp_path / 'program0.py'}", "index": False}}).make()
    pids.append(int(told(forgotten.search(queries("a"), 3))[0][0]))
    del forgotten
    gc.collect()
    pid_file = tmp_path / "pid"
    interrupted = program(f"open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(60)", timeout=60)

    def interrupt():
        while not (pid_file.exists() and pid_file.read_text()):
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        interrupted.search(queries("a"), 3)
    assert [is_running(pid) for pid in (*pids, int(pid_file.read_text()))] == [False] * 3


@pytest.mark.slow
def test_one_that_does_not_want_to_end_is_killed(program):
    start = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)" + START
    retriever = program(OWN_ID, start=start, answer="    pass\ntime.sleep(60)\n")
    pid = int(told(retriever.search(queries("a"), 3))[0][0])
    retriever.close()
    assert not is_running(pid)


@pytest.mark.slow
def test_it_goes_with_the_interpreter(tmp_path):
    (tmp_path / "program.py").write_text(START + f"    {OWN_ID}\n")
    for ending in ("raise SystemExit(1)", "os.kill(os.getpid(), signal.SIGKILL)"):
        script = f"""
import os, signal, sys
from assay import Query
from assay.grammar import mark_written
from assay.providers import parse_provider
command = {f"{sys.executable} -S {tmp_path / 'program.py'}"!r}
retriever = parse_provider(mark_written({{"command": {{"command": command, "index": False}}}})).make()
print(retriever.search([Query("q", "a")], 3)[0][0].doc_id, flush=True)
{ending}
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        until = time.monotonic() + 60
        while is_running(int(done.stdout)) and time.monotonic() < until:  # its input has ended, and it will notice
            time.sleep(0.02)
        assert not is_running(int(done.stdout)), ending
        assert done.stderr == "", ending
