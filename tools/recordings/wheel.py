"""Part F: the wheel, its metadata and files that are no modules, and whether it works in a new environment."""

from __future__ import annotations

import hashlib
import os
import site
import subprocess
import sys
import zipfile
from pathlib import Path

from tools.recordings.masks import mask
from tools.recordings.scene import ROOT, Scene

SMOKE = (
    ("--version",),
    ("score", "examples/qrels.txt", "examples/bm25.run", "-m", "ndcg@10", "map"),
    ("metrics", "ndcg"),
    ("datasets",),
    ("chunk", "shop.py", "--chunker", "syntax_tree(size=120)"),
    ("eval", "--benchmarks", "rag-template", "--providers", "bm25", "-m", "ndcg@10", "--quiet"),
    ("report", "latest", "-o", "report.html"),
    ("serve", "--store", "nowhere.db"),
)
"""Commands that read what is packed beside modules."""


def record_wheel(scene: Scene) -> dict[str, str]:
    """What it holds, and what commands of its own environment print."""
    place = scene.place / "wheel"
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(place), str(ROOT)]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": ""})
    (wheel,) = place.glob("*.whl")
    cases = _contents(wheel)
    program = _install(wheel, scene.place / "environment")
    with scene.copy() as folder:
        for words in SMOKE:
            environment = {**scene.environment(folder), "PYTHONPATH": ""}
            done = subprocess.run(
                [program, *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            # how long an evaluation took is in these columns; part B has them at a stopped clock
            output = done.stdout if words[0] != "eval" else f"{len(done.stdout.splitlines())} lines\n"
            text = f"exit code {done.returncode}\n{output}\n--- standard error\n{done.stderr}"
            cases[f"smoke {' '.join(words)}"] = mask(text, (folder, scene.place))
    return cases


def _contents(wheel: Path) -> dict[str, str]:
    """Metadata and files with a digest; modules have none, for these may move."""
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(name for name in archive.namelist() if not name.endswith((".py", ".pyi", "/RECORD")))
        files = [
            f"{hashlib.sha256(archive.read(name)).hexdigest()[:16]}  {name}\n" for name in names if ".dist-info/" not in name
        ]
        cases = {name.rpartition("/")[2]: archive.read(name).decode() for name in names if ".dist-info/" in name}
    return {**{f"wheel {name}": mask(text) for name, text in cases.items()}, "wheel files": "".join(files)}


def _install(wheel: Path, place: Path) -> str:
    """An environment with the wheel, and the packages of this one behind it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    library = next((place / "lib").glob("python*/site-packages"))
    target = ["--target", str(library), "--no-deps", "--no-index", "--quiet", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", "install", *target], check=True, env={**os.environ, "PYTHONPATH": ""})
    (library / "packages.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
    program = place / "bin" / "assay"
    program.write_text(f"#!{place}/bin/python\nimport sys\nfrom assay.cli import main\nsys.exit(main())\n", encoding="utf-8")
    program.chmod(0o755)
    return str(program)
