"""command: real programs that answer, crash, hang, babble, answer out of order, and end with whoever started them."""

import gc
import os
import shlex
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from assay import Document, Hit, Query
from assay.errors import BadParameter, ProviderError
from assay.providers import PermanentFailure

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
"""It says when it is ready, so that a start that takes long on a busy machine is not taken for an answer that does."""
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


# Speaking


def test_queries_and_answers_of_one_program(program):
    assert told(program().search(queries("a b", "c", ""), 10)) == [["a", "b"], ["c"], []]
    retriever = program(OWN_ID)
    assert len({pid for (pid,) in told(retriever.search(queries("a") * 300, 3) + retriever.search(queries("b"), 3))}) == 1


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


def test_all_shapes_of_hits(program):
    shapes = '{"p": [["a", 2], ["b", 1]], "r": [{"id": "a", "score": 2, "text": "t"}], "i": ["a", "b", "c"], "n": []}'
    retriever = program(f'say(id=query["id"], hits={shapes}[query["query"]], answer="Paris"); continue')
    pairs, record, listed, nothing = retriever.search(queries("p", "r", "i", "n"), 2)
    assert (pairs, record) == ([Hit("a", 2.0), Hit("b", 1.0)], [Hit("a", 2.0, "t")])
    assert (listed, nothing) == ([Hit("a", 0.0), Hit("b", -1.0)], [])
    assert listed.fields == {"answer": "Paris"}


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


def test_arguments_from_the_environment(program, monkeypatch):
    monkeypatch.setenv("ASSAY_TEST_KEY", "a b; c")
    retriever = program('say(id=query["id"], hits=sys.argv[1:]); continue', more=" --key=${ASSAY_TEST_KEY}")
    assert [hit.doc_id for hit in retriever.search(queries("x"), 3)[0]] == ["--key=a b; c"]


# Failing


def test_a_wrong_answer_is_that_query_alone(program, snapshots):
    bad = {
        "error": 'say(id=query["id"], error="no idea\\x1b")',
        "twice": 'say(id=query["id"], hits=["a", "a"])',
        "nan": 'say(id=query["id"], hits=[["a", float("nan")]])',
        "null": 'say(id=query["id"], hits=None)',
        "neither": 'say(id=query["id"], results=[])',
    }
    body = "\n".join(f'if "{name}" in ids(query): {answer}; continue' for name, answer in bad.items())
    answers = program(body).search(queries("a", *bad, "c"), 3)
    assert (told(answers)[0], told(answers)[-1]) == (["a"], ["c"])
    text = "".join(f"## {name}\n{type(one).__name__}: {one}\n\n" for name, one in zip(bad, answers[1:-1], strict=True))
    snapshots.check("providers/command_answers", text)


def test_babble_is_passed_over(program):
    babble = 'print("thinking…"); print("[1, 2]"); print(); say(id="nobody", hits=["x"]); say(progress=3)'
    babble += '; sys.stdout.buffer.write(b"\\xff\\n")'
    assert told(program(babble).search(queries("a", "b"), 3)) == [["a"], ["b"]]


def test_the_query_that_kills_it_has_failed_and_others_have_not(program):
    body = 'if "crash" in ids(query): os.kill(os.getpid(), 9) if "kill" in ids(query) else sys.exit("cannot do that")'
    retriever = program(body, index=True)
    retriever.index([Document("d1")])
    texts = [f"d{number}" for number in range(150)]
    texts[20], texts[100] = "crash", "crash kill"
    answers = told(retriever.search(queries(*texts), 3))
    assert [place for place, one in enumerate(answers) if isinstance(one, str)] == [20, 100]
    assert answers[20].endswith("ended with exit code 1: cannot do that")
    assert "signal 9" in answers[100]
    assert [one for one in answers if isinstance(one, list)] == [[text] for text in texts if "crash" not in text]


def test_the_right_query_is_blamed_even_if_answers_were_not_flushed(program):
    body = """
    if "crash" in ids(query): os._exit(3)
    print(json.dumps({"id": query["id"], "hits": [one["id"] for one in documents]}), flush="slow" in ids(query)); continue
    """
    retriever = program(body + "\n", timeout=20.0, index=True)
    retriever.index([Document("d1"), Document("d2")])
    answers = told(retriever.search(queries("a slow", "b slow", "crash", "c slow"), 3))
    assert answers[:2] + answers[3:] == [["d1", "d2"]] * 3, "one that is started again gets its documents again"
    assert "exit code 3" in answers[2]


