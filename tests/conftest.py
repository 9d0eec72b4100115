"""Property tests: untimed, for machines are noisy; in CI always the same examples, elsewhere new ones every time.
ASSAY_TEST_EXAMPLES says how many each tries where it does not say so itself: few, and ten times as many in make test-slow.
Signals that whoever started the tests ignores, as nohup and shells in the background do, are heard again.
--random-order SEED runs files and the tests of each in another order, to find tests that depend on others.
The Human Phenotype Ontology, which takes seconds to parse, is parsed once for all tests that ask for its folder.
"""

import gc
import os
import random
import shutil
import signal

import pytest
from hypothesis import HealthCheck, settings
from tests._snapshots import FOLDER, IS_WRITING, Snapshots

IN_CI = bool(os.environ.get("CI"))
EXAMPLES = int(os.environ.get("ASSAY_TEST_EXAMPLES") or 15)
UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("elsewhere", max_examples=EXAMPLES, **UNTIMED)
settings.register_profile("ci", max_examples=EXAMPLES, derandomize=True, **UNTIMED)
settings.load_profile("ci" if IN_CI else "elsewhere")

for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)

gc.disable()  # until all tests are collected: millions of objects that stay, looked through again and again, are 13 seconds


def pytest_addoption(parser):
    """The option for another order."""
    parser.addoption("--random-order", type=int, metavar="SEED", help="shuffle files, and the tests of each")


def pytest_report_header(config):
    """The seed, so that an order can be had again."""
    seed = config.getoption("--random-order")
    return [] if seed is None else [f"random order: {seed}"]


def pytest_collection_modifyitems(config, items):
    """When texts are written, only the tests run that compare: with snapshots, pages, or pictures of charts."""
    if IS_WRITING:
        items[:] = [item for item in items if {"snapshots", "workplace", "pictures"} & set(item.fixturenames)]
    if (seed := config.getoption("--random-order")) is not None:
        items[:] = shuffled(items, random.Random(seed))


def shuffled(items, rng):
    """Files in another order, and the tests of each: those of a file stay together, as they share what is built for it."""
    files = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    return [item for tests in rng.sample(list(files.values()), len(files)) for item in rng.sample(tests, len(tests))]


def pytest_collection_finish():
    """Collect garbage again, but seldom, and never look at what was there before the first test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_unconfigure(config):
    """Let Python free what was there before the first test; otherwise DuckDB lists it below the summary as leaked."""
    if not hasattr(config, "workerinput"):
        gc.unfreeze()


@pytest.fixture(autouse=True)
def no_secrets():
    """What one test keeps secret is an ordinary word in the next."""
    from assay.masking import forget_secrets

    forget_secrets()


@pytest.fixture
def snapshots(tmp_path):
    """Texts that users see, kept in tests/snapshots."""
    return Snapshots(FOLDER, tmp_path)


@pytest.fixture(scope="session")
def hpo_cache(tmp_path_factory):
    """A folder for ASSAY_CACHE that all tests of a session share."""
    return tmp_path_factory.mktemp("hpo-cache")


@pytest.fixture(scope="session")
def parsed_hpo(hpo_cache, tmp_path_factory):
    """HPO as it is parsed, which takes seconds: once, from a copy that nobody has read, and kept in the shared folder."""
    from assay.ontology import default_ontology, load_ontology

    folder = tmp_path_factory.mktemp("hpo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(folder / "cache"))
        parsed = load_ontology(shutil.copy(default_ontology(), folder))
    shutil.copytree(folder / "cache", hpo_cache, dirs_exist_ok=True)
    return parsed
