"""Distributions: the wheel and the source distribution are built, checked, and tried in an empty environment."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from tools.release.advisories import found_in, read_advisories
from tools.release.agreement import ROOT

LEAST_RATING = 9
SOURCE = "https://github.com/assay-ir/assay"
IMAGES = "https://raw.githubusercontent.com/assay-ir/assay"
EXTRAS = "dense,hpo,postgres,report,web"
TRIALS = (
    ["doctor"],
    ["eval", "--benchmarks", "rag-template", "--providers", "bm25", "--metrics", "ndcg@10", "--quiet"],
    ["bless", "latest", "--as", "main"],
    ["gate", "latest", "--rule", "ndcg@10 not worse than baseline by 0.05"],
)
"""What the installed wheel must be able to do, in this order."""
PERMISSIVE = ("MIT", "BSD", "Apache", "ISC", "PSF", "Python Software Foundation", "Zlib", "0BSD", "CC0", "Unlicense")
REVIEWED = {
    "certifi": "MPL-2.0: a file of certificates that is not changed",
    "psycopg": "LGPL-3.0: a library that is imported and not changed",
    "psycopg-binary": "LGPL-3.0: a library that is imported and not changed",
    "tqdm": "MPL-2.0 AND MIT: a library that is imported and not changed",
}
"""Packages with another licence → why it is accepted."""


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """The output of a program; ends with the output if the program fails."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def build(folder: Path) -> tuple[Path, Path]:
    """The wheel and the source distribution in an empty folder, built by hatchling of this environment."""
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    [wheel], [source] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


def check(wheel: Path, source: Path) -> list[str]:
    """Lines about what was checked; ends with a message at the first failure."""
    tools = Path(sys.executable).parent
    run(tools / "twine", "check", "--strict", wheel, source)
    run(tools / "check-wheel-contents", wheel)
    rating = re.search(r"Final rating: (\d+)/10", run(tools / "pyroma", source))
    if rating is None or int(rating[1]) < LEAST_RATING:
        raise SystemExit(f"pyroma gives {rating[1] if rating else 'no rating'}, expected at least {LEAST_RATING}")
    return ["twine check --strict passed", "check-wheel-contents passed", f"pyroma: {rating[1]} of 10", *described(wheel)]


def described(wheel: Path) -> list[str]:
    """The wheel has its licence and NOTICE, and its description links to nothing that only the repository has."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")]
    lacking = [name for name in ("LICENSE", "NOTICE") if not any(one.endswith(f"/licenses/{name}") for one in names)]
    if lacking:
        raise SystemExit(f"the wheel has no {', '.join(lacking)}")
    for what, links in {"relative links": relative_links(metadata), "links to no file": dead_links(metadata)}.items():
        if links:
            raise SystemExit(f"{what} in the description: {', '.join(links)}")
    return ["the wheel has LICENSE and NOTICE", "all links in the description are absolute and lead to files"]


def dead_links(text: str) -> list[str]:
    """Links to the repository whose file the checkout does not have."""
    pattern = rf"{re.escape(SOURCE)}/(?:blob|tree)/main/([^)\s\"#]+)|{re.escape(IMAGES)}/main/([^)\s\"#]+)"
    return [path for parts in re.findall(pattern, text) for path in parts if path and not (ROOT / path).exists()]


def relative_links(text: str) -> list[str]:
    """Targets of Markdown links and sources of images that are not URLs."""
    return re.findall(r"\]\((?!https?://|#)([^)\s]+)\)|<img src=\"(?!https?://)[^\"]+\"", text)


def try_wheel(wheel: Path, folder: Path, advisories: Path | None = None) -> list[str]:
    """Install the wheel alone in an empty environment, and use it; then with extras, and look at the licences."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    run(sys.executable, "-m", "venv", folder / "env")
    programs = folder / "env" / "bin"
    install = (programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*install, "--constraint", ROOT / "constraints.txt", wheel)
    for words in TRIALS:
        run(programs / "assay", *words, cwd=folder)
    run(*install, "--constraint", ROOT / "constraints.txt", f"{wheel}[{EXTRAS}]")
    problems = run(programs / "python", "-m", "pip", "check")
    return [
        f"the wheel works alone: {', '.join(words[0] for words in TRIALS)}",
        problems.strip(),
        *licences(programs),
        known_faults(programs, advisories),
    ]


def licences(programs: Path) -> list[str]:
    """All packages of the environment have a licence that is permissive, or that somebody reviewed."""
    tool = Path(sys.executable).parent / "pip-licenses"
    rows = json.loads(run(tool, "--python", programs / "python", "--format", "json", "--from", "mixed"))
    others = {row["Name"]: row["License"] for row in rows if not row["License"].startswith(PERMISSIVE)}
    unknown = {name: licence for name, licence in others.items() if name not in REVIEWED and name != "assay-ir"}
    if unknown:
        listed = "\n".join(f"  {name}: {licence}" for name, licence in sorted(unknown.items()))
        raise SystemExit(f"licences that nobody has reviewed (tools/release/distributions.py):\n{listed}")
    return [f"{len(rows)} packages have licences that are permissive or reviewed"]


def known_faults(programs: Path, advisories: Path | None) -> str:
    """No package of the environment has a known vulnerability; a note if there is no copy of the advisories."""
    if advisories is None:
        return "known vulnerabilities were not checked: give ADVISORIES=all.zip, or use pip-audit"
    rows = json.loads(run(programs / "python", "-m", "pip", "list", "--format", "json"))
    if found := found_in(read_advisories(advisories), {row["name"]: row["version"] for row in rows}):
        raise SystemExit("packages with known vulnerabilities:\n" + "\n".join(f"  {one}" for one in found))
    return f"none of {len(rows)} packages has a known vulnerability in {advisories.name}"
