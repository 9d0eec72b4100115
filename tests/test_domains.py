"""Domains: a plug-in of thirty lines takes part in evaluations, and without any plug-in all else goes on working."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay import UsageError

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "assay"
SHOUT = '''
"""Shout: documents go by their ids in capitals."""

from assay.evaluation import Domain, DomainContext
from assay.metrics import Metric


class Shouted(DomainContext):
    has_canonical_ids = has_views = True

    def canonical(self, doc_id):
        return doc_id.upper()

    def views(self, qrels, run, query_ids, rule, metrics):
        return {"volume": Volume(query_ids, [sum(map(str.isupper, "".join(run.get(query, ())))) for query in query_ids])}

    def notes(self, expected, retrieved):
        return [f"{sum(not doc.isupper() for doc in retrieved)} retrieved ids were not shouted."]

    def describe(self):
        return {"shout": "loud"}


class Volume:
    def __init__(self, query_ids, letters):
        self.query_ids, self.letters = query_ids, letters


class Shout(Domain):
    name, keys = "shout", {"shout": lambda value, where: bool(value)}

    def open(self, subject):
        return Shouted() if subject.options.get("shout") or any(m.metric.view == "volume" for m in subject.metrics) else None


def volume(view):
    """How many capitals were retrieved."""
    import numpy as np

    return np.array(view.letters, dtype=float)


DOMAIN, VOLUME = Shout(), Metric("volume", volume, view="volume", range=(0, 1e9))
'''


def announce(folder: Path, name: str, entry_points: str) -> None:
    """A distribution with these entry points, as an installer leaves it."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry_points)


def run_python(folder: Path, code: str) -> str:
    """What a fresh interpreter prints that has the folder's distributions."""
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH", ""))))
    script = f"import os, sys\nfrom assay.cli import main\nimport assay\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "ASSAY_CACHE": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def data(tmp_path):
    (tmp_path / "qrels.txt").write_text("q 0 a 1\nq 0 b 0\n")
    (tmp_path / "x.txt").write_text("q Q0 b 1 2 x\nq Q0 a 2 1 x\n")
    (tmp_path / "y.txt").write_text("q Q0 a 1 2 y\nq Q0 b 2 1 y\n")
    return tmp_path


@pytest.mark.slow
def test_a_domain_of_a_plug_in(data):
    (data / "shout.py").write_text(SHOUT)
    announce(data, "shout", "[assay.domains]\nshout = shout:DOMAIN\n\n[assay.metrics]\nvolume = shout:VOLUME\n")
    plan = {"benchmarks": ["cats.json"], "providers": ["replay(path=run.json)"], "metrics": ["mrr"], "shout": True}
    (data / "plan.yaml").write_text(json.dumps(plan))
    (data / "run.json").write_text(json.dumps({"q": {"B": 2.0, "A": 1.0}}))
    (data / "cats.json").write_text(
        json.dumps({"name": "cats", "queries": [{"query_id": "q", "text": "cats"}], "qrels": {"q": {"a": 1}}})
    )
    printed = run_python(
        data,
        """
cats = assay.load_dataset("cats.json")
plain = assay.evaluate(cats, {"q": ["A"]}, ["mrr"])
loud = assay.evaluate(cats, {"q": ["A"]}, ["mrr"], relevance=assay.Relevance(options={"shout": True}))
print(plain["mrr"], loud["mrr"], loud.relevance["shout"], [note for note in loud.notes if "shouted" in note])
print(assay.evaluate({"q": {"a": 1}}, {"q": ["a", "b"]}, ["volume"])["volume"])
assert main(["eval", "plan.yaml", "--output", "result.json", "--quiet"]) == 0
""",
    )
    assert printed.splitlines()[:2] == ["0.0 1.0 loud ['0 retrieved ids were not shouted.']", "2.0"]
    [result] = json.loads((data / "result.json").read_text())["results"]
    assert result["summary"]["mrr"] == 0.5
    assert result["relevance"]["shout"] == "loud"


@pytest.mark.slow
def test_without_plug_ins_all_else_works(data):
    announce(data, "assay_ir", "")
    printed = run_python(
        data,
        """
for command in (
    ["score", "qrels.txt", "x.txt", "y.txt"],
    ["compare", "qrels.txt", "x.txt", "y.txt", "-m", "mrr"],
    ["eval", "--benchmarks", "rag-template", "--providers", "bm25", "--limit", "2", "--quiet"],
    ["metrics"],
    ["metrics", "--for", "everything"],
    ["datasets"],
):
    assert main(command) == 0, command
assert main(["score", "qrels.txt", "x.txt", "-m", "max_ont_sim"]) == 2
try:
    assay.evaluate({"q": {"a": 1}}, {"q": ["a"]}, ["mrr"], ontology="any.obo")
except assay.UsageError as error:
    print(error)
print([name for name in sys.modules if name.startswith("assay.ontology")])
""",
    )
    assert "ndcg" in printed
    assert not re.search("(?i)max_ont_sim|hpo-de", printed)
    assert printed.splitlines()[-2:] == ["no installed plug-in accepts ontology (installed domains: none)", "[]"]


def test_an_option_that_no_domain_takes():
    with pytest.raises(UsageError, match="volume"):
        assay.evaluate(assay.load_dataset("rag-template"), {}, ["mrr"], relevance=assay.Relevance(options={"volume": 1}))


CORE = (
    *("model", "views", "metrics", "relevance", "stats", "fusion", "files", "datasets", "providers", "chunkers"),
    *("evaluation", "execution", "comparison", "store", "monitoring", "charts", "reports", "web"),
)
ALLOWED = {
    "evaluation/scoring.py": 7,  # evaluate(…, ontology=…) with its overloads, which hands it on
    "evaluation/relevance.py": 2,  # Relevance(ontology=…), a public field
    "execution/retrieve.py": 2,  # run(…, ontology=…), as its docstring and the type of its keywords say
    "comparison/comparing.py": 6,  # compare(…, ontology=…), which hands it on
    "model/values.py": 1,  # hpo_id, what an index of somebody else calls an id
}
"""File → lines that name the domain, with the reason."""


def test_the_core_does_not_name_the_domain():
    files = [file for part in CORE for ending in ("py", "pyi") for file in sorted((SOURCE / part).rglob(f"*.{ending}"))]
    lines = {
        file.relative_to(SOURCE).as_posix(): len(re.findall(r"(?im)^.*(?:ontolog|hpo).*$", file.read_text("utf-8")))
        for file in files
    }
    assert {name: n for name, n in lines.items() if n} == ALLOWED
