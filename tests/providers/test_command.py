"""command: real programs that answer, crash, hang, babble, and answer out of order."""

from __future__ import annotations

import pytest

from assay.errors import BadParameter, ProviderError
from assay.model.records import Document, Hit, Query
from assay.providers.catalog.command import WINDOW, CommandRetriever
from assay.providers.retriever import PermanentFailure

from ._programs import START, pid_of, queries, told
from ._written import parse_provider

READY = START.replace("continue\n", 'say(type="ready"); continue\n', 1)
"""It says when it is ready, so that a start that takes long on a busy machine is not taken for an answer that does."""

# Speaking


def test_queries_and_answers(program):
    assert told(program().search(queries("a b", "c", ""), 10)) == [["a", "b"], ["c"], []]


def test_one_program_answers_everything(program):
    retriever = program()
    retriever.search(queries("a"), 3)
    pid = pid_of(retriever)
    retriever.search(queries("b") * 300, 3)
    assert pid_of(retriever) == pid


def test_what_a_query_line_holds(program):
    retriever = program('say(id=query["id"], hits=[json.dumps(query, sort_keys=True)]); continue')
    (answer,) = retriever.search([Query("q", 'x "é\n🙂\ud800', scope="s")], 7)
    expected = '{"id": "q", "k": 7, "query": "x \\"\\u00e9\\n\\ud83d\\ude42\\ud800", "scope": "s", "type": "search"}'
    assert answer == [Hit(expected, 0.0)]


def test_documents_come_first(program):
    retriever = program(
        'say(id=query["id"], hits=[json.dumps(one, sort_keys=True) for one in documents]); continue', index=True
    )
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


def test_asked_before_the_documents(program):
    with pytest.raises(ProviderError, match="before it had its documents"):
        program(index=True).search(queries("x"), 3)


def test_all_shapes_of_hits(program):
    shapes = '{"p": [["a", 2], ["b", 1]], "r": [{"id": "a", "score": 2, "text": "t"}], "i": ["a", "b"], "n": []}'
    retriever = program(f'say(id=query["id"], hits={shapes}[query["query"]]); continue')
    assert retriever.search(queries("p", "r", "i", "n"), 9) == [
        [Hit("a", 2.0), Hit("b", 1.0)],
        [Hit("a", 2.0, "t")],
        [Hit("a", 0.0), Hit("b", -1.0)],
        [],
    ]


def test_more_than_k_are_cut(program):
    retriever = program('say(id=query["id"], hits=["a", "b", "c"]); continue')
    assert told(retriever.search(queries("x"), 2)) == [["a", "b"]]


def test_answers_out_of_order(program):
    body = """
    documents.append(query)
    if len(documents) % 10: continue
    for query in reversed(documents[-10:]):
        say(id=query["id"], hits=ids(query))
    continue
    """
    texts = [f"d{number}" for number in range(200)]
    retriever = program(body, answer="")
    assert told(retriever.search(queries(*texts[:60]), 9)) == [[text] for text in texts[:60]]


def test_whole_numbers_and_repeated_ids(program):
    retriever = program('query["id"] = int(query["id"])')
    same = [Query("7", "a"), Query("7", "b"), Query("8", "c")]
    assert told(retriever.search(same, 3)) == [["a"], ["b"], ["c"]]


def test_the_last_line_may_lack_its_end(program):
    retriever = program('sys.stdout.write(json.dumps({"id": query["id"], "hits": ["a"]})); sys.exit()')
    assert told(retriever.search(queries("x"), 3)) == [["a"]]


# Failing


