"""A service on loopback that speaks the chat-completions protocol, with faults. The document names its fault.

A document `pair 17 fault=fence: …` gets the grade of pair 17 in a code fence. The service counts what it gets.
"""

import json
import re
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from assay.judges import Pair

KEY = "sk-stub-0123456789-secret"
PAIR = re.compile(r"pair (\d+) fault=(\w+)")
PASSING = ("busy", "down", "unavailable", "cut_once", "html_once")
"""Faults of the first request for a pair; the second request gets a good reply."""
READABLE = ("none", "fence", "think", "prose_before", "no_usage", "digit_text", "only_number", *PASSING)
UNREADABLE = ("prose", "prose_after", "range", "word", "null", "length", "two", "empty", "refusal", "no_choice", "fraction")
"""Replies that come, are paid for and cannot be read."""
FAILING = ("always_down", "always_cut", "always_html", "too_long", "denied")
FAULTS = (*READABLE, *UNREADABLE, *FAILING)


def truth(number: int) -> int:
    """The grade that the service gives to a pair."""
    return (number * 7 + number // 5) % 4


def pairs_of(count: int, faults=FAULTS) -> list[Pair]:
    """Pairs with faults in turn."""
    return [
        Pair(f"q{n % 50}", f"question {n % 50}", f"d{n}", f"pair {n} fault={faults[n % len(faults)]}: some text", 0.5)
        for n in range(count)
    ]


def fault_of(number: int, faults=FAULTS) -> str:
    """The fault of a pair of `pairs_of`."""
    return faults[number % len(faults)]


def content_of(fault: str, grade: int) -> str | None:
    """The text of a reply."""
    good = json.dumps({"grade": grade, "reason": f"because of {grade}"})
    return {
        "fence": f"```json\n{good}\n```",
        "think": f'<think>I would say {{"grade": 1}} or 3.</think>\n{good}',
        "prose_before": f"Here is my judgment:\n{good}",
        "digit_text": json.dumps({"grade": str(grade)}),
        "only_number": str(grade),
        "prose": f"I think the grade is {grade}.",
        "prose_after": f"{good}\nBut it could be another grade.",
        "range": '{"grade": 7}',
        "word": '{"grade": "two"}',
        "null": '{"grade": null}',
        "length": '{"grade": 1, "reas',
        "two": '{"grade": 1}\n{"grade": 3}',
        "empty": "",
        "refusal": None,
        "fraction": '{"grade": 1.5}',
    }.get(fault, good)


class Stub:
    """The service; use it as a context. `requests` and `by_pair` are what it got."""

    def __init__(self, delay: float = 0.0, model: str = "stub-2026-01", status: int = 0) -> None:
        self.delay, self.model, self.status = delay, model, status
        self.bodies: list[dict] = []
        self.keys: set[str] = set()
        self.by_pair: Counter = Counter()
        self.n_usage = 0
        """Complete replies with 100 tokens in and 10 out."""
        self.lock = threading.Lock()

    @property
    def n_requests(self) -> int:
        return len(self.bodies)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def __enter__(self):
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                """Be quiet."""

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                stub.answer(self, body)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def answer(self, handler, body) -> None:
        subject, fault, good = self.read(body["messages"][0]["content"])
        key = handler.headers.get("Authorization", "")
        with self.lock:
            self.bodies.append(body)
            self.keys.add(key)
            self.by_pair[subject] += 1
            is_first = self.by_pair[subject] == 1
        time.sleep(self.delay)
        if self.status or fault == "denied":
            return self.send(handler, self.status or 401, {"error": {"message": f"Incorrect API key provided: {key}"}})
        if is_first and fault in ("busy", "unavailable"):
            return self.send(handler, 429 if fault == "busy" else 503, {"error": "slow down"}, {"Retry-After": "0"})
        if fault == "always_down" or (is_first and fault == "down"):
            return self.send(handler, 500, {"error": f"internal error for {key}"})
        if fault == "too_long":
            return self.send(handler, 400, {"error": "the context is too long"})
        if fault == "always_html" or (is_first and fault == "html_once"):
            return self.send(handler, 200, "<html><body>Gateway</body></html>", {"Content-Type": "text/html"})
        is_cut = fault == "always_cut" or (is_first and fault == "cut_once")
        return self.send(handler, 200, self.completion(fault, good, is_cut=is_cut), is_cut=is_cut)

    def read(self, text: str) -> tuple:
        """What a message asks about, its fault, and the grade of a good reply."""
        number, fault = PAIR.search(text).groups()
        return int(number), fault, truth(int(number))

    def completion(self, fault: str, good, *, is_cut: bool) -> dict:
        text = good.get(fault, good[""]) if isinstance(good, dict) else content_of(fault, good)
        message = {"role": "assistant", "content": text, **({"refusal": "no"} if fault == "refusal" else {})}
        choice = {"index": 0, "message": message, "finish_reason": "length" if fault == "length" else "stop"}
        content = {"id": "x", "model": self.model, "choices": [] if fault == "no_choice" else [choice]}
        if fault == "no_usage":
            return content
        if not is_cut:
            with self.lock:
                self.n_usage += 1
        return {**content, "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}}

    def send(self, handler, status, content, headers=None, *, is_cut=False) -> None:
        body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        handler.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: len(body) // 2] if is_cut else body)
        handler.wfile.flush()
        handler.close_connection = True
