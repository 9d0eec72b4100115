"""Files of the format rag_template: made, read and refused."""

from pathlib import Path

SAMPLES = Path(__file__).parent / "samples"
SAMPLE = SAMPLES / "rag_template.json"
LINES = SAMPLES / "rag_template_lines.jsonl"


def asked(**fields):
    """A file with one question, of which only some fields matter."""
    return {"contexts": [{"id": "p1", "content": "one"}], "questions": [{"question": "?", **fields}]}