def test_an_error_in_words(program):
    retriever = program('if "bad" in ids(query): say(id=query["id"], error="no idea\\x1b"); continue')
    assert told(retriever.search(queries("a", "bad", "c"), 3)) == [["a"], "no idea\\x1b", ["c"]]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ('say(id=query["id"], hits=["a", "a"])', "document a comes twice"),
        ('say(id=query["id"], hits=[["a", float("nan")]])', "the score of document a is nan"),
        ('say(id=query["id"], hits=None)', "expected a list of hits"),
        ('say(id=query["id"], results=[])', "neither hits nor error, but id results"),
    ],
)
def test_a_wrong_answer_is_that_query_alone(program, answer, message):
    retriever = program(f'if query["query"] == "bad": {answer}; continue')
    first, wrong, last = told(retriever.search(queries("a", "bad", "c"), 3))
    assert (first, last) == (["a"], ["c"])
    assert message in wrong


def test_babble_is_passed_over(program):
    babble = 'print("thinking…"); print("[1, 2]"); print(); say(id="nobody", hits=["x"]); say(progress=3)'
    babble += '; sys.stdout.buffer.write(b"\\xff\\n")'
    assert told(program(babble).search(queries("a", "b"), 3)) == [["a"], ["b"]]


def test_babble_instead_of_an_answer_is_shown(program):
    retriever = program('print("a b c", flush=True); continue', index=True, start=READY, timeout=0.3)
    retriever.index([])
    (error,) = told(retriever.search(queries("a"), 3))
    assert "did not answer within 0.3 s; it said 'a b c', which answers nothing that was asked" in error


def test_the_query_that_kills_it_has_failed_and_others_have_not(program):
    retriever = program('if "crash" in ids(query): raise RuntimeError("cannot do that")')
    texts = [f"d{number}" for number in range(150)]
    texts[20], texts[100] = "crash", "crash"
    answers = told(retriever.search(queries(*texts), 3))
    assert [place for place, one in enumerate(answers) if isinstance(one, str)] == [20, 100]
    assert answers[20].endswith("ended with exit code 1: RuntimeError: cannot do that")
    assert [one for one in answers if isinstance(one, list)] == [[text] for text in texts if text != "crash"]


def test_the_right_query_is_blamed_even_if_answers_were_not_flushed(program):
    body = """
    if "crash" in ids(query): os._exit(3)
    print(json.dumps({"id": query["id"], "hits": ids(query)}), flush="slow" in ids(query)); continue
    """
    retriever = program(body + "\n", timeout=20.0)
    answers = told(retriever.search(queries("a slow", "b slow", "crash", "c slow"), 3))
    assert [type(one) for one in answers] == [list, list, str, list]
    assert "exit code 3" in answers[2]


def test_a_restarted_program_gets_its_documents_again(program):
    body = """
    if "crash" in ids(query): os.kill(os.getpid(), 9)
    say(id=query["id"], hits=[one["id"] for one in documents]); continue
    """
    retriever = program(body, index=True)
    retriever.index([Document("d1"), Document("d2")])
    first, killed, last = told(retriever.search(queries("a", "crash", "b"), 5))
    assert (first, last) == (["d1", "d2"], ["d1", "d2"])
    assert "ended by signal 9" in killed


def test_a_program_that_dies_at_once_is_given_up(program):
    retriever = program(start='import sys; sys.exit("no model here")\n', answer="")
    answers = told(retriever.search(queries(*"abcdefgh"), 3))
    assert "ended with exit code 1: no model here" in answers[0]
    assert "given up after it ended 3 times without an answer" in answers[-1]


def test_a_program_that_hangs(program):
    retriever = program('if "hang" in ids(query): time.sleep(600)', index=True, start=READY, timeout=0.5)
    retriever.index([])
    answers = told(retriever.search(queries("a", "hang", "b"), 3))
    assert (answers[0], answers[2]) == (["a"], ["b"])
    assert "did not answer within 0.5 s; does it flush" in answers[1]


def test_a_program_that_never_reads(program):
    retriever = program(start="import time; time.sleep(600)\n", answer="", index=True, index_timeout=0.3)
    with pytest.raises(ProviderError, match=r"did not read its documents within 0\.3 s"):
        retriever.index([Document(f"d{number}", "x" * 100_000) for number in range(100)])


