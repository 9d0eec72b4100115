"""What the tests of assay eval share: a retriever that is asked, and what was asked of it and came out."""

import json

N = 24
SEARCH = """
import os, signal, threading, time, zlib
from pathlib import Path

def search(text: str, k: int):
    asked = os.open("asked.txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(asked, (text + "\\n").encode())
    os.close(asked)
    if os.environ.get("TALK"):
        print("asked", text)
    if "SIGNAL" in os.environ and int(text[1:]) >= 10:  # once the answers before are in the log
        if text == "q10":
            log = max(Path(".assay/runs").glob("*.log"), key=os.path.getmtime)
            while b'"q9"' not in log.read_bytes():
                time.sleep(0.01)
            time.sleep(0.05)
            signal.pthread_kill(threading.main_thread().ident, int(os.environ["SIGNAL"]))
        threading.Event().wait(60)
    if text in os.environ.get("FAIL", "").split(","):
        raise ValueError("told to fail")
    docs = sorted((f"d{n}" for n in range(24)), key=lambda doc: zlib.crc32((text + doc).encode()))
    return [(doc, 10.0 - place) for place, doc in enumerate(docs[:k])]

def other(text: str, k: int):
    return search(text, k)[::-1]

class Stuck:
    def index(self, documents):
        raise OSError("no room for an index")

    def search(self, queries, k):
        return [[] for _ in queries]

class Hangs:
    def index(self, documents):
        threading.Event().wait(20)

    def search(self, queries, k):
        return [[] for _ in queries]

class Batched:
    batch = 8

    def index(self, documents):
        pass

    def search(self, queries, k):
        return [["d1", "d2"] for _ in queries]
"""
FLAGS = ("--benchmarks", "small.json", "--providers", "python:mine:search", "--metrics", "mrr", "ndcg@10", "--k", "5")


def asked(folder):
    file = folder / "asked.txt"
    return file.read_text().split() if file.exists() else []


def figures(folder, name="result.json"):
    """What must be the same every time: all but how long it took."""
    (plain,) = json.loads((folder / name).read_text())["results"]
    for scores in (plain["summary"], *plain["per_query"].values()):
        for name in [name for name in scores if name.startswith("latency")]:
            del scores[name]
    return {key: plain[key] for key in ("summary", "per_query", "run", "benchmark", "name", "counts")}
