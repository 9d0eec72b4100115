"""dense: the model in the wheel, models of sentence-transformers, the cache of embeddings, and errors that name commands."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from assay import Document, Query
from assay.errors import ProviderError

from ._asking import ids, provider, ready
from ._stand_ins import package

NUMBERS = count()
"""Models are loaded once in a process, so that every test names one of its own."""


def test_vectors_are_those_of_wordllama():
    import wordllama

    original = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    texts = ["a fox", "Straße 東京", "one two three four five", "x" * 500]
    scores = original.embed(texts, norm=True) @ original.embed(["a house"], norm=True)[0]
    retriever = ready("dense", [Document(str(number), text) for number, text in enumerate(texts)])
    found = {hit.doc_id: hit.score for hit in retriever.search([Query("q", "a house")], 9)[0]}
    assert found == {str(number): pytest.approx(float(score), abs=1e-6) for number, score in enumerate(scores)}


@pytest.fixture
def asked(monkeypatch):
    """The texts that a stand-in for sentence-transformers was asked for; its vectors count letters."""
    asked = []

    class SentenceTransformer:
        def __init__(self, name):
            if name == "nowhere":
                raise OSError("no such model")
            self.name = name

        def encode(self, texts, convert_to_numpy, show_progress_bar):
            assert (convert_to_numpy, show_progress_bar) == (True, False)
            asked.extend(texts)
            rows = [[text.count(letter) for letter in "abcdefgh"] for text in texts]
            return np.array(rows, np.float64) * (np.nan if self.name == "broken" else 1)

    package(monkeypatch, "sentence_transformers", SentenceTransformer=SentenceTransformer)
    return asked


THREE = [Document("1", "aab"), Document("2", "ccc"), Document("3", "aab")]


def model(more=""):
    return f"dense(model=my/model{next(NUMBERS)}{more})"


def cached(folder):
    return model(f", cache='{folder}'")


def test_a_model_by_name_with_its_prefixes(asked):
    text = model(", query_prefix='query: ', document_prefix='passage: '")
    retriever = ready(text, [Document("1", "aab"), Document("2", "ccc"), Document("3", "")])
    assert ids(retriever.search([Query("q", "c")], 1)[0]) == ["2"]
    assert asked == ["passage: ccc", "passage: aab", "query: c"]


def test_what_cannot_be_loaded(asked, snapshots, monkeypatch):
    cases = {
        "no such model": lambda: ready("dense(model=nowhere)", THREE),
        "not finite": lambda: ready("dense(model=broken)", THREE),
    }
    snapshots.check_errors("providers/dense", cases)
    for name, text in {"wordllama": "dense", "sentence_transformers": model()}.items():
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ProviderError, match="pip install"):
            provider(text).make()


def test_known_texts_are_not_embedded_again(asked, tmp_path):
    text = cached(tmp_path / "new" / "folder")
    for _ in range(2):
        retriever = ready(text, THREE)
        answers = retriever.search([Query("q", "abc")], 3)
        assert (ids(answers[0]), asked) == (["3", "1", "2"], ["aab", "ccc", "abc"])
    ready(cached(tmp_path / "new" / "folder"), THREE)
    assert asked[3:] == ["aab", "ccc"], "another model has vectors of its own"


def damaged(file):
    """Every way in which the file of a cache can be wrong, one after the other."""
    yield lambda: file.write_bytes(b"")
    yield lambda: file.write_bytes(b"no database at all " * 100)
    yield lambda: file.write_bytes(file.read_bytes()[:4096] + b"\xff" * 8192)

    def change():
        with closing(sqlite3.connect(file)) as database, database:
            database.execute("UPDATE vectors SET vector = ?", (b"\x00" * 32,))

    yield change


def test_a_damaged_cache_costs_time_only(asked, tmp_path):
    text = cached(tmp_path)
    ready(text, THREE[:1])
    (file,) = (path for path in tmp_path.iterdir() if path.is_file())
    for number, damage in enumerate(damaged(file), 2):
        damage()
        assert ids(ready(text, THREE[:1]).search([Query("q", "aab")], 1)[0]) == ["1"], number
        assert asked == ["aab"] * number
        ready(text, THREE[:1])
        assert asked == ["aab"] * number, "and it is written anew"


def test_a_cache_that_cannot_be_written_is_no_error(asked, tmp_path):
    (tmp_path / "file").write_text("in the way")
    text = cached(tmp_path / "file")
    ready(text, THREE[:1])
    ready(text, THREE[:1])
    assert asked == ["aab"] * 2


@pytest.mark.slow
def test_several_processes_may_write_at_once(tmp_path):
    code = (
        "import sys; from assay import Document; from assay.providers import parse_provider\n"
        "from assay.grammar import mark_written\n"
        "made = parse_provider(mark_written(f'dense(cache={sys.argv[1]})')).make(); start = int(sys.argv[2])\n"
        "for n in range(start, start + 20): made.index([Document('d', f'text {n}')])\n"
    )
    started = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(20 * n)]) for n in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    (file,) = tmp_path.glob("*.sqlite")
    with closing(sqlite3.connect(file)) as database:
        assert database.execute("SELECT count(*) FROM vectors").fetchone() == (60,)


QUESTION = "How often should I water a cactus in winter?"


def vector_of(text):
    """The vector that dense searches with, seen by its similarity to some documents."""
    words = ("cactus", "WATER", "winter sports", "a bank lends money", "12", "ΝΕΡΟ", "NASA")
    retriever = ready("dense", [Document(word, word) for word in words])
    return {hit.doc_id: hit.score for hit in retriever.search([Query("q", text)], len(words))[0]}


def test_a_text_in_capitals_is_read_in_lower_case():
    assert vector_of(QUESTION.upper()) == vector_of(QUESTION.lower()) != vector_of(QUESTION)
    for acronyms in ("SCID, T-B-NK+", "NASA", "HIV AIDS", "Capital Letters Everywhere In A Title"):
        assert vector_of(acronyms) != vector_of(acronyms.lower()), acronyms
    nearly, mixed = "SEVERE HEADACHE AND FEVER FOR DAYS, pH 7", "SEVERE HEADACHE and fever for days, pH 7"
    assert vector_of(nearly) == vector_of(nearly.lower()) != vector_of(mixed)
    documents = [Document("capitals", "WATER A CACTUS ONCE A MONTH"), Document("small", "water a cactus once a month")]
    first, second = ready("dense", documents).search([Query("q", QUESTION)], 2)[0]
    assert first.score == second.score, "documents are read like queries"


def test_another_model_gets_the_text_as_it_is(asked):
    ready(model(), [Document("1", "AAB AND MORE LETTERS")]).search([Query("q", "CAB AND MORE LETTERS")], 1)
    assert asked == ["AAB AND MORE LETTERS", "CAB AND MORE LETTERS"]


def notes(name, *texts):
    return list(provider(name).notes_on([Query(str(number), text) for number, text in enumerate(texts)]))


KNOWN = {
    "English": QUESTION,
    "German": "Wie oft muss man einen Kaktus gießen, der größer wird?",
    "Dutch": "Hoe vaak moet je een cactus geïrrigeerd houden?",
    "French": "À quelle fréquence arroser un cactus l’été, s’il fait très chaud ?",
    "Spanish": "¿Cuántas veces al año se riega un cactus pequeño?",
    "Polish": "Jak często podlewać kaktusa zimą",
    "Russian": "Как часто нужно поливать кактус зимой?",
    "a number": "١٢٣",
}
HARDLY_KNOWN = {
    "Greek": "Πόσο συχνά ποτίζουμε τον κάκτο τον χειμώνα;",
    "Arabic": "كم مرة يجب سقي الصبار في الشتاء؟",
    "Hebrew": "כמה פעמים צריך להשקות קקטוס בחורף",
    "Devanagari": "सर्दियों में कैक्टस को कितनी बार पानी देना चाहिए",
    "CJK": "冬天多久给仙人掌浇一次水？",
    "Hangul": "겨울에 선인장에 물을 얼마나 자주 줘야 하나요",
    "Thai": "ควรรดน้ำกระบองเพชรบ่อยแค่ไหนในฤดูหนาว",
}


def test_a_note_names_a_script_that_the_model_hardly_knows(snapshots):
    assert {name: notes("dense", text) for name, text in KNOWN.items()} == {name: [] for name in KNOWN}
    for script, text in HARDLY_KNOWN.items():
        (note,) = notes("dense", text)
        assert f"({script})" in note
    greek = HARDLY_KNOWN["Greek"]
    assert notes("dense", greek, *[QUESTION] * 10) == [], "one of many is not worth a note"
    every = {
        "some": notes("dense", greek, greek, HARDLY_KNOWN["Thai"], *[QUESTION] * 3),
        "capitals and a script": notes("dense", greek.upper(), QUESTION.upper()),
        "one": notes("hybrid(bm25, dense)", QUESTION.upper()),
        "another model": [*notes("dense(model=my/model)", greek, QUESTION.upper()), *notes("bm25", greek)],
    }
    snapshots.check("providers/dense-notes", "".join(f"## {name}\n{chr(10).join(some)}\n\n" for name, some in every.items()))