def test_without_limit(program):
    assert told(program(timeout=float("inf")).search(queries("a"), 3)) == [["a"]]
    assert told(program(timeout=None, index_timeout=float("inf")).search(queries("a"), 3)) == [["a"]]


def test_what_would_be_the_same_again_is_final(program):
    wrong = 'say(id=query["id"], **{"twice": {"hits": ["a", "a"]}, "not now": {"error": "later"}}[query["query"]]); continue'
    twice, later = program(wrong).search(queries("twice", "not now"), 3)
    assert isinstance(twice, PermanentFailure)
    assert not isinstance(later, PermanentFailure)


def test_reading_documents_may_take_longer_than_a_query(program):
    start = START.replace('if query["type"] == "index": continue', 'if query["type"] == "index": time.sleep(0.5); continue')
    retriever = program(index=True, start=start, timeout=0.3)
    retriever.index([Document("d1")])
    assert told(retriever.search(queries("a"), 3)) == [["a"]]


def test_a_program_that_says_when_it_is_ready_is_not_waited_for_longer(program):
    retriever = program("time.sleep(600)", index=True, start=READY, timeout=0.3)
    retriever.index([])
    (error,) = told(retriever.search(queries("a"), 3))
    assert "did not answer within 0.3 s" in error


def test_a_line_without_end(program, monkeypatch):
    monkeypatch.setattr("assay.providers.process.MAX_LINE", 1 << 20)
    retriever = program('sys.stdout.write("x" * (1 << 22)); sys.stdout.flush(); time.sleep(60)')
    (error,) = told(retriever.search(queries("a"), 3))
    assert "without an end of line" in error


def test_no_such_program():
    with pytest.raises(ProviderError, match="no-such-program cannot be started: No such file"):
        CommandRetriever("no-such-program --fast").index([])


# Names and secrets


@pytest.mark.parametrize(
    "name",
    ["command:./search", "command(command='python search.py --fast', timeout=5)", "command(command=./s, index=false)"],
)
def test_the_name_reads_back(name):
    bound = parse_provider(name)
    assert parse_provider(bound.name) == bound


def test_secrets_are_not_shown():
    for command in ("search --api-key hush-hush -v", "search --token=hush-hush", "env API_KEY=hush-hush search"):
        bound = parse_provider(f"command(command='{command}')")
        assert "hush" not in bound.name + str(bound.configuration) + repr(bound)
        with pytest.raises(BadParameter, match="left out"):
            parse_provider(bound.name)
    plain = "search --tokenizer bert --key ${KEY} --k 10 query"
    assert parse_provider(f"command(command='{plain}')").params["command"] == plain


def test_arguments_from_the_environment(program, monkeypatch):
    retriever = program('say(id=query["id"], hits=sys.argv[1:]); continue')
    retriever._arguments += ["--key=${ASSAY_TEST_KEY}"]
    monkeypatch.setenv("ASSAY_TEST_KEY", "a b; c")
    assert told(retriever.search(queries("x"), 3)) == [["--key=a b; c"]]


@pytest.mark.parametrize(
    "text", ["command", "command(command='')", "command(command='a, timeout=0)", "command(command=a, timeout=0)"]
)
def test_what_cannot_be_is_refused_at_once(text):
    with pytest.raises(BadParameter):
        parse_provider(text)


def test_a_window_of_queries_is_sent_before_an_answer_is_waited_for(program):
    """The program answers nobody before it has read as many as are asked at a time: one by one it would wait for ever."""
    body = f"""
    documents.append(query)
    if len(documents) % {WINDOW}: continue
    for query in documents[-{WINDOW}:]:
        say(id=query["id"], hits=ids(query))
    continue
    """
    texts = [f"d{number}" for number in range(10 * WINDOW)]
    assert told(program(body, answer="", timeout=20.0).search(queries(*texts), 10)) == [[text] for text in texts]
