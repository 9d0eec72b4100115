"""Conversations of the format locomo: made and read."""

import json

from assay.datasets.formats.locomo import FORMAT

from ._cases import write

TURN = {"speaker": "Ada", "dia_id": "D1:1", "text": "Hello"}
SESSION = {"session_1_date_time": "noon", "session_1": [TURN]}
QUESTION = {"question": "What?", "answer": "That", "evidence": ["D1:1"], "category": 4}


def sample(qa=(QUESTION,), sample_id="c", **conversation):
    return {"sample_id": sample_id, "conversation": {**SESSION, **conversation}, "qa": list(qa)}


def read(folder, *samples):
    return FORMAT.read(write(folder / "c.json", json.dumps(samples)))


def losses(dataset, place):
    return [one.what for one in dataset.repairs if one.place == place and one.is_loss]
