"""A small corpus, an embedding that needs no model, and the ranking that every store must arrive at."""

import re
import zlib

import numpy as np

CHUNKS = {
    "d1#0": "the quick brown fox jumps over the lazy dog",
    "d1#1": "a fox is quicker than a lazy dog in the morning sun",
    "d2#0": "a dog sleeps in the sun",
    "d2#1": "lazy afternoons are for a dog and for nobody else",
    "d3#0": "große straßen führen nach übersee",
    "d4#0": "invoices are paid within thirty days",
    "d4#1": "late invoices cost a fee of ten percent",
    "d5#0": "how to reset a forgotten password",
}
"""Chunk id → text; its document is what stands before the #."""
QUERIES = {"q1": "lazy dog", "q2": "invoices fee", "q3": "straßen nach übersee", "q4": "password", "q5": "fox in the sun"}
WIDTH = 256
BASE = np.random.default_rng(0).random(WIDTH) * 0.05
"""Something in every vector, so that a cosine exists and no two are equal."""


def document_of(chunk: str) -> str:
    return chunk.partition("#")[0]


def embed(text: str) -> list[float]:
    """Each word at a place of its own, or nearly so: deterministic, and no model."""
    vector = BASE * (1 + len(text) / 50)
    for word in re.findall(r"\w+", text.lower()):
        vector[zlib.crc32(word.encode()) % WIDTH] += 1
    return (vector / np.linalg.norm(vector)).tolist()


def cosines(query: str) -> dict[str, float]:
    """Chunk → cosine, best first: the oracle."""
    asked = np.array(embed(query))
    found = {chunk: float(np.array(embed(text)) @ asked) for chunk, text in CHUNKS.items()}
    return dict(sorted(found.items(), key=lambda pair: pair[1], reverse=True))


def documents(query: str) -> list[str]:
    """Documents by the best of their chunks."""
    return list(dict.fromkeys(document_of(chunk) for chunk in cosines(query)))
