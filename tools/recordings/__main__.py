"""Record what users see, or compare it with a recording."""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

from tools.recordings import command_output, public_api, schemas, values, web_output, wheel
from tools.recordings.folder import differences, is_allowed, read_part, write_part
from tools.recordings.process import import_packages
from tools.recordings.scene import ROOT, Scene, make_scene

Wanted = Callable[[str], bool]
PARTS: dict[str, Callable[[Scene, Wanted], dict[str, str]]] = {
    "A": lambda scene, _: public_api.record_api(scene),
    "B": lambda scene, is_wanted: {
        **command_output.record_commands(scene, is_wanted),
        **web_output.record_pages(scene, is_wanted),
    },
    "C": lambda scene, _: values.record_values(scene),
    "D": lambda scene, _: schemas.record_schemas(scene),
    "F": lambda scene, _: wheel.record_wheel(scene),
}
"""There is no E: speed is measured by benchmarks/."""
FIXED = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"}
"""Set before the start, because Python and packages read them when they start."""


def main() -> int:
    """Exit 1 if anything differs that must not differ."""
    options = _options()
    with make_scene(options.folder, options.jobs) as scene:
        import_packages()
        fixture = command_output.make_fixture(scene)
        if options.action == "record":
            schemas.keep_old_files(scene)
        n_different = sum([_do_part(part, scene, fixture, options) for part in options.only])
    if options.action == "compare":
        print("nothing differs" if not n_different else f"{n_different:,} cases differ")
    return 1 if n_different else 0


def _do_part(part: str, scene: Scene, fixture: dict[str, str], options: argparse.Namespace) -> int:
    """Record a part, or count how many cases of it differ."""
    began, began_cpu = time.monotonic(), _cpu_seconds()

    def is_wanted(name: str) -> bool:
        return not options.match or any(fnmatchcase(name, pattern) for pattern in options.match)

    cases = PARTS[part](scene, is_wanted) | (fixture if part == "B" else {})
    cases = {name: text for name, text in cases.items() if is_wanted(name)}
    took = f"{time.monotonic() - began:.0f} s ({_cpu_seconds() - began_cpu:.0f} s CPU time)"
    if options.action == "record":
        write_part(scene.recording, part, cases)
        print(f"{part}: {len(cases):,} cases recorded in {took}", flush=True)
        return 0
    before = {name: text for name, text in read_part(scene.recording, part).items() if is_wanted(name)}
    if options.keep:
        write_part(options.keep, part, cases)
    found = list(differences(part, before, cases))
    wrong = [one for one in found if not is_allowed(one, options.allow)]
    for one in wrong:
        print(one, flush=True)
    allowed = f", {len(found) - len(wrong):,} allowed" if len(found) > len(wrong) else ""
    print(f"{part}: {len(cases):,} cases in {took}, {len(wrong):,} differ{allowed}", flush=True)
    return len(wrong)


def _cpu_seconds() -> float:
    """Of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.recordings", description=__doc__)
    parser.add_argument("action", choices=["record", "compare"])
    parser.add_argument("--folder", type=Path, required=True, help="folder of the recording")
    parser.add_argument("--only", type=_parts, default=list(PARTS), help="parts, such as A,C (default: all)")
    parser.add_argument(
        "--match", action="append", default=[], help="only cases whose name matches, such as 'score *'; can be repeated"
    )
    parser.add_argument("--allow", action="append", default=[], help="cases that may differ, such as 'A/assay.model.*'")
    parser.add_argument("--keep", type=Path, help="compare: folder in which the current output is saved")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    if options.action == "compare" and not options.folder.is_dir():
        parser.error(f"{options.folder} is not a recording")
    return options


def _parts(text: str) -> list[str]:
    parts = text.upper().split(",")
    if set(parts) - PARTS.keys():
        raise argparse.ArgumentTypeError(f"choose from {', '.join(PARTS)}")
    return parts


def _start_again() -> None:
    """Restart with the environment that must be set before Python starts, and with the sources of this tree."""
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    if all(os.environ.get(name) == value for name, value in {**FIXED, "PYTHONPATH": path}.items()):
        return
    os.execve(
        sys.executable,
        [sys.executable, "-m", "tools.recordings", *sys.argv[1:]],
        {**os.environ, **FIXED, "PYTHONPATH": path},
    )


if __name__ == "__main__":
    _start_again()
    sys.exit(main())
