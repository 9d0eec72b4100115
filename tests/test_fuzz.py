"""The fuzzer: it covers everything that reads, finds faults of every kind, and what it found once stays mended."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from random import Random  # noqa: E402

from fuzz.component import all_components  # noqa: E402
from fuzz.files import join_files, split_files  # noqa: E402
from fuzz.mutation import make_input  # noqa: E402

from assay.datasets import all_formats  # noqa: E402
from assay.store import Store  # noqa: E402

FAULTY = """
import ctypes

from assay import DataError
from fuzz.component import Component, SilentDifference


def check(data):
    kind = data[:1]
    if kind == b"e":
        raise KeyError(1)
    if kind == b"d":
        raise SilentDifference("two readers: 1 and 2")
    if kind == b"r":
        raise DataError("no")
    if kind == b"c":
        ctypes.string_at(0)
    if kind == b"m":
        bytearray(600 << 20)[:: 4096]
    while kind == b"h":
        pass


def one(kind):
    return Component(f"self_{kind}", check, tuple, make=lambda random: kind.encode() * 3, shape="bytes")


COMPONENTS = [one(kind) for kind in "edrcma"]
"""


def fuzz(*arguments, **environment):
    command = [sys.executable, "-m", "fuzz", *map(str, arguments)]
    path = os.pathsep.join(
        [str(ROOT), str(ROOT / "src"), environment.pop("PYTHONPATH", ""), os.environ.get("PYTHONPATH", "")]
    )
    everything = {**os.environ, **environment, "PYTHONPATH": path}
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=everything, check=False, timeout=600)


def covered():
    return {what for one in all_components().values() for what in one.covers}


@pytest.mark.slow
def test_no_case_that_was_kept_is_a_fault():
    done = fuzz("--replay")
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_saved_form_is_covered():
    """What has a schema of its own, and every cache; other packages write such files, and read none."""
    readers = ("datasets", "embeddings", "evaluation", "execution", "files", "providers", "store")
    folders = [ROOT / "src" / "assay" / name for name in readers]
    texts = [path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.py")]
    schemas = {name for text in texts for name in re.findall(r'"(assay\.\w+)/\d+"', text)}
    caches = {name for text in texts for name in re.findall(r"^class (\w+Cache|ResponseLog)\b", text, re.MULTILINE)}
    assert {"assay.result", "assay.export"} <= schemas
    assert {"ResponseCache", "ResponseLog", "EmbeddingCache"} <= caches
    wanted = {f"saved {name}" for name in schemas} | {f"class {name}" for name in caches}
    wanted |= {f"format {name}" for name in all_formats()}
    assert sorted(wanted - covered()) == []


def test_every_address_is_covered(tmp_path):
    pytest.importorskip("starlette")
    from assay.web import make_app

    Store.open(tmp_path / "assay.db").close()
    routes = make_app(tmp_path / "assay.db").routes
    wanted = {f"endpoint {method} {route.path}" for route in routes for method in route.methods - {"HEAD"}}
    assert sorted(wanted - covered()) == []


def test_a_seed_gives_the_same_inputs_again_and_their_files_are_told_apart():
    for name in ("run_trec", "plan", "dataset_beir", "name_metric"):
        one = all_components()[name]
        first, again = ([make_input(one, Random(f"1/{place}")) for place in range(12)] for _ in range(2))
        assert first == again, name
        assert len(set(first)) > 9, name
    files = {"a.txt": b"1\n", "b/c.json": b"", "d": b"\x01\x00"}
    assert split_files(join_files(files)) == files


@pytest.mark.slow
def test_faults_of_every_kind_are_found_and_kept(tmp_path):
    (tmp_path / "faulty.py").write_text(FAULTY)
    cases = tmp_path / "cases"
    done = fuzz(
        *("--component", "self_", "--count", 12, "--jobs", 1, "--seed", 1, "--cases", cases),
        ASSAY_FUZZ_MORE="faulty",
        PYTHONPATH=str(tmp_path),
    )
    assert done.returncode == 1, done.stderr
    assert "FAULT self_e: KeyError at" in done.stdout
    assert "FAULT self_d: difference: two readers" in done.stdout
    assert "FAULT self_c: crash, exit -11" in done.stdout
    assert "FAULT self_m: memory" in done.stdout
    end = done.stdout[done.stdout.index("\nall ") :]
    assert "got no input" not in end
    assert end.count("FAULT self_") == 4
    for one in ("self_c", "self_d", "self_e", "self_m"):
        (kept,) = (cases / one).iterdir()
        assert f"\n  {kept}\n    " in end
    assert sorted(path.name for path in cases.iterdir()) == ["self_c", "self_d", "self_e", "self_m"]
    rows = {line.split()[0]: line.split()[1:5] for line in done.stdout.splitlines() if line.startswith("self_")}
    assert rows["self_r"] == ["2", "0", "2", "0"]
    assert rows["self_a"] == ["2", "2", "0", "0"]
    assert rows["self_e"] == ["2", "0", "0", "2"]
    again = fuzz("--replay", "--cases", cases, ASSAY_FUZZ_MORE="faulty", PYTHONPATH=str(tmp_path))
    assert again.returncode == 1


@pytest.mark.slow
def test_a_hang_is_found(tmp_path):
    (tmp_path / "faulty.py").write_text(FAULTY.replace("edrcma", "h"))
    options = ("--component", "self_", "--count", 1, "--jobs", 1, "--seed", "hang", "--cases", tmp_path / "cases")
    assert "FAULT self_h: Hang at" in fuzz(*options, ASSAY_FUZZ_MORE="faulty", PYTHONPATH=str(tmp_path)).stdout


@pytest.mark.slow
def test_a_run_without_time_says_what_was_not_tried(tmp_path):
    (tmp_path / "faulty.py").write_text(FAULTY)
    done = fuzz("--component", "self_", "--seconds", 0, ASSAY_FUZZ_MORE="faulty", PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr
    untried = ", ".join(f"self_{kind}" for kind in "acdemr")
    assert done.stdout.splitlines()[-1] == f"6 of 6 components got no input, because the time was too short: {untried}"