def test_programs_that_die_hang_and_babble(program, snapshots):
    dead = told(program(start='import sys; sys.exit("no model here")\n', answer="").search(queries(*"abcdefgh"), 3))
    body = """
    if "babble" in ids(query): print("a b c", flush=True); continue
    if "hang" in ids(query): time.sleep(600)
    """
    retriever = program(body, index=True, start=READY, timeout=0.3)
    retriever.index([])
    hung = told(retriever.search(queries("a", "hang", "b"), 3))
    (babbled,) = told(retriever.search(queries("babble"), 3))
    assert (hung[0], hung[2]) == (["a"], ["b"])
    errors = {"dies": dead[0], "given up": dead[-1], "hangs": hung[1], "babbles": babbled}
    text = "".join(f"## {name}\n{error.partition('program')[2].partition('.py')[2]}\n\n" for name, error in errors.items())
    snapshots.check("providers/command", text)
    never = program(start="import time; time.sleep(600)\n", answer="", index=True, index_timeout=0.3)
    with pytest.raises(ProviderError, match=r"0\.3 s"):
        never.index([Document(f"d{number}", "x" * 100_000) for number in range(100)])
    with pytest.raises(ProviderError, match="no-such-program"):
        provider("command:no-such-program --fast").make().index([])


def test_reading_documents_may_take_longer_than_a_query(program):
    start = START.replace('if query["type"] == "index": continue', 'if query["type"] == "index": time.sleep(0.5); continue')
    retriever = program(index=True, start=start, timeout=0.3)
    retriever.index([Document("d1")])
    assert told(retriever.search(queries("a"), 3)) == [["a"]]


def test_what_would_be_the_same_again_is_final(program):
    wrong = 'say(id=query["id"], **{"twice": {"hits": ["a", "a"]}, "not now": {"error": "later"}}[query["query"]]); continue'
    twice, later = program(wrong).search(queries("twice", "not now"), 3)
    assert isinstance(twice, PermanentFailure)
    assert not isinstance(later, PermanentFailure)


@pytest.mark.slow
def test_a_line_without_end(program):
    retriever = program('sys.stdout.write("x" * (1 << 27)); sys.stdout.flush(); time.sleep(60)', timeout=60)
    (error,) = told(retriever.search(queries("a"), 3))
    assert "without an end of line" in error


# Ending


def is_running(pid):
    """Whether it is there, and not just waiting for its parent to take notice."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False).stdout
    return bool(state.strip()) and not state.startswith("Z")


def pid_of(retriever):
    return int(told(retriever.search(queries("a"), 3))[0][0])


def test_closing_and_forgetting_end_it(program, tmp_path):
    retriever = program(OWN_ID)
    pid = pid_of(retriever)
    retriever.close()
    assert not is_running(pid)
    assert pid_of(retriever) != pid, "asked again, it starts again"
    forgotten = provider({"command": {"command": f"{sys.executable} -S {tmp_path / 'program0.py'}", "index": False}}).make()
    pid = pid_of(forgotten)
    del forgotten
    gc.collect()
    assert not is_running(pid)


@pytest.mark.slow
def test_one_that_does_not_want_to_end_is_killed(program):
    start = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)" + START
    retriever = program(OWN_ID, start=start, answer="    pass\ntime.sleep(60)\n")
    pid = pid_of(retriever)
    retriever.close()
    assert not is_running(pid)


def test_an_interruption_leaves_no_orphan(program, tmp_path):
    pid_file = tmp_path / "pid"
    retriever = program(f"open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(60)", timeout=60)

    def interrupt():
        while not (pid_file.exists() and pid_file.read_text()):
            time.sleep(0.01)
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        retriever.search(queries("a"), 3)
    assert not is_running(int(pid_file.read_text()))


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


# Names


def test_names_read_back_and_what_cannot_be_is_refused_at_once():
    for name in (
        "command:./search",
        "command(command='python s.py --fast', timeout=5)",
        "command(command=./s, index=false)",
    ):
        assert provider(provider(name).name) == provider(name), name
    for text in ("command", "command(command='')", "command(command='a, timeout=0)", "command(command=a, timeout=0)"):
        with pytest.raises(BadParameter):
            pytest.fail(provider(text).name)
    plain = f"search --tokenizer bert --key ${{KEY}} --k {os.cpu_count()} query"
    assert provider(f"command(command='{plain}')").params["command"] == plain
